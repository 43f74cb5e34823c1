//! Uniques: records that are alone with their values, and those that a synthetic table repeats.
//!
//! A record is unique if no other record of its table agrees with it on all keys. A replicated unique is unique in the original
//! and appears, again unique, in the synthetic table (Raab 2022, section 3; Elliot 2014). Records are matched exactly: numbers
//! by their value, special codes and missing as values of their own.
//!
//! A *copy* is a synthetic record that equals, in all variables but identifiers, an original record that is unique in them. In small domains chance
//! makes some: a fresh record falls onto one of the N₁ uniques of N records with probability about 2 N₂ / N, N₂ the pairs of equal records
//! (Good 1953, eq. 15), which is the expectation that is shown beside it.

use table::domain::Partition;
use table::{CountSource, Schema};

use super::key_classes::KeyClasses;
use super::matching::{key_sets, named_or_all, names_of, percent};
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings, SharedTables, UsualAxis,
};

/// What the keys tell apart, in each table and between them.
#[derive(Clone, Debug, PartialEq)]
pub struct UniqueRecords {
    /// The keys.
    pub keys: Vec<String>,
    /// Records in the original, N.
    pub original_records: u64,
    /// Records in the synthetic table, n.
    pub synthetic_records: u64,
    /// Cells of the cross-table of the keys. A number has as many classes as it has values in the original.
    pub cells: f64,
    /// Cells with at least one original record.
    pub occupied_cells: u64,
    /// Original records that are unique.
    pub original_uniques: u64,
    /// Synthetic records that are unique.
    pub synthetic_uniques: u64,
    /// Unique synthetic records whose keys occur in the original, however often.
    pub synthetic_uniques_in_original: u64,
    /// Unique synthetic records whose keys occur in the original once.
    pub replicated_uniques: u64,
}

/// What each record is, in row order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFlags {
    /// Whether each original record is unique.
    pub original_unique: Vec<bool>,
    /// Whether each original record is unique and some unique synthetic record repeats it.
    pub original_replicated: Vec<bool>,
    /// Whether each synthetic record is unique.
    pub synthetic_unique: Vec<bool>,
    /// Whether each synthetic record is unique and its keys occur in the original.
    pub synthetic_unique_in_original: Vec<bool>,
    /// Whether each synthetic record is a replicated unique.
    pub synthetic_replicated: Vec<bool>,
}

/// Counts uniques on these keys; no keys mean all variables but identifiers.
pub fn unique_records<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    keys: &[S],
) -> Result<UniqueRecords, MeasureError> {
    let (tables, classes) = one_key_set(comparison, keys)?;
    Ok(UniqueRecords::of(&tables, &classes))
}

/// Flags every record on these keys; no keys mean all variables but identifiers.
pub fn record_flags<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    keys: &[S],
) -> Result<RecordFlags, MeasureError> {
    let (_, classes) = one_key_set(comparison, keys)?;
    let (y, s) = (classes.original_counts(), classes.synthetic_counts(0));
    let flags = |class_of: &[u32], test: &dyn Fn(u32, u32) -> bool| {
        let of_class: Vec<bool> = y.iter().zip(s).map(|(y, s)| test(*y, *s)).collect();
        class_of.iter().map(|class| of_class[*class as usize]).collect::<Vec<bool>>()
    };
    let (original, synthetic) = (classes.of_original(), classes.of_synthetic(0));
    Ok(RecordFlags {
        original_unique: flags(original, &|y, _| y == 1),
        original_replicated: flags(original, &|y, s| y == 1 && s == 1),
        synthetic_unique: flags(synthetic, &|_, s| s == 1),
        synthetic_unique_in_original: flags(synthetic, &|y, s| y > 0 && s == 1),
        synthetic_replicated: flags(synthetic, &|y, s| y == 1 && s == 1),
    })
}

fn one_key_set<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    keys: &[S],
) -> Result<(SharedTables, KeyClasses), MeasureError> {
    let keys: Vec<String> = keys.iter().map(|key| key.as_ref().to_owned()).collect();
    let (tables, mut classes) = key_sets(comparison, &[keys], None)?;
    Ok((tables, classes.remove(0)))
}

impl UniqueRecords {
    fn of(tables: &SharedTables, classes: &KeyClasses) -> Self {
        let (y, s) = (classes.original_counts(), classes.synthetic_counts(0));
        let count =
            |test: &dyn Fn(u32, u32) -> bool| y.iter().zip(s).filter(|(y, s)| test(**y, **s)).count() as u64;
        let sizes = classes.keys().positions().iter().map(|key| classes_of_original(tables, *key) as f64);
        Self {
            keys: names_of(tables, classes.keys()),
            original_records: tables.original().records(),
            synthetic_records: tables.synthetic()[0].records(),
            cells: sizes.product(),
            occupied_cells: count(&|y, _| y > 0),
            original_uniques: count(&|y, _| y == 1),
            synthetic_uniques: count(&|_, s| s == 1),
            synthetic_uniques_in_original: count(&|y, s| y > 0 && s == 1),
            replicated_uniques: count(&|y, s| y == 1 && s == 1),
        }
    }

    /// Per cent of the cells that hold no original record.
    pub fn p0(&self) -> f64 {
        100.0 * (1.0 - self.occupied_cells as f64 / self.cells)
    }

    /// Original uniques as a percentage of original records; `None` without records.
    pub fn p1(&self) -> Option<f64> {
        percent(self.original_uniques, self.original_records)
    }

    /// Replicated uniques as a percentage of original records; `None` without records.
    pub fn ru(&self) -> Option<f64> {
        percent(self.replicated_uniques, self.original_records)
    }

    /// Replicated uniques as a percentage of original uniques; `None` without uniques.
    pub fn ru_of_p1(&self) -> Option<f64> {
        percent(self.replicated_uniques, self.original_uniques)
    }

    /// One finding for each percentage, with the counts behind it.
    pub fn findings(&self) -> Vec<Finding> {
        let no_records = "the original has no records";
        let values = [
            Ok(self.p0()),
            self.p1().ok_or(no_records),
            self.ru().ok_or(no_records),
            self.ru_of_p1().ok_or("no record of the original is unique on these keys"),
        ];
        let finding = |(card, value): (&MeasureCard, Result<f64, &str>)| match value {
            Ok(value) => Finding::value(card.name, &self.keys, value, None, card.better),
            Err(because) => Finding::undefined(card.name, &self.keys, card.better, because),
        };
        let mut findings: Vec<Finding> = CARDS.iter().zip(values).map(finding).collect();
        let occupied = self.occupied_cells;
        findings[0] = findings[0].clone().with("cells", self.cells).with("occupied_cells", occupied);
        findings[1] = findings[1].clone().with("original_uniques", self.original_uniques);
        findings[2] = (findings[2].clone())
            .with("replicated_uniques", self.replicated_uniques)
            .with("synthetic_uniques", self.synthetic_uniques)
            .with("synthetic_uniques_in_original", self.synthetic_uniques_in_original);
        findings
    }
}

/// The share of synthetic records that are copies, in per cent, beside what chance makes of them.
fn copies(tables: &SharedTables, classes: &KeyClasses) -> Finding {
    let card = &CARDS[COPIES];
    let (y, s) = (classes.original_counts(), classes.synthetic_counts(0));
    let copies: u64 = y.iter().zip(s).filter(|(y, _)| **y == 1).map(|(_, s)| u64::from(*s)).sum();
    let pairs = y.iter().filter(|y| **y == 2).count() as u64;
    let on = [""; 0];
    match percent(copies, tables.synthetic()[0].records()) {
        Some(share) => {
            let expected = percent(2 * pairs, tables.original().records());
            Finding::value(card.name, on, share, expected, card.better).with("copies", copies)
        }
        None => Finding::undefined(card.name, on, card.better, "the synthetic table has no records"),
    }
}

/// How many classes a key has for the original alone: all its levels and special codes, the numbers that occur in it, and
/// missing if it does. At least one.
fn classes_of_original(tables: &SharedTables, position: usize) -> usize {
    let classes = &tables.domain().variables()[position];
    let occurring = tables.original().columns()[position].frequencies(classes.size());
    let values = classes.partition().len();
    let of_values = match classes.partition() {
        Partition::Levels(_) => values,
        _ => occurring[..values].iter().filter(|count| **count > 0).count(),
    };
    let codes = classes.missing_class().map_or(classes.size(), |missing| missing as usize) - values;
    let missing = classes.missing_class().is_some_and(|missing| occurring[missing as usize] > 0);
    (of_values + codes + usize::from(missing)).max(1)
}

/// The family of measures of uniqueness.
#[derive(Clone, Copy, Debug)]
pub struct Uniques;

const fn card(
    name: &'static str,
    question: &'static str,
    better: Better,
    citation: &'static str,
) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better,
        unit: "%",
        range: Range::PERCENT,
        null: Null::None,
        citation,
        kept: Kept::All,
    }
}

const RAAB: &str = "Raab (2022), Utility and Disclosure Risk for Differentially Private Synthetic Categorical Data, section 3";

/// Where the card of copies is.
const COPIES: usize = 4;

const CARDS: &[MeasureCard] = &[
    card("uniques.p0", "How many cells of the original's cross-table are empty?", Better::Neither, RAAB),
    card(names::P1, "How many records of the original are unique?", Better::Neither, RAAB),
    card(
        names::RU,
        "How many records of the original are unique and repeated as unique?",
        Better::Lower,
        RAAB,
    ),
    card(names::RU_OF_P1, "How many of the original's uniques are repeated as unique?", Better::Lower, RAAB),
    card(
        names::COPIES,
        "How many synthetic records equal an original record that is unique in all its variables?",
        Better::Lower,
        "Lookalike; the expectation by Good (1953), The population frequencies of species, Biometrika 40, eq. 15",
    ),
];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `uniques.p1`.
    pub const P1: &str = "uniques.p1";
    /// `uniques.ru`.
    pub const RU: &str = "uniques.ru";
    /// `uniques.ru_of_p1`.
    pub const RU_OF_P1: &str = "uniques.ru_of_p1";
    /// `uniques.copies`.
    pub const COPIES: &str = "uniques.copies";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "uniques",
    aspect: Aspect::Risk,
    honours: &[Setting::Keys],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::RU,
        label: names::RU,
        by_ways: false,
        rank: 2,
        usable: None,
    }),
    identified_by: &[],
    measures: CARDS,
};

impl Measure for Uniques {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let (tables, classes) = key_sets(comparison, &settings.keys, None)?;
        let mut findings: Vec<Finding> =
            classes.iter().flat_map(|classes| UniqueRecords::of(&tables, classes).findings()).collect();
        findings.push(match settings.keys.is_empty() {
            true => copies(&tables, &classes[0]),
            false => {
                let (tables, classes) = key_sets(comparison, &[], None)?;
                copies(&tables, &classes[0])
            }
        });
        Ok(findings)
    }

    /// All that a copy agrees in, and the keys.
    fn on_variables(&self, original: &Schema, settings: &Settings) -> Option<Vec<String>> {
        Some(named_or_all(original, settings.keys.iter().flatten(), true))
    }
}

#[cfg(test)]
mod tests {
    use table::Table;
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    fn read(text: &str) -> Table {
        read_csv_text(text, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn a_replicated_unique_is_unique_on_both_sides() {
        // Original: a once, b twice, c once, d once. Synthetic: a once, b once, c twice, e once.
        let original = read("k,x\na,1\nb,1\nb,2\nc,1\nd,1\n");
        let synthetic = read("k,x\na,9\nb,9\nc,9\nc,9\ne,9\n");
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let found = unique_records(&comparison, &["k"]).unwrap();
        assert_eq!((found.original_uniques, found.synthetic_uniques), (3, 3));
        assert_eq!((found.synthetic_uniques_in_original, found.replicated_uniques), (2, 1));
        assert_eq!((found.p1(), found.ru()), (Some(60.0), Some(20.0)));
        assert_eq!(found.ru_of_p1(), Some(100.0 / 3.0));
        let flags = record_flags(&comparison, &["k"]).unwrap();
        assert_eq!(flags.original_unique, [true, false, false, true, true]);
        assert_eq!(flags.original_replicated, [true, false, false, false, false]);
        assert_eq!(flags.synthetic_unique, [true, true, false, false, true]);
        assert_eq!(flags.synthetic_unique_in_original, [true, true, false, false, false]);
        assert_eq!(flags.synthetic_replicated, [true, false, false, false, false]);
    }

    #[test]
    fn copies_are_counted_on_all_variables_beside_what_chance_makes() {
        // Two of four synthetic records equal a,1. One pair of equal records among four: 2 · 1 / 4.
        let original = read("k,x\na,1\nb,2\nc,3\nc,3\n");
        let synthetic = read("k,x\na,1\na,1\nc,3\nd,9\n");
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        for keys in [vec![], vec![vec!["k".to_owned()]]] {
            let settings = Settings { keys, ..Settings::default() };
            let findings = Uniques.evaluate(&comparison, &settings).unwrap();
            let copies = findings.iter().find(|finding| finding.measure == names::COPIES).unwrap();
            assert_eq!((copies.value, copies.null), (Some(50.0), Some(50.0)));
            assert_eq!(copies.detail["copies"], 2);
        }
    }

    #[test]
    fn numbers_match_by_value_however_they_are_written() {
        let original = read("x\n1\n2\n3\n");
        let synthetic = read("x\n1.0\n2.5\n3\n");
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let found = unique_records::<&str>(&comparison, &[]).unwrap();
        assert_eq!(
            (found.replicated_uniques, found.ru(), found.ru_of_p1()),
            (2, Some(200.0 / 3.0), Some(200.0 / 3.0))
        );
        // Three values of the original, all of which occur in it.
        assert_eq!((found.cells, found.p0()), (3.0, 0.0));
    }

    #[test]
    fn empty_cells_are_those_of_the_original() {
        let schema = "[variables.a]\nkind = \"categorical\"\nlevels = [\"x\", \"y\"]\nmissing = true\n[variables.b]\nkind = \"categorical\"\nlevels = [\"u\", \"v\", \"w\"]";
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
        let original = read_csv_text("a,b\nx,u\nx,u\ny,v\n", &options).unwrap();
        let synthetic = read_csv_text("a,b\n,w\nx,u\n", &options).unwrap();
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let found = unique_records::<&str>(&comparison, &[]).unwrap();
        assert_eq!((found.cells, found.occupied_cells), (6.0, 2));
        assert!((found.p0() - 400.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn an_identifier_is_a_key_only_when_it_is_named() {
        let schema =
            "[variables.id]\nkind = \"text-id\"\n[variables.x]\nkind = \"categorical\"\nlevels = [\"a\"]";
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
        let original = read_csv_text("id,x\np1,a\np2,a\n", &options).unwrap();
        let synthetic = read_csv_text("id,x\np2,a\np7,a\n", &options).unwrap();
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        assert_eq!(unique_records::<&str>(&comparison, &[]).unwrap().original_uniques, 0);
        assert_eq!(unique_records(&comparison, &["id"]).unwrap().replicated_uniques, 1);
    }

    #[test]
    fn without_uniques_their_share_is_a_reason() {
        let original = read("x\na\na\n");
        let comparison = Comparison { original: &original, synthetic: &original, holdout: None };
        let findings = unique_records(&comparison, &["x"]).unwrap().findings();
        let last = findings.last().unwrap();
        assert_eq!((last.measure.as_str(), last.value), ("uniques.ru_of_p1", None));
        assert_eq!(last.because.as_deref(), Some("no record of the original is unique on these keys"));
        let error = unique_records(&comparison, &["y"]).unwrap_err().to_string();
        assert!(error.starts_with("there is no variable `y`"), "{error}");
    }
}
