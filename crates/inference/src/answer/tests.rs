use synthesis::{Recipe, generate, private};
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
    if recipe.privacy.is_some() {
        let fit = private::fit(&people, &recipe, privacy::NoiseSource::insecure_test_seed(5)).unwrap();
        let files = (0..recipe.m).map(|number| fit.fitted.table(number).unwrap()).collect();
        let original_rows = fit.fitted.original_rows() as u64;
        return (files, Provenance { recipe, original_rows, ledger: Some(fit.ledger) });
    }
    let seeded = Recipe { seed: Some(3), ..recipe.clone() };
    (generate(&people, &seeded).unwrap().tables, Provenance { recipe, original_rows: 600, ledger: None })
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
    let posterior = Manner { rule: Some(Rule::Posterior), ..Manner::default() };
    assert!(refused("method = \"catall\"", "share(sex)", posterior).contains("`dirichlet` releases"));
    assert!(refused(private, "mean(sex)", posterior).contains("ask for share"));
    let bootstrap_t =
        Manner { bootstrap_t: Some(Resampling { replicates: 99, seed: 1 }), ..Manner::default() };
    assert!(refused(private, "share(sex)", bootstrap_t).contains("leave --bootstrap-t out"));
}
