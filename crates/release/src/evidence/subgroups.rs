//! Groups of people of whom a release is least true, and groups of whom it gives most away.

use measures::risk::attribute;
use measures::utility::tables::{CellPairs, SyntheticSize, TableUtility};
use measures::{Finding, MeasureError, Settings, SharedTables, SyntheticSets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::{Attributes, CountSource, Margin};

/// What is said of groups: the cells of one key and of two keys together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subgroups {
    /// The variables by which people were grouped.
    pub keys: Vec<String>,
    /// The target of the attack whose success is shown; none where there was no attack.
    pub target: Option<String>,
    /// The share of all original records for which that attack is right, on average over the data sets.
    pub disclosed: Option<f64>,
    /// The share for which it would be right without their records: by the margins alone or by the other original records, whichever is more.
    #[serde(default)]
    pub base: Option<f64>,
    /// The groups whose other variables are furthest from the original, worst first.
    pub least_true: Vec<Subgroup>,
    /// The groups of whom the attack finds most beyond that, and more than chance explains; worst first.
    pub most_disclosed: Vec<Subgroup>,
}

/// One group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subgroup {
    /// Each variable with its class.
    pub cell: Vec<(String, String)>,
    /// How many original records are in it.
    pub records: u64,
    /// The mean S_pMSE of the distributions of all other variables within the group; 1 is expected.
    pub s_pmse: Option<f64>,
    /// The variable that is furthest off within the group.
    pub worst_variable: Option<String>,
    /// The share of the group's original records for which the attack is right.
    pub disclosed: Option<f64>,
    /// The share for which it would be right without their records.
    #[serde(default)]
    pub base: Option<f64>,
}

impl Subgroup {
    /// What is learned beyond what would be learned without their records.
    pub fn excess(&self) -> Option<f64> {
        Some(self.disclosed? - self.base?)
    }

    /// Whether chance explains the excess: three standard deviations of a share among so many records.
    fn is_chance(&self) -> bool {
        let (Some(share), Some(excess)) = (self.disclosed, self.excess()) else { return true };
        excess <= CHANCE * (share * (1.0 - share) / (self.records as f64).max(1.0)).sqrt()
    }
}

/// What an attack finds of each original record, on average over the data sets.
struct Learned {
    /// How often the attack is right.
    found: Vec<f64>,
    /// How likely the margins alone make it right.
    by_margins: Vec<f64>,
    /// Whether the other original records tell the target.
    by_others: Vec<bool>,
}

impl Learned {
    fn of(
        sets: &SyntheticSets<'_>,
        settings: &Settings,
        (keys, target): &(Vec<String>, String),
    ) -> Result<Option<Self>, MeasureError> {
        let mut learned: Option<Self> = None;
        let mut files = 0.0;
        for comparison in sets.comparisons() {
            let records = attribute::per_record(&comparison, keys, target, &settings.disclosure)?.original;
            let so_far = learned.get_or_insert_with(|| Self {
                found: vec![0.0; records.len()],
                by_margins: vec![0.0; records.len()],
                by_others: records.iter().map(|one| one.told_by_others).collect(),
            });
            files += 1.0;
            for (row, one) in records.iter().enumerate() {
                so_far.found[row] += f64::from(u8::from(one.counted && one.disclosed_correctly));
                so_far.by_margins[row] += one.disclosed_by_margins;
            }
        }
        if let Some(learned) = &mut learned {
            learned.found.iter_mut().chain(&mut learned.by_margins).for_each(|value| *value /= files);
        }
        Ok(learned)
    }

    /// The shares of some records that are found, and that would be found without their records.
    fn shares(&self, rows: impl Iterator<Item = usize>) -> (f64, f64) {
        let (mut records, mut found, mut margins, mut others) = (0.0, 0.0, 0.0, 0.0);
        for row in rows {
            records += 1.0;
            found += self.found[row];
            margins += self.by_margins[row];
            others += f64::from(u8::from(self.by_others[row]));
        }
        let records = f64::max(records, 1.0);
        (found / records, f64::max(margins, others) / records)
    }
}

/// Groups with fewer original records are not shown: chance would make them the worst.
const FEWEST: u64 = 30;
/// Standard deviations of chance that the worst of many groups reaches.
const CHANCE: f64 = 3.0;
/// How many groups of each kind are shown.
const SHOWN: usize = 6;
/// Variables by which people are grouped, at most.
const MOST_KEYS: usize = 5;
/// Classes of a variable that groups, at most.
const MOST_CLASSES: usize = 30;
/// Cells of one count, at most.
const MOST_CELLS: usize = 200_000;

/// The groups of a release; none where no variable groups people.
pub(super) fn subgroups(
    sets: &SyntheticSets<'_>,
    shared: &SharedTables,
    settings: &Settings,
    findings: &[Finding],
) -> Result<Option<Subgroups>, MeasureError> {
    let worst = worst_attack(findings);
    let keys = grouping_keys(shared, settings, worst.as_ref());
    if keys.is_empty() {
        return Ok(None);
    }
    let learned = match &worst {
        Some(attack) => Learned::of(sets, settings, attack)?,
        None => None,
    };
    let mut groups = Vec::new();
    for (at, one) in keys.iter().enumerate() {
        groups.extend(of_cells(shared, &[*one], learned.as_ref())?);
        for other in &keys[at + 1..] {
            groups.extend(of_cells(shared, &[*one, *other], learned.as_ref())?);
        }
    }
    let most = |value: &dyn Fn(&Subgroup) -> Option<f64>| {
        let mut sorted: Vec<&Subgroup> = groups.iter().filter(|group| value(group).is_some()).collect();
        sorted.sort_by(|one, other| value(other).unwrap_or(0.0).total_cmp(&value(one).unwrap_or(0.0)));
        sorted.into_iter().take(SHOWN).cloned().collect::<Vec<_>>()
    };
    let names = |at: &usize| shared.domain().variables()[*at].name().to_owned();
    let all = learned.as_ref().map(|learned| learned.shares(0..learned.found.len()));
    let beyond = |group: &Subgroup| group.excess().filter(|_| !group.is_chance());
    Ok(Some(Subgroups {
        keys: keys.iter().map(names).collect(),
        target: worst.map(|(_, target)| target).filter(|_| learned.is_some()),
        disclosed: all.map(|(found, _)| found),
        base: all.map(|(_, base)| base),
        least_true: most(&|group| group.s_pmse),
        most_disclosed: most(&beyond),
    }))
}

/// The keys and the target of the attack that finds most beyond what margins and the other original records tell.
fn worst_attack(findings: &[Finding]) -> Option<(Vec<String>, String)> {
    let same = |as_in: &Finding, name: &'static str| {
        let is_same = |finding: &&Finding| {
            finding.measure == name
                && finding.detail.get("keys") == as_in.detail.get("keys")
                && finding.detail.get("target") == as_in.detail.get("target")
        };
        findings.iter().find(is_same).and_then(|finding| finding.value).unwrap_or(0.0)
    };
    let excess = |finding: &Finding| {
        let base =
            same(finding, attribute::names::DISCO_MARGINS).max(same(finding, attribute::names::DISCO_OTHERS));
        Some(finding.value? - base)
    };
    let attacks = findings.iter().filter(|finding| finding.measure == attribute::names::DISCO);
    let (_, worst) = attacks
        .filter_map(|finding| Some((excess(finding)?, finding)))
        .max_by(|one, other| one.0.total_cmp(&other.0))?;
    let keys = worst.detail.get("keys")?.as_array()?;
    let keys = keys.iter().filter_map(|key| key.as_str().map(str::to_owned)).collect();
    Some((keys, worst.detail.get("target")?.as_str()?.to_owned()))
}

/// Positions of the variables that group: the keys that were named, else those of the worst attack, else all that have few classes.
fn grouping_keys(
    shared: &SharedTables,
    settings: &Settings,
    worst: Option<&(Vec<String>, String)>,
) -> Vec<usize> {
    let domain = shared.domain();
    let fits = |at: &usize| (2..=MOST_CLASSES).contains(&domain.variables()[*at].size());
    let named = settings.keys.first().or(worst.map(|(keys, _)| keys));
    let named: Vec<usize> = named
        .into_iter()
        .flatten()
        .filter_map(|name| domain.position_of(name).ok())
        .filter(fits)
        .take(MOST_KEYS)
        .collect();
    match named.is_empty() {
        false => named,
        true => (0..domain.variables().len()).filter(fits).take(MOST_KEYS).collect(),
    }
}

/// Every cell of these variables with enough original records.
fn of_cells(
    shared: &SharedTables,
    keys: &[usize],
    learned: Option<&Learned>,
) -> Result<Vec<Subgroup>, MeasureError> {
    let domain = shared.domain();
    let sizes: Vec<usize> = keys.iter().map(|at| domain.variables()[*at].size()).collect();
    let cells: usize = sizes.iter().product();
    // The cell of each original record.
    let columns: Vec<_> = keys.iter().map(|at| &shared.original().columns()[*at]).collect();
    let records = shared.original().records() as usize;
    let mut cell_of = vec![0_usize; records];
    for (column, size) in columns.iter().zip(&sizes) {
        cell_of.iter_mut().zip(column.iter()).for_each(|(cell, code)| *cell = *cell * size + code as usize);
    }
    let mut counts = vec![0_u64; cells];
    let mut rows = vec![Vec::new(); cells];
    for (row, cell) in cell_of.iter().enumerate() {
        counts[*cell] += 1;
        rows[*cell].push(row);
    }
    let others: Vec<usize> = (0..domain.variables().len())
        .filter(|at| !keys.contains(at) && cells * domain.variables()[*at].size() <= MOST_CELLS)
        .collect();
    let mut sums = vec![(0.0, 0_usize, None::<(f64, usize)>); cells];
    for other in others {
        let of = [Attributes::new(keys.iter().copied().chain([other]))];
        let margin = |source: &table::CodedTable| -> Result<Margin, MeasureError> {
            Ok(source.margins(&of)?.swap_remove(0))
        };
        let original = margin(shared.original())?;
        let synthetic = shared.synthetic().iter().map(margin).collect::<Result<Vec<_>, _>>()?;
        for (cell, sum) in sums.iter_mut().enumerate().filter(|(cell, _)| counts[*cell] >= FEWEST) {
            if let Some(value) = s_pmse_within(&of[0], (keys, cell, &sizes), other, &original, &synthetic) {
                sum.0 += value;
                sum.1 += 1;
                if sum.2.is_none_or(|(known, _)| value > known) {
                    sum.2 = Some((value, other));
                }
            }
        }
    }
    let group = |cell: usize| {
        let (sum, number, worst) = sums[cell];
        let name = |at: usize| domain.variables()[at].name().to_owned();
        let shares = learned.map(|learned| learned.shares(rows[cell].iter().copied()));
        Subgroup {
            cell: classes_of(cell, &sizes)
                .iter()
                .zip(keys)
                .map(|(class, at)| (name(*at), domain.variables()[*at].label(*class)))
                .collect(),
            records: counts[cell],
            s_pmse: (number > 0).then(|| sum / number as f64),
            worst_variable: worst.map(|(_, at)| name(at)),
            disclosed: shares.map(|(found, _)| found),
            base: shares.map(|(_, base)| base),
        }
    };
    Ok((0..cells).filter(|cell| counts[*cell] >= FEWEST).map(group).collect())
}

/// The classes of a cell, in the order of the sizes.
fn classes_of(mut cell: usize, sizes: &[usize]) -> Vec<u32> {
    let mut classes = vec![0; sizes.len()];
    for (class, size) in classes.iter_mut().zip(sizes).rev() {
        *class = (cell % size) as u32;
        cell /= size;
    }
    classes
}

/// S_pMSE of one variable's distribution within a cell of the keys, on average over the data sets; none where a file has no record there.
fn s_pmse_within(
    of: &Attributes,
    (keys, cell, sizes): (&[usize], usize, &[usize]),
    other: usize,
    original: &Margin,
    synthetic: &[Margin],
) -> Option<f64> {
    let classes = classes_of(cell, sizes);
    let place = |at: usize| of.positions().iter().position(|known| *known == at);
    let mut address = vec![0_u32; of.positions().len()];
    for (class, key) in classes.iter().zip(keys) {
        address[place(*key)?] = *class;
    }
    let (last, mut values) = (place(other)?, Vec::new());
    for set in synthetic {
        let pairs = (0..original.sizes()[last] as u32).map(|class| {
            let mut address = address.clone();
            address[last] = class;
            (original.count_of(&address), set.count_of(&address))
        });
        let pairs = CellPairs::new(pairs);
        if pairs.totals().1 == 0 {
            return None;
        }
        let utility = TableUtility::of(Vec::new(), &pairs, SyntheticSize::Fixed);
        // One class in both files says nothing.
        values.extend(utility.s_pmse().ok());
    }
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn the_group_that_was_damaged_comes_first() {
        let file = |damage: bool| {
            let row = |row: usize| {
                let (town, sex) = (row % 4, (row / 4) % 2);
                let mut answer = (row * 37 / 8) % 3;
                if damage && town == 2 && sex == 1 {
                    answer = 0;
                }
                format!("t{town},{},a{answer}\n", ["F", "M"][sex])
            };
            let rows: String = (0..2400).map(row).collect();
            read_csv_text(&format!("town,sex,answer\n{rows}"), &ReadOptions::default()).unwrap()
        };
        let (original, synthetic) = (file(false), file(true));
        let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
        let settings = Settings { keys: vec![vec!["town".into(), "sex".into()]], ..Settings::default() };
        let shared = SharedTables::of_sets(&original, &[&synthetic], &settings.tables.grouping).unwrap();
        let families: Vec<&dyn measures::Measure> =
            measures::MEASURES.iter().copied().filter(|family| family.name() == "attribute").collect();
        let findings = measures::evaluate(&sets, &families, &settings).unwrap();
        let found = subgroups(&sets, &shared, &settings, &findings).unwrap().unwrap();
        let worst = &found.least_true[0];
        assert_eq!(worst.cell, [("town".into(), "t2".into()), ("sex".into(), "M".into())]);
        assert_eq!((worst.records, worst.worst_variable.as_deref()), (300, Some("answer")));
        assert!(worst.s_pmse.unwrap() > 30.0 && found.least_true[5].s_pmse.unwrap() < worst.s_pmse.unwrap());
        // All synthetic records of that group have one answer, which a third of the original ones has.
        let risky = &found.most_disclosed[0];
        assert_eq!((&risky.cell, found.target.as_deref()), (&worst.cell, Some("answer")));
        assert!((risky.disclosed.unwrap() - 1.0 / 3.0).abs() < 0.02, "{risky:?}");
        assert!((found.disclosed.unwrap() - 1.0 / 24.0).abs() < 0.01, "{:?}", found.disclosed);
        // Without their records nothing would be learned: every group has all answers, and so has the file.
        assert!(risky.base.unwrap() < 0.01 && risky.excess().unwrap() > 0.3 && found.base.unwrap() < 0.01);
        // All other groups are as in the original: what is learned of them is nothing.
        assert!(
            found.most_disclosed.iter().all(|group| group.cell.iter().any(|one| worst.cell.contains(one)))
        );
    }
}
