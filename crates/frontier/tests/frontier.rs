//! Frontiers of real recipes: private methods, saturated models and trees on one map, with plans that the runs confirm.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use frontier::{AxisName, Battery, Contest, Contestant, Frontier, Imported, RunStore, grid, limits};
use measures::MEASURES;
use table::Table;
use table::read::{ReadOptions, read_csv_text, read_table};
use table::schema::SchemaFile;
use table::watch::{Step, Watch};
use town::Town;

const GRID: &str = "[[recipe]]\nname = \"cart\"\nmethod = \"sequential\"\n\
    [[recipe]]\nmethod = \"catall\"\n\
    [[recipe]]\nmethod = \"saturated\"\nm = [1, 3]\noptions = { sigma = [0.2, 2] }\n\
    [[recipe]]\nname = \"private\"\nmethod = \"ipf\"\nprivacy = { epsilon = [0.5, 5] }\n";

/// Cheap families that a map needs.
const FAMILIES: [&str; 5] = ["tables", "taub", "uniques", "attribute", "tau"];

fn contest<'a>(original: &'a Table, grid_text: &str, repeat: u32) -> Contest<'a> {
    let families = MEASURES.iter().copied().filter(|family| FAMILIES.contains(&family.name())).collect();
    let mut settings = Battery::usual(original.columns().len());
    settings.ways = vec![1, 2];
    let battery = Battery::new(settings, families);
    let [_, utility] = battery.usual_axes(3).unwrap();
    Contest {
        data_set: original,
        original,
        data: "people.csv".into(),
        entries: grid::parse(grid_text).unwrap(),
        imported: Vec::new(),
        battery,
        risk: AxisName::new("uniques.ru"),
        utility,
        limits: vec![limits::parse("epsilon <= 1").unwrap()],
        repeat,
        seed: 7,
        remarks: Vec::new(),
    }
}

/// The categorical variables of the town, declared as its code book has them.
fn categorical_town(people: usize) -> Table {
    const VARIABLES: [&str; 5] = ["sex", "district", "marital", "education", "disability"];
    let schema = SchemaFile::parse(&Town::default().schema()).unwrap();
    let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
    let town = read_csv_text(&Town::new(people, 5).csv(), &options).unwrap();
    town.select(&VARIABLES).unwrap()
}

fn find<'a>(frontier: &'a Frontier, name: &str) -> &'a Contestant {
    frontier.contestants.iter().find(|contestant| contestant.name == name).unwrap()
}

/// Every planned number lies within 4.5 standard errors of the mean of the runs; two runs in a million would miss by chance, if normal.
fn plans_hold(frontier: &Frontier) -> usize {
    let mut confirmed = 0;
    for contestant in &frontier.contestants {
        for (axis, planned) in contestant.planned.iter().enumerate() {
            let Some(planned) = planned else { continue };
            let value = contestant.values[axis].unwrap();
            let error = value.sd.unwrap() / f64::from(contestant.runs).sqrt();
            assert!(
                (value.mean - planned).abs() <= 4.5 * error,
                "{} {}: planned {planned}, found {value:?}",
                contestant.name,
                frontier.axes[axis].measure
            );
            confirmed += 1;
        }
    }
    confirmed
}

#[test]
fn one_map_holds_private_methods_saturated_models_and_trees() {
    let town = categorical_town(600);
    let contest = contest(&town, GRID, 8);
    let (frontier, timings) = contest.run(&RunStore::nowhere(), &Watch::default()).unwrap();
    assert_eq!(frontier.contestants.len(), 8);
    for contestant in &frontier.contestants {
        assert_eq!((contestant.runs, &contestant.failed), (8, &None), "{}", contestant.name);
        let place = contestant.place.as_ref().unwrap();
        assert!((0.0..=1.0).contains(&place.dominated_probability));
        assert_eq!(place.on_front, place.dominated_by.is_empty());
        assert_eq!(place.acceptable, contestant.epsilon.is_some_and(|epsilon| epsilon <= 1.0));
        assert!(contestant.scores.is_some() && timings.contestants.contains_key(&contestant.name));
        // The mean of every finding with its spread.
        let finding =
            contestant.findings.iter().find(|finding| finding.measure == "tables.mean_s_pmse").unwrap();
        assert_eq!(finding.detail["each"].as_array().unwrap().len(), 8);
    }
    // Uniques of catall; uniques and tau of four saturated settings.
    assert_eq!(plans_hold(&frontier), 2 + 4 * 4);
    assert!(find(&frontier, "catall").remarks.iter().any(|remark| remark.contains("confirm the plan")));
    assert_eq!(frontier.recommendation.name.as_deref(), Some("private-0.5"));
    // More noise is less utility: the axis of utility is a loss.
    let utility = frontier.axes.iter().position(|axis| *axis == frontier.utility).unwrap();
    let loss = |name: &str| find(&frontier, name).values[utility].unwrap().mean;
    assert!(loss("private-0.5") > loss("private-5") && loss("saturated-m1-2") > loss("saturated-m1-0.2"));
}

/// A watch that notes how many runs an interrupted frontier had left.
fn counting_kept_runs() -> (Arc<AtomicUsize>, Watch) {
    let kept = Arc::new(AtomicUsize::new(0));
    let noted = Arc::clone(&kept);
    let watch = Watch::new(move |step| {
        if let Step::Running { kept, .. } = step {
            noted.store(kept, Ordering::Relaxed);
        }
    });
    (kept, watch)
}

#[test]
fn a_cancelled_frontier_keeps_what_was_run() {
    let town = categorical_town(200);
    let folder = tempfile::tempdir().unwrap();
    let store = RunStore::within(folder.path()).unwrap();
    let cancel = table::watch::Cancel::default();
    let from_within = cancel.clone();
    let watch = Watch::new(move |step| {
        if matches!(step, Step::Running { done: 2.., .. }) {
            from_within.now();
        }
    });
    let grid = "[[recipe]]\nmethod = \"catall\"\n";
    let error = contest(&town, grid, 50).run(&store, &watch.cancelled_by(cancel)).unwrap_err().to_string();
    assert!(error.contains("cancelled"), "{error}");
    let kept = std::fs::read_dir(folder.path().join("runs")).unwrap().count();
    assert!((2..50).contains(&kept), "{kept} runs were kept");
}

#[test]
fn an_interrupted_frontier_goes_on_and_is_the_same() {
    let town = categorical_town(200);
    let folder = tempfile::tempdir().unwrap();
    let grid = "[[recipe]]\nmethod = \"catall\"\n[[recipe]]\nmethod = \"saturated\"\n\
                [[recipe]]\nmethod = \"ipf\"\nprivacy = { epsilon = 1 }\n";
    let whole = contest(&town, grid, 3).run(&RunStore::nowhere(), &Watch::default()).unwrap().0;
    // Two recipes first, as if the third had not been reached; then one run is lost and one is half written.
    let mut part = contest(&town, grid, 3);
    part.entries.truncate(2);
    part.run(&RunStore::within(folder.path()).unwrap(), &Watch::default()).unwrap();
    std::fs::remove_file(folder.path().join("runs/catall-2.json")).unwrap();
    std::fs::write(folder.path().join("runs/saturated-1.json"), "{\"key\": \"").unwrap();
    let (found_again, watch) = counting_kept_runs();
    let store = RunStore::within(folder.path()).unwrap();
    let resumed = contest(&town, grid, 3).run(&store, &watch).unwrap().0;
    assert_eq!(found_again.load(Ordering::Relaxed), 4);
    assert_eq!(serde_json::to_string(&resumed).unwrap(), serde_json::to_string(&whole).unwrap());
    // Other settings do not take these runs for theirs.
    let other = Contest { seed: 8, ..contest(&town, grid, 3) };
    other.run(&store, &watch).unwrap();
    assert_eq!(found_again.load(Ordering::Relaxed), 0);
}

/// The same file, read with another text for missing values, has other records.
#[test]
fn runs_of_other_records_are_not_taken() {
    let text: String =
        (0..60).map(|at| format!("{},{}\n", ["F", "M"][at % 2], ["a", "b", "c"][at % 3])).collect();
    let read = |missing: &str| {
        let options = ReadOptions { missing: vec![missing.into()], ..ReadOptions::default() };
        read_csv_text(&format!("sex,town\n{text}"), &options).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let store = RunStore::within(folder.path()).unwrap();
    let (found_again, watch) = counting_kept_runs();
    let again = |original: &Table, imported: &Table| {
        let mut contest = contest(original, "[[recipe]]\nmethod = \"catall\"\n", 1);
        contest.imported = vec![Imported {
            name: "other".into(),
            files: vec!["o.csv".into()],
            tables: vec![Arc::new(imported.clone())],
        }];
        contest.run(&store, &watch).unwrap();
        found_again.load(Ordering::Relaxed)
    };
    let (complete, with_missing) = (read("NA"), read("c"));
    assert_eq!(again(&complete, &complete), 0);
    assert_eq!(again(&complete, &complete), 2);
    assert_eq!(again(&complete, &with_missing), 1, "the imported file was read otherwise");
    assert_eq!(again(&with_missing, &with_missing), 0, "the data were read otherwise");
}

#[test]
fn threads_do_not_change_a_frontier() {
    let town = categorical_town(200);
    let grid =
        "[[recipe]]\nname = \"cart\"\nmethod = \"sequential\"\n[[recipe]]\nmethod = \"saturated\"\nm = 2\n";
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let contest = contest(&town, grid, 3);
        pool.install(|| {
            serde_json::to_string(&contest.run(&RunStore::nowhere(), &Watch::default()).unwrap().0).unwrap()
        })
    };
    assert_eq!(with_threads(1), with_threads(4));
}

#[test]
fn files_of_other_tools_take_part_if_their_columns_agree() {
    let town = categorical_town(200);
    let mut contest = contest(&town, "[[recipe]]\nmethod = \"catall\"\n", 2);
    let import = |tables: Vec<Table>| Imported {
        name: "other".into(),
        files: vec!["other.csv".into()],
        tables: tables.into_iter().map(Arc::new).collect(),
    };
    contest.imported = vec![import(vec![categorical_town(150), town.clone()])];
    let (frontier, _) = contest.run(&RunStore::nowhere(), &Watch::default()).unwrap();
    assert_eq!(find(&frontier, "other").runs, 1);
    contest.imported = vec![import(vec![town.select(&["sex", "district", "marital"]).unwrap()])];
    let error = contest.run(&RunStore::nowhere(), &Watch::default()).unwrap_err().to_string();
    assert!(error.contains("without education, disability"), "{error}");
}

#[test]
fn a_contestant_that_cannot_be_run_has_a_reason_and_no_place() {
    let people = read_csv_text("sex,town\nF,a\nM,b\nF,b\nM,a\n", &ReadOptions::default()).unwrap();
    let grid = "[[recipe]]\nmethod = \"catall\"\n[[recipe]]\nname = \"dp\"\nmethod = \"catall\"\nprivacy = { epsilon = 1 }\n";
    let (frontier, _) = contest(&people, grid, 2).run(&RunStore::nowhere(), &Watch::default()).unwrap();
    let failed = find(&frontier, "dp");
    assert!(failed.failed.as_ref().unwrap().contains("declared schema") && failed.place.is_none());
    assert_eq!(frontier.recommendation.name, None);
}

/// S7 of Raab (2022): 5,000 people, seven grouped variables.
#[test]
fn the_plan_lies_within_the_runs_on_s7() {
    let Some(path) = shared_data::find("data/sd2011_s7.csv") else { return };
    let learned = read_table(&path, &ReadOptions::default()).unwrap();
    let text = learned.schema().to_toml();
    let text = text.replacen("declared = false", "declared = true", 1).replacen(
        "reason = \"\"",
        "reason = \"the code book\"",
        1,
    );
    let text = text.replace("domain = \"learned\"\n", "");
    assert!(text.contains("declared = true"), "{text}");
    let schema = SchemaFile::parse(&text).unwrap();
    let s7 = read_table(&path, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap();
    let contest = contest(&s7, GRID, 6);
    let (frontier, _) = contest.run(&RunStore::nowhere(), &Watch::default()).unwrap();
    assert!(frontier.contestants.iter().all(|contestant| contestant.place.is_some()));
    assert!(plans_hold(&frontier) >= 2 + 4 * 3);
}
