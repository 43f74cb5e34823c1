//! The grid for the table at hand, where the user gives none.

use num_bigint::BigUint;
use synthesis::card::{PrivateTrial, Suits, Trial};
use synthesis::private::{self, PrivacySettings};
use synthesis::registry::METHODS;
use synthesis::{MethodCard, Recipe, SynthesisError};
use table::{Attributes, CodedTable, CountSource, Grouping, Table, Variable};

use super::grid::Entry;

/// Most cells of the cross-table for a log-linear model with all margins of two or three variables to be fitted in seconds.
const MOST_CELLS: u32 = 500_000;

/// Budgets at which private methods are shown.
const EPSILONS: [f64; 3] = [0.1, 1.0, 10.0];

/// The trials of all methods, as their cards say, in order; where the schema is declared, private ones over several ε. What the table does
/// not allow is left out, and a remark says why.
pub fn built_in(table: &Table) -> Result<(Vec<Entry>, Vec<String>), SynthesisError> {
    let (mut entries, mut remarks) = (Vec::new(), Vec::new());
    let grouping = Grouping::quantiles(Recipe::new(String::new()).groups as usize);
    let coded = CodedTable::over(table, &grouping, Variable::is_modelled)?;
    let variables = coded.domain().variables().len();
    let has_few_cells = coded.domain().cells(&Attributes::all(coded.domain())) <= BigUint::from(MOST_CELLS);
    let all = METHODS.iter().flat_map(|method| method.card.trials.iter().map(|trial| (method.card, trial)));
    let mut trials: Vec<(&MethodCard, &Trial)> = all.collect();
    trials.sort_by_key(|(_, trial)| trial.place);
    for (card, trial) in trials {
        if trial.variables > variables || !has_what_it_suits(trial.suits, table) {
            continue;
        }
        if let Some(remark) = unsuited(trial.suits, has_few_cells) {
            remarks.push(remark);
            continue;
        }
        let mut recipe = Recipe { m: trial.m, ..Recipe::new(card.name) };
        trial.options.iter().try_for_each(|option| recipe.set(option))?;
        entries.push(Entry { name: trial.name.to_owned(), label: trial.label.to_owned(), recipe });
    }
    if variables == 0 {
        remarks.push("methods that work on the cross-table are left out: no variable has classes".to_owned());
        return Ok((entries, remarks));
    }
    private_entries(table, has_few_cells, &mut entries, &mut remarks);
    Ok((entries, remarks))
}

fn private_entries(table: &Table, has_few_cells: bool, entries: &mut Vec<Entry>, remarks: &mut Vec<String>) {
    let Ok(schema) = private::declared(table.schema()) else {
        remarks.push(
            "private methods are left out: the schema was learned from the records; declare one to see them"
                .to_owned(),
        );
        return;
    };
    let all = METHODS.iter().filter_map(|method| Some((method.card, method.card.privacy.as_ref()?.trial?)));
    let mut trials: Vec<(&MethodCard, PrivateTrial)> = all.collect();
    trials.sort_by_key(|(_, trial)| trial.place);
    for (card, trial) in trials {
        if let Some(remark) = unsuited(trial.suits, has_few_cells) {
            remarks.push(remark);
            continue;
        }
        let method = card.name;
        for epsilon in EPSILONS {
            let privacy = PrivacySettings { epsilon: Some(epsilon), ..PrivacySettings::default() };
            let recipe = Recipe { privacy: Some(privacy), ..Recipe::new(method) };
            if let Err(error) = private::plan(&schema, &recipe) {
                remarks.push(format!("private `{method}` is left out: {error}"));
                break;
            }
            let (name, label) =
                (format!("{method}-eps-{epsilon}"), format!("{method}, {}, epsilon {epsilon}", trial.label));
            entries.push(Entry { name, label, recipe });
        }
    }
}

/// Whether the table has variables of the kind that a trial is about.
fn has_what_it_suits(suits: Suits, table: &Table) -> bool {
    let mut modelled = table.schema().variables().iter().filter(|variable| variable.is_modelled());
    match suits {
        Suits::Levels => modelled.any(|variable| variable.kind.levels().is_some()),
        Suits::Numbers => modelled.any(|variable| variable.kind.is_numeric()),
        Suits::AnyTable | Suits::FewCells { .. } => true,
    }
}

/// Why a trial is not for this table, if it is not.
fn unsuited(suits: Suits, has_few_cells: bool) -> Option<String> {
    match suits {
        Suits::FewCells { what, instead } if !has_few_cells => {
            Some(format!("{what} left out: the cross-table has more than {MOST_CELLS} cells; {instead}"))
        }
        Suits::AnyTable | Suits::Levels | Suits::Numbers | Suits::FewCells { .. } => None,
    }
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
