//! Sequential synthesis: known truths are recovered, what a recipe says is done, what it cannot say is refused.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution, StandardNormal};
use rstest::rstest;
use statistics::regression::{Design, linear};
use synthesis::model_file::ModelFile;
use synthesis::{Recipe, Run, fit, fit_watched, generate};
use table::column::Entry;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::write::csv_text;
use table::{Column, Table};

fn read(schema: &str, text: &str) -> Table {
    let schema = (!schema.is_empty()).then(|| SchemaFile::parse(schema).unwrap());
    read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
}

fn recipe(text: &str) -> Recipe {
    Recipe { seed: Some(5), ..Recipe::parse(&format!("method = \"sequential\"\n{text}")).unwrap() }
}

fn synth(table: &Table, text: &str) -> Table {
    let made = generate(table, &recipe(text)).unwrap().tables.remove(0);
    assert!(made.violations().unwrap().is_empty());
    made
}

fn refusal(table: &Table, text: &str) -> String {
    generate(table, &recipe(text)).map(|_| ()).unwrap_err().to_string()
}

fn numbers(table: &Table, name: &str) -> Vec<Option<f64>> {
    let column = table.column(name).unwrap();
    let number = |row| match column.number(row) {
        Some(Entry::Value(value)) => Some(value),
        _ => None,
    };
    (0..table.rows()).map(number).collect()
}

fn values(table: &Table, name: &str) -> Vec<f64> {
    numbers(table, name).into_iter().map(Option::unwrap).collect()
}

fn codes(table: &Table, name: &str) -> Vec<u32> {
    let Column::Categorical(codes) = table.column(name).unwrap() else { panic!("categorical") };
    codes.iter().collect()
}

fn rng(seed: u64) -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(seed)
}

/// Whether a share of `of` records is within five standard errors of both samples of a truth: an error rate of 6e-7.
#[track_caller]
fn assert_share(count: usize, of: usize, originals: usize, truth: f64, what: &str) {
    let share = count as f64 / of as f64;
    let error = (truth * (1.0 - truth) * (1.0 / of as f64 + 1.0 / originals as f64)).sqrt();
    assert!((share - truth).abs() < 5.0 * error + 1e-12, "{what}: {share} is not {truth} within {error}");
}

#[test]
fn a_known_tree_is_recovered_and_missing_values_follow_their_subgroup() {
    // P(y = hot) is 0.9 for a and x < 0.3, 0.5 for a and x above, 0.1 for b; pay is missing for half of the b and for nobody else.
    let mut rng = rng(1);
    let mut text = String::from("g,x,y,pay\n");
    let rows = 20_000;
    for _ in 0..rows {
        let (a, x): (bool, f64) = (rng.random_bool(0.4), rng.random());
        let hot = rng.random_bool(if !a {
            0.1
        } else if x < 0.3 {
            0.9
        } else {
            0.5
        });
        let pay = if !a && rng.random_bool(0.5) { String::new() } else { format!("{:.2}", 10.0 + 5.0 * x) };
        writeln!(text, "{},{x:.4},{},{pay}", if a { "a" } else { "b" }, if hot { "hot" } else { "cold" })
            .unwrap();
    }
    let original = read("", &text);
    for method in ["cart", "bagging"] {
        let made = synth(
            &original,
            &format!("[options]\nmethod = \"{method}\"\nmin_bucket = 50\ncomplexity = 1e-4\n"),
        );
        let (g, x, y, pay) =
            (codes(&made, "g"), values(&made, "x"), codes(&made, "y"), numbers(&made, "pay"));
        let cells = [("b", 0.1), ("a below", 0.9), ("a above", 0.5)];
        for (cell, (name, truth)) in cells.into_iter().enumerate() {
            let inside = |row: &usize| match cell {
                0 => g[*row] == 1,
                1 => g[*row] == 0 && x[*row] < 0.3,
                _ => g[*row] == 0 && x[*row] >= 0.3,
            };
            let rows: Vec<usize> = (0..g.len()).filter(inside).collect();
            let hot = rows.iter().filter(|row| y[**row] == 1).count();
            assert_share(hot, rows.len(), rows.len(), truth, &format!("{method} {name}"));
            let missing = rows.iter().filter(|row| pay[**row].is_none()).count();
            let truth = if cell == 0 { 0.5 } else { 0.0 };
            assert_share(missing, rows.len(), rows.len(), truth, &format!("{method} missing {name}"));
        }
    }
}

/// In one leaf: of 200 records 140 yes and 60 no in one group, 80 and 120 in the other, and in the first 30 more of a rare answer.
fn two_groups() -> Table {
    let mut text = String::from("g,y\n");
    for (g, y, records) in
        [("a", "yes", 140), ("a", "no", 60), ("b", "yes", 80), ("b", "no", 120), ("a", "dk", 30)]
    {
        (0..records).for_each(|_| writeln!(text, "{g},{y}").unwrap());
    }
    read("", &text)
}

/// The share of an answer, as a code of `y`, in a group.
fn share(table: &Table, group: u32, answer: u32) -> (usize, usize) {
    let (g, y) = (codes(table, "g"), codes(table, "y"));
    let rows: Vec<usize> = (0..g.len()).filter(|row| g[*row] == group).collect();
    (rows.iter().filter(|row| y[**row] == answer).count(), rows.len())
}

#[test]
fn main_effects_weigh_the_donors_of_a_leaf_by_observed_over_expected() {
    // The rare answer keeps its share of the leaf, 30 of 430. Of the others 220 of 400 are yes; each factor is (observed + 3) / (expected + 3).
    let chance = |yes: f64, no: f64| {
        let (of_yes, of_no) = (110.0 * (yes + 3.0) / (110.0 + 3.0), 90.0 * (no + 3.0) / (90.0 + 3.0));
        400.0 / 430.0 * of_yes / (of_yes + of_no)
    };
    let plain = 220.0 / 430.0;
    for (options, of_a, of_b) in [
        ("min_bucket = 300\n", chance(140.0, 60.0), chance(80.0, 120.0)),
        ("min_bucket = 300\nmain_effects = false\n", plain, plain),
        ("min_bucket = 300\n[options.variables.y]\nmain_effects = false\n", plain, plain),
    ] {
        let made = synth(&two_groups(), &format!("rows = 100000\n[options]\n{options}"));
        // Levels in the order of the alphabet: dk, no, yes.
        for (group, answer, truth) in [(0, 2, of_a), (1, 2, of_b), (0, 0, 30.0 / 430.0), (1, 0, 30.0 / 430.0)]
        {
            let (count, of) = share(&made, group, answer);
            assert_share(count, of, of, truth, options);
        }
    }
}

/// One record in a hundred refuses half of twenty questions. What is rare and comes in clusters must not be lost on the way.
#[test]
fn main_effects_keep_the_share_of_rare_answers() {
    let (mut rng, items) = (rng(41), 20);
    let names: Vec<String> = (0..items).map(|item| format!("q{item}")).collect();
    let mut text = format!("{}\n", names.join(","));
    for record in 0..4_000 {
        let answer = |_| match (record % 100 == 0 && rng.random_bool(0.5), rng.random_bool(0.4)) {
            (true, _) => "refused",
            (false, true) => "yes",
            (false, false) => "no",
        };
        writeln!(text, "{}", (0..items).map(answer).collect::<Vec<_>>().join(",")).unwrap();
    }
    let original = read("", &text);
    let refused = |table: &Table| {
        let of = |name: &String| codes(table, name).iter().filter(|code| **code == 1).count() as f64;
        names[10..].iter().map(of).sum::<f64>() / 10.0 / table.rows() as f64
    };
    let made = synth(&original, "rows = 40000\n[options]\nmin_bucket = 20\n");
    // Without the rule less than half is left.
    let ratio = refused(&made) / refused(&original);
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
}

#[test]
fn proper_synthesis_draws_main_effects_too() {
    let difference = |options: &str| {
        let options = format!("rows = 5000\nm = 40\n[options]\nmin_bucket = 300\n{options}");
        let tables = generate(&two_groups(), &recipe(&options)).unwrap().tables;
        let of = |table: &Table| {
            let of_group = |group| {
                let (count, of) = share(table, group, 2);
                count as f64 / of as f64
            };
            of_group(0) - of_group(1)
        };
        let all: Vec<f64> = tables.iter().map(of).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (all.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 39.0).sqrt()
    };
    // Of 200 records a share has a standard error of 0.035, a difference 0.049; of 2,500 synthetic ones 0.014.
    let (fixed, drawn) = (difference(""), difference("proper = true\n"));
    assert!(fixed < 0.02 && drawn > 0.035 && drawn < 0.07, "{fixed} {drawn}");
}

/// 30 % and 10 % of two groups: the most frequent level is the same in both, so rpart's risk sees nothing to gain by telling them apart.
#[test]
fn a_split_that_does_not_change_the_most_frequent_level_goes_by_misclassification() {
    let mut text = String::from("g,y\n");
    for (g, y, records) in [("a", "yes", 300), ("a", "no", 700), ("b", "yes", 100), ("b", "no", 900)] {
        (0..records).for_each(|_| writeln!(text, "{g},{y}").unwrap());
    }
    let original = read("", &text);
    for (risk, truth) in [("impurity", [0.3, 0.1]), ("misclassification", [0.2, 0.2])] {
        let options = format!("rows = 50000\n[options]\nmain_effects = false\nrisk = \"{risk}\"\n");
        let made = synth(&original, &options);
        let (g, y) = (codes(&made, "g"), codes(&made, "y"));
        for (group, truth) in truth.into_iter().enumerate() {
            let rows: Vec<usize> = (0..g.len()).filter(|row| g[*row] == group as u32).collect();
            let yes = rows.iter().filter(|row| y[**row] == 1).count();
            assert_share(yes, rows.len(), rows.len(), truth, risk);
        }
    }
}

/// As many levels as enumeration districts in the challenge; a search over subsets would never end.
#[rstest]
#[case::as_predictor("")]
#[case::as_response("order = [\"hot\"]\n")]
fn a_factor_of_888_levels_predicts_and_is_predicted(#[case] order: &str) {
    let mut rng = rng(31);
    let mut text = String::from("district,hot\n");
    for _ in 0..8_000 {
        let district = rng.random_range(0..888);
        let hot = rng.random_bool(if district < 222 { 0.9 } else { 0.2 });
        writeln!(text, "d{district:03},{}", if hot { "yes" } else { "no" }).unwrap();
    }
    let original = read("", &text);
    let made = synth(&original, &format!("[options]\n{order}"));
    let share = |table: &Table| {
        let (district, hot) = (codes(table, "district"), codes(table, "hot"));
        let rows: Vec<usize> = (0..table.rows()).filter(|row| district[*row] < 222).collect();
        (rows.len(), rows.iter().filter(|row| hot[**row] == 1).count() as f64 / rows.len() as f64)
    };
    let ((records, truth), (drawn, found)) = (share(&original), share(&made));
    // Shares of about 2,000 records each: five standard errors of their difference.
    let error = (truth * (1.0 - truth) * (1.0 / records as f64 + 1.0 / drawn as f64)).sqrt();
    assert!((found - truth).abs() < 5.0 * error, "{truth} {found}");
}

/// Forty weak effects, of which a tree of leaves of 50 records holds six or seven on a path.
#[test]
fn main_effects_keep_weak_associations_that_a_tree_leaves_out() {
    let (mut rng, weak, records) = (rng(21), 40, 4_000);
    let names: Vec<String> = (0..weak).map(|place| format!("x{place}")).collect();
    let mut text = format!("{},y\n", names.join(","));
    for _ in 0..records {
        let x: Vec<u8> = (0..weak).map(|_| u8::from(rng.random_bool(0.5))).collect();
        let logit: f64 = x.iter().map(|x| 0.4 * (f64::from(*x) - 0.5)).sum();
        let y = rng.random_bool(1.0 / (1.0 + (-logit).exp()));
        let x: Vec<&str> = x.iter().map(|x| ["no", "yes"][usize::from(*x)]).collect();
        writeln!(text, "{},{}", x.join(","), if y { "hot" } else { "cold" }).unwrap();
    }
    let original = read("", &text);
    // The mean over the predictors of the share of `hot` among `yes` less that among `no`.
    let difference = |table: &Table| {
        let y = codes(table, "y");
        let share = |x: &[u32], level: u32| {
            let rows = || (0..x.len()).filter(|row| x[*row] == level);
            rows().filter(|row| y[*row] == 1).count() as f64 / rows().count() as f64
        };
        let of = |name: &String| {
            let x = codes(table, name);
            share(&x, 1) - share(&x, 0)
        };
        names.iter().map(of).sum::<f64>() / names.len() as f64
    };
    let options = "[options]\nmin_bucket = 50\n";
    let truth = difference(&original);
    let with = difference(&synth(&original, options));
    let without = difference(&synth(&original, &format!("{options}main_effects = false\n")));
    // With this seed 0.075 in the original, 0.061 with main effects and 0.022 without; the standard error of each is about 0.0025.
    assert!(with > 0.7 * truth && with < truth + 4.0 * 0.0025, "{truth} {with} {without}");
    assert!(without < 0.5 * truth, "{truth} {with} {without}");
}

#[test]
fn linear_models_recover_their_coefficients() {
    let mut rng = rng(2);
    let mut text = String::from("x,g,y,z\n");
    let rows = 8_000;
    for _ in 0..rows {
        let (x, e, f): (f64, f64, f64) = (
            StandardNormal.sample(&mut rng),
            StandardNormal.sample(&mut rng),
            StandardNormal.sample(&mut rng),
        );
        let g = u8::from(rng.random_bool(0.5));
        let y = 1.0 + 2.0 * x - 3.0 * f64::from(g) + 0.7 * e;
        writeln!(text, "{x:.6},{},{y:.6},{:.6}", ["n", "o"][usize::from(g)], (0.3 * x + 0.2 * f).exp())
            .unwrap();
    }
    // Wide bounds, so that no draw is cut.
    let schema = "[variables.x]\nkind = \"real\"\n[variables.g]\nkind = \"categorical\"\nlevels = [\"n\", \"o\"]\n[variables.y]\nkind = \"real\"\n[variables.z]\nkind = \"real\"\n";
    let original = read(schema, &text);
    let coefficients = |table: &Table, of: &[f64]| {
        let g: Vec<f64> = codes(table, "g").iter().map(|code| f64::from(*code)).collect();
        let design = Design::of_columns(vec![vec![1.0; of.len()], values(table, "x"), g]).unwrap();
        let fit = linear(&design, of, None).unwrap();
        (fit.complete_coefficients(), fit.standard_errors(), fit.dispersion.unwrap().sqrt())
    };
    for (method, proper) in
        [("norm", false), ("norm", true), ("pmm", false), ("normrank", false), ("quantile", false)]
    {
        let options = format!(
            "[options]\nproper = {proper}\n[variables.y]\nmethod = \"{method}\"\n[variables.z]\nmethod = \"lognorm\"\n"
        );
        let made = synth(&original, &options);
        let (found, errors, sigma) = coefficients(&made, &values(&made, "y"));
        for (place, truth) in [1.0, 2.0, -3.0].into_iter().enumerate() {
            // Three sources of error: the data, the parameters where they are drawn, the synthetic draws; five standard errors. The ranks
            // of normrank bend a mixture of two normals, pmm takes neighbours, quantile regression has 25 steps.
            let slack = match method {
                "norm" => 0.0,
                "pmm" | "quantile" => 0.03,
                _ => 0.15,
            };
            let within = 5.0 * 3.0_f64.sqrt() * errors[place].unwrap() + slack;
            assert!((found[place] - truth).abs() < within, "{method}: {found:?}");
        }
        assert!((sigma - 0.7).abs() < if method == "normrank" { 0.15 } else { 0.05 }, "{method}: {sigma}");
        let logs: Vec<f64> = values(&made, "z").iter().map(|z| z.ln()).collect();
        let (found, errors, _) = coefficients(&made, &logs);
        assert!((found[1] - 0.3).abs() < 9.0 * errors[1].unwrap(), "lognorm: {found:?}");
    }
}

#[test]
fn a_heteroskedastic_model_is_recovered_by_quantiles() {
    // y = 2 x + x e with e uniform on (-1, 1), so that every conditional quantile is linear in x.
    let mut rng = rng(3);
    let mut text = String::from("x,y\n");
    for _ in 0..10_000 {
        let (x, e): (f64, f64) = (rng.random_range(0.5..4.0), rng.random_range(-1.0..1.0));
        writeln!(text, "{x:.6},{:.6}", 2.0 * x + x * e).unwrap();
    }
    let original = read("[variables.x]\nkind = \"real\"\n[variables.y]\nkind = \"real\"\n", &text);
    let made = synth(&original, "[variables.y]\nmethod = \"quantile\"\n");
    let (x, y) = (values(&made, "x"), values(&made, "y"));
    for (low, high) in [(0.5, 1.5), (1.5, 2.5), (2.5, 4.0)] {
        let ratios: Vec<f64> =
            x.iter().zip(&y).filter(|(x, _)| (low..high).contains(*x)).map(|(x, y)| y / x - 2.0).collect();
        let n = ratios.len() as f64;
        let mean = ratios.iter().sum::<f64>() / n;
        let deviation = (ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / n).sqrt();
        // Uniform on (-1, 1): mean 0, standard deviation 1/√3.
        assert!(mean.abs() < 5.0 * 0.58 * (2.0 / n).sqrt() + 0.01, "{low}: {mean}");
        assert!((deviation - 3.0_f64.sqrt().recip()).abs() < 0.03, "{low}: {deviation}");
    }
}

#[test]
fn a_multinomial_logit_is_recovered_and_so_are_ordered_and_binary_ones() {
    let mut rng = rng(4);
    let mut text = String::from("g,k,o,b\n");
    let shares = [[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]];
    // Proportional odds: log odds of o ≤ j are ζ - β g with ζ = (-1, 1), β = 1.
    let at_most = |threshold: f64, g: usize| 1.0 / (1.0 + (g as f64 - threshold).exp());
    let ordered = |g: usize| [at_most(-1.0, g), at_most(1.0, g) - at_most(-1.0, g), 1.0 - at_most(1.0, g)];
    let rows = 20_000;
    let pick = |shares: &[f64], u: f64| {
        let mut sum = 0.0;
        shares
            .iter()
            .position(|share| {
                sum += share;
                u < sum
            })
            .unwrap_or(shares.len() - 1)
    };
    for _ in 0..rows {
        let g = usize::from(rng.random_bool(0.5));
        let (k, o) = (pick(&shares[g], rng.random()), pick(&ordered(g), rng.random()));
        let b = u8::from(rng.random_bool([0.3, 0.8][g]));
        writeln!(text, "g{g},{},{},b{b}", ["p", "q", "r"][k], ["low", "mid", "top"][o]).unwrap();
    }
    let schema = "[variables.g]\nkind = \"categorical\"\n[variables.k]\nkind = \"categorical\"\n[variables.o]\nkind = \"ordinal\"\nlevels = [\"low\", \"mid\", \"top\"]\n[variables.b]\nkind = \"categorical\"\n";
    let original = read(schema, &text);
    for options in [
        "[options]\nmethod = \"parametric\"\n",
        "[options]\nmethod = \"parametric\"\nproper = true\n",
        "[options]\nmethod = \"quantile\"\n",
    ] {
        let made = synth(&original, options);
        let g = codes(&made, "g");
        for group in 0..2_u32 {
            let rows: Vec<usize> = (0..g.len()).filter(|row| g[*row] == group).collect();
            let check = |name: &str, truth: &[f64]| {
                let drawn = codes(&made, name);
                for (code, truth) in truth.iter().enumerate() {
                    let count = rows.iter().filter(|row| drawn[**row] == code as u32).count();
                    // Drawn parameters are a third source of error.
                    assert_share(
                        count,
                        rows.len(),
                        rows.len() / 2,
                        *truth,
                        &format!("{options} {name} {group} {code}"),
                    );
                }
            };
            if !options.contains("quantile") {
                check("k", &shares[group as usize]);
                check("o", &ordered(group as usize));
                check("b", &[[0.7, 0.3], [0.2, 0.8]][group as usize]);
            }
        }
        // Margins are kept by quantile regression too, whatever becomes of the conditionals.
        let drawn = codes(&made, "k");
        for (code, (one, other)) in shares[0].iter().zip(shares[1]).enumerate() {
            let truth = (one + other) / 2.0;
            let count = drawn.iter().filter(|drawn| **drawn == code as u32).count();
            assert_share(count, rows, rows / 3, truth, &format!("{options} margin {code}"));
        }
    }
}

/// Households in areas within regions, with a rule, a special code, a date and a formula.
fn households(rows: usize) -> Table {
    let mut rng = rng(5);
    let mut text = String::from("id,region,area,adults,children,size,income,married,day\n");
    for row in 0..rows {
        let region = rng.random_range(0..3);
        let area = 3 * region + rng.random_range(0..3);
        let adults = rng.random_range(1..=3);
        let children: i32 = rng.random_range(0..=3);
        let income = match rng.random_range(0..10) {
            0 => "-8".to_owned(),
            1 => String::new(),
            _ => format!("{}", 100 * (region + 1) + rng.random_range(0..100)),
        };
        let married = adults > 1 && rng.random_bool(0.7);
        let day = if married {
            format!("19{:02}-05-{:02}", rng.random_range(50..99), rng.random_range(1..29))
        } else {
            String::new()
        };
        let size = adults + children;
        writeln!(
            text,
            "h{row},r{region},a{area},{adults},{children},{size},{income},{},{day}",
            if married { "yes" } else { "no" }
        )
        .unwrap();
    }
    let schema = "[variables.id]\nkind = \"text-id\"\n[variables.region]\nkind = \"categorical\"\n[variables.area]\nkind = \"categorical\"\nwithin = \"region\"\n[variables.adults]\nkind = \"integer\"\n\
        [variables.children]\nkind = \"integer\"\n[variables.size]\nkind = \"integer\"\nformula = \"adults + children\"\n\
        [variables.income]\nkind = \"integer\"\nmissing = true\ncodes = { -8 = \"refused\" }\n[variables.married]\nkind = \"categorical\"\n[variables.day]\nkind = \"date\"\nmissing = true\n\
        [[rules]]\nwhen = \"married = 'no'\"\nthen = \"day is missing\"\n[[rules]]\nwhen = \"married = 'yes'\"\nthen = \"day is not missing\"\n\
        [[impossible]]\nwhere = \"adults = 1 and married = 'yes'\"\n";
    read(schema, &text)
}

#[test]
fn the_schema_is_kept_in_any_order_and_size() {
    let original = households(1_500);
    for options in [
        "",
        "[options]\norder = \"auto\"\n",
        "rows = 700\n[options]\norder = [\"day\", \"married\", \"area\", \"region\"]\n",
        "rows = 4000\nstrata = [\"adults > 1\"]\n[options]\nproper = true\n",
        "[options]\nmethod = \"sample\"\n",
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

#[test]
fn some_variables_are_kept_others_constant_computed_or_sampled_together() {
    let original = households(900);
    let made = synth(
        &original,
        "[options]\nmethod = \"sample\"\n[variables.region]\nmethod = \"keep\"\n[variables.area]\nmethod = \"keep\"\n\
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
        let fitted = fit(&original, &recipe).unwrap();
        let path = folder.path().join(number.to_string());
        ModelFile::new(&recipe, &fitted).unwrap().write(&path).unwrap();
        let again = ModelFile::read(&path).unwrap().fitted(&recipe).unwrap();
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
        let whole = fit_watched(&original, &recipe, &run).unwrap();
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
            let resumed = fit_watched(&original, &recipe, &run).unwrap();
            assert_eq!(csv_text(&resumed.table(0).unwrap()), expected, "killed at part {at}");
        }
        let other = fit_watched(&households(401), &recipe, &run).map(|_| ()).unwrap_err().to_string();
        assert!(other.contains("option `resume`") && other.contains("other data"), "{other}");
        synthesis::checkpoint::remove(&kept).unwrap();
        assert!(!kept.exists());
    }
}

#[test]
fn a_fit_tells_what_it_takes_and_where_it_is() {
    use std::sync::{Arc, Mutex};
    use synthesis::on_records::{FitProgress, Foretold};
    let told = Arc::new(Mutex::new(Vec::new()));
    let (of_parts, foretold) = (Arc::clone(&told), Arc::new(Mutex::new(None)));
    let estimate = Arc::clone(&foretold);
    let run = Run {
        progress: Some(FitProgress(Arc::new(move |part| {
            of_parts.lock().unwrap().push((part.variable.to_owned(), part.of))
        }))),
        foretold: Some(Foretold(Arc::new(move |told| *estimate.lock().unwrap() = Some(told)))),
        ..Run::default()
    };
    fit_watched(&households(300), &recipe(""), &run).unwrap();
    let told = told.lock().unwrap();
    assert_eq!((told.len(), told[0].1), (8, 8), "every variable but the identifier");
    assert!(told.iter().any(|(variable, _)| variable == "income"));
    assert!(foretold.lock().unwrap().unwrap().bytes > 10_000);
    let run = Run { memory: Some(1_000), ..Run::default() };
    let refused = fit_watched(&households(300), &recipe(""), &run).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("option `memory`") && refused.contains("GiB"), "{refused}");
}

#[test]
fn after_synthesis_numbers_are_coded_uniques_removed_and_a_label_added() {
    let original = households(500);
    let after = "[after]\nlabel = \"FAKE\"\nremove_replicated_uniques = true\n[after.top]\nchildren = 2\n[after.bottom]\nincome = 150\n";
    // Every record is a copy of an original one, so all that are unique in both must go.
    let text = format!(
        "[options]\nmethod = \"sample\"\n[variables.region]\nwith = [\"area\", \"adults\", \"children\", \"income\", \"married\", \"day\"]\n{after}"
    );
    let fitted = fit(&original, &recipe(&text)).unwrap();
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

#[rstest]
#[case(
    "[options]\nmethod = \"carts\"\n",
    "option `method`: there is no method `carts` of a variable; did you mean `cart`?"
)]
#[case("[options]\norder = \"random\"\n", "option `order`: it is `file`, `auto` or a list")]
#[case("[options]\nmin_bucket = 0\n", "option `min_bucket`")]
#[case("[options]\nmin_buckets = 3\n", "did you mean `min_bucket`?")]
#[case("[options]\nrisk = \"gini\"\n", "option `risk`")]
#[case("[options]\nmain_effects = 1\n", "option `main_effects`")]
#[case(
    "[variables.incom]\nmethod = \"cart\"\n",
    "option `variables.incom`: there is no variable `incom`; did you mean `income`?"
)]
#[case(
    "[variables.income]\nmethd = \"cart\"\n",
    "option `variables.income.methd`: `cart` has no such option; did you mean `method`?"
)]
#[case("[variables.income]\ntrees = 3\n", "option `variables.income.trees`: `cart` has no such option")]
#[case(
    "[variables.region]\nmethod = \"norm\"\n",
    "option `variables.region.method`: `norm` draws numbers, and `region` is categorical"
)]
#[case("[variables.income]\nmethod = \"polyreg\"\n", "draws categories, and `income` is a number")]
#[case("[variables.area]\nmethod = \"logreg\"\n", "draws one of two categories")]
#[case(
    "[variables.adults]\npredictors = [\"income\"]\n",
    "option `variables.adults.predictors`: `income` is not yet visited when `adults` is drawn"
)]
#[case(
    "[variables.adults]\nwithin = [\"income\"]\n",
    "option `variables.adults.within`: `income` is not yet visited"
)]
#[case(
    "[variables.adults]\nwithin = [\"regio\"]\n",
    "option `variables.adults.within`: there is no variable `regio`; did you mean `region`?"
)]
#[case("[variables.adults]\nmethod = \"nested\"\n", "`nested` needs a parent")]
#[case("[variables.adults]\nmethod = \"passive\"\n", "`passive` needs a `formula`")]
#[case(
    "[variables.adults]\nmethod = \"passive\"\nformula = \"income\"\n[variables.income]\nmethod = \"passive\"\nformula = \"adults\"\n",
    "needs itself, directly or through other formulas; break the circle"
)]
#[case("[variables.size]\nmethod = \"cart\"\n", "the schema has a formula for it")]
#[case("[variables.id]\nmethod = \"cart\"\n", "it is an identifier")]
#[case("[variables.adults]\nmethod = \"constant\"\nvalue = \"many\"\n", "option `variables.adults.value`")]
#[case("[variables.adults]\nmethod = \"constant\"\n", "`constant` needs a `value`")]
#[case(
    "[options]\nproper = true\n[variables.adults]\nmethod = \"quantile\"\n",
    "option `proper`: the parameters of `quantile` have no posterior"
)]
#[case(
    "[variables.adults]\nmethod = \"sample\"\nwith = [\"region\"]\n",
    "option `variables.adults.with`: `region` is drawn otherwise or earlier"
)]
#[case("[auxiliary.score]\nscore = [\"income\"]\n", "option `auxiliary.score`: give either")]
#[case("[auxiliary.score]\nscore = [\"incom\"]\nby = \"area\"\n", "option `auxiliary.score.score`")]
#[case("[auxiliary.score]\nscore = [\"income\"]\nby = \"adults\"\n", "`adults` is not categorical")]
#[case("[auxiliary.score]\nscore = [\"area = 'nowhere'\"]\nby = \"area\"\n", "has no level")]
#[case("strata = [\"area = 'nowhere'\"]\n", "has no level")]
fn what_makes_no_sense_is_refused_by_its_key(#[case] text: &str, #[case] expected: &str) {
    let error = refusal(&households(200), text);
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_rule_that_leaves_nothing_to_learn_is_refused() {
    let schema = "[variables.a]\nkind = \"integer\"\n[variables.b]\nkind = \"integer\"\nmissing = true\n[[rules]]\nwhen = \"a >= 0\"\nthen = \"b is missing\"\n";
    let error = refusal(&read(schema, "a,b\n1,\n2,\n3,\n"), "");
    assert!(
        error.contains("variable `b`: the rule `when a >= 0 then b is missing` fixes it in every record"),
        "{error}"
    );
}

#[test]
fn names_of_people_are_not_copied() {
    let mut text = String::from("name,x\n");
    (0..100).for_each(|row| writeln!(text, "person {},{row}", row.min(97)).unwrap());
    assert!(refusal(&read("", &text), "").contains("declare it `kind = \"text-id\"`"));
    let mut text = String::from("number,sex\n");
    (0..100).for_each(|row| writeln!(text, "{row},{}", row % 2).unwrap());
    let made = generate(&read("", &text), &recipe("")).unwrap();
    assert!(
        made.remarks.iter().any(|remark| remark.contains("`number` has another number in every record")),
        "{:?}",
        made.remarks
    );
}
