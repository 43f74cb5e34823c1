//! How a column's values become codes.

use rustc_hash::FxHashMap;

use super::TreeError;
use super::codes::Codes;

/// A numeric column of more distinct values than this is cut at this many quantiles.
pub(crate) const MOST_BINS: usize = 1 << 16;

/// How a column's values become codes: first the ordered ones, ascending by value, then the unordered ones (the levels of a
/// factor; the missing value and special codes of a number).
#[derive(Clone, Debug, PartialEq)]
pub struct Coding {
    /// The lowest value of each ordered code, ascending.
    values: Vec<f64>,
    unordered: u32,
}

impl Coding {
    /// A factor of this many levels (its missing value is a level too).
    pub fn categorical(levels: u32) -> Self {
        Self { values: Vec::new(), unordered: levels }
    }

    /// An ordered factor: codes below `levels` are in order, `marks` more are not (its missing value, say).
    pub fn ordered(levels: u32, marks: u32) -> Self {
        Self { values: (0..levels).map(f64::from).collect(), unordered: marks }
    }

    /// A coding that was stored: the lowest value of each ordered code, and how many codes come after them.
    pub fn stored(values: Vec<f64>, unordered: u32) -> Result<Self, TreeError> {
        if values.iter().all(|value| value.is_finite()) && values.is_sorted_by(|a, b| a < b) {
            Ok(Self { values, unordered })
        } else {
            Err(TreeError::Stored { what: "the values of a coding are not in order" })
        }
    }

    /// The lowest value of each ordered code, ascending.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many codes are in the order of their values.
    pub fn ordered_codes(&self) -> u32 {
        self.values.len() as u32
    }

    /// How many codes come after them.
    pub fn unordered_codes(&self) -> u32 {
        self.unordered
    }

    /// How many codes there are.
    pub fn codes(&self) -> usize {
        self.values.len() + self.unordered as usize
    }

    /// The ordered code of a number: that of the largest value known that is not above it, else the lowest.
    pub(crate) fn code_of(&self, value: f64) -> u32 {
        (self.values.partition_point(|lowest| *lowest <= value).max(1) - 1) as u32
    }

    /// How many ordered codes lie below the middle between two ordered codes.
    pub(super) fn below_middle(&self, left: u32, right: u32) -> u32 {
        let (low, high) = (self.values[left as usize], self.values[right as usize]);
        let middle = low + (high - low) / 2.0;
        let below = self.values[left as usize..right as usize].partition_point(|value| *value < middle);
        left + (below as u32).max(1)
    }

    /// Learns the coding of numbers, and codes them. A mark of 0 says that the value counts; mark m becomes the m-th unordered code.
    pub(super) fn learn(
        values: &[f64],
        marks: Option<&[u8]>,
        what: &str,
    ) -> Result<(Self, Codes), TreeError> {
        check(values, marks, what)?;
        let marked = |row: usize| marks.map_or(0, |marks| marks[row]);
        let unordered = marks.and_then(|marks| marks.iter().max()).map_or(0, |most| u32::from(*most));
        let (distinct, provisional) = match distinct(values, marks) {
            Some(few) => few,
            None => {
                let coding = Self { values: quantiles(values, marks), unordered };
                let codes = coding.code(values, marks);
                return Ok((coding, codes));
            }
        };
        let mut ascending: Vec<u32> = (0..distinct.len() as u32).collect();
        ascending.sort_unstable_by(|a, b| distinct[*a as usize].total_cmp(&distinct[*b as usize]));
        let mut rank = vec![0; distinct.len()];
        ascending.iter().zip(0..).for_each(|(&provisional, code)| rank[provisional as usize] = code);
        let ordered = distinct.len() as u32;
        let code = |(row, provisional): (usize, &u32)| match marked(row) {
            0 => rank[*provisional as usize],
            mark => ordered + u32::from(mark) - 1,
        };
        let codes = Codes::collect((ordered + unordered) as usize, provisional.iter().enumerate().map(code));
        let values = ascending.iter().map(|provisional| distinct[*provisional as usize]).collect();
        Ok((Self { values, unordered }, codes))
    }

    /// Codes other numbers in the same way.
    pub(super) fn encode(
        &self,
        values: &[f64],
        marks: Option<&[u8]>,
        what: &str,
    ) -> Result<Codes, TreeError> {
        check(values, marks, what)?;
        let most = marks.and_then(|marks| marks.iter().max()).map_or(0, |most| u32::from(*most));
        let some_value = marks.map_or(!values.is_empty(), |marks| marks.contains(&0));
        if most > self.unordered || (some_value && self.values.is_empty()) {
            return Err(TreeError::Code { what: what.to_owned(), codes: self.codes() as u64 });
        }
        Ok(self.code(values, marks))
    }

    fn code(&self, values: &[f64], marks: Option<&[u8]>) -> Codes {
        let marked = |row: usize| marks.map_or(0, |marks| marks[row]);
        let code = |(row, value): (usize, &f64)| match marked(row) {
            0 => self.code_of(*value),
            mark => self.ordered_codes() + u32::from(mark) - 1,
        };
        Codes::collect(self.codes(), values.iter().enumerate().map(code))
    }
}

fn check(values: &[f64], marks: Option<&[u8]>, what: &str) -> Result<(), TreeError> {
    if marks.is_some_and(|marks| marks.len() != values.len()) {
        return Err(TreeError::Length { what: format!("the marks of {what}") });
    }
    if values
        .iter()
        .enumerate()
        .any(|(row, value)| !value.is_finite() && marks.is_none_or(|marks| marks[row] == 0))
    {
        return Err(TreeError::NotFinite { what: what.to_owned() });
    }
    Ok(())
}

/// The distinct values in the order of their first record, and for each record the position of its value there; `None` when there are too many.
fn distinct(values: &[f64], marks: Option<&[u8]>) -> Option<(Vec<f64>, Vec<u32>)> {
    let mut positions: FxHashMap<u64, u32> = FxHashMap::default();
    let mut found: Vec<f64> = Vec::new();
    let mut of_record = Vec::with_capacity(values.len());
    for (row, value) in values.iter().enumerate() {
        if marks.is_some_and(|marks| marks[row] != 0) {
            of_record.push(0);
            continue;
        }
        // Adding zero makes one value of the two zeros.
        let value = value + 0.0;
        let position = *positions.entry(value.to_bits()).or_insert_with(|| {
            found.push(value);
            found.len() as u32 - 1
        });
        if found.len() > MOST_BINS {
            return None;
        }
        of_record.push(position);
    }
    Some((found, of_record))
}

/// The lowest value of each of at most [`MOST_BINS`] classes of equal numbers of records.
fn quantiles(values: &[f64], marks: Option<&[u8]>) -> Vec<f64> {
    let is_value = |row: &usize| marks.is_none_or(|marks| marks[*row] == 0);
    let mut sorted: Vec<f64> = (0..values.len()).filter(is_value).map(|row| values[row] + 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut lowest: Vec<f64> = (0..MOST_BINS).map(|bin| sorted[bin * sorted.len() / MOST_BINS]).collect();
    lowest.dedup();
    lowest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_coded_in_the_order_of_their_values_with_marks_behind() {
        let (coding, codes) =
            Coding::learn(&[2.5, f64::NAN, -1.0, 0.0, -0.0, 9.0], Some(&[0, 2, 0, 0, 0, 1]), "x").unwrap();
        assert_eq!(coding, Coding { values: vec![-1.0, 0.0, 2.5], unordered: 2 });
        assert_eq!(codes, Codes::U8(vec![2, 4, 0, 1, 1, 3]));
        assert_eq!(
            coding.encode(&[-7.0, -0.5, 3.0, 0.0], Some(&[0, 0, 0, 2]), "x"),
            Ok(Codes::U8(vec![0, 0, 2, 4]))
        );
        assert!(matches!(coding.encode(&[0.0], Some(&[3]), "x"), Err(TreeError::Code { .. })));
        assert!(matches!(Coding::learn(&[f64::NAN], None, "x"), Err(TreeError::NotFinite { .. })));
        assert!(matches!(Coding::learn(&[1.0], Some(&[]), "x"), Err(TreeError::Length { .. })));
    }

    #[test]
    fn a_cut_lies_in_the_middle_of_two_values_and_strictly_between_their_codes() {
        let coding = Coding { values: vec![0.0, 1.0, 4.0, 10.0, 11.0], unordered: 0 };
        assert_eq!(coding.below_middle(0, 4), 3);
        assert_eq!(coding.below_middle(0, 3), 3);
        assert_eq!(coding.below_middle(2, 3), 3);
        assert_eq!(coding.below_middle(0, 2), 2);
        let close = Coding { values: vec![1.0, 1.0 + f64::EPSILON], unordered: 0 };
        assert_eq!(close.below_middle(0, 1), 1);
    }

    #[test]
    fn many_distinct_values_are_cut_at_quantiles() {
        let values: Vec<f64> = (0..200_000).map(|row| f64::from(row * 7919 % 200_000)).collect();
        let (coding, codes) = Coding::learn(&values, None, "x").unwrap();
        assert_eq!(coding.codes(), MOST_BINS);
        let mut counts = vec![0; MOST_BINS];
        (0..values.len()).for_each(|row| counts[codes.get(row) as usize] += 1);
        assert!(counts.iter().all(|count| (3..=4).contains(count)));
        let ascending = (0..values.len()).all(|row| coding.code_of(values[row]) == codes.get(row));
        assert!(ascending);
    }

    #[test]
    fn a_damaged_coding_is_refused() {
        assert!(Coding::stored(vec![1.0, 2.0], 1).is_ok());
        assert!(Coding::stored(vec![1.0, 0.5], 1).is_err() && Coding::stored(vec![f64::NAN], 0).is_err());
    }
}
