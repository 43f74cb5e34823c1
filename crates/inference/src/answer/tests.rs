use synthesis::{Recipe, Run, fit};
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;

use super::*;

const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
    [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
    [variables.smoke]\nkind = \"categorical\"\nlevels = [\"no\", \"yes\"]\n\
    [variables.edu]\nkind = \"categorical\"\nlevels = [\"low\", \"mid\", \"high\"]\n\
    [[impossible]]\nwhere = \"sex = 'F' and edu = 'mid'\"\n";

/// 600 people; 30 % of the women and half of the men smoke, and no woman is of middle education.
fn people() -> Table {
    let mut text = String::from("sex,smoke,edu\n");
    for row in 0..600 {
        let sex = if row % 2 == 0 { "F" } else { "M" };
        let smoke = if row % 20 < if sex == "F" { 6 } else { 10 } { "yes" } else { "no" };
        let edu = match (sex, row % 3) {
            (_, 0) => "low",
            ("M", 1) => "mid",
            _ => "high",
        };
        text += &format!("{sex},{smoke},{edu}\n");
    }
    let options = ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
    read_csv_text(&text, &options).unwrap()
}

fn made(recipe: &str) -> (Vec<Table>, Provenance) {
    let recipe = Recipe::parse(recipe).unwrap();
    let people = people();
    let seed = if recipe.privacy.is_some() { 5 } else { 3 };
    let fitted = fit(&people, &recipe, &Run::replayed(seed)).unwrap();
    let files = (0..recipe.m).map(|number| fitted.table(number).unwrap()).collect();
    let original_rows = fitted.original_rows() as u64;
    (files, Provenance { recipe, original_rows, ledger: fitted.ledger().cloned(), own_schema: None })
}

fn asked(recipe: &str, what: &str, manner: &Manner) -> Result<Answer, InferenceError> {
    let (files, provenance) = made(recipe);
    let released = Released {
        files: &files,
        original_rows: Some(provenance.original_rows),
        provenance: Some(&provenance),
    };
    answer(&released, &Estimand::parse(what).unwrap(), manner)
}

fn quantity<'a>(answer: &'a Answer, name: &str) -> &'a Quantity {
    answer.quantities.iter().find(|quantity| quantity.name == name).unwrap()
}

const TRUTH_OF_WOMEN: f64 = 0.3;

#[test]
fn a_dirichlet_release_is_read_by_its_posterior() {
    let recipe = "method = \"dirichlet\"\nm = 2\n[privacy]\nepsilon = 300.0\nrecords = 600\n";
    for target in [Target::Population, Target::Original] {
        let found = asked(recipe, "share(smoke) by sex", &Manner { target, ..Manner::default() }).unwrap();
        assert_eq!((found.rule.rule, found.rule.chosen_by), (Rule::Posterior, ChosenBy::Manifest));
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
        let women = quantity(&found, "smoke=yes | sex=F");
        assert!(women.interval.unwrap().covers(TRUTH_OF_WOMEN), "{women:?}");
        let (error, chain) = (women.standard_error.unwrap(), women.monte_carlo_error.unwrap());
        assert!(chain < 0.1 * error, "{women:?}");
        // What the file says is pulled towards a half; the posterior takes it back.
        assert!(women.estimate.unwrap() < women.mean_estimate.unwrap(), "{women:?}");
    }
    let of_original =
        asked(recipe, "share(smoke = yes)", &Manner { target: Target::Original, ..Manner::default() });
    let of_population = asked(recipe, "share(smoke = yes)", &Manner::default()).unwrap();
    let error = |answer: &Answer| answer.quantities[0].standard_error.unwrap();
    assert!(error(&of_original.unwrap()) < error(&of_population));
}

#[test]
fn cells_that_cannot_occur_have_no_posterior() {
    let recipe = "method = \"dirichlet\"\n[privacy]\nepsilon = 300.0\nrecords = 600\n";
    let found = asked(recipe, "table(edu, sex)", &Manner::default()).unwrap();
    let impossible = quantity(&found, "edu=mid sex=F");
    assert!(
        impossible.not_computed.as_ref().unwrap().contains("cannot occur") && impossible.interval.is_none()
    );
    // A third of the men are in the middle; the men of any education are as many as the women.
    let middle = quantity(&found, "edu=mid sex=M");
    assert!(middle.interval.unwrap().covers(1.0 / 6.0), "{middle:?}");
    let total: f64 = found.quantities.iter().filter_map(|quantity| quantity.estimate).sum();
    assert!((total - 1.0).abs() < 0.01, "{total}");
}

#[test]
fn a_noisy_model_is_bootstrapped_with_its_noise() {
    let resampling = Resampling { replicates: 99, seed: 4 };
    let manner = Manner { resampling, ..Manner::default() };
    let width = |recipe: &str, manner: &Manner| {
        let found = asked(recipe, "share(smoke = yes)", manner).unwrap();
        let interval = found.quantities[0].interval.unwrap();
        (found, interval.high - interval.low)
    };
    let recipe =
        |epsilon: f64| format!("method = \"catall\"\nm = 3\n[privacy]\nepsilon = {epsilon}\nrecords = 600\n");
    let (found, wide) = width(&recipe(0.1), &manner);
    assert_eq!((found.rule.rule, found.quantities[0].replicates), (Rule::Bootstrap, Some(99)));
    assert!(found.quantities[0].bias.is_some());
    assert_eq!(found, width(&recipe(0.1), &manner).0, "one seed, one answer");
    // Less noise, narrower; T_p sees none of the noise, which is common to the files.
    assert!(width(&recipe(10.0), &manner).1 < wide);
    let (combined, narrow) = width(&recipe(0.1), &Manner { rule: Some(Rule::Tp), ..manner });
    assert!(narrow < wide && combined.warnings[0].contains("it is private"), "{narrow} {wide}");
    assert_eq!(combined.rule.valid_rule, Rule::Bootstrap);
}

/// Questions that are asked together share the releases that are made again, each of which is told once, and have the answers that they have one by one.
#[test]
fn questions_share_the_releases_that_are_made_again() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let recipe = "method = \"ipf\"\nm = 2\n[privacy]\nepsilon = 2.0\nrecords = 600\n";
    let resampling = Resampling { replicates: 60, seed: 4 };
    let manner = Manner { resampling, ..Manner::default() };
    let (files, provenance) = made(recipe);
    let released = Released { files: &files, original_rows: Some(600), provenance: Some(&provenance) };
    let told = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&told);
    let watch = Watch::new(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let questions = ["share(smoke = yes)", "share(edu) by sex"].map(|what| Estimand::parse(what).unwrap());
    let together = answers(&released, &questions, &manner, &watch).unwrap();
    assert_eq!(told.load(Ordering::Relaxed), 60);
    for (question, found) in questions.iter().zip(&together) {
        assert_eq!(*found, answer(&released, question, &manner).unwrap());
    }
    watch.cancel().now();
    let ended = answers(&released, &questions, &manner, &watch);
    assert!(matches!(ended, Err(InferenceError::Table(table::TableError::Cancelled))));
}

#[test]
fn dispersed_counts_are_warned_of_and_weighted() {
    let recipe = "method = \"saturated\"\nm = 5\n[options]\nsigma = 10.0\n";
    let found = asked(recipe, "share(sex)", &Manner::default()).unwrap();
    assert_eq!((found.rule.rule, found.rule.weights), (Rule::Tp, Weights::NSyn));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    let found = asked(recipe, "share(sex)", &Manner { rule: Some(Rule::Ts), ..Manner::default() }).unwrap();
    assert!(found.warnings[0].contains("supposes sigma = 0") && found.warnings[0].contains("cover about"));
    let equal = Manner { weights: Some(Weights::Equal), ..Manner::default() };
    let found = asked(recipe, "share(sex)", &equal).unwrap();
    assert!(found.warnings[0].contains("--weights n-syn"), "{:?}", found.warnings);
    let two = asked(&recipe.replace("m = 5", "m = 2"), "share(sex)", &Manner::default()).unwrap();
    assert!(two.warnings[0].contains("five files or more"), "{:?}", two.warnings);
}

#[test]
fn bootstrap_t_replaces_the_quantiles() {
    let bootstrap_t = Some(Resampling { replicates: 199, seed: 2 });
    let manner = Manner { bootstrap_t, ..Manner::default() };
    let plain = asked("method = \"catall\"\nm = 2", "share(smoke = yes)", &Manner::default()).unwrap();
    let found = asked("method = \"catall\"\nm = 2", "share(smoke = yes)", &manner).unwrap();
    let (plain, found) = (&plain.quantities[0], &found.quantities[0]);
    assert_eq!((plain.estimate, plain.standard_error), (found.estimate, found.standard_error));
    let width = |quantity: &Quantity| quantity.interval.map(|interval| interval.high - interval.low).unwrap();
    // The share of a third of 600 records is near normal: the two agree within a fifth.
    assert!((width(found) / width(plain) - 1.0).abs() < 0.2 && found.interval != plain.interval);
    // Without a recipe, files are resampled.
    let (files, _) = made("method = \"catall\"\nm = 2");
    let released = Released { files: &files, original_rows: Some(600), provenance: None };
    let estimand = Estimand::parse("share(smoke = yes)").unwrap();
    let unknown = answer(&released, &estimand, &Manner { rule: Some(Rule::Ts), ..manner }).unwrap();
    assert!((width(&unknown.quantities[0]) / width(plain) - 1.0).abs() < 0.2);
    let few = Manner { bootstrap_t: Some(Resampling { replicates: 10, seed: 2 }), ..manner };
    assert!(answer(&released, &estimand, &few).unwrap_err().to_string().contains("at least 50"));
}

#[test]
fn pooled_and_t_s_agree_where_files_are_alike() {
    let by = |rule| {
        let found = asked(
            "method = \"catall\"\nm = 4",
            "share(smoke = yes)",
            &Manner { rule: Some(rule), ..Manner::default() },
        );
        found.unwrap().quantities[0].clone()
    };
    let (pooled, single) = (by(Rule::Pooled), by(Rule::Ts));
    assert!((pooled.estimate.unwrap() - single.estimate.unwrap()).abs() < 1e-12);
    // v of the pooled share is p (1 − p)/M at the mean share; the mean of v is a little less.
    assert!((pooled.standard_error.unwrap() / single.standard_error.unwrap() - 1.0).abs() < 0.01);
}

#[test]
fn what_cannot_be_had_is_said_quantity_by_quantity() {
    let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
    let files =
        crate::with_common_levels(vec![read("g,x\na,1\na,2\nb,3\nb,5\n"), read("g,x\na,1\na,3\n")]).unwrap();
    let released = Released { files: &files, original_rows: Some(4), provenance: None };
    let found = answer(&released, &Estimand::parse("mean(x) by g").unwrap(), &Manner::default()).unwrap();
    assert!(found.quantities[0].interval.is_some());
    let absent = &found.quantities[1];
    assert_eq!(absent.not_computed.as_deref(), Some("in file 2 of 2, no record is in its class"));
    assert!(absent.by_file[0].is_some() && absent.by_file[1].is_none() && absent.estimate.is_none());
    let share = answer(&released, &Estimand::parse("share(g) by g").unwrap(), &Manner::default());
    assert!(share.is_err(), "a variable twice");
}

#[test]
fn options_that_a_rule_does_not_honour_are_refused() {
    let refused =
        |recipe: &str, what: &str, manner: Manner| asked(recipe, what, &manner).unwrap_err().to_string();
    let private = "method = \"dirichlet\"\n[privacy]\nepsilon = 300.0\nrecords = 600\n";
    let weights = Manner { weights: Some(Weights::NSyn), ..Manner::default() };
    assert!(refused(private, "share(sex)", weights).contains("leave --weights out"));
    let alike = Manner { weights: Some(Weights::Equal), ..Manner::default() };
    assert!(refused(private, "share(sex)", alike).contains("leave --weights out"));
    assert!(refused("method = \"catall\"", "share(sex)", weights).contains("has one file"));
    let posterior = Manner { rule: Some(Rule::Posterior), ..Manner::default() };
    assert!(refused("method = \"catall\"", "share(sex)", posterior).contains("a strong prior makes private"));
    assert!(refused(private, "mean(sex)", posterior).contains("ask for share"));
    let bootstrap_t =
        Manner { bootstrap_t: Some(Resampling { replicates: 99, seed: 1 }), ..Manner::default() };
    assert!(refused(private, "share(sex)", bootstrap_t).contains("leave --bootstrap-t out"));
}

fn plain(text: &str) -> Table {
    read_csv_text(text, &ReadOptions::default()).unwrap()
}

fn model(formula: &str) -> Estimand {
    Estimand::Model {
        formula: models::Formula::parse(formula).unwrap(),
        family: models::ModelFamily::Gaussian,
    }
}

/// Without a record of the baseline a, the contrast of c is with b: −1 where it should be 3.
#[test]
fn a_file_without_the_baseline_does_not_count() {
    let files = crate::with_common_levels(vec![
        plain("g,y\na,1\na,3\nb,5\nb,7\nc,4\nc,6\n"),
        plain("g,y\nb,5\nb,7\nb,6\nc,4\nc,6\nc,5\n"),
    ]);
    let files = files.unwrap();
    let released = Released { files: &files, original_rows: Some(6), provenance: None };
    let found = answer(&released, &model("y ~ g"), &Manner::default()).unwrap();
    let contrast = quantity(&found, "gc");
    assert!(contrast.estimate.is_none() && contrast.by_file[1].is_none(), "{contrast:?}");
    let reason = contrast.not_computed.as_ref().unwrap();
    assert!(reason.contains("file 2 of 2") && reason.contains("baseline level is absent"), "{reason}");
}

/// In the second file nobody is of a and u: the interaction is aliased, and av is no longer the effect at u.
#[test]
fn a_file_without_the_baseline_of_an_interaction_does_not_count() {
    let all = "a,u,1\na,u,2\na,v,3\na,v,5\nb,u,4\nb,u,7\nb,v,9\nb,v,8\n";
    let some = "a,v,3\na,v,5\na,v,4\nb,u,4\nb,u,7\nb,v,9\nb,v,8\nb,v,8\n";
    let files = [all, some].map(|rows| plain(&format!("g,h,y\n{rows}"))).to_vec();
    let files = crate::with_common_levels(files).unwrap();
    let released = Released { files: &files, original_rows: Some(8), provenance: None };
    let found = answer(&released, &model("y ~ g*h"), &Manner::default()).unwrap();
    assert!(
        found.quantities.iter().all(|one| one.estimate.is_none() && one.by_file[0].is_some()),
        "{found:?}"
    );
    assert!(quantity(&found, "hv").not_computed.as_ref().unwrap().contains("mean something else"));
    // An aliased copy that no file can tell apart changes nothing.
    let found = answer(&released, &model("y ~ g + I(0 * y)"), &Manner::default()).unwrap();
    assert!(quantity(&found, "gb").estimate.is_some(), "{found:?}");
}

/// σ = 10 is stated and so few draws are released that a file may hold one: their own scatter is not looked at.
#[test]
fn a_normal_release_is_read_with_its_stated_deviation() {
    let schema =
        "[table]\ndeclared = true\nreason = \"invented\"\n[variables.x]\nkind = \"real\"\nrange = [0, 100]\n";
    let options = ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
    let text = "x\n".to_owned() + &"40\n60\n45\n55\n".repeat(100);
    let table = read_csv_text(&text, &options).unwrap();
    let recipe = "method = \"normal-release\"\nm = 3\nrows = 1\n[options]\nvariable = \"x\"\nsigma = 10\n[privacy]\nrho = 5.0\n";
    let recipe = Recipe::parse(recipe).unwrap();
    let fitted = fit(&table, &recipe, &Run::replayed(5)).unwrap();
    let files: Vec<Table> = (0..3).map(|number| fitted.table(number).unwrap()).collect();
    let original_rows = fitted.original_rows() as u64;
    let provenance = Provenance { recipe, original_rows, ledger: fitted.ledger().cloned(), own_schema: None };
    assert_eq!(provenance.known_original_rows(), Some(400));
    let released = Released { files: &files, original_rows: Some(400), provenance: Some(&provenance) };
    let mean = Estimand::parse("mean(x)").unwrap();
    let found = answer(&released, &mean, &Manner::default()).unwrap();
    assert_eq!((found.rule.rule, found.warnings.len()), (Rule::Ts, 0), "{:?}", found.warnings);
    let error = found.quantities[0].standard_error.unwrap();
    assert!((error * error - (100.0 / 3.0 + 100.0 / 400.0)).abs() < 1e-9, "{error}");
    assert!(found.quantities[0].interval.unwrap().covers(50.0));
    let again = Manner { rule: Some(Rule::Bootstrap), ..Manner::default() };
    assert!(answer(&released, &mean, &again).unwrap_err().to_string().contains("leave --rule"));
}

/// One of four files has a quarter of the budget, whether the other three are analysed or not: the prior's pull is the same.
#[test]
fn some_files_of_a_release_have_their_share_of_the_budget() {
    let recipe = "method = \"dirichlet\"\nm = 4\n[privacy]\nepsilon = 100.0\nrecords = 600\n";
    let (files, provenance) = made(recipe);
    let estimand = Estimand::parse("share(smoke = yes) by sex").unwrap();
    let resampling = Resampling { replicates: 99, seed: 4 };
    let manner = Manner { rule: Some(Rule::Bootstrap), resampling, ..Manner::default() };
    let bias = |files: &[Table]| {
        let released = Released { files, original_rows: Some(600), provenance: Some(&provenance) };
        answer(&released, &estimand, &manner).unwrap().quantities[0].bias.unwrap()
    };
    let (one, all) = (bias(&files[..1]), bias(&files));
    assert!(all > 0.02 && (one / all - 1.0).abs() < 0.35, "{one} {all}");
}

#[test]
fn the_posterior_uses_the_number_of_records_it_is_told() {
    let recipe = "method = \"dirichlet\"\n[privacy]\nepsilon = 300.0\nrecords = 600\n";
    let (files, provenance) = made(recipe);
    let estimand = Estimand::parse("share(smoke = yes)").unwrap();
    let with = |original_rows| {
        let released = Released { files: &files, original_rows, provenance: Some(&provenance) };
        answer(&released, &estimand, &Manner::default())
    };
    let error = |rows| with(Some(rows)).unwrap().quantities[0].standard_error.unwrap();
    assert!(error(60) > 1.5 * error(600), "{} {}", error(60), error(600));
    assert!(with(None).unwrap_err().to_string().contains("--original-rows N"));
}

#[test]
fn a_posterior_that_is_hardly_more_than_its_prior_says_so() {
    let of = |epsilon: f64| {
        let recipe = format!("method = \"dirichlet\"\n[privacy]\nepsilon = {epsilon:?}\nrecords = 600\n");
        asked(&recipe, "share(smoke = yes)", &Manner::default()).unwrap().quantities[0].remark.clone()
    };
    assert!(of(0.5).unwrap().contains("says little of it"));
    assert_eq!(of(300.0), None);
}

#[test]
fn noise_that_drowns_the_data_is_told_or_refused() {
    let resampling = Resampling { replicates: 60, seed: 4 };
    let manner = Manner { resampling, ..Manner::default() };
    let with = |epsilon: f64| {
        let recipe = format!("method = \"catall\"\nm = 2\n[privacy]\nepsilon = {epsilon:?}\nrecords = 600\n");
        asked(&recipe, "share(smoke) by sex", &manner)
    };
    // Ten cells, each of which gains up to about 1/(2ε) records: 1,000 at ε = 0.005, 50 at 0.1, 0.5 at 3.
    assert!(with(0.005).unwrap_err().to_string().contains("ask for a release of margins"));
    let some = with(0.1).unwrap().warnings.join("; ");
    assert!(some.contains("noise on 10 cells makes up to 50 records"), "{some}");
    assert!(with(3.0).unwrap().warnings.is_empty());
    // The prior of `dirichlet` at work a second time.
    let recipe = "method = \"dirichlet\"\n[privacy]\nepsilon = 50.0\nrecords = 600\n";
    let pulled = asked(recipe, "share(smoke) by sex", &Manner { rule: Some(Rule::Bootstrap), ..manner });
    let pulled = pulled.unwrap().warnings.join("; ");
    assert!(pulled.contains("one more release is off by"), "{pulled}");
}

#[test]
fn a_raked_release_has_no_original_estimate() {
    let (files, mut provenance) = made("method = \"ipf\"\nm = 2");
    provenance.recipe.set("totals = totals.csv").unwrap();
    let released = Released { files: &files, original_rows: Some(600), provenance: Some(&provenance) };
    let estimand = Estimand::parse("share(smoke = yes)").unwrap();
    let refused = |manner: Manner| answer(&released, &estimand, &manner).unwrap_err().to_string();
    let original = Manner { target: Target::Original, ..Manner::default() };
    assert!(refused(original).contains("leave --target out"));
    let again = Manner { bootstrap_t: Some(Resampling { replicates: 99, seed: 1 }), ..Manner::default() };
    assert!(refused(again).contains("leave --bootstrap-t out"));
    let found = answer(&released, &estimand, &Manner::default()).unwrap();
    assert!(found.warnings.iter().any(|warning| warning.contains("raked")), "{:?}", found.warnings);
}

#[test]
fn kept_values_and_one_file_leave_t_s_and_say_that_it_is_wide() {
    let recipe = "method = \"sequential\"\n[variables.sex]\nmethod = \"keep\"";
    let found = asked(recipe, "share(smoke = yes)", &Manner::default()).unwrap();
    assert_eq!((found.rule.rule, found.warnings.len()), (Rule::Ts, 0), "{:?}", found.warnings);
    assert!(found.rule.because.contains("errs on the wide side"));
    let two = asked(&format!("m = 2\n{recipe}"), "share(smoke = yes)", &Manner::default()).unwrap();
    assert_eq!(two.rule.rule, Rule::Partial);
    assert!(two.warnings[0].contains("five files or more"), "{:?}", two.warnings);
}

#[test]
fn bootstrap_t_names_its_quantiles_and_needs_no_warning_of_those_it_replaced() {
    let bootstrap_t = Some(Resampling { replicates: 99, seed: 2 });
    let manner = Manner { bootstrap_t, rule: Some(Rule::Ts), ..Manner::default() };
    let found = asked("method = \"saturated\"\nm = 2", "share(smoke = yes)", &manner).unwrap();
    assert_eq!(found.rule.formula, "T_s = v (n_syn/N + 1/m), quantiles by bootstrap-t");
    assert!(!found.warnings.iter().any(|warning| warning.contains("sigma = 0")), "{:?}", found.warnings);
}

#[test]
fn shares_of_few_records_are_remarked_on() {
    let file = plain(&("g\n".to_owned() + &"a\n".repeat(4) + &"b\n".repeat(396)));
    let estimand = Estimand::parse("share(g)").unwrap();
    let released =
        Released { files: std::slice::from_ref(&file), original_rows: Some(400), provenance: None };
    let found = answer(&released, &estimand, &Manner::default()).unwrap();
    // T_s is twice v: 0.01 · 0.99/T · 0.01 = 400/2 · 0.01.
    assert!(found.quantities.iter().all(|one| one.remark.as_ref().unwrap().contains("2.0 records")));
    let full = plain(&("g\n".to_owned() + &"a\nb\n".repeat(200)));
    let released = Released { files: std::slice::from_ref(&full), ..released };
    assert_eq!(answer(&released, &estimand, &Manner::default()).unwrap().quantities[0].remark, None);
}

/// A third of the records has no logarithm of the weight, a sixth no height; files without provenance are read as they are.
#[test]
fn records_without_a_value_are_left_out_aloud() {
    let mut text = String::from("weight,height\n");
    for row in 0..60 {
        let height = if row % 6 == 1 { String::new() } else { (150 + row % 7).to_string() };
        text += &format!("{},{height}\n", if row % 3 == 0 { 0 } else { 50 + row % 11 });
    }
    let files = [read_csv_text(&text, &ReadOptions::default()).unwrap()];
    let released = Released { files: &files, original_rows: Some(60), provenance: None };
    let left_out = |what: &str| {
        let estimand = if what.contains('~') {
            Estimand::Model {
                formula: models::Formula::parse(what).unwrap(),
                family: models::ModelFamily::Gaussian,
            }
        } else {
            Estimand::parse(what).unwrap()
        };
        let found = answer(&released, &estimand, &Manner::default()).unwrap();
        let warning = found.warnings.into_iter().find(|warning| warning.contains("left out"));
        warning.and_then(|warning| warning.split(" records").next().map(str::to_owned))
    };
    assert_eq!(left_out("height ~ log(weight)").as_deref(), Some("30 of 60"));
    assert_eq!(left_out("mean(height)").as_deref(), Some("10 of 60"));
    assert_eq!(left_out("mean(weight)"), None);
}
