use std::sync::Arc;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::read::{ReadOptions, read_csv_text};

const PEOPLE: &str = r#"
[table]
unit = "person"
declared = true
reason = "questionnaire codebook, published 2011"

[variables.sex]
kind = "categorical"
levels = ["MALE", "FEMALE"]

[variables.income]
kind = "real"
range = [0, 16000]
missing = true
codes = { -8 = "not applicable" }
cuts = [0, 860, 1200, 1500, 2000, 16000]

[variables.marital]
kind = "categorical"
levels = ["SINGLE", "MARRIED"]

[variables.age]
kind = "integer"
range = [0, 120]

[variables.half]
kind = "real"
formula = "age / 2"

[variables.occ1]
kind = "categorical"
levels = ["a", "b"]

[variables.occ2]
kind = "categorical"
levels = ["a1", "a2", "b1"]
within = "occ1"

[[rules]]
when = "marital = 'SINGLE'"
then = "income is not missing"

[[impossible]]
where = "age < 16 and marital = 'MARRIED'"
"#;

const HEADER: &str = "sex,income,marital,age,half,occ1,occ2\n";

fn options() -> ReadOptions {
    ReadOptions { schema: Some(SchemaFile::parse(PEOPLE).unwrap()), ..ReadOptions::default() }
}

#[test]
fn the_schema_of_the_design_reads_as_it_is_meant() {
    let schema = SchemaFile::parse(PEOPLE).unwrap().finish().unwrap();
    assert_eq!(
        (schema.unit(), schema.declaration()),
        ("person", Some("questionnaire codebook, published 2011"))
    );
    let income = schema.variable("income").unwrap();
    assert_eq!(income.kind, Kind::Real { range: Some((0.0, 16_000.0)) });
    assert_eq!(income.code_position(-8.0), Some(0));
    assert!(income.missing && income.cuts.as_ref().unwrap().len() == 6);
    assert_eq!(schema.variable("occ2").unwrap().within.as_deref(), Some("occ1"));
    assert!(schema.reviewed().is_ok());
}

#[test]
fn a_table_that_keeps_its_schema_is_coded_by_it() {
    let text = format!("{HEADER}FEMALE,-8,SINGLE,15,7.5,a,a2\nMALE,,MARRIED,40,20,b,b1\n");
    let table = read_csv_text(&text, &options()).unwrap();
    let crate::Column::Categorical(sex) = table.column("sex").unwrap() else { panic!("codes") };
    assert_eq!(sex.iter().collect::<Vec<_>>(), [1, 0]);
    use crate::column::Entry;
    let income = table.column("income").unwrap();
    assert_eq!([income.number(0), income.number(1)], [Some(Entry::Code(0)), Some(Entry::Missing)]);
}

#[test]
fn every_violation_is_counted_by_kind_and_located_by_row() {
    let text = format!(
        "{HEADER}male,100,SINGLE,30,15,a,a1\nMALE,99999,SINGLE,30,15,a,a1\n,100,SINGLE,130,65,a,a1\nMALE,5,SINGLE,30,15,a,a1\nx,5,SINGLE,30,15,a,a1\n"
    );
    let error = read_csv_text(&text, &options()).unwrap_err().to_string();
    assert_eq!(
        error,
        "the table does not keep its schema: `sex` is missing, and the schema does not say that it may be (1 record: row 3); \
         `sex` holds levels that the schema does not list (2 records: rows 1, 5); `income` lies outside its range (1 record: row 2); \
         `age` lies outside its range (1 record: row 3)"
    );
}

#[test]
fn rules_formulas_nesting_and_impossible_cells_are_checked() {
    let text = format!(
        "{HEADER}MALE,,SINGLE,30,15,a,a1\nMALE,5,MARRIED,15,7.5,a,a1\nMALE,5,MARRIED,40,21,b,a1\nMALE,5,MARRIED,40,20.0000001,b,b1\n"
    );
    let error = read_csv_text(&text, &options()).unwrap_err().to_string();
    for expected in [
        "`half` differs from its formula (1 record: row 3)",
        "`occ2` has a level under more than one level of `occ1`, within which it is nested, or under another than declared (1 record: row 3)",
        "the rule `when marital = 'SINGLE' then income is not missing` is broken (1 record: row 1)",
        "the impossible `age < 16 and marital = 'MARRIED'` occurs (1 record: row 2)",
    ] {
        assert!(error.contains(expected), "{expected}\n{error}");
    }
}

#[test]
fn only_the_first_rows_are_named() {
    let rows = "F,1,SINGLE,30,15,a,a1\n".repeat(9);
    let error = read_csv_text(&format!("{HEADER}{rows}"), &options()).unwrap_err().to_string();
    assert!(error.contains("(9 records: rows 1, 2, 3, 4, 5, …)"), "{error}");
}

#[test]
fn other_columns_are_named() {
    let error = read_csv_text("sex,incom\nMALE,1\n", &options()).unwrap_err().to_string();
    assert!(error.contains("the file lacks `income`, `marital`"), "{error}");
    let error =
        read_csv_text(&(HEADER.replace("occ2", "occ2,extra") + "M,1,SINGLE,1,1,a,a1,2\n"), &options());
    assert!(error.unwrap_err().to_string().contains("the schema lacks `extra`"));
}

#[rstest]
#[case(
    "[variables.a]\nkind = \"categorical\"\nlevls = [\"x\"]",
    "line 3: unknown field `levls`",
    "did you mean `levels`?"
)]
#[case("[variables.a]\nkind = \"categoric\"", "line 2", "did you mean `categorical`?")]
#[case("[table\n", "line 1", "")]
#[case("", "no variables", "")]
#[case("[variables.a]\nkind = \"categorical\"", "`a`: it has no levels", "--write-schema")]
#[case(
    "[variables.a]\nkind = \"categorical\"\nlevels = [\"x\", \"x\"]",
    "`a`",
    "the level 'x' is given twice"
)]
#[case("[variables.a]\nkind = \"integer\"\nrange = [5, 1]", "`a`", "smaller number first")]
#[case("[variables.a]\nkind = \"integer\"\nrange = [0.5, 1]", "`a`", "two whole numbers")]
#[case("[variables.a]\nkind = \"integer\"\nlevels = [1]", "`a`", "does not go with")]
#[case("[variables.a]\nkind = \"date\"\nrange = [\"1.1.2000\", \"2000-01-02\"]", "`a`", "YYYY-MM-DD")]
#[case("[variables.a]\nkind = \"real\"\ncuts = [3, 1]", "`a`", "in ascending order")]
#[case("[variables.a]\nkind = \"real\"\nrange = [0, 10]\ncuts = [1, 10]", "`a`", "enclose the range")]
#[case("[variables.a]\nkind = \"text-id\"\ncodes = { -8 = \"x\" }", "`a`", "special codes are for numbers")]
#[case("[variables.a]\nkind = \"integer\"\ncodes = { x = \"x\" }", "`a`", "`x` is not a number")]
#[case("[variables.a]\nkind = \"integer\"\ncodes = { 9 = \"x\", \"9.0\" = \"y\" }", "`a`", "given twice")]
#[case("[variables.a]\nkind = \"categorical\"\nlevels = [\"x\"]\nwithin = \"b\"", "`a`", "not a variable")]
#[case(
    "[variables.a]\nkind = \"categorical\"\nlevels = [\"x\"]\nwithin = \"a\"",
    "`a`",
    "leads back to itself"
)]
#[case(
    "[variables.a]\nkind = \"real\"\nformula = \"b + 1\"\n[variables.b]\nkind = \"real\"\nformula = \"a\"",
    "`a`",
    "leads back"
)]
#[case(
    "[variables.a]\nkind = \"real\"\n[[rules]]\nwhen = \"a > 1\"\nthen = \"c is missing\"",
    "c is missing",
    "no variable `c`"
)]
#[case("[table]\ndeclared = true\n[variables.a]\nkind = \"real\"", "[table]", "needs a `reason`")]
fn a_schema_that_cannot_be_meant_is_refused(#[case] text: &str, #[case] place: &str, #[case] way_out: &str) {
    let error = SchemaFile::parse(text).and_then(SchemaFile::finish).unwrap_err().to_string();
    assert!(error.contains(place) && error.contains(way_out), "{error}");
}

#[test]
fn learned_and_declared_are_kept_apart() {
    let learned = read_csv_text("a,b\nx,1\ny,2\n", &ReadOptions::default()).unwrap().schema().clone();
    assert_eq!(learned.learned_variables().count(), 2);
    let learned = learned.reviewed().unwrap_err();
    assert!(learned.clone().declare_public("  ").is_err());
    let declared = learned.declare_public("published code book").unwrap();
    assert_eq!(declared.reason(), "published code book");
    let again = SchemaFile::parse(&declared.schema().to_toml()).unwrap().finish().unwrap();
    assert_eq!(again.learned_variables().count(), 2, "where the domain came from is not forgotten");
    assert_eq!(again.reviewed().unwrap(), declared);
}

#[test]
fn levels_left_open_are_learned_and_marked() {
    let file = SchemaFile::parse("[variables.a]\nkind = \"categorical\"\n[variables.b]\nkind = \"integer\"")
        .unwrap();
    let table =
        read_csv_text("a,b\ny,1\nx,2\n", &ReadOptions { schema: Some(file), ..ReadOptions::default() })
            .unwrap();
    let a = table.schema().variable("a").unwrap();
    assert_eq!((a.kind.levels().unwrap().len(), a.origin), (2, Origin::Learned));
    assert_eq!(table.schema().variable("b").unwrap().origin, Origin::Declared);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z]{1,6}", 1 => "[ -~\\u{e4}\\u{4e2d}\"\\\\\n\t]{1,8}"]
}

fn any_variable() -> impl Strategy<Value = Variable> {
    let levels =
        || prop::collection::hash_set(any_text(), 1..6).prop_map(|levels| Levels::new(levels).unwrap());
    let kind = prop_oneof![
        levels().prop_map(|levels| Kind::Categorical { levels }),
        levels().prop_map(|levels| Kind::Ordinal { levels }),
        proptest::option::of((-1000_i64..0, 0_i64..1000)).prop_map(|range| Kind::Integer { range }),
        proptest::option::of((-1e300_f64..0.0, 0.0_f64..1e9)).prop_map(|range| Kind::Real { range }),
        (
            proptest::option::of((-9999_i32..0, 0_i32..9999)),
            prop::sample::select(crate::date::FORMATS.to_vec())
        )
            .prop_map(|(range, format)| Kind::Date { range, format }),
        Just(Kind::TextId),
    ];
    let tokens = prop::collection::vec(any_text(), 0..2);
    let codes = prop::collection::btree_set(-99_i32..99, 0..3);
    let cuts = prop::collection::btree_set(-400_i32..400, 2..5);
    (any_text(), kind, any::<bool>(), tokens, codes, cuts, any::<bool>()).prop_map(
        |(name, kind, missing, tokens, codes, cuts, learned)| {
            let mut variable = Variable::new(name, kind);
            variable.missing = missing || !tokens.is_empty();
            variable.missing_tokens = tokens;
            if matches!(variable.kind, Kind::Integer { .. } | Kind::Real { .. }) {
                let code =
                    |value: i32| SpecialCode { value: f64::from(value), meaning: format!("\"{value}\"") };
                variable.codes = codes.into_iter().map(code).collect();
            }
            if matches!(
                variable.kind,
                Kind::Integer { range: None } | Kind::Real { range: None } | Kind::Date { range: None, .. }
            ) {
                variable.cuts = Some(cuts.into_iter().map(f64::from).collect());
            }
            variable.origin = if learned { Origin::Learned } else { Origin::Declared };
            variable
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(variables in prop::collection::vec(any_variable(), 1..5), tokens in prop::collection::vec(any_text(), 0..3), reason in proptest::option::of("[a-z ]{1,9}[a-z]"), unit in any_text()) {
        let mut seen = std::collections::HashSet::new();
        let variables: Vec<Variable> = variables.into_iter().filter(|variable| seen.insert(variable.name.clone())).collect();
        let rules = vec![Rule {
            when: Expression::parse(&format!("\"{}\" is missing", variables[0].name.replace('"', "\"\""))).unwrap(),
            then: Expression::parse("1 < 2").unwrap(),
        }];
        let schema = Schema::new(variables, rules, vec![Expression::parse("2 < 1").unwrap()]).unwrap();
        let schema = schema.with_unit(unit).with_missing_tokens(tokens).with_declaration(reason.map(|reason| reason.trim().to_owned()));
        let notes = [String::from("a note\nof two lines")];
        for text in [schema.to_toml(), schema.to_toml_with_notes(&[&notes])] {
            let again = SchemaFile::parse(&text).and_then(SchemaFile::finish);
            prop_assert_eq!(again.as_ref().ok(), Some(&schema), "{}\n{:?}", text, again);
        }
    }
}

#[test]
fn conforming_keeps_whole_numbers_as_levels() {
    let table = read_csv_text("a\n1\n0\n1\n", &ReadOptions::default()).unwrap();
    let schema = SchemaFile::from_foreign_json(r#"{"a": 2}"#).unwrap().finish().unwrap();
    let conformed = table.conform(Arc::new(schema)).unwrap();
    assert_eq!(conformed.columns()[0], crate::Column::Categorical(Arc::new(crate::Codes::U8(vec![1, 0, 1]))));
}
