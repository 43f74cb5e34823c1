//! Draws follow the distributions that the methods state. Every test has a fixed seed and an error rate of about 1e-5.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use statrs::distribution::{ChiSquared, ContinuousCDF};
use synthesis::{Recipe, Run, fit, generate};
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Attributes, CodedTable, CountSource, Grouping, Table};

const ERROR_RATE: f64 = 1e-5;

fn counts(table: &Table) -> Vec<u64> {
    let coded = CodedTable::new(table, &Grouping::default()).unwrap();
    coded.margins(&[Attributes::all(coded.domain())]).unwrap()[0].counts().to_vec()
}

fn assert_fits(observed: &[f64], expected: &[f64]) {
    let statistic: f64 = observed.iter().zip(expected).map(|(o, e)| (o - e).powi(2) / e).sum();
    let limit = ChiSquared::new((observed.len() - 1) as f64).unwrap().inverse_cdf(1.0 - ERROR_RATE);
    assert!(statistic < limit, "chi-square {statistic} above {limit}");
}

/// Three variables with a structural zero: 2 × 2 × 3 cells, of which 10 can occur.
fn small() -> Table {
    let schema = "[variables.a]\nkind = \"categorical\"\nlevels = [\"x\", \"y\"]\n[variables.b]\nkind = \"categorical\"\nlevels = [\"p\", \"q\"]\n\
                  [variables.c]\nkind = \"categorical\"\nlevels = [\"1\", \"2\", \"3\"]\n[[impossible]]\nwhere = \"a = 'x' and b = 'q' and c <> '3'\"\n";
    let mut text = String::from("a,b,c\n");
    for (row, times) in [("x,p,1", 12), ("x,p,3", 5), ("x,q,3", 1), ("y,p,2", 20), ("y,q,1", 2), ("y,q,3", 3)]
    {
        (0..times).for_each(|_| text.push_str(&format!("{row}\n")));
    }
    read_csv_text(
        &text,
        &ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() },
    )
    .unwrap()
}

/// (yᵢ + nprior/K′) / (N + nprior), K′ = 10 of 12 cells, by chi-square on 200,000 records.
#[test]
fn catall_draws_cells_with_their_probabilities() {
    let original = small();
    for nprior in [0.0, 8.0] {
        let mut recipe = Recipe { seed: Some(5), rows: Some(200_000), ..Recipe::new("catall") };
        recipe.set(&format!("nprior={nprior}")).unwrap();
        let drawn = counts(&generate(&original, &recipe).unwrap().tables[0]);
        let share = |cell: usize, count: u64| {
            let impossible = (3..5).contains(&cell);
            let prior = if impossible { 0.0 } else { nprior / 10.0 };
            (count as f64 + prior) / (original.rows() as f64 + nprior)
        };
        let expected: Vec<f64> = counts(&original)
            .iter()
            .enumerate()
            .map(|(cell, count)| 200_000.0 * share(cell, *count))
            .collect();
        let possible = |cell: &usize| expected[*cell] > 0.0;
        assert!((0..12).all(|cell| possible(&cell) || drawn[cell] == 0));
        let cells: Vec<usize> = (0..12).filter(possible).collect();
        let observed: Vec<f64> = cells.iter().map(|cell| drawn[*cell] as f64).collect();
        assert_fits(&observed, &cells.iter().map(|cell| expected[*cell]).collect::<Vec<_>>());
    }
}

/// Mean y·scale and variance of each cell over 4,000 data sets; the random zeros have mean alpha·scale, structural zeros nothing.
#[test]
fn saturated_cells_have_their_means_and_variances() {
    let original = small();
    let y = counts(&original);
    for (family, sigma) in [("poisson", 0.0), ("nbi", 0.5), ("pig", 0.5)] {
        let mut recipe = Recipe { seed: Some(11), m: 4_000, ..Recipe::new("saturated") };
        recipe.set(&format!("family={family}")).unwrap();
        if sigma > 0.0 {
            recipe.set(&format!("sigma={sigma}")).unwrap();
        }
        recipe.set("alpha=0.3").unwrap();
        recipe.set("scale=2").unwrap();
        let fitted = fit(&original, &recipe, &Run::default()).unwrap();
        let sets = 4_000;
        let mut sums = [(0.0, 0.0); 12];
        for number in 0..sets {
            let table = fitted.table(number).unwrap();
            let coded = CodedTable::in_domain(&table, fitted.domain().unwrap()).unwrap();
            let margin = coded.margins(&[Attributes::all(coded.domain())]).unwrap().remove(0);
            for (sum, count) in sums.iter_mut().zip(margin.counts()) {
                sum.0 += *count as f64;
                sum.1 += (*count as f64).powi(2);
            }
        }
        for (cell, (sum, squares)) in sums.iter().enumerate() {
            let mean = if (3..5).contains(&cell) {
                0.0
            } else {
                2.0 * (y[cell] as f64).max(if y[cell] == 0 { 0.3 } else { 0.0 })
            };
            let variance: f64 = mean + sigma * mean * mean;
            let (found, spread) = (sum / f64::from(sets), (variance / f64::from(sets)).sqrt());
            assert!((found - mean).abs() <= 4.6 * spread, "{family}, cell {cell}: mean {found}, not {mean}");
            let found = squares / f64::from(sets) - found * found;
            // Relative error of a variance: sqrt((kurtosis - 1) / sets), kurtosis below 12 for all of these.
            assert!(
                (found - variance).abs() <= 4.6 * variance * (11.0 / f64::from(sets)).sqrt() + 1e-12,
                "{family}, cell {cell}: variance {found}, not {variance}"
            );
        }
    }
}

/// Pairs of a chain are kept, and what they do not say is conditionally independent.
#[test]
fn ipf_keeps_its_margins_and_nothing_beyond() {
    let original = small();
    let mut recipe = Recipe { seed: Some(2), rows: Some(430_000), ..Recipe::new("ipf") };
    recipe.set("margins=a:b,b:c").unwrap();
    let made = generate(&original, &recipe).unwrap();
    assert!(made.remarks[0].contains("converged after"), "{:?}", made.remarks);
    let pair = |table: &Table, of: [usize; 2]| {
        let coded = CodedTable::new(table, &Grouping::default()).unwrap();
        coded.margins(&[Attributes::new(of)]).unwrap()[0].counts().to_vec()
    };
    for of in [[0, 1], [1, 2]] {
        let expected: Vec<f64> = pair(&original, of).iter().map(|count| 10_000.0 * *count as f64).collect();
        let observed = pair(&made.tables[0], of);
        let cells: Vec<usize> = (0..expected.len()).filter(|cell| expected[*cell] > 0.0).collect();
        assert!((0..expected.len()).all(|cell| expected[cell] > 0.0 || observed[cell] == 0));
        let of_cells = |all: &[f64]| cells.iter().map(|cell| all[*cell]).collect::<Vec<f64>>();
        assert_fits(
            &of_cells(&observed.iter().map(|count| *count as f64).collect::<Vec<_>>()),
            &of_cells(&expected),
        );
    }
}

/// Numbers come back uniform within their class, whole where the variable is whole, and keep rules that cut a class in two.
#[test]
fn numbers_are_uniform_within_their_class_and_keep_the_rules() {
    let schema = "[variables.age]\nkind = \"integer\"\nrange = [0, 19]\ncuts = [0, 10, 19]\n[variables.work]\nkind = \"categorical\"\nlevels = [\"no\", \"yes\"]\n\
                  [[impossible]]\nwhere = \"age < 15 and work = 'yes'\"\n";
    let mut text = String::from("age,work\n");
    (0..200)
        .map(|row| row % 20)
        .for_each(|age| text.push_str(&format!("{age},{}\n", if age >= 15 { "yes" } else { "no" })));
    let table = read_csv_text(
        &text,
        &ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() },
    )
    .unwrap();
    let made = generate(&table, &Recipe { seed: Some(9), rows: Some(100_000), ..Recipe::new("catall") })
        .unwrap()
        .tables
        .remove(0);
    let table::Column::Integer(ages) = made.column("age").unwrap() else { panic!("integer") };
    let table::Column::Categorical(work) = made.column("work").unwrap() else { panic!("categorical") };
    let mut histogram = [[0.0; 20]; 2];
    ages.values().zip(work.iter()).for_each(|(age, work)| histogram[work as usize][age as usize] += 1.0);
    assert!(histogram[1][..15].iter().all(|count| *count == 0.0), "nobody below 15 works");
    assert_fits(&histogram[1][15..], &[100_000.0 / 20.0; 5]);
    assert_fits(&histogram[0][..10], &[100_000.0 / 20.0; 10]);
    assert_fits(&histogram[0][10..], &[100_000.0 * 5.0 / 20.0 / 10.0; 10]);
}

/// 10^18 cells take no longer than a bootstrap of the records.
#[test]
fn the_number_of_cells_does_not_matter() {
    let header: Vec<String> = (0..18).map(|column| format!("c{column}")).collect();
    let row = |row: u64| {
        (0..18)
            .map(|column| ((row * 7 + 3 * column * row + column) % 10).to_string())
            .collect::<Vec<_>>()
            .join(",")
    };
    let rows: Vec<String> = (0..2_000).map(row).collect();
    let levels = "levels = [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]";
    let schema: String =
        header.iter().map(|name| format!("[variables.{name}]\nkind = \"categorical\"\n{levels}\n")).collect();
    let options = ReadOptions { schema: Some(SchemaFile::parse(&schema).unwrap()), ..ReadOptions::default() };
    let table = read_csv_text(&format!("{}\n{}\n", header.join(","), rows.join("\n")), &options).unwrap();
    let mut recipe = Recipe { seed: Some(1), ..Recipe::new("catall") };
    recipe.set("nprior=500").unwrap();
    let made = generate(&table, &recipe).unwrap().tables.remove(0);
    assert_eq!(made.rows(), 2_000);
    let mut recipe = Recipe { seed: Some(1), ..Recipe::new("saturated") };
    recipe.set("alpha=1e-16").unwrap();
    // About 100 of the 10^18 empty cells are filled, each with one record.
    let rows = generate(&table, &recipe).unwrap().tables[0].rows();
    assert!((1_700..2_600).contains(&rows), "{rows}");
}
