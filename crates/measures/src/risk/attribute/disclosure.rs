//! All attribute measures of one attack.

use std::collections::BTreeMap;

use table::CountSource;

use super::attack::Attack;
use super::cards::CARDS;
use super::class_cells::levels;
use super::obvious::{ObviousLevel, ObviousPair, ObviousTally};
use super::ratio_sum::RatioSum;
use super::statistic::AttributeStatistic;
use crate::Finding;
use crate::risk::identity::IdentityDisclosure;
use crate::risk::matching::percent;

/// What the keys disclose of the target.
#[derive(Clone, Debug)]
pub struct AttributeDisclosure {
    /// The keys.
    pub keys: Vec<String>,
    /// The target.
    pub target: String,
    /// Records in the original, N.
    pub original_records: u64,
    /// Records in the synthetic table, n.
    pub synthetic_records: u64,
    /// The identity measures on the same keys, among the records that count.
    pub identity: IdentityDisclosure,
    /// The target level that makes up nearly all correct disclosures, if one does: its one-way table says as much.
    pub obvious_level: Option<ObviousLevel>,
    /// Pairs of a key value and a target value that nearly always go together, among the larger groups that are disclosed: their
    /// two-way table says as much. Those with most disclosed records first.
    pub obvious_pairs: Vec<ObviousPair>,
    sums: Sums,
}

/// Whole numbers of records and exact sums of proportions.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    dorig: u64,
    dsyn: u64,
    is: u64,
    dis: u64,
    disco: u64,
    disdio: u64,
    /// Original records in classes with a synthetic record that counts.
    matched: u64,
    /// Disclosed cells and the largest of them.
    disclosed_cells: u64,
    largest_disclosed: u64,
    base: RatioSum,
    cap_d: RatioSum,
    cap_s: RatioSum,
    dcap: RatioSum,
    /// Synthetic records with WEAP = 1 whose keys the original lacks.
    undefined: u64,
    tcap: RatioSum,
    /// Records that DiSCO is expected to count by the margins alone.
    disco_margins: f64,
    /// Records whose target the other original records tell.
    disco_others: u64,
}

const NO_ORIGINAL: &str = "the original has no records";
const NO_SYNTHETIC: &str = "the synthetic table has no records";

impl Attack<'_> {
    /// Everything that the attack discloses.
    pub(super) fn disclosure(&self) -> AttributeDisclosure {
        let targets = self.tables.targets();
        let (original_records, synthetic_records) =
            (targets.original().records(), targets.synthetic()[0].records());
        let mut sums = Sums::default();
        let mut identity = IdentityDisclosure {
            keys: self.keys.clone(),
            original_records,
            synthetic_records,
            ..IdentityDisclosure::default()
        };
        let mut obvious = ObviousTally::new(self);
        let frequencies =
            targets.synthetic()[0].columns()[self.target].frequencies(self.target_classes().size());
        // Original records by the frequency of their target value and the size of their class, added up in one order whatever the order of rows.
        let mut by_chance: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        self.visit(|class| {
            let disclosive = class.is_disclosive_in_synthetic();
            let (mut y_counted, mut s_counted) = (0, 0);
            let (mut y_squares, mut s_squares, mut products) = (0_u128, 0_u128, 0_u128);
            for cell in class.cells {
                let y = self.counted_original(class.class, cell);
                let s = self.counted_synthetic(class.class, cell);
                y_counted += y;
                s_counted += s;
                y_squares += u128::from(y) * u128::from(y);
                s_squares += u128::from(s) * u128::from(s);
                products += u128::from(y) * u128::from(s);
                let (all_original, all_synthetic) =
                    (class.is_all_original(cell), class.is_all_synthetic(cell));
                sums.is += if class.s > 0 { y } else { 0 };
                if class.s > 0 && y > 0 {
                    *by_chance.entry((frequencies[cell.level as usize], class.s)).or_default() += y;
                }
                sums.dis += if disclosive { y } else { 0 };
                sums.dorig += if all_original { y } else { 0 };
                if all_synthetic {
                    sums.dsyn += s;
                    sums.tcap.add(u128::from(s) * u128::from(cell.y), class.y);
                    sums.undefined += if class.y == 0 { s } else { 0 };
                    sums.disco += y;
                    sums.disdio += if all_original { y } else { 0 };
                    sums.disclosed_cells += u64::from(y > 0);
                    sums.largest_disclosed = sums.largest_disclosed.max(y);
                    obvious.add(class.class, cell.level, y);
                }
            }
            identity.add(y_counted, s_counted, class.s > 0);
            sums.matched += if s_counted > 0 { y_counted } else { 0 };
            sums.cap_d.add(y_squares, y_counted);
            sums.cap_s.add(s_squares, s_counted);
            sums.dcap.add(products, s_counted);
        });
        for ((frequency, size), records) in by_chance {
            let share = frequency as f64 / (synthetic_records as f64).max(1.0);
            sums.disco_margins += records as f64 * share.powf(size as f64);
        }
        for count in targets.original().columns()[self.target].frequencies(self.target_classes().size()) {
            sums.base.add(u128::from(count) * u128::from(count), original_records);
        }
        sums.disco_others = self.told_by_others().iter().filter(|told| **told).count() as u64;
        let (obvious_level, obvious_pairs) = obvious.finish();
        AttributeDisclosure {
            keys: self.keys.clone(),
            target: self.target_classes().name().to_owned(),
            original_records,
            synthetic_records,
            identity,
            obvious_level,
            obvious_pairs,
            sums,
        }
    }
}

/// With more keys, single ones are not looked at.
const MOST_SINGLE_KEYS: usize = 12;

impl Attack<'_> {
    /// Which original records' targets all other original records with the same keys, at least one, share; or all others with one of the keys, such as
    /// an age group that follows from the age.
    pub(super) fn told_by_others(&self) -> Vec<bool> {
        let keys = self.members.classes.keys().positions();
        let coded = self.tables.keys().original();
        let mut told = vec![false; self.original.len()];
        let mut tell = |class_of: &dyn Fn(usize) -> usize, classes: usize| {
            // The first target of each class, and how many records it has; none of one with several targets.
            let mut of_class: Vec<(Option<u32>, u64)> = vec![(None, 0); classes];
            for (row, target) in self.original.iter().enumerate() {
                let (first, records) = &mut of_class[class_of(row)];
                match (*records, *first) {
                    (0, _) => *first = Some(*target),
                    (_, Some(known)) if known == *target => {}
                    _ => *first = None,
                }
                *records += 1;
            }
            for (row, told) in told.iter_mut().enumerate() {
                let (first, records) = of_class[class_of(row)];
                *told |= records > 1 && first.is_some();
            }
        };
        let all = self.members.classes.of_original();
        tell(&|row| all[row] as usize, self.members.classes.len());
        if (2..=MOST_SINGLE_KEYS).contains(&keys.len()) {
            for key in keys {
                let codes = levels(&coded.columns()[*key]);
                tell(&|row| codes[row] as usize, self.tables.keys().domain().variables()[*key].size());
            }
        }
        told
    }
}

impl AttributeDisclosure {
    /// A number, or why there is none.
    pub fn value(&self, statistic: AttributeStatistic) -> Result<f64, &'static str> {
        use AttributeStatistic::*;
        let sums = &self.sums;
        let of_original = |records: u64| percent(records, self.original_records).ok_or(NO_ORIGINAL);
        let mean = |sum: &RatioSum, records: u64, reason: &'static str| {
            if records > 0 { Ok((100.0 * sum.value() / records as f64).min(100.0)) } else { Err(reason) }
        };
        let share = |part: f64, whole: u64, reason: &'static str| {
            if whole > 0 { Ok((part / whole as f64).min(1.0)) } else { Err(reason) }
        };
        match statistic {
            Dorig => of_original(sums.dorig),
            Dsyn => percent(sums.dsyn, self.synthetic_records).ok_or(NO_SYNTHETIC),
            Is => of_original(sums.is),
            Dis => of_original(sums.dis),
            Disco => of_original(sums.disco),
            Disdio => of_original(sums.disdio),
            MaxDenom => Ok(sums.largest_disclosed as f64),
            MeanDenom if sums.disclosed_cells == 0 => {
                Err("no original record is disclosed correctly, so that there are no groups to average")
            }
            MeanDenom => Ok(sums.disco as f64 / sums.disclosed_cells as f64),
            BaseCapD => mean(&sums.base, self.original_records, NO_ORIGINAL),
            CapD => mean(&sums.cap_d, self.original_records, NO_ORIGINAL),
            CapS => mean(&sums.cap_s, self.synthetic_records, NO_SYNTHETIC),
            Dcap => mean(&sums.dcap, self.original_records, NO_ORIGINAL),
            Tcap => percent(sums.disco, sums.matched)
                .ok_or("no original record that counts has keys that occur in the synthetic table"),
            TcapTaub => {
                let reason = "no synthetic record with WEAP = 1 has keys that occur in the original";
                share(sums.tcap.value(), sums.dsyn - sums.undefined, reason)
            }
            Weap1Share => share(sums.dsyn as f64, self.synthetic_records, NO_SYNTHETIC),
            DiscoMargins if self.original_records == 0 => Err(NO_ORIGINAL),
            DiscoMargins => Ok(100.0 * sums.disco_margins / self.original_records as f64),
            DiscoOthers => of_original(sums.disco_others),
            DiscoExcess => Ok(self.value(Disco)? - self.value(DiscoMargins)?),
            UndefinedShare => {
                share(sums.undefined as f64, sums.dsyn, "no synthetic record that counts has WEAP = 1")
            }
        }
    }

    /// One finding for each number.
    pub fn findings(&self) -> Vec<Finding> {
        let on: Vec<&String> = self.keys.iter().chain([&self.target]).collect();
        let finding = |(card, statistic): (&crate::MeasureCard, &AttributeStatistic)| {
            let on = on.iter().map(|name| name.as_str());
            let finding = match self.value(*statistic) {
                Ok(value) => Finding::value(card.name, on, value, None, card.better),
                Err(because) => Finding::undefined(card.name, on, card.better, because),
            };
            let finding = finding.with("keys", self.keys.as_slice()).with("target", self.target.as_str());
            match statistic {
                AttributeStatistic::Disco => self.with_flags(finding),
                _ => finding,
            }
        };
        CARDS.iter().zip(&AttributeStatistic::ALL).map(finding).collect()
    }

    fn with_flags(&self, finding: Finding) -> Finding {
        let finding = match &self.obvious_level {
            Some(level) => finding.with("obvious_level", level.to_json()),
            None => finding,
        };
        if self.obvious_pairs.is_empty() {
            return finding;
        }
        let pairs: Vec<serde_json::Value> = self.obvious_pairs.iter().map(ObviousPair::to_json).collect();
        finding.with("obvious_pairs", pairs)
    }
}
