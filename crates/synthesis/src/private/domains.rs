//! Domains that a private run buys: bounds, cuts and levels that nobody declared, from a stated share of the budget.
//!
//! A number with a range and no cuts is cut at private quantiles, since five classes of equal width say nothing of a skewed number. Of twice as many quantiles as there are classes
//! every second is a class limit; those between them are knots, which place draws within a class. Values that many records may have (0 and the ends of the range) are asked
//! for first, and those that hold at least half as many records as a class should are classes of their own. Whole numbers with few values need no cuts: each value is a class.
//!
//! The answers are the domain of everything that follows, and are published with the schema. See [`GuardedColumns`] for the mechanisms and their privacy.

use privacy::ledger::{Charge, DeltaCost, Mechanism, Notion};
use privacy::{Bound, Cost, GuardedColumns};
use table::bought_domain::OTHER;
use table::figures::thousands;
use table::schema::{CutRule, Purchase};
use table::{DeclaredSchema, Kind, Levels, Source, TableError, Variable};

use super::{NumberClasses, Spending, candidates};
use crate::SynthesisError;

/// Whole numbers with up to so many values are not cut.
const FEW_VALUES: f64 = 20.0;

/// Whole numbers with fewer values are classes of their own where classes are fine.
const MANY_VALUES: f64 = 100.0;

/// Levels that a plan assumes where they will be bought.
const ASSUMED_LEVELS: usize = 5;

/// What is to be bought, in the order of the schema.
pub(super) struct Purchases<'a> {
    schema: &'a DeclaredSchema,
    groups: usize,
    lots: Vec<Lot>,
    /// What all of it costs; nothing if nothing is bought.
    pub(super) cost: Cost,
    /// The δ of all bought levels.
    pub(super) delta: DeltaCost,
    notion: Notion,
    /// Which classes numbers get that the schema does not name.
    classes: NumberClasses,
    /// Numbers that get classes of equal width for no better reason than that their records are not here.
    equal: Vec<usize>,
}

/// What a run can have of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The records.
    Records,
    /// Counts of them in any classes.
    Counts,
    /// Counts of them in classes of the declared schema.
    Counted,
}

impl From<Source<'_>> for Reach {
    fn from(source: Source<'_>) -> Self {
        match source {
            Source::Records(_) => Self::Records,
            Source::Streamed(_) | Source::Sql(_) => Self::Counts,
            Source::Counts { .. } => Self::Counted,
        }
    }
}

/// One part of the domain of one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lot {
    Range(usize),
    Cuts(usize),
    Levels(usize),
}

impl<'a> Purchases<'a> {
    /// What a schema leaves to be bought with this share of a budget. `classes`: whether the method needs classes of numbers. Quantiles are bought from records alone; classes that
    /// follow from the schema are those of counts as well, unless they were made before.
    pub(super) fn of(
        schema: &'a DeclaredSchema,
        groups: usize,
        limit: Charge,
        share: f64,
        classes: NumberClasses,
        reach: Reach,
    ) -> Result<Self, SynthesisError> {
        let (mut lots, mut equal) = (Vec::new(), Vec::new());
        for (position, variable) in schema.schema().variables().iter().enumerate() {
            if variable.bought.range && variable.formula.is_none() {
                lots.push(Lot::Range(position));
            }
            if variable.bought.levels {
                lots.push(Lot::Levels(position));
            }
            let wanted = match variable.bought.cuts {
                CutRule::Equal => false,
                CutRule::Usual => classes == NumberClasses::Bought,
                CutRule::Private => true,
            };
            if classes != NumberClasses::None && wanted && needs_cuts(variable) {
                match (reach, variable.bought.cuts) {
                    (Reach::Counts | Reach::Counted, CutRule::Usual) => equal.push(position),
                    _ => lots.push(Lot::Cuts(position)),
                }
            }
        }
        if let Some(lot) = lots.first().filter(|_| reach != Reach::Records) {
            let name = &schema.schema().variables()[lot.position()].name;
            let message = "its domain is to be bought from the records, and here are only their counts; declare it in the schema";
            return Err(TableError::variable(name, message).into());
        }
        let levels = lots.iter().filter(|lot| matches!(lot, Lot::Levels(_))).count() as u64;
        let delta = DeltaCost::from_units(limit.delta().units() / 2 / levels.max(1) * levels);
        if levels > 0 && delta == DeltaCost::ZERO {
            let message = "`levels = \"private\"` keeps levels whose noisy count passes a threshold, which takes a delta beside epsilon; state one, or list the levels";
            return Err(SynthesisError::option("delta", message));
        }
        let cost = if lots.is_empty() {
            Cost::ZERO
        } else {
            let all = limit.cost().share((share * 1e6) as u64, 1_000_000);
            // In equal parts, without a rest.
            Cost::from_units(all.units() / lots.len() as u64 * lots.len() as u64)
        };
        let classes = if reach == Reach::Counted { NumberClasses::None } else { classes };
        Ok(Self { schema, groups, lots, cost, delta, notion: limit.notion(), classes, equal })
    }

    /// Whether there is nothing to buy.
    pub(super) fn is_empty(&self) -> bool {
        self.lots.is_empty()
    }

    /// Every question with its price, before it is asked.
    pub(super) fn spending(&self) -> Vec<Spending> {
        let choice = |purpose: String, charge: Charge| Spending {
            purpose,
            mechanism: Mechanism::ExponentialMechanism,
            charge,
        };
        let mut all = Vec::new();
        for lot in &self.lots {
            let name = &self.variable(*lot).name;
            match lot {
                Lot::Range(_) => {
                    let charge = self.charge(self.each().share(1, 2));
                    all.push(choice(format!("lower bound of {name}"), charge));
                    all.push(choice(format!("upper bound of {name}"), charge));
                }
                Lot::Levels(_) => all.push(Spending {
                    purpose: levels_purpose(name),
                    mechanism: Mechanism::ThresholdedHistogram,
                    charge: Charge::Approximate(self.each(), self.each_delta()),
                }),
                Lot::Cuts(_) => {
                    let (values, level) = self.cut_prices();
                    let mechanism = match self.notion {
                        Notion::ZeroConcentrated => Mechanism::DiscreteGaussian,
                        Notion::Pure | Notion::Approximate => Mechanism::DiscreteLaplace,
                    };
                    let purpose = format!("values of {name} that many records may have");
                    all.push(Spending { purpose, mechanism, charge: values });
                    let levels = GuardedColumns::levels_of_choices(2 * self.groups - 1);
                    for number in 1..=levels {
                        all.push(choice(format!("cuts of {name}, choice {number} of {levels}"), level));
                    }
                }
            }
        }
        all
    }

    /// Buys, and gives the schema with everything that was bought.
    pub(super) fn buy(&self, columns: &mut GuardedColumns<'_>) -> Result<DeclaredSchema, SynthesisError> {
        let mut variables: Vec<Variable> = self.schema.schema().variables().to_vec();
        for lot in &self.lots {
            let variable = &mut variables[lot.position()];
            match lot {
                Lot::Range(_) => self.buy_range(columns, variable)?,
                Lot::Levels(_) => self.buy_levels(columns, variable)?,
                Lot::Cuts(_) => self.buy_cuts(columns, variable)?,
            }
        }
        self.finished(variables)
    }

    /// A schema like the one that will be bought, as far as that can be known: for plans, and to refuse what cannot work before anything is paid.
    pub(super) fn assumed(&self) -> Result<DeclaredSchema, SynthesisError> {
        let mut variables: Vec<Variable> = self.schema.schema().variables().to_vec();
        for lot in &self.lots {
            let variable = &mut variables[lot.position()];
            match lot {
                Lot::Range(_) => set_range(&mut variable.kind, 0.0, 36_500.0),
                Lot::Levels(_) => {
                    let names = (1..=ASSUMED_LEVELS).map(|level| format!("(level {level})"));
                    set_levels(variable, names.collect());
                }
                Lot::Cuts(_) => {}
            }
        }
        self.finished(variables)
    }

    /// What was bought, in a sentence.
    pub(super) fn remark(&self) -> Option<String> {
        let of = |wanted: fn(&Lot) -> bool, what: &str| {
            let names: Vec<String> = self
                .lots
                .iter()
                .filter(|lot| wanted(lot))
                .map(|lot| format!("`{}`", self.variable(*lot).name))
                .collect();
            (!names.is_empty()).then(|| format!("{what} of {}", names.join(", ")))
        };
        let parts = [
            of(|lot| matches!(lot, Lot::Range(_)), "the range"),
            of(|lot| matches!(lot, Lot::Levels(_)), "the levels"),
            of(|lot| matches!(lot, Lot::Cuts(_)), "the classes (private quantiles)"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let way_out = "`range`, `levels` and `cuts` in the schema cost nothing where they can be declared, nor does `cuts = \"equal\"`";
        (!parts.is_empty()).then(|| {
            let paid = self.charge(self.cost);
            format!("{paid} paid from the budget for {}: {way_out}{}", parts.join(", "), self.needs())
        })
    }

    /// Which numbers have classes that say little of them, and what to do about it.
    pub(super) fn equal_remark(&self) -> Option<String> {
        let names: Vec<String> = self
            .equal
            .iter()
            .map(|position| format!("`{}`", self.schema.schema().variables()[*position].name))
            .collect();
        (!names.is_empty()).then(|| {
            format!(
                "{} counted in {} classes of equal width, since better ones are bought from records in memory only: declare `cuts`",
                names.join(", "),
                self.groups
            )
        })
    }

    /// How large a table must be for bounds and levels to be found at this price.
    fn needs(&self) -> String {
        let records = u64::from(self.schema.schema().max_rows_per_unit().unwrap_or(1));
        let each = self.each().upper();
        let range = self.lots.iter().find(|lot| matches!(lot, Lot::Range(_))).map(|lot| {
            let epsilon = match self.notion {
                Notion::ZeroConcentrated => (8.0 * each / 2.0).sqrt(),
                Notion::Pure | Notion::Approximate => each / 2.0,
            };
            let candidates = candidates::bounds(&self.variable(*lot).kind).len();
            let beyond = GuardedColumns::numbers_beyond_a_bound(epsilon, records, candidates);
            let beyond = thousands(beyond.ceil() as u64);
            format!(
                "; about {beyond} numbers may lie beyond each end of a range that is bought at this price"
            )
        });
        let levels = self.lots.iter().any(|lot| matches!(lot, Lot::Levels(_))).then(|| {
            let scale = records as f64 / each;
            let threshold =
                scale * (records as f64 / (2.0 * self.each_delta().upper())).ln() + records as f64;
            let threshold = thousands(threshold.max(0.0).ceil() as u64);
            format!("; levels that fewer than about {threshold} records have become `(other)`")
        });
        let needs = range.unwrap_or_default() + &levels.unwrap_or_default();
        let way_out = if needs.is_empty() { "" } else { "; `domain_share` in [privacy] buys better ones" };
        needs + way_out
    }

    /// Whether a part of a variable's domain is bought.
    pub(super) fn includes(&self, name: &str) -> bool {
        self.lots.iter().any(|lot| self.variable(*lot).name == name)
    }

    fn variable(&self, lot: Lot) -> &Variable {
        &self.schema.schema().variables()[lot.position()]
    }

    fn each(&self) -> Cost {
        Cost::from_units(self.cost.units() / self.lots.len().max(1) as u64)
    }

    fn each_delta(&self) -> DeltaCost {
        let levels = self.lots.iter().filter(|lot| matches!(lot, Lot::Levels(_))).count() as u64;
        DeltaCost::from_units(self.delta.units() / levels.max(1))
    }

    /// What the values by themselves cost, and what each level of choices: a quarter, and the rest in equal parts.
    fn cut_prices(&self) -> (Charge, Charge) {
        let quarter = self.each().share(1, 4);
        let levels = u64::from(GuardedColumns::levels_of_choices(2 * self.groups - 1)).max(1);
        let level = Cost::from_units(self.each().saturating_sub(quarter).units() / levels);
        (self.charge(quarter), self.charge(level))
    }

    fn charge(&self, cost: Cost) -> Charge {
        match self.notion {
            Notion::ZeroConcentrated => Charge::ZeroConcentrated(cost),
            Notion::Pure | Notion::Approximate => Charge::Pure(cost),
        }
    }

    fn buy_range(
        &self,
        columns: &mut GuardedColumns<'_>,
        variable: &mut Variable,
    ) -> Result<(), SynthesisError> {
        let charge = self.charge(self.each().share(1, 2));
        let candidates = candidates::bounds(&variable.kind);
        let one = columns.bound(&variable.name, Bound::Low, &candidates, charge)?;
        let other = columns.bound(&variable.name, Bound::High, &candidates, charge)?;
        let (low, high) = (one.min(other), one.max(other));
        // Noise may have put both ends on one number: the next candidate makes an interval of it.
        let above = candidates.iter().copied().find(|candidate| *candidate > low).unwrap_or(low + 1.0);
        set_range(&mut variable.kind, low, high.max(above));
        Ok(())
    }

    fn buy_levels(
        &self,
        columns: &mut GuardedColumns<'_>,
        variable: &mut Variable,
    ) -> Result<(), SynthesisError> {
        let names = columns.frequent_levels(&variable.name, self.each(), self.each_delta())?;
        set_levels(variable, names);
        Ok(())
    }

    fn buy_cuts(
        &self,
        columns: &mut GuardedColumns<'_>,
        variable: &mut Variable,
    ) -> Result<(), SynthesisError> {
        let Some((low, high)) = variable.declared_range() else { return Ok(()) };
        let (of_values, of_level) = self.cut_prices();
        let mut values = vec![low, high];
        if low < 0.0 && high > 0.0 && matches!(variable.kind, Kind::Integer { .. } | Kind::Real { .. }) {
            values.push(0.0);
        }
        let counts = columns.counts_of_values(&variable.name, &values, of_values)?;
        let all: i64 = counts.iter().map(|count| (*count).max(0)).sum();
        let is_class = |count: i64| count > 0 && count as f64 >= all as f64 / (2 * self.groups) as f64;
        let alone: Vec<f64> = values
            .iter()
            .zip(&counts)
            .filter(|(_, count)| is_class(**count))
            .map(|(value, _)| *value)
            .collect();
        let kind = variable.kind.clone();
        let candidates = |low: f64, high: f64| candidates::cuts(&kind, low, high);
        let parts = 2 * self.groups;
        let found =
            columns.quantile_cuts(&variable.name, parts, (low, high), &alone, &candidates, of_level)?;
        let (mut cuts, mut knots) = (vec![low, high], Vec::new());
        for (quantile, cut) in found {
            if quantile % 2 == 0 { cuts.push(cut) } else { knots.push(cut) }
        }
        cuts.extend(&alone);
        cuts.sort_unstable_by(f64::total_cmp);
        // A value by itself comes twice, as an end of the range that it may be too.
        let mut limits: Vec<f64> = cuts.clone();
        limits.dedup();
        limits.extend(&alone);
        limits.sort_unstable_by(f64::total_cmp);
        knots.retain(|knot| !limits.contains(knot));
        (variable.cuts, variable.knots) = (Some(limits), knots);
        Ok(())
    }

    /// The schema with these variables, in which nothing is left to be bought.
    fn finished(&self, variables: Vec<Variable>) -> Result<DeclaredSchema, SynthesisError> {
        let mut variables = variables.into_iter();
        let schema = self.schema.with_domains(|own| {
            let mut variable = variables.next().unwrap_or_else(|| own.clone());
            let rule = if variable.bought.cuts == CutRule::Equal { CutRule::Equal } else { CutRule::Usual };
            variable.bought = Purchase { cuts: rule, ..Purchase::default() };
            let is_usual = rule == CutRule::Usual && variable.cuts.is_none();
            variable.cuts = match self.classes {
                NumberClasses::Bought if is_usual && is_of_few_values(&variable) => {
                    Some(each_value(&variable))
                }
                NumberClasses::Fine if is_usual && variable.kind.is_numeric() => fine_classes(&variable),
                _ => variable.cuts,
            };
            variable
        });
        Ok(schema?)
    }
}

impl Lot {
    fn position(self) -> usize {
        match self {
            Self::Range(position) | Self::Cuts(position) | Self::Levels(position) => position,
        }
    }
}

fn levels_purpose(name: &str) -> String {
    format!("levels of {name} whose noisy count reaches a threshold")
}

/// Whether cuts have to be found: a number that is modelled, with a range of more than a few values, and without cuts.
fn needs_cuts(variable: &Variable) -> bool {
    let has_range = variable.bought.range || variable.declared_range().is_some_and(|(low, high)| low < high);
    let is_number = variable.kind.is_numeric() && variable.is_modelled();
    is_number && variable.cuts.is_none() && has_range && !is_of_few_values(variable)
}

fn is_of_few_values(variable: &Variable) -> bool {
    let range = variable.declared_range().filter(|_| variable.is_modelled());
    match (range, variable.kind.step()) {
        (Some((low, high)), Some(step)) => low < high && (high - low) / step < FEW_VALUES,
        _ => false,
    }
}

/// Many classes over the declared range: every value where they are few, else those of [`candidates::classes`]; `None` without a range.
fn fine_classes(variable: &Variable) -> Option<Vec<f64>> {
    let (low, high) = variable.declared_range().filter(|(low, high)| low < high && variable.is_modelled())?;
    match variable.kind.step() {
        Some(step) if (high - low) / step < MANY_VALUES => Some(each_value(variable)),
        _ => Some(candidates::classes(&variable.kind, low, high)),
    }
}

/// Every value of a range as a class.
fn each_value(variable: &Variable) -> Vec<f64> {
    let (Some((low, high)), Some(step)) = (variable.declared_range(), variable.kind.step()) else {
        return Vec::new();
    };
    let steps = ((high - low) / step) as u64;
    (0..=steps).map(|place| low + place as f64 * step).chain([low + steps as f64 * step]).collect()
}

fn set_range(kind: &mut Kind, low: f64, high: f64) {
    match kind {
        Kind::Integer { range } => *range = Some((low as i64, high as i64)),
        Kind::Real { range } => *range = Some((low, high)),
        Kind::Date { range, .. } => *range = Some((low as i32, high as i32)),
        Kind::Datetime { range, format } => *range = Some((format.nearest(low), format.nearest(high))),
        Kind::Categorical { .. } | Kind::Ordinal { .. } | Kind::TextId => {}
    }
}

/// These levels, and one for all others.
fn set_levels(variable: &mut Variable, mut names: Vec<String>) {
    names.retain(|name| name != OTHER);
    names.push(OTHER.to_owned());
    // Names come from a set of levels, so that none is there twice.
    let levels = Levels::new(names).unwrap_or_default();
    match &mut variable.kind {
        Kind::Categorical { levels: own } | Kind::Ordinal { levels: own } => *own = levels,
        _ => {}
    }
}
