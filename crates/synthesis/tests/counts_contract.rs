//! Counts that cannot be a table stand in for the records that they count: one seed, one output, one ledger.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use synthesis::card::Needs;
use synthesis::private::{self, PrivacySettings};
use synthesis::registry::METHODS;
use synthesis::{Recipe, Run, StructuralZeros, Synthesizer, fit};
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{
    Attributes, CodedTable, ContingencyTable, CountSource, DeclaredSchema, Domain, Margin, Source, Table,
    TableError,
};

const SCHEMA: &str = r#"
[table]
unit = "person"
declared = true
reason = "code book of 2011"
[variables.name]
kind = "text-id"
[variables.sex]
kind = "categorical"
levels = ["F", "M"]
[variables.marital]
kind = "categorical"
levels = ["single", "married", "widowed"]
missing = true
[variables.occ1]
kind = "categorical"
levels = ["a", "b"]
[variables.occ2]
kind = "categorical"
levels = ["a1", "a2", "b1"]
within = "occ1"
parents = { a1 = "a", a2 = "a", b1 = "b" }
[variables.age]
kind = "integer"
range = [0, 99]
cuts = [0, 16, 40, 65, 99]
[variables.weight]
kind = "real"
range = [2.0, 200.0]
cuts = [2.0, 60.0, 200.0]
[variables.double]
kind = "real"
formula = "weight * 2"
[[impossible]]
where = "age < 16 and marital = 'married'"
"#;

fn declared() -> DeclaredSchema {
    SchemaFile::parse(SCHEMA).unwrap().finish().unwrap().reviewed().unwrap()
}

/// Invented people, in the order of their cells: `dirichlet` numbers records in the order in which it meets them.
fn people(rows: usize) -> Table {
    let mut text = String::from("name,sex,marital,occ1,occ2,age,weight,double\n");
    for row in 0..rows {
        let age = (row * 37) % 100;
        let marital = if age < 16 { "single" } else { ["married", "single", "", "widowed"][row % 4] };
        let (occ1, occ2) = [("a", "a1"), ("a", "a2"), ("b", "b1")][row % 3];
        let (sex, weight) = (["F", "M"][row % 2], 40 + (row * 7) % 60);
        text += &format!("p{row},{sex},{marital},{occ1},{occ2},{age},{weight},{}\n", 2 * weight);
    }
    let options = ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
    let table = read_csv_text(&text, &options).unwrap();
    let coded = CodedTable::in_domain(&table, &Domain::declared(&declared(), 5).unwrap()).unwrap();
    let cell =
        |row: &u32| -> Vec<u32> { coded.columns().iter().map(|codes| codes.get(*row as usize)).collect() };
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.sort_by_key(cell);
    table.take(&order).unwrap()
}

/// Counts and nothing else; every answer is summed from the cells by hand, and strata are left to the trait.
struct OnlyCounts {
    domain: Domain,
    cells: BTreeMap<Vec<u32>, u64>,
    /// How often it was asked: every time would be a pass over records that are elsewhere.
    passes: AtomicUsize,
}

impl OnlyCounts {
    fn of(table: &Table) -> Self {
        let domain = Domain::declared(&declared(), 5).unwrap();
        let coded = CodedTable::in_domain(table, &domain).unwrap();
        let mut cells = BTreeMap::new();
        for row in 0..table.rows() {
            let cell: Vec<u32> = coded.columns().iter().map(|codes| codes.get(row)).collect();
            *cells.entry(cell).or_default() += 1;
        }
        Self { domain, cells, passes: AtomicUsize::new(0) }
    }

    fn over(&self, of: &Attributes) -> BTreeMap<Vec<u32>, u64> {
        let mut sums = BTreeMap::new();
        for (cell, count) in &self.cells {
            let part = of.positions().iter().map(|position| cell[*position]).collect();
            *sums.entry(part).or_default() += count;
        }
        sums
    }
}

impl CountSource for OnlyCounts {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn records(&self) -> u64 {
        self.cells.values().sum()
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let margin = |of: &Attributes| {
            let sizes = self.domain.sizes(of);
            let mut counts = vec![0; Margin::checked_cells(&self.domain, of)?];
            for (cell, count) in self.over(of) {
                let place =
                    cell.iter().zip(&sizes).fold(0, |place, (class, size)| place * size + *class as usize);
                counts[place] = count;
            }
            Ok(Margin::new(of.clone(), sizes, counts))
        };
        of.iter().map(margin).collect()
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let cells = self.over(of);
        let cells = cells.iter().map(|(cell, count)| (cell.as_slice(), *count));
        Ok(ContingencyTable::from_cells(of.clone(), &self.domain.sizes(of), cells))
    }
}

/// All that comes of a run: the cells of its data sets, remarks, size, and the ledger. Within a class, records show more of numbers than counts do.
fn outcome(source: Source<'_>, recipe: &Recipe) -> (Vec<String>, Vec<String>, usize, Option<String>) {
    let fitted = fit(source, recipe, &Run::replayed(17)).unwrap();
    // Records show more of identifiers than a schema declares.
    let is_modelled = |variable: &&table::Variable| variable.kind != table::Kind::TextId;
    let modelled = fitted.schema().variables().iter().filter(is_modelled);
    let modelled: Vec<&str> = modelled.map(|variable| variable.name.as_str()).collect();
    let domain = fitted.domain().unwrap();
    let data_set = |number| {
        let drawn = fitted.table(number).unwrap().select(&modelled).unwrap();
        let coded = CodedTable::in_domain(&drawn, domain).unwrap();
        let classes = coded.columns().iter().map(|codes| codes.iter().collect::<Vec<u32>>());
        format!("{:?}", classes.collect::<Vec<_>>())
    };
    let data_sets = (0..recipe.m).map(data_set).collect();
    let ledger = fitted.ledger().map(|ledger| {
        ledger.verify().unwrap();
        serde_json::to_string_pretty(ledger).unwrap()
    });
    (data_sets, fitted.remarks(), fitted.original_rows(), ledger)
}

fn assert_alike(table: &Table, recipe: &Recipe) {
    let (schema, counts) = (declared(), OnlyCounts::of(table));
    let of_counts = outcome(Source::Counts { schema: &schema, counts: &counts }, recipe);
    assert!(of_counts == outcome(table.into(), recipe), "{}", recipe.to_toml());
    assert_eq!(of_counts.3.is_some(), recipe.privacy.is_some(), "{}", recipe.method);
}

#[test]
fn every_count_method_draws_the_same_from_counts() {
    let people = people(400);
    let mut seen = Vec::new();
    for method in METHODS.iter().filter(|method| method.build.is_some()) {
        let recipe = Recipe { m: 2, ..Recipe::new(method.card.name) };
        if !matches!(Synthesizer::of(&recipe).unwrap(), Synthesizer::Counts(_)) {
            assert_eq!(method.card.needs, Needs::Records);
            continue;
        }
        assert_eq!(method.card.needs, Needs::Counts);
        seen.push(method.card.name);
        assert_alike(&people, &recipe);
        assert_alike(&people, &Recipe { strata: vec!["sex".into()], ..recipe });
    }
    assert_eq!(seen, ["catall", "saturated", "ipf", "pairwise", "rounding", "cellkey"]);
    let mut with_prior = Recipe { rows: Some(90), ..Recipe::new("catall") };
    with_prior.set("nprior=20").unwrap();
    assert_alike(&people, &with_prior);
}

#[test]
fn every_private_count_method_draws_the_same_from_counts_and_keeps_the_same_ledger() {
    let people = people(400);
    let budget = |delta| PrivacySettings { epsilon: Some(2.0), delta, ..Default::default() };
    let mut seen = Vec::new();
    for method in METHODS.iter().filter(|method| method.private.is_some()) {
        if method.card.needs == Needs::Records {
            continue;
        }
        let name = method.card.name;
        seen.push(name);
        let recipe = Recipe { m: 2, privacy: Some(budget(None)), ..Recipe::new(name) };
        assert_alike(&people, &recipe);
        if name == "dirichlet" {
            assert_alike(&people, &Recipe { rows: Some(50), ..recipe });
            continue;
        }
        let takes_strata = method
            .private
            .is_some_and(|build| build(&toml::Table::new()).unwrap().refuses_strata().is_none());
        if takes_strata {
            assert_alike(&people, &Recipe { strata: vec!["sex".into(), "occ1".into()], ..recipe.clone() });
        }
        assert_alike(&people, &Recipe { privacy: Some(budget(Some(1e-6))), ..recipe });
    }
    assert_eq!(
        seen,
        ["catall", "ipf", "pairwise", "mst", "aim", "privbayes", "datasynthesizer", "dirichlet"]
    );
}

/// What needs records, or is not honoured, is refused by name, and counts that break the schema are not used.
#[test]
fn what_counts_cannot_give_is_refused_by_name() {
    let people = people(60);
    let (schema, mut counts) = (declared(), OnlyCounts::of(&people));
    let refusal = |counts: &OnlyCounts, recipe: &Recipe, run: &Run| {
        fit(Source::Counts { schema: &schema, counts }, recipe, run).err().unwrap().to_string()
    };
    let error = refusal(&counts, &Recipe::new("sequential"), &Run::default());
    assert!(
        error.contains("`sequential` needs the records themselves")
            && error.contains("take a method of counts"),
        "{error}"
    );
    let privacy = Some(PrivacySettings { epsilon: Some(1.0), ..Default::default() });
    let mut sums = Recipe { privacy: privacy.clone(), ..Recipe::new("mvnorm") };
    sums.set("variables=age,weight").unwrap();
    let error = refusal(&counts, &sums, &Run::default());
    assert!(error.contains("needs the records themselves"), "{error}");
    let mut removing = Recipe::new("catall");
    removing.after.remove_replicated_uniques = true;
    let error = refusal(&counts, &removing, &Run::default());
    assert!(error.contains("remove_replicated_uniques") && error.contains("counts"), "{error}");
    let private = Recipe { privacy, ..Recipe::new("ipf") };
    for recipe in [&Recipe::new("ipf"), &private] {
        let kept = Run { checkpoint: Some(PathBuf::from("nowhere")), ..Run::default() };
        assert!(refusal(&counts, recipe, &kept).contains("`resume`"));
    }
    let other_groups = Source::Counts { schema: &schema, counts: &counts };
    assert!(private::plan(&schema, &private).is_ok());
    assert!(
        fit(other_groups, &Recipe { groups: 3, ..Recipe::new("ipf") }, &Run::default()).is_ok(),
        "cuts are declared"
    );
    // A child that is married.
    let cell = [0, 1, 0, 0, 0, 0];
    assert!(StructuralZeros::declared(&schema, &counts.domain).unwrap().contains(&cell));
    counts.cells.insert(cell.to_vec(), 1);
    for recipe in [&Recipe::new("catall"), &private] {
        let error = refusal(&counts, recipe, &Run::default());
        assert!(error.contains("marital × age") && !error.contains("married"), "{error}");
    }
}

/// A private run counts before it asks, in one pass where it asks for margins and in two where it asks for the whole table; a plain one counts what it needs.
#[test]
fn records_that_are_elsewhere_are_passed_over_once_or_twice() {
    let people = people(400);
    let schema = declared();
    let passes = |recipe: &Recipe| {
        let counts = OnlyCounts::of(&people);
        fit(Source::Counts { schema: &schema, counts: &counts }, recipe, &Run::replayed(3)).unwrap();
        counts.passes.load(Ordering::Relaxed)
    };
    let privacy = Some(PrivacySettings { epsilon: Some(1.0), ..Default::default() });
    for (method, most) in [("ipf", 1), ("pairwise", 1), ("mst", 1), ("catall", 2), ("dirichlet", 2)] {
        let recipe = Recipe { privacy: privacy.clone(), ..Recipe::new(method) };
        assert!(passes(&recipe) <= most, "{method}: {}", passes(&recipe));
        if method != "dirichlet" {
            let in_strata = Recipe { strata: vec!["sex".into()], ..recipe };
            assert!(passes(&in_strata) <= 2, "{method} in strata: {}", passes(&in_strata));
        }
    }
    // Margins, and those that show impossible cells.
    assert!(passes(&Recipe::new("ipf")) <= 2);
    assert!(passes(&Recipe::new("catall")) <= 2);
}

#[test]
fn a_plan_needs_the_sizes_of_cells_alone() {
    let people = people(400);
    let (schema, counts) = (declared(), OnlyCounts::of(&people));
    let of_counts = synthesis::cell_sizes(Source::Counts { schema: &schema, counts: &counts }, 5).unwrap();
    assert_eq!(of_counts, synthesis::cell_sizes(&people, 5).unwrap());
    assert!(of_counts[&0] > 0);
}
