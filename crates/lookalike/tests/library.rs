//! Jobs by the library alone, as another front door would do them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

#[path = "../examples/whole_job.rs"]
#[allow(dead_code, reason = "its main is for the command line")]
mod whole_job;

use std::path::Path;

use lookalike::prelude::*;
use town::Town;

fn town(people: usize) -> Data {
    let schema = lookalike::table::schema::SchemaFile::parse(&Town::new(people, 1).schema()).unwrap();
    let table = read_csv_text(&Town::new(people, 1).csv(), &ReadOptions::default()).unwrap();
    Data::records("town", table).under(schema)
}

fn of_recipe(recipe: &str) -> Version {
    Version::OfRecipe(Box::new(Recipe::parse(recipe).unwrap()))
}

fn entries(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn the_library_refuses_a_release_that_breaks_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("release");
    let mut request =
        ReleaseRequest::new(town(300), of_recipe("method = \"catall\"\nseed = 1"), "the board", &out);
    request.questions.only = vec!["uniques".into()];
    request.limits = vec!["uniques.ru <= 0.001".into()];
    request.keep_copies = Some("to break the limit".into());
    let refused = request.run(&Watch::default()).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::CouldNot);
    assert!(refused.to_string().contains("breaks uniques.ru <= 0.001"), "{refused}");
    assert!(entries(folder.path()).is_empty(), "nothing was written");
    request.reasons.exception = Some("a demonstration".into());
    let released = request.run(&Watch::default()).unwrap();
    assert_eq!(released.decision.exception.as_deref(), Some("a demonstration"));
    let copies = released.manifest.copies.unwrap();
    assert!(
        copies > 0 && released.manifest.label.contains(&format!("{copies} of ")),
        "{}",
        released.manifest.label
    );
    assert!(VerifyRequest::new(&out).run().unwrap().passed);
}

#[test]
fn a_release_removes_copies_and_keeps_its_seed_secret() {
    let folder = tempfile::tempdir().unwrap();
    let request = |name: &str| {
        let recipe = of_recipe("method = \"sequential\"\nseed = 7\n");
        let mut request = ReleaseRequest::new(town(400), recipe, "the board", folder.path().join(name));
        request.questions.only = vec!["uniques".into()];
        request.limits = vec!["uniques.ru <= 100".into()];
        request
    };
    let released = |request: ReleaseRequest| {
        let manifest = request.run(&Watch::default()).unwrap().manifest;
        (manifest.files[0].sha256.clone(), manifest)
    };
    let (first, manifest) = released(request("first"));
    let (second, _) = released(request("second"));
    assert_ne!(first, second, "the seed of the recipe is not used");
    assert_eq!(manifest.seed_from, "the operating system");
    let again = |name: &str| released(ReleaseRequest { reproducible: true, ..request(name) });
    assert_eq!(again("third").0, again("fourth").0);
    assert!(again("fifth").1.seed_from.contains("guesses the seed"));
    let copied = released(ReleaseRequest { keep_copies: Some("a test".into()), ..request("sixth") }).1;
    assert!(manifest.copies.unwrap() <= copied.copies.unwrap());
    let mut seeded = request("seventh");
    seeded.amount.seed = Some(3);
    assert!(seeded.run(&Watch::default()).err().unwrap().to_string().contains("option `reproducible`"));
}

#[test]
fn what_no_limit_judges_and_what_is_too_small_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut request = ReleaseRequest::new(
        town(100),
        of_recipe("method = \"sequential\""),
        "the board",
        folder.path().join("out"),
    );
    request.questions.only = vec!["uniques".into()];
    let refused = request.run(&Watch::default()).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert!(refused.to_string().contains("option `no-limits`"), "{refused}");
    request.reasons.no_limits = Some("an exercise".into());
    let released = request.run(&Watch::default()).unwrap();
    assert!(released.decision.caveats.iter().any(|caveat| caveat.contains("an exercise")));
    let tiny = SynthesiseRequest::new(town(12), Recipe::new("sequential"));
    let refused = tiny.run(&Watch::default()).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert!(refused.to_string().contains("30 are needed"), "{refused}");
}

#[test]
fn the_library_refuses_learned_schemas_and_unpaid_looks() {
    let folder = tempfile::tempdir().unwrap();
    let learned = read_csv_text(&Town::new(200, 1).csv(), &ReadOptions::default()).unwrap();
    let request = |data, recipe| {
        let mut request = ReleaseRequest::new(data, recipe, "the board", folder.path().join("out"));
        request.questions.only = vec!["tables".into()];
        request
    };
    let refused =
        request(Data::records("town", learned), of_recipe("method = \"catall\"")).run(&Watch::default());
    assert_eq!(refused.err().unwrap().kind(), ErrorKind::Refused);
    let mut private = request(town(200), of_recipe("method = \"dirichlet\"\nprivacy = { epsilon = 1 }"));
    private.limits = vec!["tables.mean_s_pmse:1 <= 5".into()];
    assert_eq!(private.run(&Watch::default()).err().unwrap().kind(), ErrorKind::Refused);
    let learned = read_csv_text(&Town::new(200, 1).csv(), &ReadOptions::default()).unwrap();
    let recipe = Recipe::parse("method = \"dirichlet\"\nprivacy = { epsilon = 1 }").unwrap();
    let private = SynthesiseRequest::new(Data::records("town", learned), recipe);
    assert_eq!(private.run(&Watch::default()).err().unwrap().kind(), ErrorKind::Refused);
    assert_eq!(private.spending().err().unwrap().kind(), ErrorKind::Refused);
}

#[test]
fn cancelled_work_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    for after in ["fitting", "drawing"] {
        let cancel = Cancel::default();
        let from_within = cancel.clone();
        let watch = Watch::new(move |step| match step {
            Step::Fitting { done: 2, .. } if after == "fitting" => from_within.now(),
            Step::Drawing { done: 1, .. } if after == "drawing" => from_within.now(),
            _ => {}
        });
        let recipe = Recipe { m: 3, ..Recipe::new("sequential") };
        let request = SynthesiseRequest::new(town(400), recipe).into_folder(folder.path().join("out"));
        let cancelled = request.run(&watch.cancelled_by(cancel)).err().unwrap();
        assert_eq!(cancelled.kind(), ErrorKind::Cancelled, "{cancelled}");
        assert!(entries(folder.path()).is_empty(), "after {after}: {:?}", entries(folder.path()));
    }
    let watch = Watch::default();
    watch.cancel().now();
    let mut frontier = FrontierRequest::new(town(300));
    frontier.questions.only = vec!["tables".into(), "uniques".into()];
    assert_eq!(frontier.run(&watch).err().unwrap().kind(), ErrorKind::Cancelled);
    let found = MeasureRequest::new(town(300), vec![town(200)]).run(&watch);
    assert_eq!(found.err().unwrap().kind(), ErrorKind::Cancelled);
}

#[test]
fn wrong_requests_name_the_option_and_the_way_out() {
    let mut measure = MeasureRequest::new(town(100), vec![town(100)]);
    measure.questions.only = vec!["tables".into()];
    measure.seed = Some(1);
    let wrong = measure.run(&Watch::default()).err().unwrap();
    assert_eq!(wrong.kind(), ErrorKind::Usage);
    assert!(wrong.to_string().contains("option `seed`"), "{wrong}");
    let missing = VerifyRequest::new("no such release").run().err().unwrap();
    assert!(missing.to_string().contains("no such folder"), "{missing}");
    let nothing = FitRequest::new(["release"], Vec::new()).run(&Watch::default()).err().unwrap();
    assert!(nothing.to_string().contains("nothing is asked for"), "{nothing}");
}

/// A name that is not in the table is refused before anything is computed, alike by every job.
#[test]
fn variables_that_are_not_there_are_a_wrong_request_everywhere() {
    let asked = Questions { keys: vec![vec!["agge".into()]], ..Questions::default() };
    let mut measure = MeasureRequest::new(town(100), vec![town(100)]);
    measure.questions = asked.clone();
    let mut frontier = FrontierRequest::new(town(100));
    frontier.questions = asked.clone();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("release");
    let mut release = ReleaseRequest::new(town(100), of_recipe("method = \"catall\""), "the board", &out);
    (release.questions, release.limits) = (asked, vec!["uniques.ru <= 1".into()]);
    let watch = Watch::default();
    let refused = [
        measure.run(&watch).err().unwrap(),
        frontier.run(&watch).err().unwrap(),
        release.run(&watch).err().unwrap(),
    ];
    for wrong in refused {
        assert_eq!(wrong.kind(), ErrorKind::Usage, "{wrong}");
        assert!(wrong.to_string().contains("there is no variable `agge`; did you mean `age`?"), "{wrong}");
    }
}

/// The example does the whole job and says what it did.
#[test]
fn the_example_goes_from_a_table_to_conclusions() {
    let folder = tempfile::tempdir().unwrap();
    let text = whole_job::whole_job(&folder.path().join("out")).unwrap();
    for part in ["recommended: Some(", "passes: true", "income"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn a_release_from_counts_refuses_by_name_what_needs_the_records() {
    let schema = "[table]\ndeclared = true\nreason = \"invented\"\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
                  [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n";
    let schema = lookalike::table::schema::SchemaFile::parse(schema).unwrap().finish().unwrap();
    let schema = schema.reviewed().unwrap();
    let domain = lookalike::table::Domain::declared(&schema, 5).unwrap();
    let cells: [(&[u32], u64); 3] = [(&[0, 0], 40), (&[0, 1], 7), (&[1, 1], 30)];
    let all = lookalike::table::Attributes::all(&domain);
    let cross = lookalike::table::ContingencyTable::from_cells(all, &[2, 2], cells);
    let people = Data::counts("people", schema, lookalike::table::SparseSource::new(domain, cross));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("release");
    let request = || {
        let recipe = of_recipe("method = \"ipf\"");
        let mut request = ReleaseRequest::new(people.clone(), recipe, "the board", &out);
        request.limits = vec!["tables.mean_s_pmse <= 1000".into()];
        request.keep_copies = Some("counts of two variables".into());
        request
    };
    let refusal = |change: &dyn Fn(&mut ReleaseRequest)| {
        let mut changed = request();
        change(&mut changed);
        changed.run(&Watch::default()).err().unwrap()
    };
    let copies = refusal(&|request| request.keep_copies = None);
    assert_eq!(copies.kind(), ErrorKind::Refused, "{copies}");
    let asked = refusal(&|request| request.questions.only = vec!["tables".into(), "attribute".into()]);
    assert!(asked.to_string().contains("`attribute` needs the records themselves"), "{asked}");
    let limited = refusal(&|request| request.limits = vec!["attribute.disco <= 5".into()]);
    assert!(limited.to_string().contains("`attribute` needs the records themselves"), "{limited}");
    let described = DescribeRequest::new(people.clone()).run(&Watch::default()).err().unwrap();
    assert!(described.to_string().contains("`people` holds only their counts"), "{described}");
    assert!(entries(folder.path()).is_empty(), "nothing was written");
    let released = request().run(&Watch::default()).unwrap();
    assert!(released.findings.iter().any(|finding| finding.measure == "tables.s_pmse"));
    assert!(released.manifest.label.ends_with("was not counted"), "{}", released.manifest.label);
    assert!(VerifyRequest::new(&out).run().unwrap().passed);
}
