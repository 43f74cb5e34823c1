//! A private run on any schema, at any budget, in every notion, ends in records or refuses before it has looked.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use privacy::Neighbours;
use proptest::prelude::*;
use synthesis::private::{PrivacySettings, plan};
use synthesis::{Recipe, Run, fit};
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;

/// A variable of an invented schema.
#[derive(Clone, Debug)]
enum Variable {
    Levels { size: usize, missing: bool },
    Ordinal { size: usize },
    Whole { high: u32, code: bool },
    Real,
}

fn variable() -> impl Strategy<Value = Variable> {
    prop_oneof![
        (1_usize..40, any::<bool>()).prop_map(|(size, missing)| Variable::Levels { size, missing }),
        (2_usize..30).prop_map(|size| Variable::Ordinal { size }),
        (1_u32..100_000, any::<bool>()).prop_map(|(high, code)| Variable::Whole { high, code }),
        Just(Variable::Real),
    ]
}

/// The schema of these variables, with a nested one, a rule and an impossible cell where asked for.
fn schema(variables: &[Variable], ties: bool, units: Option<u32>) -> String {
    let mut text = String::from("[table]\ndeclared = true\nreason = \"invented\"\n");
    if let Some(most) = units {
        text += &format!("unit_id = \"id\"\nmax_rows_per_unit = {most}\n");
    }
    text += "[variables.id]\nkind = \"text-id\"\n";
    let levels = |size: usize| (0..size).map(|level| format!("\"l{level}\"")).collect::<Vec<_>>().join(", ");
    for (number, variable) in variables.iter().enumerate() {
        text += &format!("[variables.v{number}]\n");
        text += &match variable {
            Variable::Levels { size, missing } => {
                format!("kind = \"categorical\"\nlevels = [{}]\nmissing = {missing}\n", levels(*size))
            }
            Variable::Ordinal { size } => format!("kind = \"ordinal\"\nlevels = [{}]\n", levels(*size)),
            Variable::Whole { high, code } => {
                let codes = if *code { "codes = { \"-8\" = \"not asked\" }\n" } else { "" };
                format!("kind = \"integer\"\nrange = [0, {high}]\n{codes}")
            }
            Variable::Real => "kind = \"real\"\nrange = [-5.0, 1000.0]\n".to_owned(),
        };
    }
    if ties {
        text += "[variables.above]\nkind = \"categorical\"\nlevels = [\"x\", \"y\"]\n\
                 [variables.below]\nkind = \"categorical\"\nlevels = [\"x1\", \"x2\", \"y1\"]\nmissing = true\nwithin = \"above\"\n\
                 parents = { x1 = \"x\", x2 = \"x\", y1 = \"y\" }\n\
                 [variables.age]\nkind = \"integer\"\nrange = [0, 99]\n\
                 [[impossible]]\nwhere = \"age < 16 and above = 'y'\"\n\
                 [[rules]]\nwhen = \"age > 90\"\nthen = \"above = 'x'\"\n";
    }
    text
}

fn records(variables: &[Variable], ties: bool, rows: usize, schema: &str) -> Table {
    let mut names: Vec<String> = (0..variables.len()).map(|number| format!("v{number}")).collect();
    names.insert(0, "id".to_owned());
    if ties {
        names.extend(["above", "below", "age"].map(str::to_owned));
    }
    let mut text = names.join(",") + "\n";
    for row in 0..rows {
        let mut fields = vec![format!("p{}", row / 2)];
        for (number, variable) in variables.iter().enumerate() {
            let mixed = row * (2 * number + 3) + row / 7;
            fields.push(match variable {
                Variable::Levels { size, missing } => match mixed % (size + 1) {
                    level if level < *size => format!("l{level}"),
                    _ if *missing => String::new(),
                    _ => "l0".to_owned(),
                },
                Variable::Ordinal { size } => format!("l{}", mixed % size),
                Variable::Whole { code: true, .. } if row % 5 == 0 => "-8".to_owned(),
                Variable::Whole { high, .. } => (mixed as u32 % (high + 1)).to_string(),
                Variable::Real => format!("{}", (mixed % 1000) as f64 / 1.5),
            });
        }
        if ties {
            let (above, below) = [("x", "x1"), ("x", "x2"), ("y", "y1"), ("x", "")][row % 4];
            let age = if above == "y" { 16 + row % 70 } else { row % 100 };
            fields.extend([above.to_owned(), below.to_owned(), age.to_string()]);
        }
        text += &(fields.join(",") + "\n");
    }
    let options = ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
    read_csv_text(&text, &options).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_private_run_ends_in_records_whatever_the_schema_and_the_budget(
        variables in prop::collection::vec(variable(), 1..9),
        ties: bool,
        rows in 1_usize..300,
        stated in prop::option::of(1_u64..1_000),
        epsilon in (-3.0..2.0_f64).prop_map(|power| 10_f64.powf(power)),
        notion in 0..3_u8,
        replace_one: bool,
        units in prop::option::of(1_u32..4),
        by_ipf in prop::bool::weighted(0.3),
        options in prop::sample::select(vec!["", "rows=drawn", "rows=settled"]),
        seed: u64,
    ) {
        let schema = schema(&variables, ties, units);
        let table = records(&variables, ties, rows, &schema);
        let mut recipe = Recipe::new(if by_ipf { "ipf" } else { "pairwise" });
        if !options.is_empty() {
            recipe.set(options).unwrap();
        }
        // Rows are many where the number of records is a noisy count at a small budget.
        recipe.rows = Some(200);
        let settings = PrivacySettings { records: stated, ..PrivacySettings::default() };
        recipe.privacy = Some(match notion {
            0 => PrivacySettings { epsilon: Some(epsilon), ..settings },
            1 => PrivacySettings { epsilon: Some(epsilon), delta: Some(1e-9), ..settings },
            _ => PrivacySettings { rho: Some(epsilon * epsilon / 70.0), ..settings },
        });
        if replace_one {
            recipe.privacy.as_mut().unwrap().neighbours = Some(Neighbours::ReplaceOne);
        }
        // What is refused is refused by the plan, which sees no record.
        let declared = synthesis::private::declared(table.schema()).unwrap();
        if let Err(refused) = plan(&declared, &recipe) {
            let has_large_units = units.is_some_and(|most| most > 1);
            prop_assert!(by_ipf || (replace_one && has_large_units), "{refused}");
            return Ok(());
        }
        let fitted = fit(&table, &recipe, &Run::replayed(seed)).unwrap();
        let ledger = fitted.ledger().unwrap();
        prop_assert!(ledger.verify().is_ok());
        prop_assert!(ledger.spent.charge().cost() <= ledger.limit.charge().cost());
        let released = fitted.table(0).unwrap();
        prop_assert_eq!(released.rows(), 200);
        prop_assert!(released.violations().unwrap().is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A private net too, with steps that nobody takes part in, records that cannot be learned, and noise that drowns everything.
    #[test]
    fn a_private_net_ends_in_records_or_is_refused_by_its_plan(
        variables in prop::collection::vec(variable(), 1..6),
        ties: bool,
        rows in 1_usize..60,
        epsilon in (-2.0..2.0_f64).prop_map(|power| 10_f64.powf(power)),
        units in prop::option::of(1_u32..3),
        sampling in prop::sample::select(vec!["sampling=1", "sampling=0.01", "sampling=0.3"]),
        rate in prop::sample::select(vec!["rate=0.001", "rate=1000"]),
        adversarial: bool,
        seed: u64,
    ) {
        let schema = schema(&variables, ties, units);
        let table = records(&variables, ties, rows, &schema);
        let (method, inner) = if adversarial { ("ctgan", "noise=2") } else { ("tvae", "latent=2") };
        let mut recipe = Recipe::new(method);
        for option in ["hidden=5", inner, "steps=12", sampling, rate] {
            recipe.set(option).unwrap();
        }
        recipe.rows = Some(100);
        recipe.privacy = Some(PrivacySettings { epsilon: Some(epsilon), delta: Some(1e-5), ..PrivacySettings::default() });
        let declared = synthesis::private::declared(table.schema()).unwrap();
        if let Err(refused) = plan(&declared, &recipe) {
            let text = refused.to_string();
            let is_small = epsilon < 0.2 && text.contains("no noise keeps");
            let has_large_units = units.is_some_and(|most| most > 1) && text.contains("`neighbours`");
            prop_assert!(is_small || has_large_units, "{}", text);
            prop_assert!(fit(&table, &recipe, &Run::replayed(seed)).is_err());
            return Ok(());
        }
        let fitted = fit(&table, &recipe, &Run::replayed(seed)).unwrap();
        let ledger = fitted.ledger().unwrap();
        prop_assert!(ledger.verify().is_ok());
        prop_assert!(ledger.spent.charge().cost() <= ledger.limit.charge().cost());
        let released = fitted.table(0).unwrap();
        prop_assert_eq!(released.rows(), 100);
        prop_assert!(released.violations().unwrap().is_empty());
    }
}

/// What no argument covers is refused by the plan, which sees no record: a replaced unit of several records changes how many there are, and a replaced record
/// changes two strata.
#[test]
fn what_replaced_units_do_not_keep_is_refused_before_a_look() {
    let variables = [Variable::Levels { size: 3, missing: false }, Variable::Ordinal { size: 4 }];
    let replace_one = PrivacySettings {
        epsilon: Some(1.0),
        neighbours: Some(Neighbours::ReplaceOne),
        ..PrivacySettings::default()
    };
    let refused = |method: &str, units: Option<u32>, strata: &[&str], settings: &PrivacySettings| {
        let schema = schema(&variables, false, units);
        let table = records(&variables, false, 50, &schema);
        let mut recipe = Recipe::new(method);
        recipe.strata = strata.iter().map(|name| (*name).to_owned()).collect();
        recipe.privacy = Some(settings.clone());
        let planned = plan(&synthesis::private::declared(table.schema()).unwrap(), &recipe);
        assert_eq!(planned.is_err(), fit(&table, &recipe, &Run::replayed(1)).is_err(), "{method}");
        planned.err().map(|error| error.to_string())
    };
    for method in ["pairwise", "catall", "ipf", "dirichlet", "privbayes", "datasynthesizer"] {
        let message = refused(method, Some(3), &[], &replace_one).expect(method);
        assert!(message.contains("`neighbours`") && message.contains("up to 3 records"), "{message}");
    }
    for method in ["pairwise", "catall"] {
        let message = refused(method, None, &["v0"], &replace_one).expect(method);
        assert!(message.contains("`strata`"), "{message}");
        assert_eq!(refused(method, None, &[], &replace_one), None, "{method}");
        let add_remove = PrivacySettings { neighbours: None, ..replace_one.clone() };
        assert_eq!(refused(method, Some(3), &["v0"], &add_remove), None, "{method}");
    }
}

/// Strata that noise empties do not end a run.
#[test]
fn strata_without_records_after_noise_are_all_alike() {
    let variables = [Variable::Levels { size: 30, missing: false }, Variable::Ordinal { size: 4 }];
    let schema = schema(&variables, false, None);
    let table = records(&variables, false, 2, &schema);
    for seed in 0..8 {
        let mut recipe = Recipe::new("pairwise");
        recipe.strata = vec!["v0".into()];
        recipe.rows = Some(50);
        recipe.privacy = Some(PrivacySettings { epsilon: Some(50.0), ..PrivacySettings::default() });
        let fitted = fit(&table, &recipe, &Run::replayed(seed)).unwrap();
        assert_eq!(fitted.table(0).unwrap().rows(), 50);
    }
}

/// Ten variables of 24 levels, whose pairs no junction tree could hold: planned `ipf` used to end with an error after it had paid.
#[test]
fn a_wide_table_is_released_by_every_default() {
    let variables = vec![Variable::Levels { size: 24, missing: false }; 10];
    let schema = schema(&variables, false, None);
    let table = records(&variables, false, 1_000, &schema);
    for method in ["pairwise", "ipf"] {
        let mut recipe = Recipe::new(method);
        recipe.privacy = Some(PrivacySettings {
            epsilon: Some(100.0),
            records: Some(1_000),
            ..PrivacySettings::default()
        });
        let fitted = fit(&table, &recipe, &Run::replayed(3)).unwrap();
        assert_eq!(fitted.table(0).unwrap().rows(), 1_000, "{method}");
    }
}
