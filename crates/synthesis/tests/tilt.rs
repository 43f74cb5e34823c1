//! Data sets that are chosen out of more candidates: what they keep, and what they must not do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::fmt::Write;

use rand::RngExt;
use rstest::rstest;
use synthesis::copies::UniqueRecords;
use synthesis::model_file::{ModelFile, SavedModel};
use synthesis::randomness::Seed;
use synthesis::{Recipe, Run, fit, generate};
use table::read::{ReadOptions, read_csv_text};
use table::write::csv_text;
use table::{Column, Table};

/// Records with a number, y, that depends a little on each of `predictors` binary variables, all of them alike.
fn weak(records: usize, predictors: usize, seed: u64) -> Table {
    let mut rng = Seed::new(seed).stream(0);
    let names: Vec<String> = (0..predictors).map(|at| format!("a{at}")).collect();
    let mut text = format!("region,{},y\n", names.join(","));
    for _ in 0..records {
        let values: Vec<u8> = (0..predictors).map(|_| u8::from(rng.random::<f64>() < 0.5)).collect();
        let noise: f64 = (0..6).map(|_| rng.random::<f64>() - 0.5).sum();
        let y = noise + 0.15 * values.iter().map(|value| f64::from(*value)).sum::<f64>();
        let region = ["north", "south", "west"][rng.random_range(0..3_usize)];
        let levels: Vec<&str> = values.iter().map(|value| ["no", "yes"][usize::from(*value)]).collect();
        writeln!(text, "{region},{},{y:.2}", levels.join(",")).unwrap();
    }
    read_csv_text(&text, &ReadOptions::default()).unwrap()
}

fn recipe(options: &str) -> Recipe {
    Recipe::parse(&format!("method = \"sequential\"\nseed = 5\n{options}")).unwrap()
}

/// The difference of the means of y between the two levels of a variable.
fn effect(table: &Table, of: &str) -> f64 {
    let Column::Categorical(codes) = table.column(of).unwrap() else { panic!("categorical") };
    let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
    for row in 0..table.rows() {
        let Some(table::column::Entry::Value(y)) = table.column("y").unwrap().number(row) else { continue };
        let level = codes.get(row) as usize;
        sums[level] += y;
        counts[level] += 1.0;
    }
    (sums[1] / counts[1] - sums[0] / counts[0]).abs()
}

/// Sixteen weak effects, of which a path of a tree holds a few: tilted, their mean over twenty files is that of the data to within a twentieth; the trees alone lose a tenth or more.
#[test]
fn weak_effects_are_kept() {
    let original = weak(2_000, 16, 1);
    let mean = |table: &Table| (0..16).map(|at| effect(table, &format!("a{at}"))).sum::<f64>() / 16.0;
    let of_files = |options: &str| {
        let made = generate(&original, &recipe(&format!("m = 20\n[options]\n{options}"))).unwrap().tables;
        made.iter().map(mean).sum::<f64>() / 20.0
    };
    let truth = mean(&original);
    let (plain, tilted) = (
        of_files("tilt = false\nmin_bucket = 20\nmain_effects = false\nscores = false\n"),
        of_files("min_bucket = 20\nmain_effects = false\nscores = false\n"),
    );
    assert!(plain / truth < 0.9, "{plain} of {truth}");
    assert!((tilted / truth - 1.0).abs() < 0.05, "{tilted} of {truth}");
}

/// The graph bootstrap draws y given two of the sixteen; tilted, their effects are the data's to within a twentieth.
#[test]
fn the_graph_bootstrap_keeps_them_too() {
    let original = weak(2_000, 16, 1);
    let mean = |table: &Table| (0..16).map(|at| effect(table, &format!("a{at}"))).sum::<f64>() / 16.0;
    let of_files = |options: &str| {
        let text = format!("method = \"graph\"\nseed = 5\nm = 20\n[options]\n{options}");
        let made = generate(&original, &Recipe::parse(&text).unwrap()).unwrap().tables;
        made.iter().map(mean).sum::<f64>() / 20.0
    };
    let truth = mean(&original);
    let (plain, tilted) = (of_files("tilt = false\n"), of_files(""));
    assert!(plain / truth < 0.9, "{plain} of {truth}");
    assert!((tilted / truth - 1.0).abs() < 0.05, "{tilted} of {truth}");
}

/// The trees alone, with leaves of 20 records: a score of all sixteen keeps their effects to within a tenth.
#[test]
fn a_tree_that_splits_by_a_score_keeps_them_by_itself() {
    let original = weak(2_000, 16, 1);
    let mean = |table: &Table| (0..16).map(|at| effect(table, &format!("a{at}"))).sum::<f64>() / 16.0;
    let of_files = |scores: bool| {
        let options = format!("tilt = false\nmin_bucket = 20\nmain_effects = false\nscores = {scores}\n");
        let made = generate(&original, &recipe(&format!("m = 20\n[options]\n{options}"))).unwrap().tables;
        made.iter().map(mean).sum::<f64>() / 20.0
    };
    let truth = mean(&original);
    assert!((of_files(true) / truth - 1.0).abs() < 0.1, "{} of {truth}", of_files(true));
    assert!(of_files(false) / truth < 0.9);
}

/// Half of a file's records repeat those of the data unless copies are left out; 50 and 50.0 are one number.
#[test]
fn unique_records_are_not_copied() {
    let mut text = "a,b,x\n".to_owned();
    for row in 0..600_u32 {
        let x = f64::from(row * 7 % 40);
        let x = if row % 2 == 0 { format!("{x}") } else { format!("{x:.1}") };
        writeln!(text, "{},{},{x}", ["r", "s", "t"][row as usize * 5 % 3], row * 11 % 17).unwrap();
    }
    let original = read_csv_text(&text, &ReadOptions::default()).unwrap();
    let uniques = UniqueRecords::of(&original).unwrap();
    let copies = |options: &str| {
        let made =
            generate(&original, &recipe(&format!("[options]\nsmoothing = \"none\"\n{options}"))).unwrap();
        assert_eq!(made.tables[0].rows(), 600);
        uniques.copies_in(&made.tables[0]).unwrap().unwrap()
    };
    assert!(copies("no_copies = false\n") > 20);
    assert_eq!(copies(""), 0);
}

/// Where nearly every combination is taken there is nothing to choose from, and this is said.
#[test]
fn a_table_of_few_combinations_keeps_its_copies_and_says_so() {
    let original = read_csv_text("a,b\nx,1\ny,1\nz,1\nu,1\nv,1\n", &ReadOptions::default()).unwrap();
    let made = generate(&original, &recipe("[options]\nsmoothing = \"none\"\n")).unwrap();
    assert!(made.remarks.iter().any(|remark| remark.contains("no_copies")), "{:?}", made.remarks);
}

#[rstest]
#[case::plain("")]
#[case::few("rows = 30\n")]
#[case::strata("strata = [\"region\"]\n")]
#[case::proper("[options]\nproper = true\n")]
#[case::kept(
    "[options]\ntilt = true\n[variables.region]\nmethod = \"keep\"\n[variables.a0]\nmethod = \"keep\"\n"
)]
#[case::kept_in_strata(
    "strata = [\"region\"]\nrows = 900\n[options]\ntilt = true\n[variables.a0]\nmethod = \"keep\"\n"
)]
fn a_stored_model_draws_the_same_on_any_number_of_threads(#[case] options: &str) {
    let original = weak(700, 4, 2);
    let recipe = recipe(&format!("m = 2\n{options}"));
    let fitted = fit(&original, &recipe, &Run::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let file = ModelFile::new(&fitted).unwrap();
    assert!(file.header.confidential_because.as_ref().unwrap().contains("two-way tables"));
    file.write(&path).unwrap();
    let again = SavedModel::read(&path).unwrap().fitted(&recipe).unwrap();
    assert_eq!(fitted.remarks(), again.remarks());
    assert!(fitted.remarks().iter().any(|remark| remark.contains("effective share")));
    let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for number in 0..2 {
        let table = fitted.table(number).unwrap();
        assert_eq!(table.rows(), recipe.rows.unwrap_or(700) as usize);
        assert_eq!(csv_text(&table), csv_text(&again.table(number).unwrap()));
        assert_eq!(csv_text(&table), csv_text(&threads.install(|| fitted.table(number).unwrap())));
    }
    assert_ne!(fitted.table(0).unwrap(), fitted.table(1).unwrap());
}

fn regions(table: &Table) -> Vec<u64> {
    let Column::Categorical(codes) = table.column("region").unwrap() else { panic!("categorical") };
    codes.frequencies(3)
}

#[test]
fn strata_keep_their_sizes_and_kept_variables_their_values() {
    let original = weak(700, 4, 3);
    let made = generate(&original, &recipe("strata = [\"region\"]\n")).unwrap();
    assert_eq!(regions(&made.tables[0]), regions(&original));
    let kept =
        "[options]\ntilt = true\n[variables.region]\nmethod = \"keep\"\n[variables.a0]\nmethod = \"keep\"\n";
    let made = generate(&original, &recipe(kept)).unwrap();
    for name in ["region", "a0"] {
        assert_eq!(made.tables[0].column(name).unwrap(), original.column(name).unwrap(), "{name}");
    }
    let told = |options: &str| generate(&original, &recipe(options)).unwrap().remarks.join("; ");
    assert!(
        !told(&kept.replace("tilt = true\n", "")).contains("effective share"),
        "not where values are kept"
    );
}

/// Proper synthesis aims at other tables in each file: shares vary more between files than those of plain draws.
#[test]
fn proper_synthesis_aims_at_drawn_tables() {
    let original = weak(400, 2, 4);
    let variance = |options: &str| {
        let made = generate(&original, &recipe(&format!("m = 60\n{options}"))).unwrap().tables;
        let shares: Vec<f64> = made.iter().map(|table| regions(table)[0] as f64 / 400.0).collect();
        let mean = shares.iter().sum::<f64>() / 60.0;
        shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / 59.0
    };
    let (plain, proper) = (variance(""), variance("[options]\nproper = true\n"));
    // Twice as much is expected; the ratio of two variances with 59 degrees of freedom is above 1.35 with probability 0.93 then.
    assert!(proper / plain > 1.2, "{proper} {plain}");
}

#[rstest]
#[case("[options]\ncandidates = 1\n", "option `candidates`")]
#[case("[options]\ntilt_classes = \"many\"\n", "option `tilt_classes`")]
#[case("[options]\ntilt = \"yes\"\n", "option `tilt`")]
#[case("[options]\ntilt = false\nno_copies = true\n", "say `tilt = true` too")]
#[case("[privacy]\nepsilon = 1.0\n", "`sequential` cannot be private")]
fn what_makes_no_sense_is_refused(#[case] options: &str, #[case] told: &str) {
    let original = weak(200, 2, 5);
    let text = format!("method = \"sequential\"\n{options}");
    let error = generate(&original, &Recipe::parse(&text).unwrap()).err().unwrap().to_string();
    assert!(error.contains(told), "{error}");
}
