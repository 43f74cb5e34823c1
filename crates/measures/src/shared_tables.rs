//! An original and its synthetic tables, classified once on one domain.
//!
//! Numbers are grouped by the values of the original alone, so that no synthetic table can move the limits to where its damage does not show;
//! synthpop's way of grouping takes the values of all tables pooled. A level that one file lacks is a class with no records there. Missing is a class where any of the tables has a missing value.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use table::column::{Column, Entry};
use table::domain::{ClassRule, Classes, Partition};
use table::grouping::GroupingStyle;
use table::schema::{Levels, SpecialCode};
use table::{Attributes, CodedTable, Codes, CountSource, Domain, Grouping, Kind, Table, Variable};

use crate::exact_numbers::exact_numbers;
use crate::inner_classes::inner_classes;
use crate::{Comparison, MeasureError};

/// Tables with the same variables in the same classes, ready to be counted.
#[derive(Clone, Debug)]
pub struct SharedTables {
    original: CodedTable,
    synthetic: Vec<CodedTable>,
    left_out: Vec<String>,
    special_codes: Vec<Vec<f64>>,
}

impl SharedTables {
    /// The two tables of a comparison.
    pub fn new(comparison: &Comparison<'_>, grouping: &Grouping) -> Result<Self, MeasureError> {
        Self::of_sets(comparison.original, &[comparison.synthetic], grouping)
    }

    /// An original and several synthetic tables made from it. The variables are those that all tables have, in the order of
    /// the original; identifiers take part only in exact matching.
    pub fn of_sets(
        original: &Table,
        synthetic: &[&Table],
        grouping: &Grouping,
    ) -> Result<Self, MeasureError> {
        Self::over(original, synthetic, grouping, |_| true)
    }

    /// The same with numbers grouped by the values alone, whatever cuts the schema declares, and behind their frequent values: what happens within a
    /// declared class is seen too, and what happens to the few who have any income of a kind.
    pub(crate) fn within_classes(
        original: &Table,
        synthetic: &[&Table],
        grouping: &Grouping,
    ) -> Result<Self, MeasureError> {
        Self::classified(original, synthetic, grouping, DeclaredCuts::Ignored, |_| true)
    }

    /// The same over the variables that `keep` keeps by name; the others are not even classified, and count as left out.
    pub fn over(
        original: &Table,
        synthetic: &[&Table],
        grouping: &Grouping,
        keep: impl Fn(&str) -> bool,
    ) -> Result<Self, MeasureError> {
        Self::classified(original, synthetic, grouping, DeclaredCuts::Hold, keep)
    }

    fn classified(
        original: &Table,
        synthetic: &[&Table],
        grouping: &Grouping,
        cuts: DeclaredCuts,
        keep: impl Fn(&str) -> bool,
    ) -> Result<Self, MeasureError> {
        if synthetic.is_empty() {
            return Err(MeasureError::NoSynthetic);
        }
        if grouping.groups == 0 {
            return Err(MeasureError::Option {
                option: "the number of groups",
                message: "must be 1 or more".into(),
            });
        }
        let tables: Vec<&Table> = std::iter::once(original).chain(synthetic.iter().copied()).collect();
        let exact = grouping.style == GroupingStyle::Exact;
        let in_all =
            |name: &str| keep(name) && tables.iter().all(|table| table.schema().variable(name).is_ok());
        let variables = original.schema().variables().iter();
        let (used, unused): (Vec<&Variable>, Vec<&Variable>) = variables
            .partition(|variable| in_all(&variable.name) && (exact || variable.kind != Kind::TextId));
        let only_synthetic = synthetic.iter().flat_map(|table| table.schema().variables());
        let only_synthetic =
            only_synthetic.filter(|variable| original.schema().variable(&variable.name).is_err());
        let mut left_out: Vec<String> = Vec::new();
        for variable in unused.into_iter().chain(only_synthetic) {
            if !left_out.contains(&variable.name) {
                left_out.push(variable.name.clone());
            }
        }
        if used.is_empty() {
            return Err(MeasureError::NothingInCommon);
        }
        let shared =
            used.par_iter().map(|variable| Sides::find(&variable.name, &tables)?.share(grouping, cuts));
        let shared = shared.collect::<Result<Vec<(Classes, Vec<Codes>)>, MeasureError>>()?;
        let special_codes = used.iter().map(|variable| codes_in_any(&variable.name, &tables)).collect();
        let mut classes = Vec::with_capacity(shared.len());
        let mut columns: Vec<Vec<Codes>> = tables.iter().map(|_| Vec::with_capacity(shared.len())).collect();
        for (of_variable, codes) in shared {
            classes.push(of_variable);
            columns.iter_mut().zip(codes).for_each(|(columns, codes)| columns.push(codes));
        }
        let domain = Domain::new(classes)?;
        let mut coded = columns.into_iter().map(|columns| CodedTable::from_codes(domain.clone(), columns));
        let original = coded.next().ok_or(MeasureError::NoSynthetic)?;
        Ok(Self { original, synthetic: coded.collect(), left_out, special_codes })
    }

    /// How many codes all tables have together.
    pub(crate) fn codes(&self) -> usize {
        let tables = std::iter::once(&self.original).chain(&self.synthetic);
        tables.map(|table| table.records() as usize * table.columns().len()).sum()
    }

    /// The variables and their classes.
    pub fn domain(&self) -> &Domain {
        self.original.domain()
    }

    /// The original.
    pub fn original(&self) -> &CodedTable {
        &self.original
    }

    /// The synthetic tables, at least one.
    pub fn synthetic(&self) -> &[CodedTable] {
        &self.synthetic
    }

    /// Variables that are not compared: identifiers, and those that not all tables have.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Whether the variable at this position is a number or a date.
    pub(crate) fn is_numeric(&self, position: usize) -> bool {
        !matches!(self.domain().variables()[position].partition(), Partition::Levels(_))
    }

    /// The special codes that the variable at this position has in any of the tables.
    pub(crate) fn special_codes(&self, position: usize) -> &[f64] {
        &self.special_codes[position]
    }

    /// The names of these variables.
    pub fn names(&self, of: &Attributes) -> Vec<String> {
        names_in(self.domain(), of)
    }

    /// The variables of these names.
    pub fn attributes(&self, names: &[impl AsRef<str>]) -> Result<Attributes, MeasureError> {
        Ok(Attributes::named(self.domain(), names.iter().map(AsRef::as_ref))?)
    }
}

/// The names of these variables of a domain.
pub(crate) fn names_in(domain: &Domain, of: &Attributes) -> Vec<String> {
    of.positions().iter().map(|position| domain.variables()[*position].name().to_owned()).collect()
}

/// Whether numbers are in the classes that the schema declares, where it declares any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeclaredCuts {
    Hold,
    Ignored,
}

/// One variable in every table, the original's first.
struct Sides<'a> {
    name: &'a str,
    sides: Vec<(&'a Variable, &'a Column)>,
}

impl<'a> Sides<'a> {
    fn find(name: &'a str, tables: &[&'a Table]) -> Result<Self, MeasureError> {
        let side = |table: &&'a Table| {
            let position = table.schema().position_of(name)?;
            Ok((&table.schema().variables()[position], &table.columns()[position]))
        };
        let sides: Vec<(&Variable, &Column)> =
            tables.iter().map(side).collect::<Result<_, MeasureError>>()?;
        let known: Vec<&(&Variable, &Column)> = sides.iter().filter(|side| !is_void(side)).collect();
        let first = known.first().map_or(&sides[0].0.kind, |side| &side.0.kind);
        for (variable, _) in known {
            let comparable = match (first, &variable.kind) {
                (Kind::Date { .. }, Kind::Date { .. }) | (Kind::TextId, Kind::TextId) => true,
                (Kind::Datetime { format: one, .. }, Kind::Datetime { format: other, .. }) => {
                    one.date.is_some() == other.date.is_some()
                }
                (Kind::Integer { .. } | Kind::Real { .. }, Kind::Integer { .. } | Kind::Real { .. }) => true,
                (one, other) => one.levels().is_some() && other.levels().is_some(),
            };
            if !comparable {
                let message = format!(
                    "it is {} in the original and {} in the synthetic table; read both with one schema",
                    first.name(),
                    variable.kind.name()
                );
                return Err(MeasureError::variable(name, message));
            }
        }
        Ok(Self { name, sides })
    }

    /// The classes and each table's codes.
    fn share(&self, grouping: &Grouping, cuts: DeclaredCuts) -> Result<(Classes, Vec<Codes>), MeasureError> {
        let known = self.sides.iter().find(|side| !is_void(side)).unwrap_or(&self.sides[0]);
        if known.0.kind.is_numeric() { self.share_numbers(grouping, cuts) } else { self.share_levels() }
    }

    /// Levels of the original in its order, then those that only a synthetic table has.
    fn share_levels(&self) -> Result<(Classes, Vec<Codes>), MeasureError> {
        let mut all: Vec<&str> = Vec::new();
        let mut position: FxHashMap<&str, u32> = FxHashMap::default();
        let void = |(_, column): &(&Variable, &Column)| Codes::collect(1, (0..column.len()).map(|_| 0));
        let void: Vec<Option<Codes>> =
            self.sides.iter().map(|side| own_levels(side).is_none().then(|| void(side))).collect();
        let sides = self.sides.iter().zip(&void);
        let own_levels = sides
            .map(|(side, void)| own_levels(side).or_else(|| void.as_ref().map(|codes| (Vec::new(), codes))));
        let own_levels: Vec<(Vec<&str>, &Codes)> = own_levels.flatten().collect();
        for level in own_levels.iter().flat_map(|(levels, _)| levels) {
            position.entry(level).or_insert_with(|| {
                all.push(level);
                all.len() as u32 - 1
            });
        }
        let mut missing = false;
        let mut codes = Vec::with_capacity(self.sides.len());
        for (levels, column) in &own_levels {
            missing |= column.frequencies(levels.len() + 1)[levels.len()] > 0;
            if *levels == all {
                codes.push((*column).clone());
            } else {
                let mut new_code: Vec<u32> = levels.iter().map(|level| position[level]).collect();
                new_code.push(all.len() as u32);
                codes.push(column.recode(&new_code, all.len() + 1));
            }
        }
        let levels = Levels::new(all.iter().copied())
            .map_err(|_| MeasureError::variable(self.name, "a level is given twice"))?;
        Ok((self.classes(Partition::Levels(levels), Vec::new(), missing), codes))
    }

    /// Groups of the original's numbers, or of the pooled ones, then special codes.
    fn share_numbers(
        &self,
        grouping: &Grouping,
        cuts: DeclaredCuts,
    ) -> Result<(Classes, Vec<Codes>), MeasureError> {
        let mut codes: Vec<SpecialCode> = Vec::new();
        for code in self.sides.iter().flat_map(|(variable, _)| &variable.codes) {
            if !codes.iter().any(|known| known.value == code.value) {
                codes.push(code.clone());
            }
        }
        let code_at = |value: f64| codes.iter().position(|code| code.value == value);
        let entries = |(variable, column): (&'a Variable, &'a Column)| {
            (0..column.len()).map(move |row| match column.number(row) {
                // Minus zero is zero.
                Some(Entry::Value(value)) => Entry::Value(value + 0.0),
                Some(Entry::Code(position)) => Entry::Value(variable.codes[position].value),
                Some(Entry::Missing) | None => Entry::Missing,
            })
        };
        let entries = |side: &(&'a Variable, &'a Column)| {
            entries(*side).map(|entry| match entry {
                Entry::Value(value) => code_at(value).map_or(entry, Entry::Code),
                other => other,
            })
        };
        if grouping.style == GroupingStyle::Exact {
            let numbers = exact_numbers(self.sides.iter().map(entries), codes.len());
            let classes = self.classes(numbers.partition, codes, numbers.missing);
            let of_side = |side: Vec<u32>| Codes::collect(classes.size(), side);
            let classified = numbers.classes.into_iter().map(of_side).collect();
            return Ok((classes, classified));
        }
        let (mut values, mut missing) = (Vec::new(), false);
        for entry in self.sides.iter().flat_map(entries) {
            match entry {
                Entry::Value(value) => values.push(value),
                Entry::Missing => missing = true,
                Entry::Code(_) => {}
            }
        }
        let declared = self.sides[0].0.cuts.as_ref().filter(|_| cuts == DeclaredCuts::Hold);
        let partition = match declared {
            Some(cuts) => widened(cuts, &values, ClassRule::DeclaredCuts),
            None if grouping.style == GroupingStyle::Quantiles => {
                let own = entries(&self.sides[0]).filter_map(|entry| match entry {
                    Entry::Value(value) => Some(value),
                    _ => None,
                });
                let own: Vec<f64> = own.collect();
                if own.is_empty() {
                    grouping.partition(values)
                } else {
                    let inner =
                        (cuts == DeclaredCuts::Ignored).then(|| inner_classes(grouping, &own)).flatten();
                    enclosing(inner.unwrap_or_else(|| grouping.partition(own)), values)
                }
            }
            None => grouping.partition(values),
        };
        let classes = self.classes(partition, codes.clone(), missing);
        let classified = self.sides.iter().map(|side| {
            let of_entry = |entry| {
                classes
                    .class_of(entry)
                    .ok_or_else(|| MeasureError::variable(self.name, "a value has no class"))
            };
            let all = entries(side).map(of_entry).collect::<Result<Vec<u32>, _>>()?;
            Ok(Codes::collect(classes.size(), all))
        });
        let classified = classified.collect::<Result<Vec<Codes>, MeasureError>>()?;
        Ok((classes, classified))
    }

    fn classes(&self, partition: Partition, codes: Vec<SpecialCode>, missing: bool) -> Classes {
        let mut variable = self.sides[0].0.clone();
        variable.codes = codes;
        variable.missing = missing;
        Classes::new(&variable, partition)
    }
}

/// The special codes that any of the tables knows of a variable, in their order.
fn codes_in_any(name: &str, tables: &[&Table]) -> Vec<f64> {
    let mut codes = Vec::new();
    let variables = tables.iter().filter_map(|table| table.schema().variable(name).ok());
    for code in variables.flat_map(|variable| &variable.codes) {
        if !codes.contains(&code.value) {
            codes.push(code.value);
        }
    }
    codes
}

/// Whether a column holds nothing but missing values, so that its kind says nothing.
fn is_void((variable, column): &(&Variable, &Column)) -> bool {
    match column {
        Column::Categorical(codes) => {
            let levels = variable.kind.levels().map_or(0, Levels::len);
            codes.iter().all(|code| code as usize >= levels)
        }
        Column::Text(text) => text.dictionary.is_empty(),
        numeric => (0..numeric.len()).all(|row| numeric.number(row) == Some(Entry::Missing)),
    }
}

/// The levels or texts of a column with its codes, among which the number of levels stands for missing; `None` for numbers.
fn own_levels<'a>((variable, column): &(&'a Variable, &'a Column)) -> Option<(Vec<&'a str>, &'a Codes)> {
    match column {
        Column::Text(text) => Some((text.dictionary.iter().map(String::as_str).collect(), &text.codes)),
        Column::Categorical(codes) => {
            let levels = variable.kind.levels().map(|levels| levels.iter().collect());
            Some((levels.unwrap_or_default(), Arc::as_ref(codes)))
        }
        Column::Integer(_) | Column::Real(_) | Column::Date(_) | Column::Datetime(_) => None,
    }
}

/// A number may have this many values in all tables, where it has few enough in the original to be levels.
const MOST_LEVELS: usize = 60;

/// The classes of the original with room for these values too: a value that the original has not is a new level where values are levels, and else
/// belongs to the class that it is nearest to.
fn enclosing(classes: Partition, mut values: Vec<f64>) -> Partition {
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    match classes {
        Partition::Values(own) if values.len() <= MOST_LEVELS.max(own.len()) => Partition::Values(values),
        // Levels stay apart, and the gaps between them are classes.
        Partition::Values(own) => {
            let limits: Vec<f64> = own.iter().flat_map(|value| [*value; 2]).collect();
            widened(&limits, &values, ClassRule::Quantiles)
        }
        Partition::Intervals { limits, chosen_by } => widened(&limits, &values, chosen_by),
        levels => levels,
    }
}

/// Limits, with the first and last moved out to enclose every value: a synthetic table may stray beyond them, and it must be measured all the same.
fn widened(cuts: &[f64], values: &[f64], chosen_by: ClassRule) -> Partition {
    let mut limits = cuts.to_vec();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A class that is one value, a limit that comes twice, stays so.
    let last = limits.len() - 1;
    if high > limits[last] {
        if limits[last - 1] == limits[last] {
            limits.push(high);
        } else {
            limits[last] = high;
        }
    }
    if low < limits[0] {
        if limits[0] == limits[1] {
            limits.insert(0, low);
        } else {
            limits[0] = low;
        }
    }
    Partition::Intervals { limits, chosen_by }
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    fn read(text: &str, schema: &str) -> Table {
        let schema = (!schema.is_empty()).then(|| SchemaFile::parse(schema).unwrap());
        read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
    }

    fn share(original: &Table, synthetic: &Table, grouping: &Grouping) -> Result<SharedTables, MeasureError> {
        SharedTables::new(&Comparison { original, synthetic, holdout: None }, grouping)
    }

    fn column(table: &CodedTable, position: usize) -> Vec<u32> {
        table.columns()[position].iter().collect()
    }

    #[test]
    fn levels_are_joined_by_name_in_the_order_of_the_original() {
        let original =
            read("town\nb\na\nb\n", "[variables.town]\nkind = \"categorical\"\nlevels = [\"b\", \"a\"]");
        let synthetic = read(
            "town\na\nc\n\n",
            "[variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"c\"]\nmissing = true",
        );
        let shared = share(&original, &synthetic, &Grouping::default()).unwrap();
        let classes = &shared.domain().variables()[0];
        let labels: Vec<String> = (0..classes.size() as u32).map(|class| classes.label(class)).collect();
        assert_eq!(labels, ["b", "a", "c", "missing"]);
        assert_eq!(column(shared.original(), 0), [0, 1, 0]);
        assert_eq!(column(&shared.synthetic()[0], 0), [1, 2, 3]);
    }

    #[test]
    fn a_missing_class_exists_only_where_something_is_missing() {
        let schema = "[variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\nmissing = true";
        let (original, synthetic) = (read("town\na\nb\n", schema), read("town\nb\nb\n", schema));
        let shared = share(&original, &synthetic, &Grouping::default()).unwrap();
        assert_eq!(shared.domain().variables()[0].size(), 2);
    }

    #[test]
    fn numbers_are_grouped_on_pooled_values_and_codes_stand_apart_on_both_sides() {
        let schema = "[variables.income]\nkind = \"real\"\ncodes = { -8 = \"none\" }\nmissing = true";
        let original = read("income\n1\n2\n3\n-8\n", schema);
        let synthetic = read("income\n4\n5\n6\n-8\n", "");
        let grouping = Grouping::synthpop(2);
        let shared = share(&original, &synthetic, &grouping).unwrap();
        assert_eq!(column(shared.original(), 0), [0, 0, 0, 2]);
        assert_eq!(column(&shared.synthetic()[0], 0), [1, 1, 1, 2]);
    }

    #[test]
    fn declared_cuts_hold_and_stretch_for_a_synthetic_table_that_strays() {
        let original =
            read("age\n20\n40\n", "[variables.age]\nkind = \"integer\"\nrange = [0, 60]\ncuts = [0, 30, 60]");
        let synthetic = read("age\n-5\n70\n", "");
        let shared = share(&original, &synthetic, &Grouping::default()).unwrap();
        assert_eq!(column(shared.original(), 0), [0, 1]);
        assert_eq!(column(&shared.synthetic()[0], 0), [0, 1]);
    }

    #[test]
    fn exact_matching_knows_zero_and_minus_zero_for_one() {
        let (original, synthetic) = (read("x\n0\n1.5\n", ""), read("x\n-0.0\n1.5\n", ""));
        let shared = share(&original, &synthetic, &Grouping::exact()).unwrap();
        assert_eq!(column(shared.original(), 0), column(&shared.synthetic()[0], 0));
    }

    #[test]
    fn what_cannot_be_compared_is_refused_or_named() {
        let original = read("sex,age\nF,1\nM,2\nF,3\n", "");
        let error = share(&original, &read("sex,age\n1,1\n2,2\n", ""), &Grouping::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "variable `sex`: it is categorical in the original and integer in the synthetic table; \
             read both with one schema"
        );
        let shared = share(&original, &read("age,town\n3,a\n4,b\n", ""), &Grouping::default()).unwrap();
        assert_eq!(shared.left_out(), ["sex", "town"]);
        let nothing = share(&original, &read("x\n1\n2\n", ""), &Grouping::default());
        assert!(matches!(nothing, Err(MeasureError::NothingInCommon)));
        let no_groups = Grouping::synthpop(0);
        assert!(matches!(share(&original, &original, &no_groups), Err(MeasureError::Option { .. })));
    }
}
