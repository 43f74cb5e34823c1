use rstest::rstest;

use super::*;
use crate::schema::{Kind, Levels, Origin, SpecialCode};

/// One record of the variables below.
struct Person(Vec<Value>);

impl Record for Person {
    fn value(&self, variable: usize) -> Value {
        self.0[variable]
    }
}

fn variables() -> Vec<Variable> {
    let levels = |levels: &[&str]| Levels::new(levels.iter().copied()).unwrap();
    let mut income = Variable::new("income", Kind::Integer { range: None });
    income.codes = vec![SpecialCode { value: -8.0, meaning: "not applicable".into() }];
    vec![
        Variable::new("age", Kind::Integer { range: None }),
        Variable::new("marital", Kind::Categorical { levels: levels(&["SINGLE", "MARRIED"]) }),
        Variable::new("edu", Kind::Ordinal { levels: levels(&["low", "middle", "high"]) }),
        income,
        Variable::new("born", Kind::Date { range: None, format: Default::default() }),
        Variable::new("Date Type", Kind::Categorical { levels: levels(&["SINGLE", "2"]) }),
        Variable::new("id", Kind::TextId),
    ]
}

fn person() -> Person {
    Person(vec![
        Value::Number(15.0),
        Value::Level(1),
        Value::Level(1),
        Value::Code(-8.0),
        Value::Number(365.0),
        Value::Level(0),
        Value::Missing,
    ])
}

#[rstest]
#[case("age < 16 and marital = 'MARRIED'", Some(true))]
#[case("age < 16 and marital = 'SINGLE'", Some(false))]
#[case("age >= 16 or not marital in ('SINGLE')", Some(true))]
#[case("age between 10 and 15", Some(true))]
#[case("age not between 10 and 15", Some(false))]
#[case("edu > 'low' and edu <= 'middle'", Some(true))]
#[case("'high' > edu", Some(true))]
#[case("income = -8", Some(true))]
#[case("income in (-8, 0)", Some(true))]
#[case("income <> 100", Some(true))]
#[case("income > -100", None)]
#[case("income + 1 = -7", None)]
#[case("income is missing", Some(false))]
#[case("id is missing", Some(true))]
#[case("id IS NOT MISSING", Some(false))]
#[case("income > 0 or age = 15", Some(true))]
#[case("income > 0 and age = 15", None)]
#[case("income > 0 and age = 16", Some(false))]
#[case("not income > 0", None)]
#[case("born = '1971-01-01' and born > '1970-06-01'", Some(true))]
#[case("\"Date Type\" = marital", Some(false))]
#[case("\"Date Type\" <> 2", Some(true))]
#[case("age / 0 is missing", Some(true))]
#[case("pow(2, 3) + abs(-1) * min(4, 2, 9) - max(1, 2) = 8", Some(true))]
#[case("exp(0) = 1 and ln(exp(1)) = 1", Some(true))]
#[case("ln(0) is missing", Some(true))]
#[case("floor(2.7) = 2 and ceil(2.1) = 3 and round(2.345, 1) = 2.3 and sqrt(9) = 3", Some(true))]
fn conditions_follow_three_valued_logic(#[case] text: &str, #[case] expected: Option<bool>) {
    let condition = Expression::parse(text).unwrap().condition(&variables()).unwrap();
    assert_eq!(condition.holds(&person()), expected, "{text}");
}

#[test]
fn formulas_divide_as_real_numbers() {
    let formula = Expression::parse("-age / 2 + (1 - 2) * 3").unwrap().formula(&variables()).unwrap();
    assert_eq!(formula.number(&person()), Some(-10.5));
    let of_a_code = Expression::parse("income * 2").unwrap().formula(&variables()).unwrap();
    assert_eq!(of_a_code.number(&person()), None);
}

#[test]
fn levels_that_were_read_off_the_records_are_not_told() {
    let mut variables = variables();
    variables.iter_mut().for_each(|variable| variable.origin = Origin::Learned);
    let error =
        Expression::parse("marital = 'MARIED'").unwrap().condition(&variables).unwrap_err().to_string();
    assert!(error.contains("`marital` has no level 'MARIED'") && !error.contains("MARRIED"), "{error}");
}

#[rstest]
#[case("ag < 16", "there is no variable `ag`; did you mean `age`?")]
#[case("marital = 'MARIED'", "`marital` has no level 'MARIED'; did you mean `MARRIED`?")]
#[case("marital < 'MARRIED'", "have no order")]
#[case("age", "needs a comparison")]
#[case("age + 1", "compare it with something")]
#[case("age = 'old'", "`age` is a number and 'old' is text")]
#[case("born > 'yesterday'", "not a date")]
#[case("id = 'x'", "identifier")]
#[case("marital > 3 + age", "compare it with one of its levels")]
#[case("marital * 2 > 3", "is categorical; a number is needed")]
fn binding_names_what_does_not_fit(#[case] text: &str, #[case] expected: &str) {
    let error = Expression::parse(text).unwrap().condition(&variables()).unwrap_err().to_string();
    assert!(error.contains(expected) && error.contains(text), "{error}");
}

#[rstest]
#[case("", "empty")]
#[case("age <", "")]
#[case("age < 16 16", "not expected here")]
#[case("foo(age) = 1", "there is no function `foo`")]
#[case("abs(age, 2) = 1", "does not take 2 arguments")]
#[case("age = null", "is missing")]
#[case("age like 'x'", "not part of the expressions")]
#[case("(select 1)", "not part of the expressions")]
#[case("a.b = 1", "double quotes")]
#[case("age % 2 = 0", "operator")]
fn parsing_refuses_what_is_not_in_the_language(#[case] text: &str, #[case] expected: &str) {
    let error = Expression::parse(text).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}
