//! A synthetic table with its columns of the kinds that the original says.

use std::borrow::Cow;
use std::sync::Arc;

use table::column::{Column, Entry, Number, Numbers};
use table::schema::Levels;
use table::{Codes, Kind, Schema, Table, TextColumn, Variable};

use crate::MeasureError;

/// The synthetic table as a file of the original's kind, whatever it was read as. The original's special codes are set apart; text that was taken
/// for an identifier becomes levels where the original has levels, and the other way round; a column without any value takes the
/// original's kind. Values outside the original's domain stay. A number where the original has text is refused, and text where it has
/// numbers. Columns that the original does not have stay as they are.
pub fn align(original: &Schema, synthetic: Table) -> Result<Table, MeasureError> {
    let (schema, columns) = synthetic.into_parts();
    let mut variables = Vec::with_capacity(columns.len());
    let mut aligned = Vec::with_capacity(columns.len());
    for (variable, column) in schema.variables().iter().zip(columns) {
        let (variable, column) = match original.variable(&variable.name) {
            Ok(wanted) => align_column(wanted, variable, column)?,
            Err(_) => (variable.clone(), column),
        };
        let mut variable = Variable { within: None, parents: Default::default(), formula: None, ..variable };
        variable.identifier.refers_to = None;
        if variable.kind != Kind::TextId {
            variable.identifier = Default::default();
        }
        variables.push(variable);
        aligned.push(column);
    }
    Ok(Table::new(Arc::new(Schema::new(variables, Vec::new(), Vec::new())?), aligned)?)
}

fn align_column(
    wanted: &Variable,
    own: &Variable,
    column: Column,
) -> Result<(Variable, Column), MeasureError> {
    let rows = column.len();
    let as_wanted = |kind: Kind| Variable { kind, missing: true, codes: wanted.codes.clone(), ..own.clone() };
    if rows == missing(own, &column) {
        return Ok(match &wanted.kind {
            Kind::Categorical { levels } | Kind::Ordinal { levels } => {
                let codes = Codes::collect(levels.len() + 1, (0..rows).map(|_| levels.len() as u32));
                (as_wanted(wanted.kind.clone()), Column::Categorical(Arc::new(codes)))
            }
            Kind::Integer { .. } => {
                (as_wanted(Kind::Integer { range: None }), Column::Integer(nothing(rows)))
            }
            Kind::Real { .. } => (as_wanted(Kind::Real { range: None }), Column::Real(nothing(rows))),
            Kind::Date { format, .. } => {
                (as_wanted(Kind::Date { range: None, format: *format }), Column::Date(nothing(rows)))
            }
            Kind::Datetime { format, .. } => {
                (as_wanted(Kind::Datetime { range: None, format: *format }), Column::Datetime(nothing(rows)))
            }
            Kind::TextId => {
                let codes = Codes::collect(1, (0..rows).map(|_| 0));
                (as_wanted(Kind::TextId), Column::Text(TextColumn { codes, dictionary: Vec::new() }))
            }
        });
    }
    let (own, column) = unguarded(wanted, own, column)?;
    let own = own.as_ref();
    let column = match (&wanted.kind, column) {
        // Numbers that name units in one of the tables are numbers in the other.
        (Kind::TextId, Column::Integer(values)) => {
            let variable = Variable { identifier: wanted.identifier.clone(), ..as_wanted(Kind::TextId) };
            return Ok((variable, Column::Text(TextColumn::of_integers(&values))));
        }
        (Kind::Integer { .. } | Kind::Real { .. }, Column::Text(text)) => match text.to_integers() {
            Some(values) => Column::Integer(values),
            None => Column::Text(text),
        },
        (_, column) => column,
    };
    let numbers = matches!(wanted.kind, Kind::Integer { .. } | Kind::Real { .. });
    Ok(match (&wanted.kind, column) {
        (_, Column::Integer(values)) if numbers => {
            let values = values.set_codes_apart(|value| wanted.code_position(value as f64));
            (as_wanted(Kind::Integer { range: None }), Column::Integer(values))
        }
        (_, Column::Real(values)) if numbers => {
            let values = values.set_codes_apart(|value| wanted.code_position(value));
            (as_wanted(Kind::Real { range: None }), Column::Real(values))
        }
        (Kind::Categorical { .. } | Kind::Ordinal { .. }, Column::Text(text)) => {
            let levels = Levels::new(text.dictionary)
                .map_err(|_| MeasureError::variable(&own.name, "a level is given twice"))?;
            (as_wanted(Kind::Categorical { levels }), Column::Categorical(Arc::new(text.codes)))
        }
        (Kind::TextId, column @ (Column::Categorical(_) | Column::Integer(_))) => {
            (as_wanted(Kind::TextId), Column::Text(column.into_text(own)))
        }
        (_, column @ (Column::Categorical(_) | Column::Text(_))) if !wanted.kind.is_numeric() => {
            (own.clone(), column)
        }
        (Kind::Date { .. }, column @ Column::Date(_)) => (own.clone(), column),
        (Kind::Datetime { format, .. }, column @ Column::Datetime(_))
            if own.kind.datetime_format().date.is_some() == format.date.is_some() =>
        {
            (own.clone(), column)
        }
        // Times that all happen to be midnights are read as days.
        (Kind::Datetime { format, .. }, Column::Date(days)) if format.date.is_some() => {
            let times = days.map(|day| i64::from(day) * table::datetime::DAY);
            (as_wanted(Kind::Datetime { range: None, format: *format }), Column::Datetime(times))
        }
        (kind, _) => {
            let message = format!(
                "it is {} in the original and {} in the synthetic table; write it the same way in both, or read both with \
                 one schema (--schema)",
                kind.name(),
                own.kind.name()
            );
            return Err(MeasureError::variable(&own.name, message));
        }
    })
}

/// The column with levels that were guarded from spreadsheets when they were written as the original has them.
fn unguarded<'a>(
    wanted: &Variable,
    own: &'a Variable,
    column: Column,
) -> Result<(Cow<'a, Variable>, Column), MeasureError> {
    let (Some(known), Some(levels)) = (wanted.kind.levels(), own.kind.levels()) else {
        return Ok((Cow::Borrowed(own), column));
    };
    let meant = |level: &str| {
        let inner = table::spreadsheet::unguarded(level).filter(|_| known.position(level).is_none());
        inner
            .filter(|inner| known.position(inner).is_some() && levels.position(inner).is_none())
            .map(str::to_owned)
    };
    if !levels.iter().any(|level| meant(level).is_some()) {
        return Ok((Cow::Borrowed(own), column));
    }
    let texts = levels.iter().map(|level| meant(level).unwrap_or_else(|| level.to_owned()));
    let levels =
        Levels::new(texts).map_err(|_| MeasureError::variable(&own.name, "a level is given twice"))?;
    let kind = match own.kind {
        Kind::Ordinal { .. } => Kind::Ordinal { levels },
        _ => Kind::Categorical { levels },
    };
    Ok((Cow::Owned(Variable { kind, ..own.clone() }), column))
}

/// How many values are missing.
fn missing(variable: &Variable, column: &Column) -> usize {
    let of_codes =
        |codes: &Codes, levels: usize| codes.iter().filter(|code| *code as usize >= levels).count();
    match column {
        Column::Categorical(codes) => of_codes(codes, variable.kind.levels().map_or(0, Levels::len)),
        Column::Text(text) => of_codes(&text.codes, text.dictionary.len()),
        numeric => (0..numeric.len()).filter(|row| numeric.number(*row) == Some(Entry::Missing)).count(),
    }
}

fn nothing<T: Number>(rows: usize) -> Numbers<T> {
    let mut numbers = Numbers::with_capacity(rows);
    (0..rows).for_each(|_| numbers.push(Entry::Missing));
    numbers
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    fn read(text: &str, schema: Option<&str>) -> Table {
        let schema = schema.map(|schema| SchemaFile::parse(schema).unwrap());
        read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
    }

    #[test]
    fn codes_are_set_apart_and_empty_columns_take_the_originals_kind() {
        let schema = "[variables.income]\nkind = \"real\"\ncodes = { -8 = \"none\" }\nmissing = true\n\
                      [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\nmissing = true\n\
                      [variables.age]\nkind = \"integer\"\nmissing = true";
        let original = read("income,town,age\n1.5,a,3\n-8,b,4\n", Some(schema));
        let aligned = align(original.schema(), read("income,town,age\n2,,\n-8,,\n", None)).unwrap();
        assert_eq!(aligned.columns()[0].number(1), Some(Entry::Code(0)));
        assert_eq!(aligned.schema().variables()[1].kind.levels().map(Levels::len), Some(2));
        assert_eq!((aligned.missing(1), aligned.missing(2)), (2, 2));
        assert!(matches!(aligned.columns()[2], Column::Integer(_)));
    }

    #[test]
    fn a_declared_parent_does_not_stand_in_the_way() {
        let schema = "[variables.occ1]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n\
                      [variables.occ2]\nkind = \"categorical\"\nlevels = [\"a1\", \"b1\"]\nwithin = \"occ1\"\n\
                      parents = { a1 = \"a\", b1 = \"b\" }";
        let original = read("occ1,occ2\na,a1\nb,b1\n", Some(schema));
        let synthetic = read("occ1,occ2\na,a1\na,b1\n", None);
        assert_eq!(align(original.schema(), original.clone()).unwrap().rows(), 2);
        assert_eq!(align(original.schema(), synthetic).unwrap().rows(), 2);
    }

    #[test]
    fn identifiers_and_levels_follow_the_original() {
        let many: String = (0..30).map(|i| format!("p{i},x\n")).collect();
        let (original, synthetic) =
            (read("id,x\nn1,x\nn2,x\nn1,y\n", None), read(&format!("id,x\n{many}"), None));
        assert_eq!(synthetic.schema().variables()[0].kind, Kind::TextId);
        let aligned = align(original.schema(), synthetic.clone()).unwrap();
        assert_eq!(aligned.schema().variables()[0].kind.levels().map(Levels::len), Some(30));
        let back = align(synthetic.schema(), original).unwrap();
        assert_eq!(back.schema().variables()[0].kind, Kind::TextId);
    }

    #[test]
    fn a_table_with_the_originals_own_nested_variables_is_aligned() {
        let schema = "[variables.branch]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n\
                      [variables.job]\nkind = \"categorical\"\nlevels = [\"a1\", \"b1\"]\nwithin = \"branch\"\n\
                      parents = { a1 = \"a\", b1 = \"b\" }\n";
        let original = read("branch,job\na,a1\nb,b1\n", Some(schema));
        let aligned = align(original.schema(), original.clone()).unwrap();
        assert_eq!((aligned.rows(), aligned.schema().variables()[1].parents.len()), (2, 0));
    }

    #[test]
    fn numbers_and_text_are_not_mixed() {
        let error = align(read("x\n1\n2\n", None).schema(), read("x\na\nb\n", None)).unwrap_err().to_string();
        assert!(error.starts_with("variable `x`: it is integer in the original and categorical"), "{error}");
        assert!(align(read("x\na\nb\n", None).schema(), read("x\n1\n2\n", None)).is_err());
        assert!(align(read("x\n1\n2\n", None).schema(), read("x\n1.5\n2\n", None)).is_ok());
    }
}
