//! What one table says of an estimand: q and v of each quantity.
//!
//! | estimand | q | v |
//! |---|---|---|
//! | mean of n values | x̄ | s²/n, s² with n − 1 |
//! | share x of n records | p = x/n | p (1 − p)/n |
//! | coefficient | its estimate | its squared standard error |
//!
//! Records with a missing value or a special code in a variable of the estimand are left out, as in a model.

use models::fit;
use table::column::Entry;
use table::{CodedTable, Table};

use crate::shares::{ShareLayout, classes_of};
use crate::{Estimand, InferenceError};

/// One quantity in one table.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// What it is called.
    pub name: String,
    /// The estimate and its variance, or why there is none.
    pub value: Result<Measured, &'static str>,
}

/// An estimate and its variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// q.
    pub estimate: f64,
    /// v.
    pub variance: f64,
}

/// Contrasts with a level that is not there are contrasts with another.
pub(crate) const NO_BASELINE: &str =
    "a factor's baseline level is absent, and the coefficients mean something else";
/// A dropped column that some record has: the earlier ones carry it.
pub(crate) const ENTANGLED: &str = "it is aliased with earlier ones";
/// Said of the other coefficients of a file where one is entangled that other files can tell apart.
pub(crate) const CARRIES_ANOTHER: &str =
    "the coefficients mean something else, because one is aliased that other files can tell apart";

/// Every quantity of the estimand in a table.
pub fn estimates(table: &Table, estimand: &Estimand) -> Result<Vec<Estimate>, InferenceError> {
    match estimand {
        Estimand::Model { formula, family } => Ok(of_model(fit(table, formula, *family)?)),
        Estimand::Mean { of, by } => means(table, of, by),
        Estimand::Quantile { of, p, by } => quantiles(table, of, *p, by),
        Estimand::Share { .. } | Estimand::Table { .. } => {
            let layout = ShareLayout::of(table.schema(), estimand)?;
            Ok(layout.estimates(&layout.counts(table)?))
        }
    }
}

/// The coefficients of a model, and why some cannot be used.
pub(crate) fn of_model(model: models::FittedModel) -> Vec<Estimate> {
    let separated = model.convergence.separated;
    let no_baseline = !model.absent_baselines.is_empty();
    let estimate = |coefficient: models::Coefficient| {
        let error = coefficient.standard_error.ok_or("no degree of freedom is left for its standard error");
        let value = error.map(|error| Measured { estimate: coefficient.estimate, variance: error * error });
        let value = if separated {
            Err("the levels are separated and the coefficients have no limit")
        } else if no_baseline {
            Err(NO_BASELINE)
        } else {
            value
        };
        Estimate { name: coefficient.name, value }
    };
    let reason = |name: &String| match (no_baseline, model.entangled.contains(name)) {
        (true, _) => NO_BASELINE,
        (false, true) => ENTANGLED,
        (false, false) => "no record has it",
    };
    let dropped = model.dropped.iter().map(|name| Estimate { name: name.clone(), value: Err(reason(name)) });
    let dropped: Vec<Estimate> = dropped.collect();
    model.coefficients.into_iter().map(estimate).chain(dropped).collect()
}

/// The mean of a number whose standard deviation is known: variance σ²/n.
pub(crate) fn mean_with_known_deviation(
    table: &Table,
    of: &str,
    sigma: f64,
) -> Result<Estimate, InferenceError> {
    let column = &table.columns()[table.schema().position_of(of)?];
    let values = (0..table.rows()).filter_map(|row| match column.number(row) {
        Some(Entry::Value(value)) => Some(value),
        _ => None,
    });
    let (n, sum) = values.fold((0.0, 0.0), |(n, sum), value| (n + 1.0, sum + value));
    let value = if n > 0.0 {
        Ok(Measured { estimate: sum / n, variance: sigma * sigma / n })
    } else {
        Err("no record has a value")
    };
    Ok(Estimate { name: of.to_owned(), value })
}

/// The share x/n with its variance p (1 − p)/n.
pub fn share(count: u64, of: u64) -> Result<Measured, &'static str> {
    if of == 0 {
        return Err("no record is in its class");
    }
    let (p, n) = (count as f64 / of as f64, of as f64);
    Ok(Measured { estimate: p, variance: p * (1.0 - p) / n })
}

/// A number of a table in the classes of others.
pub(crate) struct InClasses<'a> {
    table: &'a Table,
    column: &'a table::Column,
    coded: CodedTable,
    domain: table::Domain,
    sizes: Vec<usize>,
}

impl<'a> InClasses<'a> {
    pub(crate) fn of(table: &'a Table, of: &str, by: &[String], what: &str) -> Result<Self, InferenceError> {
        let position = table.schema().position_of(of)?;
        let (variable, column) = (&table.schema().variables()[position], &table.columns()[position]);
        if !variable.kind.is_numeric() {
            let message = format!("it is {} and has no {what}; ask for share({of})", variable.kind.name());
            return Err(InferenceError::variable(of, message));
        }
        let domain = classes_of(table.schema(), by)?;
        let coded = CodedTable::in_domain(table, &domain)?;
        let sizes = domain.variables().iter().map(|classes| classes.partition().len()).collect();
        Ok(Self { table, column, coded, domain, sizes })
    }

    pub(crate) fn cells(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The cell and the number of a record, if it has both.
    pub(crate) fn at(&self, row: usize) -> Option<(usize, f64)> {
        let Some(Entry::Value(value)) = self.column.number(row) else { return None };
        let cell = self.coded.columns().iter().zip(&self.sizes).try_fold(0, |index, (codes, size)| {
            let class = codes.get(row) as usize;
            (class < *size).then_some(index * size + class)
        });
        cell.map(|cell| (cell, value))
    }

    /// The cell and the number of each record that has both.
    fn values(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..self.table.rows()).filter_map(|row| self.at(row))
    }

    pub(crate) fn name(&self, cell: usize, of: &str) -> String {
        crate::shares::named(&self.domain, &self.sizes, cell).unwrap_or_else(|| of.to_owned())
    }
}

fn means(table: &Table, of: &str, by: &[String]) -> Result<Vec<Estimate>, InferenceError> {
    let classes = InClasses::of(table, of, by, "mean")?;
    let cells = classes.cells();
    let (mut counts, mut sums) = (vec![0_u64; cells], vec![0.0; cells]);
    for (cell, value) in classes.values() {
        counts[cell] += 1;
        sums[cell] += value;
    }
    let means: Vec<f64> = sums.iter().zip(&counts).map(|(sum, count)| sum / *count as f64).collect();
    let mut squares = vec![0.0; cells];
    for (cell, value) in classes.values() {
        squares[cell] += (value - means[cell]).powi(2);
    }
    let estimate = |cell: usize| {
        let n = counts[cell] as f64;
        let value = match counts[cell] {
            0 => Err("no record is in its class"),
            1 => Err("one record alone has no variance"),
            _ => Ok(Measured { estimate: means[cell], variance: squares[cell] / (n - 1.0) / n }),
        };
        Estimate { name: classes.name(cell, of), value }
    };
    Ok((0..cells).map(estimate).collect())
}

/// Two normal quantiles span 95 %.
pub(crate) const NORMAL: f64 = 1.959_963_984_540_054;

/// Records that the interval of a quantile needs on both sides of it.
const FEWEST_BESIDE_A_QUANTILE: f64 = 5.0;

/// Quantiles (R's type 7) with the variance of Woodruff (1952): the quantiles at p ± 1.96 √(p (1 − p)/n) are 2 · 1.96 standard errors apart.
fn quantiles(table: &Table, of: &str, p: f64, by: &[String]) -> Result<Vec<Estimate>, InferenceError> {
    let classes = InClasses::of(table, of, by, "quantiles")?;
    let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); classes.cells()];
    classes.values().for_each(|(cell, value)| numbers[cell].push(value));
    let estimate = |(cell, mut numbers): (usize, Vec<f64>)| {
        numbers.sort_unstable_by(f64::total_cmp);
        let n = numbers.len() as f64;
        let at = |share: f64| {
            let place = share.clamp(0.0, 1.0) * (n - 1.0);
            let below = place.floor() as usize;
            let above = (below + 1).min(numbers.len() - 1);
            numbers[below] + (place - place.floor()) * (numbers[above] - numbers[below])
        };
        let value = if numbers.is_empty() {
            Err("no record is in its class")
        } else if n * p.min(1.0 - p) < FEWEST_BESIDE_A_QUANTILE {
            Err("fewer than five records lie beyond it")
        } else {
            let error = NORMAL * (p * (1.0 - p) / n).sqrt();
            let deviation = (at(p + error) - at(p - error)) / (2.0 * NORMAL);
            Ok(Measured { estimate: at(p), variance: deviation * deviation })
        };
        Estimate { name: classes.name(cell, of), value }
    };
    Ok(numbers.into_iter().enumerate().map(estimate).collect())
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    fn people() -> Table {
        let text = "sex,town,income\nF,a,10\nF,a,14\nM,b,20\nM,b,\nF,b,12\nM,a,30\n,a,5\n";
        read_csv_text(text, &ReadOptions::default()).unwrap()
    }

    fn found(text: &str) -> Vec<(String, Option<(f64, f64)>)> {
        let estimates = estimates(&people(), &Estimand::parse(text).unwrap()).unwrap();
        estimates
            .into_iter()
            .map(|one| (one.name, one.value.ok().map(|value| (value.estimate, value.variance))))
            .collect()
    }

    #[test]
    fn means_by_hand() {
        // R: x <- c(10,14,20,12,30,5); mean(x); var(x)/6
        let all = found("mean(income)");
        assert_eq!(all[0].0, "income");
        let (mean, variance) = all[0].1.unwrap();
        assert!(
            (mean - 91.0 / 6.0).abs() < 1e-12
                && (variance - (1765.0 - 91.0 * 91.0 / 6.0) / 30.0).abs() < 1e-12
        );
        // Women: 10, 14, 12; men: 20, 30. The record without sex is left out.
        assert_eq!(
            found("mean(income) by sex"),
            [("sex=F".into(), Some((12.0, 4.0 / 3.0))), ("sex=M".into(), Some((25.0, 25.0))),]
        );
        // One man of town b has an income: no variance.
        assert_eq!(found("mean(income) by sex, town")[3], ("sex=M town=b".into(), None));
    }

    /// Medians of normal samples of 200 vary by √(π/2)/√200 = 0.0886, ninth deciles by 0.1209; over 300 samples the mean stated variance is theirs to within a tenth.
    #[test]
    fn quantiles_have_the_variance_of_woodruff() {
        use rand_distr::{Distribution, StandardNormal};
        let mut rng = synthesis::randomness::Seed::new(7).stream(0);
        for (p, deviation) in [(0.5, 0.0886), (0.9, 0.1209)] {
            let estimand = Estimand::parse(&format!("quantile(x, {p})")).unwrap();
            let mut stated = 0.0;
            for _ in 0..300 {
                let numbers = (0..200).map(|_| -> f64 { StandardNormal.sample(&mut rng) });
                let text: String = numbers.map(|number| format!("{number}\n")).collect();
                let table = read_csv_text(&format!("x\n{text}"), &ReadOptions::default()).unwrap();
                stated += estimates(&table, &estimand).unwrap()[0].value.unwrap().variance / 300.0;
            }
            assert!((stated.sqrt() / deviation - 1.0).abs() < 0.1, "{p}: {}", stated.sqrt());
        }
        let text: String = (1..=21).map(|number| format!("{number}\n")).collect();
        let table = read_csv_text(&format!("x\n{text}"), &ReadOptions::default()).unwrap();
        let median = estimates(&table, &Estimand::parse("median(x)").unwrap()).unwrap();
        assert_eq!(median[0].value.unwrap().estimate, 11.0);
        let beyond = estimates(&table, &Estimand::parse("quantile(x, 0.9)").unwrap()).unwrap();
        assert!(beyond[0].value.is_err(), "two records lie beyond it");
    }

    #[test]
    fn shares_by_hand() {
        let variance = |p: f64, n: f64| p * (1.0 - p) / n;
        assert_eq!(found("share(sex)")[0], ("sex=F".into(), Some((0.5, variance(0.5, 6.0)))));
        let by_town = found("share(sex = F) by town");
        assert_eq!(by_town.len(), 2);
        assert_eq!(by_town[0].0, "sex=F | town=a");
        assert_eq!(by_town[0].1, Some((2.0 / 3.0, variance(2.0 / 3.0, 3.0))));
        let table = found("table(sex, town)");
        assert_eq!(table.len(), 4);
        assert_eq!(table[3], ("sex=M town=b".into(), Some((2.0 / 6.0, variance(2.0 / 6.0, 6.0)))));
    }

    #[test]
    fn what_has_no_classes_is_refused() {
        let refused =
            |text: &str| estimates(&people(), &Estimand::parse(text).unwrap()).unwrap_err().to_string();
        assert!(refused("mean(sex)").contains("ask for share(sex)"));
        assert!(refused("share(income)").contains("cuts"));
        assert!(refused("share(sex = X)").contains("`sex`"), "{}", refused("share(sex = X)"));
        assert!(refused("mean(wage)").contains("wage"));
    }
}
