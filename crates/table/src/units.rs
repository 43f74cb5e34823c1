//! Units of several records: the visits of a patient, the months of a household.
//!
//! What one person has in twelve records is no less theirs than what another has in one. So where a table names units by identifiers that repeat,
//! "few" and "alone" are counted in units and not in records: by every such identifier, and the one that says fewest counts, so that one too many costs little. However uneven
//! its use, an identifier whose values repeat names units of several records, and so does a pointer to another one (`first_visit` to `visit`); free texts, of three words and more
//! on average, name nobody. Records without a value are units of their own.

use crate::{Codes, Column, Table, TextColumn};

/// Which unit each record is of.
#[derive(Default)]
pub struct Units<'a> {
    /// The codes of each identifier, and the code that stands for missing.
    identifiers: Vec<(&'a Codes, u32)>,
    names: Vec<&'a str>,
}

/// Texts of as many words on average are free ones.
const FREE: usize = 3;

impl<'a> Units<'a> {
    /// The units that the identifiers of these records name.
    pub fn of(records: &'a Table) -> Self {
        let mut units = Self { identifiers: Vec::new(), names: Vec::new() };
        for (variable, column) in records.schema().variables().iter().zip(records.columns()) {
            let Column::Text(text) = column else { continue };
            if names_units(text) {
                units.identifiers.push((&text.codes, text.dictionary.len() as u32));
                units.names.push(&variable.name);
            }
        }
        units
    }

    /// Whether every record is a unit.
    pub fn are_records(&self) -> bool {
        self.identifiers.is_empty()
    }

    /// The identifiers that name them.
    pub fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// How many units the records of each group are of, counted up to `most`; `group` says in which group a record is.
    pub fn of_groups(&self, group: &Codes, groups: usize, most: usize) -> Vec<usize> {
        let mut fewest: Vec<usize> =
            group.frequencies(groups).into_iter().map(|records| (records as usize).min(most)).collect();
        for (codes, missing) in &self.identifiers {
            let mut seen: Vec<Vec<u32>> = vec![Vec::new(); groups];
            let mut counts = vec![0_usize; groups];
            for (group, unit) in group.iter().zip(codes.iter()) {
                let (seen, count) = (&mut seen[group as usize], &mut counts[group as usize]);
                if *count < most && (unit == *missing || !seen.contains(&unit)) {
                    seen.push(unit);
                    *count += 1;
                }
            }
            fewest.iter_mut().zip(counts).for_each(|(fewest, count)| *fewest = (*fewest).min(count));
        }
        fewest
    }

    /// How many units these records are of, counted up to `most`.
    pub fn of_records(&self, rows: impl Iterator<Item = u32> + Clone, most: usize) -> usize {
        (1..=most).take_while(|units| self.place_reaching(rows.clone(), *units).is_some()).count()
    }

    /// The place among these records at which so many units have been passed.
    pub fn place_reaching(&self, rows: impl Iterator<Item = u32> + Clone, enough: usize) -> Option<usize> {
        if self.are_records() {
            return rows.clone().nth(enough.checked_sub(1)?).map(|_| enough - 1);
        }
        let by = |(codes, missing): &(&Codes, u32)| {
            let (mut seen, mut count) = (Vec::new(), 0);
            rows.clone().position(|row| {
                let unit = codes.get(row as usize);
                if unit == *missing || !seen.contains(&unit) {
                    seen.push(unit);
                    count += 1;
                }
                count >= enough
            })
        };
        self.identifiers.iter().map(by).try_fold(0, |farthest, place| Some(farthest.max(place?)))
    }

    /// The numbers, each as often as there are units that have it, by the identifier that says fewest. `numbers` come with their records.
    pub fn once_each(&self, mut numbers: Vec<(f64, u32)>) -> Vec<f64> {
        numbers.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut once = Vec::with_capacity(numbers.len());
        for equal in numbers.chunk_by(|one, other| one.0 == other.0) {
            let by = |(codes, missing): &(&Codes, u32)| {
                let mut units: Vec<u32> = equal.iter().map(|(_, row)| codes.get(*row as usize)).collect();
                units.sort_unstable();
                let without = units.iter().filter(|unit| *unit == missing).count();
                units.dedup();
                units.len() + without.saturating_sub(1)
            };
            let having = self.identifiers.iter().map(by).min().unwrap_or(equal.len());
            once.extend(std::iter::repeat_n(equal[0].0, having));
        }
        once
    }
}

/// Whether some values of an identifier have several records.
fn names_units(text: &TextColumn) -> bool {
    let values = text.dictionary.len();
    let counts = text.codes.frequencies(values + 1);
    let repeat = counts[..values].iter().any(|count| *count > 1);
    let words: usize = text.dictionary.iter().map(|text| text.split_whitespace().count()).sum();
    repeat && words < FREE * values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_csv_text};

    fn visits() -> Table {
        let row =
            |visit: usize| format!("P{:05}-{},{}", 7 * (visit / 4), visit / 4 % 10, ["a", "b"][visit % 2]);
        let rows: Vec<String> = (0..480).map(row).collect();
        read_csv_text(&format!("patient,ward\n{}\n", rows.join("\n")), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn records_of_one_patient_are_one_unit() {
        let visits = visits();
        let units = Units::of(&visits);
        assert_eq!(units.names(), ["patient"]);
        assert_eq!(units.of_records(0..4, 9), 1);
        assert_eq!(units.of_records(2..7, 9), 2);
        assert_eq!(units.of_records(0..480, 9), 9);
        let groups = Codes::collect(3, (0..480).map(|row| if row < 4 { 0 } else { 1 + u32::from(row < 12) }));
        assert_eq!(units.of_groups(&groups, 3, 3), [1, 3, 2]);
    }

    #[test]
    fn identifiers_without_repeats_and_free_texts_name_no_units() {
        let read = |rows: Vec<String>| {
            read_csv_text(&format!("v,w\n{}\n", rows.join("\n")), &ReadOptions::default()).unwrap()
        };
        let different = read((0..100).map(|row| format!("P{row:05}-3,x")).collect());
        let remarks = read(
            (0..1000)
                .map(|row| match row % 5 < 2 {
                    true => "no remark at all,x".to_owned(),
                    false => format!("a remark {row} of one,x"),
                })
                .collect(),
        );
        for table in [different, remarks] {
            assert!(matches!(table.columns()[0], Column::Text(_)), "an identifier");
            let units = Units::of(&table);
            assert!(units.are_records());
            assert_eq!(units.of_records(0..5, 3), 3);
        }
    }

    /// One patient of a thousand has a hundred visits; and the patient is told by the number of the first visit alone.
    #[test]
    fn uneven_use_and_pointers_name_units_too() {
        let read = |text: String| read_csv_text(&text, &ReadOptions::default()).unwrap();
        let rows: Vec<String> = (0..1100).map(|row| format!("P{:05}-3,x", row.max(100))).collect();
        let uneven = read(format!("patient,w\n{}\n", rows.join("\n")));
        assert_eq!(Units::of(&uneven).of_records(0..101, 3), 1);
        assert_eq!(Units::of(&uneven).of_records(0..102, 3), 2);
        let rows: Vec<String> = (0..1200)
            .map(|row| format!("V{row:06}-{},V{:06}-{},x", row % 7, row / 4 * 4, row / 4 * 4 % 7))
            .collect();
        let visits = read(format!("visit,first_visit,w\n{}\n", rows.join("\n")));
        assert!(visits.schema().variables()[1].identifier.refers_to.is_some());
        assert_eq!(Units::of(&visits).names(), ["first_visit"]);
        assert_eq!(Units::of(&visits).of_records(0..5, 9), 2);
    }
}
