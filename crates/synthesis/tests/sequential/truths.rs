//! Known truths are recovered: a tree, linear models, quantiles, logits.

use std::fmt::Write;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use statistics::regression::{Design, linear};
use synthesis::generate;
use table::Table;

use crate::{assert_share, codes, numbers, read, recipe, rng, synth, values};

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

#[test]
fn columns_that_earlier_ones_explain_are_left_out_and_named() {
    // `twice` is 2x, and `coat` tells what `hat` tells.
    let mut rng = rng(4);
    let mut text = String::from("x,twice,hat,coat,y,z\n");
    for row in 0..400 {
        let (x, y): (f64, f64) = (rng.random(), rng.random());
        let (hat, coat) = [("red", "long"), ("blue", "short"), ("none", "none")][rng.random_range(0..3)];
        writeln!(text, "{x},{},{hat},{coat},{y},{}", 2.0 * x, ["low", "middle", "high"][row % 3]).unwrap();
    }
    let table = read("", &text);
    for (variable, methods) in
        [("y", &["norm", "normrank", "pmm", "quantile"][..]), ("z", &["polyreg", "polr"])]
    {
        for method in methods {
            let recipe = recipe(&format!("[variables.{variable}]\nmethod = \"{method}\"\n"));
            let made = generate(&table, &recipe).unwrap();
            let named = format!(
                "`{variable}`: columns of `twice`, `coat` are sums of multiples of earlier ones and were left out"
            );
            assert!(made.remarks.contains(&named), "{method}: {:?}", made.remarks);
        }
    }
}
