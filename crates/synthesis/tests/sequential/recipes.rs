//! What a recipe says is done, in any order, size and number of interruptions.

use std::fmt::Write;

use rand::RngExt;
use synthesis::model_file::{ModelFile, SavedModel};
use synthesis::{Recipe, Run, fit};
use table::write::csv_text;
use table::{Column, Table};

use crate::{assert_share, codes, households, numbers, read, recipe, refusal, rng, synth, values};

#[test]
fn the_schema_is_kept_in_any_order_and_size() {
    let original = households(1_500);
    for options in [
        "",
        "[options]\norder = \"auto\"\n",
        "rows = 700\n[options]\norder = [\"day\", \"married\", \"area\", \"region\"]\n",
        "rows = 4000\nstrata = [\"adults > 1\"]\n[options]\nproper = true\n",
        "[options]\nmethod = \"sample\"\n",
        "[options]\npredictors = \"best 1\"\n",
        "[options]\nmethod = \"parametric\"\n[variables.area]\nmethod = \"nested\"\n[variables.day]\nmethod = \"pmm\"\n",
        "[options]\nsmoothing = \"spline\"\n",
        "[options]\nmethod = \"forest\"\ntrees = 3\n",
    ] {
        let made = synth(&original, options);
        assert!(made.column("id").is_ok() && made.rows() > 600);
        let pairs = |table: &Table| -> std::collections::BTreeSet<(u32, u32)> {
            codes(table, "region").into_iter().zip(codes(table, "area")).collect()
        };
        assert!(pairs(&made).is_subset(&pairs(&original)), "{options}");
        let sizes = values(&made, "size");
        let (adults, children) = (values(&made, "adults"), values(&made, "children"));
        assert!((0..made.rows()).all(|row| sizes[row] == adults[row] + children[row]));
        let Column::Integer(income) = made.column("income").unwrap() else { panic!("integers") };
        let coded = income.code_frequencies(1)[0] as usize;
        assert_share(coded, made.rows(), original.rows(), 0.1, options);
        assert_share(income.missing() as usize, made.rows(), original.rows(), 0.1, options);
    }
}

/// `z` copies `x` in 80 % of the records and nothing else does; the noise between them is no predictor of it where only one is asked for.
#[test]
fn the_best_predictors_keep_what_they_say() {
    let mut rng = rng(8);
    let mut text = String::from("x,a,b,c,z\n");
    for _ in 0..2_000 {
        let mut draw = || ["p", "q", "r", "s"][rng.random_range(0..4)];
        let (x, a, b, c, other) = (draw(), draw(), draw(), draw(), draw());
        let z = if rng.random_bool(0.8) { x } else { other };
        writeln!(text, "{x},{a},{b},{c},{z}").unwrap();
    }
    let original = read("", &text);
    let alike =
        |made: &Table| codes(made, "x").iter().zip(codes(made, "z")).filter(|(x, z)| **x == *z).count();
    let whole = csv_text(&synth(&original, ""));
    for options in ["[options]\npredictors = \"best 1\"\n", "[variables.z]\npredictors = \"best 1\"\n"] {
        let made = synth(&original, options);
        // 0.8 and a quarter of the rest.
        assert_share(alike(&made), made.rows(), original.rows(), 0.85, options);
        assert_ne!(csv_text(&made), whole, "{options}");
    }
    for options in [
        "[options]\npredictors = \"best 4\"\n",
        "[options]\npredictors = \"all\"\n",
        "[variables.z]\npredictors = \"all\"\n",
    ] {
        assert_eq!(csv_text(&synth(&original, options)), whole, "{options}: all there are");
    }
}

#[test]
fn some_variables_are_kept_others_constant_computed_or_sampled_together() {
    let original = households(900);
    let made = synth(
        &original,
        "[options]\nmethod = \"sample\"\nsmoothing = \"none\"\n[variables.region]\nmethod = \"keep\"\n[variables.area]\nmethod = \"keep\"\n\
         [variables.children]\nmethod = \"constant\"\nvalue = 2\n[variables.adults]\nwith = [\"married\", \"day\"]\n\
         [variables.income]\nwithin = [\"region\", \"adults > 1\"]\n",
    );
    assert_eq!(codes(&made, "region"), codes(&original, "region"), "kept in place");
    assert_eq!(codes(&made, "area"), codes(&original, "area"));
    assert!(values(&made, "children").iter().all(|children| *children == 2.0));
    let triples = |table: &Table| -> std::collections::BTreeSet<String> {
        let text = csv_text(&table.select(&["adults", "married", "day"]).unwrap());
        text.lines().map(str::to_owned).collect()
    };
    assert!(triples(&made).is_subset(&triples(&original)), "sampled together");
    let within = |table: &Table| -> std::collections::BTreeSet<(u32, bool, Option<i64>)> {
        let (region, adults, income) =
            (codes(table, "region"), values(table, "adults"), numbers(table, "income"));
        (0..table.rows())
            .map(|row| (region[row], adults[row] > 1.0, income[row].map(|income| income as i64)))
            .collect()
    };
    assert!(within(&made).is_subset(&within(&original)), "sampled within cells");
    let passive =
        synth(&original, "[variables.income]\nmethod = \"passive\"\nformula = \"150 + 10 * adults\"\n");
    assert!(
        values(&passive, "income")
            .iter()
            .zip(values(&passive, "adults"))
            .all(|(income, adults)| *income == 150.0 + 10.0 * adults)
    );
}

#[test]
fn auxiliary_variables_predict_and_are_not_released() {
    let original = households(1_000);
    let made = synth(
        &original,
        "[options]\nexcept = [\"area\"]\n[auxiliary.wealth]\nby = \"area\"\nscore = [\"income\", \"adults > 1\"]\n\
         [auxiliary.coarse]\ngroups_of = \"region\"\nrare = 340\n[variables.region]\nmethod = \"nested\"\nwithin = [\"coarse\"]\n\
         [variables.income]\npredictors = [\"wealth\"]\n",
    );
    assert!(made.column("wealth").is_err() && made.column("coarse").is_err());
    // Income depends on the region alone, and the score of an area tells its region.
    let (region, income) = (codes(&made, "region"), numbers(&made, "income"));
    let low = |row: usize| 100.0 * f64::from(region[row] + 1);
    let near = (0..made.rows())
        .filter(|row| income[*row].is_some_and(|income| (low(*row)..low(*row) + 100.0).contains(&income)));
    let there = income.iter().flatten().count();
    assert!(near.count() as f64 > 0.95 * there as f64);
}

#[test]
fn smoothing_moves_numbers_and_two_stages_keep_shares() {
    let mut rng = rng(6);
    let mut text = String::from("k,x\n");
    for _ in 0..5_000 {
        let u: f64 = rng.random();
        let k = if u < 0.6 {
            0
        } else if u < 0.85 {
            1
        } else {
            2 + rng.random_range(0..5)
        };
        writeln!(text, "k{k},{:.1}", 10.0 * rng.random::<f64>() + f64::from(k)).unwrap();
    }
    let original = read("", &text);
    let before: std::collections::BTreeSet<u64> =
        values(&original, "x").iter().map(|x| x.to_bits()).collect();
    for smoothing in ["density", "spline"] {
        let made = synth(&original, &format!("[options]\ntwo_stage = true\nsmoothing = \"{smoothing}\"\n"));
        let same = values(&made, "x").iter().filter(|x| before.contains(&x.to_bits())).count();
        assert!(same < 50, "{smoothing}: {same} numbers are those of the data");
        let mean = |table: &Table| values(table, "x").iter().sum::<f64>() / 5_000.0;
        // The standard deviation of x is about 3.2, that of the difference of two means 0.064.
        assert!((mean(&made) - mean(&original)).abs() < 0.32, "{smoothing}");
        let k = codes(&made, "k");
        for (code, truth) in [(0, 0.6), (1, 0.25), (4, 0.03)] {
            assert_share(k.iter().filter(|k| **k == code).count(), 5_000, 5_000, truth, "two stages");
        }
    }
}

#[test]
fn every_method_of_a_variable_is_the_same_after_a_walk_through_its_file() {
    let original = households(400);
    let folder = tempfile::tempdir().unwrap();
    for (number, options) in [
        "[options]\nmethod = \"parametric\"\n",
        "[options]\nmethod = \"quantile\"\nbins = 5\ntwo_stage = true\nfirst_stage = \"logreg\"\n",
        "[options]\nmethod = \"bagging\"\ntrees = 2\nproper = true\nsmoothing = \"density\"\n[variables.income]\nwithin = [\"region\"]\n",
        "[variables.adults]\nmethod = \"pmm\"\n[variables.children]\nmethod = \"sqrtnorm\"\n[variables.income]\nmethod = \"lognorm\"\nsmoothing = \"spline\"\n",
        "[options]\nmethod = \"sample\"\n[variables.region]\nmethod = \"keep\"\n[variables.adults]\nwith = [\"children\"]\nwithin = [\"region\"]\n\
         [auxiliary.wealth]\nby = \"area\"\nscore = [\"income\"]\n[auxiliary.coarse]\ngroups_of = \"area\"\nrare = 45\n",
    ]
    .into_iter()
    .enumerate()
    {
        let recipe = recipe(options);
        let fitted = fit(&original, &recipe, &Run::default()).unwrap();
        let path = folder.path().join(number.to_string());
        ModelFile::new(&fitted).unwrap().write(&path).unwrap();
        let again = SavedModel::read(&path).unwrap().fitted(&recipe).unwrap();
        assert_eq!(csv_text(&fitted.table(0).unwrap()), csv_text(&again.table(0).unwrap()), "{options}");
    }
}

#[test]
fn a_run_that_was_killed_at_any_variable_resumes_to_the_same_bytes() {
    let original = households(400);
    let folder = tempfile::tempdir().unwrap();
    for strata in ["", "strata = [\"region\"]\n"] {
        let recipe = Recipe { seed: None, ..recipe(&format!("{strata}[options]\nmin_bucket = 3\n")) };
        let kept = folder.path().join(format!("kept{}", strata.len()));
        let run = Run { checkpoint: Some(kept.clone()), ..Run::default() };
        // Killed at its very first write.
        std::fs::create_dir(&kept).unwrap();
        std::fs::write(kept.join(".lookalike-AbCdEf"), "half").unwrap();
        let whole = fit(&original, &recipe, &run).unwrap();
        let expected = csv_text(&whole.table(0).unwrap());
        let parts = if strata.is_empty() { kept.clone() } else { kept.join("stratum-2") };
        let mut files: Vec<_> =
            std::fs::read_dir(&parts).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with("part-"));
        files.sort();
        assert!(files.len() >= 8);
        // Killed before a part was written: it and all later ones are not there.
        for at in [0, 3, files.len() - 1] {
            files[at..].iter().for_each(|path| std::fs::remove_file(path).unwrap());
            let resumed = fit(&original, &recipe, &run).unwrap();
            assert_eq!(csv_text(&resumed.table(0).unwrap()), expected, "killed at part {at}");
        }
        let other = fit(&households(401), &recipe, &run).map(|_| ()).unwrap_err().to_string();
        assert!(other.contains("option `resume`") && other.contains("other data"), "{other}");
        synthesis::checkpoint::remove(&kept).unwrap();
        assert!(!kept.exists());
    }
}

#[test]
fn a_fit_tells_what_it_takes_and_where_it_is() {
    use std::sync::{Arc, Mutex};
    use table::watch::{Step, Watch};
    let told = Arc::new(Mutex::new(Vec::new()));
    let (of_parts, foretold) = (Arc::clone(&told), Arc::new(Mutex::new(None)));
    let estimate = Arc::clone(&foretold);
    let watch = Watch::new(move |step| match step {
        Step::Fitting { variable, of, .. } => of_parts.lock().unwrap().push((variable.to_owned(), of)),
        Step::Estimated { bytes, .. } => *estimate.lock().unwrap() = Some(bytes),
        other => panic!("{other:?} is no step of a fit"),
    });
    let run = Run { watch: watch.clone(), ..Run::default() };
    fit(&households(300), &recipe(""), &run).unwrap();
    let told = told.lock().unwrap();
    assert_eq!((told.len(), told[0].1), (8, 8), "every variable but the identifier");
    assert!(told.iter().any(|(variable, _)| variable == "income"));
    assert!(foretold.lock().unwrap().unwrap() > 10_000);
    watch.cancel().now();
    let cancelled = fit(&households(300), &recipe(""), &run).map(|_| ()).unwrap_err().to_string();
    assert!(cancelled.contains("cancelled"), "{cancelled}");
    let run = Run { memory: Some(1_000), ..Run::default() };
    let refused = fit(&households(300), &recipe(""), &run).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("option `memory`") && refused.contains("GiB"), "{refused}");
}

#[test]
fn after_synthesis_numbers_are_coded_uniques_removed_and_a_label_added() {
    let original = households(500);
    let after = "[after]\nlabel = \"FAKE\"\nremove_replicated_uniques = true\n[after.top]\nchildren = 2\n[after.bottom]\nincome = 150\n";
    // Every record is a copy of an original one but for `married`, so many are unique in both and must go.
    let text = format!(
        "[options]\nmethod = \"sample\"\n[variables.region]\nwith = [\"area\", \"adults\", \"children\", \"income\", \"day\"]\n{after}"
    );
    let fitted = fit(&original, &recipe(&text), &Run::default()).unwrap();
    let made = fitted.table(0).unwrap();
    assert_eq!(made.schema(), fitted.schema());
    assert_eq!(made.schema().variables()[0].name, "flag");
    assert!(made.rows() < 500 && csv_text(&made).lines().skip(1).all(|line| line.starts_with("FAKE,")));
    assert!(values(&made, "children").iter().all(|children| *children <= 2.0));
    assert!(numbers(&made, "income").iter().flatten().all(|income| *income >= 150.0));
    let sizes = values(&made, "size");
    assert!(
        sizes
            .iter()
            .zip(values(&made, "children"))
            .zip(values(&made, "adults"))
            .all(|((s, c), a)| *s == c + a)
    );
    for wrong in ["[after.top]\nsize = 3\n", "[after.top]\nregion = 3\n", "[after.top]\nincom = 3\n"] {
        assert!(refusal(&original, wrong).contains("option `after.top."), "{wrong}");
    }
}

#[test]
fn what_is_kept_is_told_and_a_release_of_the_data_is_refused() {
    let original = households(300);
    let made = fit(
        &original,
        &recipe("strata = [\"region\"]\n[variables.income]\nmethod = \"keep\"\n"),
        &Run::default(),
    )
    .unwrap();
    let told = "not synthesised but kept as in the data: income".to_owned();
    assert!(made.remarks().contains(&told), "{:?}", made.remarks());
    assert!(recipe("[variables.income]\nmethod = \"keep\"\n").keeps_values() && !recipe("").keeps_values());
    assert!(refusal(&original, "[options]\nmethod = \"keep\"\n").contains("the release would be the data"));
    let pairs = read("", "a,b\nx,1\ny,2\nx,3\n");
    let together = refusal(
        &pairs,
        "[options]\nmethod = \"sample\"\n[variables.a]\nmethod = \"sample\"\nwith = [\"b\"]\n",
    );
    assert!(together.contains("option `variables.a.with`: whole records of the data"), "{together}");
}

#[test]
fn draws_that_leave_the_range_are_told() {
    let mut rng = rng(8);
    let mut text = String::from("x,y\n");
    for _ in 0..1_000 {
        let y = if rng.random_bool(0.3) { 0.0 } else { rng.random::<f64>().powi(4) };
        writeln!(text, "{},{y}", rng.random::<f64>()).unwrap();
    }
    let remarks = |method: &str| {
        let recipe = recipe(&format!("[variables.y]\nmethod = \"{method}\"\n"));
        fit(&read("", &text), &recipe, &Run::default()).unwrap().remarks().join("; ")
    };
    assert!(remarks("norm").contains("`y`: about"), "{}", remarks("norm"));
    assert!(!(remarks("normrank") + &remarks("cart")).contains("`y`: about"));
}

#[test]
fn a_constant_is_constant_or_refused() {
    let text = "age,marital\n5,SINGLE\n40,MARRIED\n8,SINGLE\n50,SINGLE\n60,MARRIED\n";
    let schema = "[variables.age]\nkind = \"integer\"\ncodes = { -8 = \"unknown\" }\n[variables.marital]\nkind = \"categorical\"\nlevels = [\"SINGLE\", \"MARRIED\"]\n\
                  [[impossible]]\nwhere = \"age < 16 and marital = 'MARRIED'\"\n";
    let table = read(schema, text);
    let error =
        refusal(&table, "rows = 100\n[variables.marital]\nmethod = \"constant\"\nvalue = \"MARRIED\"\n");
    assert!(
        error.contains("option `variables.marital.value`: the schema does not allow it in some records"),
        "{error}"
    );
    let made = synth(&table, "[variables.age]\nmethod = \"constant\"\nvalue = -8\n");
    assert!(csv_text(&made).lines().skip(1).all(|line| line.starts_with("-8,")));
}
