//! What every registered method promises, and what it refuses.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use rstest::rstest;
use synthesis::model_file::{ModelFile, SavedModel};
use synthesis::registry::METHODS;
use synthesis::{Fitted, Recipe, Run, SynthesisError, fit, generate};
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::write::csv_text;
use table::{Table, TableError};

/// Two hundred people of the demo town, with its rules, nesting and derived column.
fn town(people: usize) -> Table {
    let town = town::Town::new(people, 7);
    let schema = SchemaFile::parse(&town.schema()).unwrap();
    read_csv_text(&town.csv(), &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap()
}

/// A recipe that every method can carry out on the town: few enough margins for a junction tree, few epochs of training.
fn recipe(method: &str) -> Recipe {
    let mut recipe = Recipe { seed: Some(3), m: 2, ..Recipe::new(method) };
    let options =
        METHODS.iter().find(|known| known.card.name == method).map_or(&[][..], |known| known.card.options);
    if options.iter().any(|option| option.name == "epochs") {
        recipe.set("epochs=2").unwrap();
    }
    if method == "ipf" {
        recipe.set("margins=sex:age,age:marital,marital:married_on,age:hsize,hsize:rooms,occ1:occ2,occ2:occ3,occ1:income,age:occ1").unwrap();
    }
    recipe
}

#[test]
fn every_method_keeps_its_promises() {
    let people = town(3_000);
    for method in METHODS.iter().filter(|method| method.build.is_some()) {
        let card = method.card;
        assert!(
            !card.citation.is_empty() && !card.summary.is_empty() && !card.memory.is_empty(),
            "{}",
            card.name
        );
        let made = generate(&people, &recipe(card.name)).unwrap();
        assert_eq!(made.tables.len(), 2, "{}", card.name);
        assert_ne!(made.tables[0], made.tables[1], "{}: data sets differ", card.name);
        for table in &made.tables {
            assert!(table.broken_rules().unwrap().is_empty(), "{}: rules hold", card.name);
            let again = SchemaFile::parse(&table.schema().to_toml()).unwrap();
            let options = ReadOptions { schema: Some(again), ..ReadOptions::default() };
            assert_eq!(
                &read_csv_text(&csv_text(table), &options).unwrap(),
                table,
                "{}: every row is valid",
                card.name
            );
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let elsewhere = pool.install(|| generate(&people, &recipe(card.name)).unwrap());
        assert!(
            !card.reproducible || elsewhere.tables == made.tables,
            "{}: one seed, one output, on any number of threads",
            card.name
        );
        let other = generate(&people, &Recipe { seed: Some(4), ..recipe(card.name) }).unwrap();
        assert!(other.tables != made.tables, "{}: another seed, another output", card.name);
    }
}

#[test]
fn every_model_is_the_same_after_a_walk_through_its_file() {
    let people = town(500);
    let folder = tempfile::tempdir().unwrap();
    for method in METHODS.iter().filter(|method| method.build.is_some()) {
        for strata in [vec![], vec!["district".to_owned()]] {
            let mut recipe = Recipe { strata, ..recipe(method.card.name) };
            if method.card.name == "ipf" && !recipe.strata.is_empty() {
                recipe.set("margins=sex:marital").unwrap();
            }
            let fitted = fit(&people, &recipe, &Run::default()).unwrap();
            let path = folder.path().join(method.card.name);
            ModelFile::new(&fitted).unwrap().write(&path).unwrap();
            let file = SavedModel::read(&path).unwrap();
            let header = &file.header;
            assert!(header.confidential && header.confidential_because.is_some(), "{}", method.card.name);
            let drawn = |fitted: &Fitted| {
                let mut text = String::new();
                let take = |part: Table| {
                    text.push_str(&csv_text(&part));
                    Ok(())
                };
                fitted.draw(1, take).unwrap();
                text
            };
            assert_eq!(drawn(&fitted), drawn(&file.fitted(&recipe).unwrap()), "{}", method.card.name);
        }
    }
}

#[test]
fn strata_keep_their_sizes_and_n_can_differ() {
    let people = town(3_000);
    let districts = |table: &Table| {
        let column = table.column("district").unwrap();
        let table::Column::Categorical(codes) = column else { panic!("categorical") };
        codes.frequencies(8)
    };
    for method in ["catall", "ipf"] {
        let mut recipe = Recipe { strata: vec!["district".into()], m: 1, ..recipe(method) };
        if method == "ipf" {
            recipe.set("margins=sex:age,age:marital,marital:married_on").unwrap();
        }
        assert_eq!(districts(&generate(&people, &recipe).unwrap().tables[0]), districts(&people), "{method}");
        let twice = generate(&people, &Recipe { rows: Some(6_000), ..recipe }).unwrap();
        let doubled: Vec<u64> = districts(&people).iter().map(|count| 2 * count).collect();
        assert_eq!(districts(&twice.tables[0]), doubled, "{method}");
    }
}

#[rstest]
#[case("catal", &[], "option `method`: there is no method `catal`; did you mean `catall`?")]
#[case("cart", &[], "; `cart` draws single variables: take `sequential` with the option method=cart (")]
#[case("synthpop", &[], "option `method`: there is no method `synthpop`; the usual choice is `sequential` (")]
#[case("catall", &["nprio=1"], "option `nprio`: `catall` has no such option; did you mean `nprior`?")]
#[case("catall", &["nprior=-1"], "option `nprior`: it must be 0 or a positive number")]
#[case("catall", &["nprior=much"], "option `nprior`: invalid type")]
#[case("saturated", &["sigma=-1"], "sigma")]
#[case("saturated", &["family=nbx"], "option `family`")]
#[case("saturated", &["family=poisson", "sigma=1"], "sigma")]
#[case("saturated", &["alpha=-0.1"], "option `alpha`")]
#[case("saturated", &["scale=0"], "option `scale`")]
#[case("ipf", &["margins=sex:agee"], "option `margins`: there is no variable `agee`; did you mean `age`?")]
#[case("ipf", &["margins=all99"], "option `margins`: `all99` is not all1 to all13")]
#[case("ipf", &["tolerance=0"], "option `tolerance`")]
#[case("ipf", &["sweeps=0"], "option `sweeps`")]
#[case("ipf", &["sweeps=-3"], "option `sweeps`")]
#[case("ipf", &["margins=all2"], "option `margins`: the table has")]
fn wrong_options_are_refused_by_name(#[case] method: &str, #[case] options: &[&str], #[case] expected: &str) {
    let mut recipe = Recipe { seed: Some(1), ..Recipe::new(method) };
    options.iter().for_each(|option| recipe.set(option).unwrap());
    let error = generate(&town(300), &recipe).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn nothing_and_none_are_refused_for_every_method() {
    let people = town(300);
    for method in METHODS.iter().filter(|method| method.build.is_some()) {
        let base = recipe(method.card.name);
        let refused = |recipe: Recipe, option: &str| {
            let error = generate(&people, &recipe).map(|_| ()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("option `{option}`")), "{}: {error}", method.card.name);
        };
        refused(Recipe { m: 0, ..base.clone() }, "m");
        refused(Recipe { rows: Some(0), ..base.clone() }, "rows");
        refused(Recipe { groups: 1, ..base.clone() }, "groups");
        refused(Recipe { strata: vec!["distric".into()], ..base.clone() }, "strata");
    }
    let error = generate(&people, &Recipe { rows: Some(5), ..recipe("saturated") })
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(error.contains("`scale`"), "an option that is not honoured is refused: {error}");
}

#[test]
fn a_table_that_breaks_its_schema_is_refused_by_every_method() {
    let schema =
        "[variables.a]\nkind = \"integer\"\n[variables.b]\nkind = \"integer\"\nformula = \"2 * a\"\n";
    let file = SchemaFile::parse(schema).unwrap();
    let raw = read_csv_text("a,b\n1,2\n2,5\n", &ReadOptions::default()).unwrap();
    let broken = Table::new(std::sync::Arc::new(file.finish().unwrap()), raw.columns().to_vec()).unwrap();
    for method in METHODS.iter().filter(|method| method.build.is_some()) {
        let error = generate(&broken, &Recipe { seed: Some(1), ..Recipe::new(method.card.name) })
            .map(|_| ())
            .unwrap_err();
        assert!(
            matches!(error, SynthesisError::Table(TableError::Violations(_))),
            "{}: {error}",
            method.card.name
        );
    }
}

#[test]
fn raking_meets_published_totals_and_refuses_other_classes() {
    let people = town(2_000);
    let folder = tempfile::tempdir().unwrap();
    let totals = folder.path().join("sex.csv");
    std::fs::write(&totals, "sex,count\nMALE,900\nFEMALE,100\n").unwrap();
    let mut recipe = Recipe { m: 1, rows: Some(50_000), ..recipe("ipf") };
    recipe.set(&format!("totals=\"{}\"", totals.display())).unwrap();
    let made = generate(&people, &recipe).unwrap();
    assert!(
        made.remarks.iter().any(|remark| remark.contains("raked") && remark.contains("converged")),
        "{:?}",
        made.remarks
    );
    let table::Column::Categorical(sex) = made.tables[0].column("sex").unwrap() else {
        panic!("categorical")
    };
    let men = sex.frequencies(2)[0] as f64;
    // Binomial(50,000, 0.9): five standard deviations, an error rate of 6e-7.
    assert!((men - 45_000.0).abs() < 5.0 * (50_000.0_f64 * 0.09).sqrt(), "{men}");
    std::fs::write(&totals, "sex,count\nOTHER,900\n").unwrap();
    let error = generate(&people, &recipe).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("option `totals`") && error.contains("row 1: `sex` has no class"), "{error}");
}
