//! Variables made for the fit alone: an area score, or a coarser version of a variable of many levels. They are not in the release.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use table::column::{Entry, Numbers};
use table::expression::Expression;
use table::schema::{Levels, Origin};
use table::{Classes, Codes, Column, Kind, Table, Variable};

use super::options::AuxiliaryOptions;
use crate::SynthesisError;

/// A variable made from another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Auxiliary {
    pub name: String,
    /// The categorical variable that it is a function of.
    pub of: String,
    pub values: AuxiliaryValues,
}

/// The value for each level of the variable that it is made from; the last one is for missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum AuxiliaryValues {
    /// Known as soon as the other variable is.
    Score(Vec<Option<f64>>),
    /// Drawn before the other variable, which is then drawn within it.
    Groups { names: Vec<String>, group_of: Vec<u32> },
    /// The same for a number and its classes.
    Classes(Classes),
}

/// The name of the group of rare levels.
const RARE: &str = "(rare)";

impl Auxiliary {
    /// Makes the variable from the data.
    pub(super) fn learn(
        name: &str,
        options: &AuxiliaryOptions,
        records: &Table,
    ) -> Result<Self, SynthesisError> {
        let place = |key: &str| format!("auxiliary.{name}.{key}");
        if records.schema().position_of(name).is_ok() {
            let message = "there is a variable of this name in the data; choose another";
            return Err(SynthesisError::option(format!("auxiliary.{name}"), message));
        }
        let (key, of) = match (&options.by, &options.groups_of) {
            (Some(by), _) => ("by", by),
            (_, Some(of)) => ("groups_of", of),
            (None, None) => return Err(SynthesisError::option(place("by"), "name a categorical variable")),
        };
        let refuse = |message: String| SynthesisError::option(place(key), message);
        let column = records.column(of).map_err(|error| refuse(error.to_string()))?;
        let levels = records.schema().variable(of)?.kind.levels();
        let (Column::Categorical(codes), Some(levels)) = (column, levels) else {
            return Err(refuse(format!("`{of}` is not categorical")));
        };
        let values = if options.groups_of.is_some() {
            groups(codes, levels, options.rare.unwrap_or(0))
        } else {
            let means = area_means(&options.score, codes, levels.len(), records)
                .map_err(|error| SynthesisError::option(place("score"), error.to_string()))?;
            AuxiliaryValues::Score(first_component(&means))
        };
        Ok(Self { name: name.to_owned(), of: of.clone(), values })
    }

    /// Whether it can be made from this variable.
    pub(super) fn is_of(&self, variable: Option<&Variable>) -> bool {
        let Some(variable) = variable else { return false };
        let levels = variable.kind.levels().map(|levels| levels.len());
        match &self.values {
            AuxiliaryValues::Score(scores) => {
                levels.is_some_and(|levels| scores.len() == levels + 1)
                    && scores.iter().flatten().all(|score| score.is_finite())
            }
            AuxiliaryValues::Groups { names, group_of } => {
                levels.is_some_and(|levels| group_of.len() == levels + 1)
                    && group_of.iter().all(|group| *group as usize <= names.len())
                    && Levels::new(names.iter().cloned()).is_ok()
            }
            AuxiliaryValues::Classes(classes) => levels.is_none() && classes.are_of(variable),
        }
    }

    /// The variable, as the rest of the method sees it.
    pub(super) fn variable(&self) -> Variable {
        let kind = match &self.values {
            AuxiliaryValues::Score(_) => Kind::Real { range: None },
            AuxiliaryValues::Groups { names, .. } => {
                Kind::Categorical { levels: Levels::new(names.iter().cloned()).unwrap_or_default() }
            }
            AuxiliaryValues::Classes(classes) => {
                let names = (0..classes.size()).map(|class| class.to_string());
                Kind::Categorical { levels: Levels::new(names).unwrap_or_default() }
            }
        };
        Variable { missing: true, origin: Origin::Learned, ..Variable::new(&self.name, kind) }
    }

    /// Whether it is known as soon as the variable that it is made from is.
    pub(super) fn is_computed(&self) -> bool {
        matches!(self.values, AuxiliaryValues::Score(_))
    }

    /// The column that belongs to a column of the variable that it is made from.
    pub(super) fn column(&self, of: &Column) -> Column {
        match (&self.values, of) {
            (AuxiliaryValues::Score(scores), Column::Categorical(codes)) => {
                let mut numbers = Numbers::with_capacity(codes.len());
                for code in codes.iter() {
                    numbers.push(scores[code as usize].map_or(Entry::Missing, Entry::Value));
                }
                Column::Real(numbers)
            }
            (AuxiliaryValues::Groups { names, group_of }, Column::Categorical(codes)) => {
                Column::Categorical(Arc::new(codes.recode(group_of, names.len() + 1)))
            }
            (AuxiliaryValues::Classes(classes), numeric) => {
                let size = classes.size() as u32;
                let class = |row: usize| {
                    numeric.number(row).and_then(|entry| classes.class_of(entry)).unwrap_or(size)
                };
                Column::Categorical(Arc::new(Codes::collect(
                    size as usize + 1,
                    (0..numeric.len()).map(class),
                )))
            }
            (AuxiliaryValues::Score(_) | AuxiliaryValues::Groups { .. }, numeric) => {
                unreachable!(
                    "only a categorical variable has a score or groups, not a column of {} numbers",
                    numeric.len()
                )
            }
        }
    }
}

/// Levels of at least `rare` records, and one group of all others; one past the last is missing.
fn groups(codes: &Codes, levels: &Levels, rare: u32) -> AuxiliaryValues {
    let count = codes.frequencies(levels.len() + 1);
    let mut names = Vec::new();
    let mut group_of = Vec::with_capacity(levels.len() + 1);
    for (level, name) in levels.iter().enumerate() {
        if count[level] >= u64::from(rare) {
            group_of.push(names.len() as u32);
            names.push(name.to_owned());
        } else {
            group_of.push(u32::MAX);
        }
    }
    if group_of.contains(&u32::MAX) {
        let name = (0..).map(|n| format!("{RARE}{}", "'".repeat(n))).find(|name| !names.contains(name));
        names.extend(name);
    }
    let last = names.len() as u32 - u32::from(!names.is_empty());
    group_of.iter_mut().for_each(|group| *group = (*group).min(last));
    group_of.push(names.len() as u32);
    AuxiliaryValues::Groups { names, group_of }
}

/// For each level (and missing) the weight and the means of numbers or conditions over its records that have them.
struct AreaMeans {
    records: Vec<u64>,
    /// One column an expression; `None` where no record has it.
    means: Vec<Vec<Option<f64>>>,
}

fn area_means(
    texts: &[String],
    codes: &Codes,
    levels: usize,
    records: &Table,
) -> Result<AreaMeans, table::TableError> {
    let variables = records.schema().variables();
    let mut means = Vec::with_capacity(texts.len());
    for text in texts {
        let expression = Expression::parse(text)?;
        let is_condition = expression.is_condition();
        let condition = is_condition.then(|| expression.condition(variables)).transpose()?;
        let formula = (!is_condition).then(|| expression.formula(variables)).transpose()?;
        let number = |record: &table::table::TableRow<'_>| match (&condition, &formula) {
            (Some(condition), _) => condition.holds(record).map(f64::from),
            (_, Some(formula)) => formula.number(record),
            _ => None,
        };
        let mut sums = vec![(0.0, 0_u64); levels + 1];
        for (row, code) in codes.iter().enumerate() {
            if let Some(number) = number(&records.record(row)) {
                let (sum, count) = &mut sums[code as usize];
                *sum += number;
                *count += 1;
            }
        }
        let mean = |(sum, count): (f64, u64)| (count > 0).then(|| sum / count as f64);
        means.push(sums.into_iter().map(mean).collect());
    }
    Ok(AreaMeans { records: codes.frequencies(levels + 1), means })
}

/// The first principal component of the standardised means, areas weighted by their records; its first loading is positive.
fn first_component(areas: &AreaMeans) -> Vec<Option<f64>> {
    let levels = areas.records.len();
    let weighted = |of: &dyn Fn(usize) -> Option<f64>| -> f64 {
        let (mut sum, mut weight) = (0.0, 0.0);
        for area in 0..levels {
            if let Some(value) = of(area) {
                sum += areas.records[area] as f64 * value;
                weight += areas.records[area] as f64;
            }
        }
        if weight > 0.0 { sum / weight } else { 0.0 }
    };
    let standardised: Vec<Vec<f64>> = areas
        .means
        .iter()
        .map(|column| {
            let mean = weighted(&|area| column[area]);
            let deviation = weighted(&|area| column[area].map(|value| (value - mean).powi(2))).sqrt();
            let score = |value: &Option<f64>| match value {
                Some(value) if deviation > 0.0 => (value - mean) / deviation,
                _ => 0.0,
            };
            column.iter().map(score).collect()
        })
        .collect();
    let size = standardised.len();
    let correlation =
        |i: usize, j: usize| weighted(&|area| Some(standardised[i][area] * standardised[j][area]));
    let matrix: Vec<Vec<f64>> = (0..size).map(|i| (0..size).map(|j| correlation(i, j)).collect()).collect();
    // The power method; a start with a share in every direction.
    let mut loading: Vec<f64> = (0..size).map(|i| 1.0 + i as f64 / 97.0).collect();
    for _ in 0..1_000 {
        let next: Vec<f64> =
            matrix.iter().map(|row| row.iter().zip(&loading).map(|(a, b)| a * b).sum()).collect();
        let length = next.iter().map(|value: &f64| value * value).sum::<f64>().sqrt();
        if length == 0.0 {
            break;
        }
        loading = next.into_iter().map(|value| value / length).collect();
    }
    let sign = if loading.first().is_some_and(|first| *first < 0.0) { -1.0 } else { 1.0 };
    let score = |area: usize| -> f64 { (0..size).map(|i| sign * loading[i] * standardised[i][area]).sum() };
    (0..levels).map(|area| (areas.records[area] > 0).then(|| score(area))).collect()
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    fn table() -> Table {
        let mut text = String::from("area,rooms,poor\n");
        for (area, rooms, poor) in
            [("a", 9, 0), ("a", 7, 0), ("b", 2, 1), ("b", 2, 1), ("c", 5, 0), ("c", 4, 1), ("d", 4, 0)]
        {
            text.push_str(&format!("{area},{rooms},{poor}\n"));
        }
        read_csv_text(&text, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn the_score_is_the_first_principal_component_of_area_means() {
        let options = AuxiliaryOptions {
            score: vec!["rooms".into(), "poor = 1".into()],
            by: Some("area".into()),
            groups_of: None,
            rare: None,
        };
        let score = Auxiliary::learn("score", &options, &table()).unwrap();
        let AuxiliaryValues::Score(values) = &score.values else { panic!("a score") };
        // R: m <- cbind(c(8,2,4.5,4), c(0,1,.5,0)); w <- c(2,2,2,1); e <- cov.wt(m, w/7, cor=TRUE, method="ML");
        // z <- scale(m, e$center, sqrt(diag(e$cov))); v <- eigen(e$cor)$vectors[,1]; z %*% (v * sign(v[1]))
        let expected = [1.739_145_718_5, -1.805_761_544_7, -0.187_237_737_1, 0.507_707_126_5];
        for (value, expected) in values.iter().zip(expected) {
            assert!((value.unwrap() - expected).abs() < 1e-9, "{values:?}");
        }
        assert_eq!(values[4], None, "nobody is missing");
        assert_eq!(score.column(&table().columns()[0]).number(1), Some(Entry::Value(values[0].unwrap())));
    }

    #[test]
    fn rare_levels_are_put_together() {
        let options =
            AuxiliaryOptions { score: vec![], by: None, groups_of: Some("area".into()), rare: Some(2) };
        let groups = Auxiliary::learn("region", &options, &table()).unwrap();
        let AuxiliaryValues::Groups { names, group_of } = &groups.values else { panic!("groups") };
        assert_eq!((names.join(" ").as_str(), &group_of[..]), ("a b c (rare)", &[0, 1, 2, 3, 4][..]));
        let wrong = AuxiliaryOptions { groups_of: Some("rooms".into()), ..options };
        assert!(
            Auxiliary::learn("region", &wrong, &table()).unwrap_err().to_string().contains("not categorical")
        );
    }
}
