//! The attribute measures record by record.

use table::CountSource;

use super::attack::Attack;

/// What an attack discloses of every record.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeRecords {
    /// Each original record, in row order.
    pub original: Vec<OriginalRecord>,
    /// Each synthetic record, in row order.
    pub synthetic: Vec<SyntheticRecord>,
}

/// What an attack discloses of one original record. Its *class* is all records with the same keys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OriginalRecord {
    /// Whether it counts under the options; the rest is said of every record.
    pub counted: bool,
    /// Whether its class has one target value in the original: Dorig.
    pub disclosed_in_original: bool,
    /// Whether its keys occur in the synthetic table: iS.
    pub in_synthetic: bool,
    /// Whether its class has one target value in the synthetic table: DiS.
    pub disclosed_in_synthetic: bool,
    /// Whether that is its own target value: DiSCO.
    pub disclosed_correctly: bool,
    /// The share of its target value in its class of the original: its CAP against the original.
    pub cap_original: f64,
    /// The share of its target value in its class of the synthetic table: its CAP against it; `None` where the class is
    /// absent from the synthetic table.
    pub cap_synthetic: Option<f64>,
    /// How likely it would be disclosed if the target had nothing to do with the keys: the share of its target value in the synthetic table, to the power
    /// of the size of its class there; the sum over all records is that of `attribute.disco_margins`.
    pub disclosed_by_margins: f64,
    /// Whether the other original records tell its target: `attribute.disco_others`.
    pub told_by_others: bool,
}

/// What an attack finds in one synthetic record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SyntheticRecord {
    /// Whether it counts under the options; the rest is said of every record.
    pub counted: bool,
    /// The share of its target value in its class of the synthetic table (Taub & Elliot 2019, eq. 8).
    pub weap: f64,
    /// The share of its target value in its class of the original; `None` where the class is absent from the original (eq. 9).
    /// TCAP is its mean over the records with `weap` 1.
    pub tcap: Option<f64>,
}

impl Attack<'_> {
    /// Every record of both tables.
    pub(super) fn records(&self) -> AttributeRecords {
        let mut original = vec![OriginalRecord::default(); self.original.len()];
        let mut synthetic = vec![SyntheticRecord::default(); self.synthetic.len()];
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let told = self.told_by_others();
        let synthetic_table = &self.tables.targets().synthetic()[0];
        let frequencies = synthetic_table.columns()[self.target].frequencies(self.target_classes().size());
        let records = (synthetic_table.records() as f64).max(1.0);
        self.visit(|class| {
            let disclosive = class.is_disclosive_in_synthetic();
            for row in self.members.original.rows(class.class) {
                let cell = class.of_level(self.original[*row as usize]);
                let counted = self.counted_original(class.class, &cell) > 0;
                let by_margins = frequencies[cell.level as usize] as f64 / records;
                original[*row as usize] = OriginalRecord {
                    counted,
                    disclosed_in_original: class.is_all_original(&cell),
                    in_synthetic: class.s > 0,
                    disclosed_in_synthetic: disclosive,
                    disclosed_correctly: class.is_all_synthetic(&cell),
                    cap_original: cell.y as f64 / class.y as f64,
                    cap_synthetic: share(cell.s, class.s),
                    disclosed_by_margins: if counted && class.s > 0 {
                        by_margins.powf(class.s as f64)
                    } else {
                        0.0
                    },
                    told_by_others: told[*row as usize],
                };
            }
            for row in self.members.synthetic.rows(class.class) {
                let cell = class.of_level(self.synthetic[*row as usize]);
                synthetic[*row as usize] = SyntheticRecord {
                    counted: self.counted_synthetic(class.class, &cell) > 0,
                    weap: cell.s as f64 / class.s as f64,
                    tcap: share(cell.y, class.y),
                };
            }
        });
        AttributeRecords { original, synthetic }
    }
}
