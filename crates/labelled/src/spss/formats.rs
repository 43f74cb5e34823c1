//! How SPSS shows a variable: a kind, a width and decimals in one number, `F8.2` in words.

use crate::Meaning;

/// The kinds by their number; those that are left out are not used.
const NAMES: &[(u8, &str)] = &[
    (1, "A"),
    (2, "AHEX"),
    (3, "COMMA"),
    (4, "DOLLAR"),
    (5, "F"),
    (6, "IB"),
    (7, "PIBHEX"),
    (8, "P"),
    (9, "PIB"),
    (10, "PK"),
    (11, "RB"),
    (12, "RBHEX"),
    (15, "Z"),
    (16, "N"),
    (17, "E"),
    (20, "DATE"),
    (21, "TIME"),
    (22, "DATETIME"),
    (23, "ADATE"),
    (24, "JDATE"),
    (25, "DTIME"),
    (26, "WKDAY"),
    (27, "MONTH"),
    (28, "MOYR"),
    (29, "QYR"),
    (30, "WKYR"),
    (31, "PCT"),
    (32, "DOT"),
    (33, "CCA"),
    (34, "CCB"),
    (35, "CCC"),
    (36, "CCD"),
    (37, "CCE"),
    (38, "EDATE"),
    (39, "SDATE"),
    (40, "MTIME"),
    (41, "YMDHMS"),
];

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    kind: u8,
    width: u8,
    decimals: u8,
}

impl Format {
    pub(super) fn new(name: &str, width: usize, decimals: u8) -> Self {
        let kind = NAMES.iter().find(|(_, known)| *known == name).map_or(5, |(kind, _)| *kind);
        Self { kind, width: width.min(255) as u8, decimals }
    }

    pub(super) fn of_code(code: i32) -> Self {
        let [decimals, width, kind, _] = code.to_le_bytes();
        Self { kind, width, decimals }
    }

    pub(super) fn code(self) -> i32 {
        i32::from_le_bytes([self.decimals, self.width, self.kind, 0])
    }

    /// A format as SPSS writes it, such as `F8.2`, `DATE11` or `A20`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.find(|character: char| character.is_ascii_digit())?;
        let (name, numbers) = text.split_at(digits);
        let (width, decimals) = numbers.split_once('.').unwrap_or((numbers, "0"));
        let (kind, _) = NAMES.iter().find(|(_, known)| known.eq_ignore_ascii_case(name))?;
        Some(Self { kind: *kind, width: width.parse().ok()?, decimals: decimals.parse().ok()? })
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self.kind, 1 | 2)
    }

    /// What numbers in this format are.
    pub(super) fn meaning(self) -> Meaning {
        match self.kind {
            20 | 23 | 24 | 28 | 29 | 30 | 38 | 39 => Meaning::Date,
            22 | 41 => Meaning::Datetime,
            21 => Meaning::TimeOfDay,
            _ => Meaning::Number,
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some((_, name)) = NAMES.iter().find(|(kind, _)| *kind == self.kind) else { return Ok(()) };
        write!(f, "{name}{}", self.width)?;
        if self.decimals > 0 { write!(f, ".{}", self.decimals) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_a_number_and_a_word() {
        let format = Format::of_code(0x0005_0802);
        assert_eq!((format.to_string().as_str(), Format::parse("F8.2")), ("F8.2", Some(format)));
        assert_eq!((Format::parse("DATE11").unwrap().code(), Format::parse("x")), (0x0014_0b00, None));
        assert_eq!(Format::new("A", 300, 0).to_string(), "A255");
    }
}
