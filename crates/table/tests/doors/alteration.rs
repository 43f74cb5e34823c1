//! Files altered at random.

/// Numbers at which readers break.
const EXTREMES: [&str; 12] = [
    "0",
    "-1",
    "1e308",
    "-1e-320",
    "NaN",
    "18446744073709551615",
    "9223372036854775808",
    "4294967296",
    "2147483648",
    "999999999999999999999999",
    "0.1e-400",
    "1e999",
];

/// A stream of altered files.
pub struct Alterations<'a> {
    files: &'a [Vec<u8>],
    words: &'a [&'a str],
    state: u64,
}

impl<'a> Alterations<'a> {
    /// Alterations of these files, with words of their format, by this seed.
    pub fn new(files: &'a [Vec<u8>], words: &'a [&'a str], seed: u64) -> Self {
        Self { files, words, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// The next 64 bits (xorshift*, Vigna 2016).
    fn bits(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below this one.
    fn below(&mut self, most: usize) -> usize {
        (self.bits() % most.max(1) as u64) as usize
    }

    /// The next input.
    pub fn next(&mut self) -> Vec<u8> {
        let mut bytes = self.files[self.below(self.files.len())].clone();
        for _ in 0..=self.below(5) {
            self.alter(&mut bytes);
        }
        bytes.truncate(1 << 20);
        bytes
    }

    /// A piece of what is there: from where, to where.
    fn piece(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.below(length + 1);
        let most = (length - from).min(1 + self.below(64));
        from..from + most
    }

    fn alter(&mut self, bytes: &mut Vec<u8>) {
        let place = self.below(bytes.len() + 1);
        match self.below(9) {
            0 if !bytes.is_empty() => {
                let at = self.below(bytes.len());
                bytes[at] ^= 1 << self.below(8);
            }
            1 if !bytes.is_empty() => {
                let at = self.below(bytes.len());
                bytes[at] = [0, 255, 127, 128, b'"', b'\n'][self.below(6)];
            }
            2 => drop(bytes.drain(self.piece(bytes.len()))),
            3 => {
                let piece = bytes[self.piece(bytes.len())].to_vec();
                let times = 1 + self.below(40);
                bytes.splice(place..place, piece.repeat(times));
            }
            4 => {
                let other = &self.files[self.below(self.files.len())];
                let piece = other[self.piece(other.len())].to_vec();
                bytes.splice(place..place, piece);
            }
            5 => bytes.truncate(place),
            6 if !self.words.is_empty() => {
                let word = self.words[self.below(self.words.len())];
                let times = [1, 1, 1, 50, 3_000][self.below(5)];
                bytes.splice(place..place, word.repeat(times).into_bytes());
            }
            7 => self.extreme_number(bytes),
            _ => {
                let number = self.bits().to_le_bytes();
                let width = [1, 2, 4, 8][self.below(4)].min(bytes.len() - place);
                bytes[place..place + width].copy_from_slice(&number[..width]);
            }
        }
    }

    /// Puts an extreme number in the place of one that is there.
    fn extreme_number(&mut self, bytes: &mut Vec<u8>) {
        let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        let starts: Vec<usize> = (0..bytes.len())
            .filter(|at| is_digit(&bytes[*at]) && (*at == 0 || !is_digit(&bytes[at - 1])))
            .collect();
        if starts.is_empty() {
            return;
        }
        let from = starts[self.below(starts.len())];
        let length = bytes[from..].iter().take_while(|byte| is_digit(byte)).count();
        let number = EXTREMES[self.below(EXTREMES.len())];
        bytes.splice(from..from + length, number.bytes());
    }
}
