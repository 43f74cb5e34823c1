//! The grid for the table at hand, where the user gives none.

use num_bigint::BigUint;
use synthesis::private::{self, PrivacySettings};
use synthesis::{Recipe, SynthesisError};
use table::grouping::GroupingStyle;
use table::{Attributes, CodedTable, CountSource, Grouping, Table, Variable};
use toml::Value;

use super::grid::Entry;

/// Most cells of the cross-table for a log-linear model with all margins of two or three variables to be fitted in seconds.
const MOST_CELLS: u32 = 500_000;

/// Budgets at which private methods are shown.
const EPSILONS: [f64; 3] = [0.1, 1.0, 10.0];

/// Sequential trees with several bucket sizes, sequential regressions, `catall`, log-linear models, `saturated` over σ × m, and, where the
/// schema is declared, private methods over ε. What the table does not allow is left out, and a remark says why.
pub fn built_in(table: &Table) -> Result<(Vec<Entry>, Vec<String>), SynthesisError> {
    let (mut entries, mut remarks) = (Vec::new(), Vec::new());
    for bucket in [5, 20, 100] {
        let recipe = with(Recipe::new("sequential"), [("min_bucket", Value::Integer(bucket))]);
        entries.push(entry(
            format!("cart-{bucket}"),
            format!("sequential trees, {bucket} records a leaf"),
            recipe,
        ));
    }
    let parametric = with(Recipe::new("sequential"), [("method", Value::String("parametric".into()))]);
    entries.push(entry("parametric".into(), "sequential regressions".into(), parametric));

    let grouping =
        Grouping { groups: Recipe::new("catall").groups as usize, style: GroupingStyle::Quantiles };
    let coded = CodedTable::over(table, &grouping, Variable::is_modelled)?;
    if coded.domain().variables().is_empty() {
        remarks.push("methods that work on the cross-table are left out: no variable has classes".to_owned());
        return Ok((entries, remarks));
    }
    entries.push(entry("catall".into(), "saturated multinomial (catall)".into(), Recipe::new("catall")));
    let cells = coded.domain().cells(&Attributes::all(coded.domain()));
    let is_small = cells <= BigUint::from(MOST_CELLS);
    for ways in 1..=3 {
        if ways > coded.domain().variables().len() {
            continue;
        }
        if ways > 1 && !is_small {
            remarks.push(format!(
                "log-linear models of all {ways}-way margins are left out: the cross-table has more than {MOST_CELLS} cells; name \
                 margins in a grid file"
            ));
            continue;
        }
        let recipe = with(Recipe::new("ipf"), [("margins", Value::String(format!("all{ways}")))]);
        entries.push(entry(format!("ipf-{ways}"), format!("log-linear, all {ways}-way margins"), recipe));
    }
    for sigma in [0.1, 0.5, 2.0] {
        for m in [1, 5] {
            let recipe = Recipe { m, ..with(Recipe::new("saturated"), [("sigma", Value::Float(sigma))]) };
            entries.push(entry(
                format!("saturated-{sigma}-m{m}"),
                format!("saturated, NBI, sigma {sigma}, m {m}"),
                recipe,
            ));
        }
    }
    private_entries(table, is_small, &mut entries, &mut remarks);
    Ok((entries, remarks))
}

fn private_entries(table: &Table, is_small: bool, entries: &mut Vec<Entry>, remarks: &mut Vec<String>) {
    let Ok(schema) = private::declared(table.schema()) else {
        remarks.push(
            "private methods are left out: the schema was learned from the records; declare one to see them"
                .to_owned(),
        );
        return;
    };
    for (method, what) in [("ipf", "planned margins"), ("catall", "noisy cells")] {
        if method == "catall" && !is_small {
            remarks.push(format!(
                "private `catall` is left out: the cross-table has more than {MOST_CELLS} cells; ask for it in a grid file"
            ));
            continue;
        }
        for epsilon in EPSILONS {
            let privacy = PrivacySettings { epsilon: Some(epsilon), ..PrivacySettings::default() };
            let recipe = Recipe { privacy: Some(privacy), ..Recipe::new(method) };
            if let Err(error) = private::plan(&schema, &recipe) {
                remarks.push(format!("private `{method}` is left out: {error}"));
                break;
            }
            entries.push(entry(
                format!("{method}-eps-{epsilon}"),
                format!("{method}, {what}, epsilon {epsilon}"),
                recipe,
            ));
        }
    }
}

fn entry(name: String, label: String, recipe: Recipe) -> Entry {
    Entry { name, label, recipe }
}

fn with<const N: usize>(mut recipe: Recipe, options: [(&str, Value); N]) -> Recipe {
    recipe.options.extend(options.map(|(name, value)| (name.to_owned(), value)));
    recipe
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"a test\"\n[variables.sex]\nkind = \"categorical\"\n\
                          levels = [\"F\", \"M\"]\n[variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n";

    #[test]
    fn private_methods_need_a_declared_schema() {
        let text = "sex,town\nF,a\nM,b\nF,b\n";
        let names = |schema: Option<&str>| {
            let schema = schema.map(|schema| SchemaFile::parse(schema).unwrap());
            let table = read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap();
            let (entries, remarks) = built_in(&table).unwrap();
            (entries.into_iter().map(|entry| entry.name).collect::<Vec<_>>(), remarks)
        };
        let (learned, remarks) = names(None);
        assert!(
            !learned.iter().any(|name| name.contains("eps"))
                && remarks[0].contains("private methods are left out")
        );
        assert!(learned.contains(&"ipf-2".to_owned()) && !learned.contains(&"ipf-3".to_owned()));
        let (declared, remarks) = names(Some(SCHEMA));
        assert!(
            declared.contains(&"ipf-eps-0.1".to_owned()) && declared.contains(&"catall-eps-10".to_owned())
        );
        assert_eq!(remarks, [""; 0]);
    }

    #[test]
    fn a_large_cross_table_has_no_dense_models() {
        let header: Vec<String> = (0..12).map(|at| format!("v{at}")).collect();
        let row = |row: usize| {
            (0..12).map(|at| ((row * (at + 3)) % 7).to_string() + "x").collect::<Vec<_>>().join(",")
        };
        let rows: String = (0..60).map(|at| row(at) + "\n").collect();
        let table = read_csv_text(&format!("{}\n{rows}", header.join(",")), &ReadOptions::default()).unwrap();
        let (entries, remarks) = built_in(&table).unwrap();
        let ipf: Vec<&str> =
            entries.iter().map(|entry| entry.name.as_str()).filter(|name| name.starts_with("ipf")).collect();
        assert_eq!(ipf, ["ipf-1"]);
        assert!(remarks.iter().any(|remark| remark.contains("all 2-way margins are left out")));
    }
}
