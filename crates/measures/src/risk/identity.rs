//! Identity disclosure: records that their keys single out, and those that a synthetic table singles out again.
//!
//! An intruder who knows the keys finds a record if it is alone with them. UiO are the uniques of the original, UiS those of the
//! synthetic table, UiOiS the uniques of the original whose keys occur in the synthetic table, however often, and repU the
//! replicated uniques: alone on both sides (Raab, Nowok & Dibben 2024). All are per cent of the records of their
//! own table.

use table::CountSource;

use super::disclosure_options::DisclosureOptions;
use super::key_classes::KeyClasses;
use super::matching::{key_sets, names_of, percent};
use crate::card::MOST_VARIABLES_AS_KEYS;
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings, SharedTables, UsualAxis,
};

/// How many records the keys single out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentityDisclosure {
    /// The keys.
    pub keys: Vec<String>,
    /// Records in the original, N.
    pub original_records: u64,
    /// Records in the synthetic table, n.
    pub synthetic_records: u64,
    /// Uniques of the original.
    pub original_uniques: u64,
    /// Uniques of the synthetic table.
    pub synthetic_uniques: u64,
    /// Uniques of the original whose keys occur in the synthetic table.
    pub original_uniques_in_synthetic: u64,
    /// Uniques of the original that are unique in the synthetic table too.
    pub replicated_uniques: u64,
}

/// What the keys say of one original record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdentityOfRecord {
    /// Whether no other original record has its keys.
    pub unique: bool,
    /// Whether it is unique and its keys occur in the synthetic table.
    pub unique_in_synthetic: bool,
    /// Whether it is unique in both tables.
    pub replicated: bool,
}

/// The identity measures on these keys; no keys mean all variables but identifiers.
pub fn identity_disclosure<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    keys: &[S],
    options: &DisclosureOptions,
) -> Result<IdentityDisclosure, MeasureError> {
    let (tables, classes) = one_key_set(comparison, keys, options)?;
    Ok(IdentityDisclosure::of(&tables, &classes, options))
}

/// The same for every original record, in row order.
pub fn per_record<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    keys: &[S],
    options: &DisclosureOptions,
) -> Result<Vec<IdentityOfRecord>, MeasureError> {
    let (tables, classes) = one_key_set(comparison, keys, options)?;
    let counted = counted_classes(&tables, &classes, options);
    let (y, s) = (classes.original_counts(), classes.synthetic_counts(0));
    let of_record = |class: &u32| {
        let class = *class as usize;
        let unique = y[class] == 1 && counted[class];
        IdentityOfRecord {
            unique,
            unique_in_synthetic: unique && s[class] > 0,
            replicated: unique && s[class] == 1,
        }
    };
    Ok(classes.of_original().iter().map(of_record).collect())
}

impl IdentityDisclosure {
    fn of(tables: &SharedTables, classes: &KeyClasses, options: &DisclosureOptions) -> Self {
        let counted = counted_classes(tables, classes, options);
        let mut found = Self {
            keys: names_of(tables, classes.keys()),
            original_records: tables.original().records(),
            synthetic_records: tables.synthetic()[0].records(),
            ..Self::default()
        };
        for class in (0..classes.len()).filter(|class| counted[*class]) {
            let s = classes.synthetic_counts(0)[class];
            found.add(classes.original_counts()[class].into(), s.into(), s > 0);
        }
        found
    }

    /// Adds a class of `original` and `synthetic` records that count.
    pub(super) fn add(&mut self, original: u64, synthetic: u64, occurs_in_synthetic: bool) {
        self.original_uniques += u64::from(original == 1);
        self.synthetic_uniques += u64::from(synthetic == 1);
        self.original_uniques_in_synthetic += u64::from(original == 1 && occurs_in_synthetic);
        self.replicated_uniques += u64::from(original == 1 && synthetic == 1);
    }

    /// UiO: uniques of the original as a percentage of its records; `None` without records.
    pub fn uio(&self) -> Option<f64> {
        percent(self.original_uniques, self.original_records)
    }

    /// UiS: uniques of the synthetic table as a percentage of its records; `None` without records.
    pub fn uis(&self) -> Option<f64> {
        percent(self.synthetic_uniques, self.synthetic_records)
    }

    /// UiOiS: uniques of the original that occur in the synthetic table, as a percentage of original records; `None` without
    /// records.
    pub fn uiois(&self) -> Option<f64> {
        percent(self.original_uniques_in_synthetic, self.original_records)
    }

    /// repU: replicated uniques as a percentage of original records; `None` without records.
    pub fn repu(&self) -> Option<f64> {
        percent(self.replicated_uniques, self.original_records)
    }

    /// One finding for each percentage.
    pub fn findings(&self) -> Vec<Finding> {
        let (no_original, no_synthetic) =
            ("the original has no records", "the synthetic table has no records");
        let values = [
            self.uio().ok_or(no_original),
            self.uis().ok_or(no_synthetic),
            self.uiois().ok_or(no_original),
            self.repu().ok_or(no_original),
        ];
        let finding = |(card, value): (&MeasureCard, Result<f64, &str>)| match value {
            Ok(value) => Finding::value(card.name, &self.keys, value, None, card.better),
            Err(because) => Finding::undefined(card.name, &self.keys, card.better, because),
        };
        CARDS.iter().zip(values).map(finding).collect()
    }
}

/// Which classes count: all, or those without a missing key.
pub(super) fn counted_classes(
    tables: &SharedTables,
    classes: &KeyClasses,
    options: &DisclosureOptions,
) -> Vec<bool> {
    let mut counted = vec![true; classes.len()];
    if !options.count_missing_keys {
        let sides =
            [(tables.original(), classes.of_original()), (&tables.synthetic()[0], classes.of_synthetic(0))];
        for position in classes.keys().positions() {
            let Some(missing) = tables.domain().variables()[*position].missing_class() else { continue };
            for (table, class_of) in sides {
                for (code, class) in table.columns()[*position].iter().zip(class_of) {
                    counted[*class as usize] &= code != missing;
                }
            }
        }
    }
    counted
}

fn one_key_set<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    keys: &[S],
    options: &DisclosureOptions,
) -> Result<(SharedTables, KeyClasses), MeasureError> {
    options.check()?;
    let keys: Vec<String> = keys.iter().map(|key| key.as_ref().to_owned()).collect();
    let (tables, mut classes) = key_sets(comparison, &[keys], options.key_groups)?;
    Ok((tables, classes.remove(0)))
}

/// The family of identity measures.
#[derive(Clone, Copy, Debug)]
pub struct Identity;

const fn card(name: &'static str, question: &'static str, better: Better) -> MeasureCard {
    let citation =
        "Raab, Nowok & Dibben (2024), Practical privacy metrics for synthetic data, arXiv:2406.16826";
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

const CARDS: &[MeasureCard] = &[
    card("identity.uio", "How many original records do the keys single out?", Better::Neither),
    card("identity.uis", "How many synthetic records do the keys single out?", Better::Neither),
    card(
        "identity.uiois",
        "How many original records do the keys single out and find in the synthetic table?",
        Better::Lower,
    ),
    card(names::REPU, "How many original records do the keys single out in both tables?", Better::Lower),
];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `identity.repu`.
    pub(crate) const REPU: &str = "identity.repu";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "identity",
    aspect: Aspect::Risk,
    honours: &[Setting::Keys, Setting::Disclosure],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::REPU,
        label: names::REPU,
        by_ways: false,
        rank: 3,
        usable: None,
        most_variables: Some(MOST_VARIABLES_AS_KEYS),
    }),
    identified_by: &[],
    measures: CARDS,
};

impl Measure for Identity {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let options = &settings.disclosure;
        options.check()?;
        let (tables, classes) = key_sets(comparison, &settings.keys, options.key_groups)?;
        let findings = |classes| IdentityDisclosure::of(&tables, classes, options).findings();
        Ok(classes.iter().flat_map(findings).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::matching::tests::{read, without_records};

    #[test]
    fn each_kind_of_unique_is_counted_on_its_own_side() {
        // a is alone on both sides, b alone in the original and twice in the synthetic table, c alone in the original only,
        // d twice and once, e in the synthetic table only.
        let original = read("k\na\nb\nc\nd\nd\n");
        let synthetic = read("k\na\nb\nb\nd\ne\n");
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let options = DisclosureOptions::default();
        let found = identity_disclosure(&comparison, &["k"], &options).unwrap();
        assert_eq!(
            [found.uio(), found.uis(), found.uiois(), found.repu()],
            [Some(60.0), Some(60.0), Some(40.0), Some(20.0)]
        );
        let records = per_record(&comparison, &["k"], &options).unwrap();
        let flags = |flag: fn(&IdentityOfRecord) -> bool| records.iter().map(flag).collect::<Vec<_>>();
        assert_eq!(flags(|record| record.unique), [true, true, true, false, false]);
        assert_eq!(flags(|record| record.unique_in_synthetic), [true, true, false, false, false]);
        assert_eq!(flags(|record| record.replicated), [true, false, false, false, false]);
    }

    #[test]
    fn missing_keys_single_out_unless_they_are_not_counted() {
        let original = read("k,x\na,1\n,2\nb,3\nb,4\n");
        let comparison = Comparison { original: &original, synthetic: &original, holdout: None };
        let counted = DisclosureOptions::default();
        assert_eq!(identity_disclosure(&comparison, &["k"], &counted).unwrap().repu(), Some(50.0));
        let left_out = DisclosureOptions { count_missing_keys: false, ..counted };
        assert_eq!(identity_disclosure(&comparison, &["k"], &left_out).unwrap().repu(), Some(25.0));
        let records = per_record(&comparison, &["k"], &left_out).unwrap();
        assert_eq!(records.iter().filter(|record| record.unique).count(), 1);
    }

    #[test]
    fn an_empty_synthetic_table_repeats_nothing() {
        let (original, synthetic) = (read("k\na\nb\n"), without_records(&read("k\nc\n")));
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let found = identity_disclosure(&comparison, &["k"], &DisclosureOptions::default());
        let findings = found.unwrap().findings();
        let values: Vec<Option<f64>> = findings.iter().map(|finding| finding.value).collect();
        assert_eq!(values, [Some(100.0), None, Some(0.0), Some(0.0)]);
        assert_eq!(findings[1].because.as_deref(), Some("the synthetic table has no records"));
    }
}
