//! What cells of records are formed by: a variable, a condition or a number computed from the record.

use table::expression::{Condition, Expression, Formula, Record, Value};
use table::{TableError, Variable};

/// A key of a cell, such as `sex`, `disability <> 'None'` or `floor(age / 10)`.
#[derive(Clone, Debug)]
pub struct Key {
    text: String,
    of: Of,
}

#[derive(Clone, Debug)]
enum Of {
    Variable(usize),
    Condition(Condition),
    Formula(Formula),
}

/// Bits that no number has: from here downwards they are not a number, so that nothing else equals one.
pub(crate) const MISSING: u64 = u64::MAX;
const FALSE: u64 = u64::MAX - 1;
const TRUE: u64 = u64::MAX - 2;
const OPEN: u64 = u64::MAX - 3;
pub(crate) const FIRST_LEVEL: u64 = u64::MAX - 4;

impl Key {
    /// The name of a variable, else a condition, else a formula, of records of these variables.
    pub fn parse(text: &str, variables: &[Variable]) -> Result<Self, TableError> {
        let of = if let Some(position) = variables.iter().position(|variable| variable.name == text) {
            Of::Variable(position)
        } else {
            let expression = Expression::parse(text).map_err(|error| {
                if text.chars().all(|character| character.is_alphanumeric() || "_-. ".contains(character)) {
                    TableError::unknown_variable(
                        text,
                        variables.iter().map(|variable| variable.name.as_str()),
                    )
                } else {
                    error
                }
            })?;
            if expression.is_condition() {
                Of::Condition(expression.condition(variables)?)
            } else {
                let is_name = expression.variables().into_iter().next() == Some(text);
                Of::Formula(expression.formula(variables).map_err(|error| {
                    let names = variables.iter().map(|variable| variable.name.as_str());
                    if is_name { TableError::unknown_variable(text, names) } else { error }
                })?)
            }
        };
        Ok(Self { text: text.to_owned(), of })
    }

    /// The key as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the variables that it needs.
    pub fn variables(text: &str, variables: &[Variable]) -> Vec<String> {
        if variables.iter().any(|variable| variable.name == text) {
            return vec![text.to_owned()];
        }
        let named = |expression: Expression| expression.variables().into_iter().map(str::to_owned).collect();
        Expression::parse(text).map(named).unwrap_or_default()
    }

    /// A number that is the same for records of one cell, and differs for records of different cells.
    pub fn of(&self, record: &impl Record) -> u64 {
        match &self.of {
            Of::Variable(variable) => match record.value(*variable) {
                Value::Missing | Value::Text => MISSING,
                Value::Level(level) => FIRST_LEVEL - u64::from(level),
                Value::Number(value) => number(value),
                Value::Code(code) => number(code),
            },
            Of::Condition(condition) => match condition.holds(record) {
                Some(true) => TRUE,
                Some(false) => FALSE,
                None => OPEN,
            },
            Of::Formula(formula) => formula.number(record).map_or(MISSING, number),
        }
    }
}

/// What stands for a number in a key; adding zero makes one zero of the two.
pub(crate) fn number(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn keys_are_variables_conditions_or_numbers() {
        let table = read_csv_text("sex,age\nF,31\nM,47\nF,38\nM,\n", &ReadOptions::default()).unwrap();
        let cells = |text: &str| -> Vec<u64> {
            let key = Key::parse(text, table.schema().variables()).unwrap();
            (0..4).map(|row| key.of(&table.record(row))).collect()
        };
        let sex = cells("sex");
        assert!(sex[0] == sex[2] && sex[0] != sex[1]);
        let decade = cells("floor(age / 10)");
        assert!(decade[0] == decade[2] && decade[0] != decade[1] && decade[3] != decade[0]);
        let old = cells("age > 35");
        assert!(old[1] == old[2] && old[0] != old[1] && old[3] != old[0] && old[3] != old[1]);
        let error = Key::parse("sexx", table.schema().variables()).unwrap_err().to_string();
        assert!(error.contains("did you mean `sex`?"), "{error}");
        assert_eq!(Key::variables("floor(age / 10)", table.schema().variables()), ["age"]);
    }
}
