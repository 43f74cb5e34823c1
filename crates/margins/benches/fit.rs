//! Speed of fitting and sampling: `cargo bench -p lookalike-margins`.

use criterion::{Criterion, criterion_group, criterion_main};
use margins::{Form, Options, TargetMargin, fit};

/// Smooth margins over pairs of variables, all of one table of independent variables.
fn pairs(sizes: &[usize], sets: &[[usize; 2]]) -> Vec<TargetMargin> {
    let share = |variable: usize, class: usize| {
        let weight = |class: usize| 1.0 + ((class * 7 + variable * 3) % 5) as f64;
        weight(class) / (0..sizes[variable]).map(weight).sum::<f64>()
    };
    let target = |&[i, j]: &[usize; 2]| {
        let cells = (0..sizes[i]).flat_map(|a| (0..sizes[j]).map(move |b| (a, b)));
        TargetMargin::new([i, j], cells.map(|(a, b)| 5000.0 * share(i, a) * share(j, b)).collect::<Vec<_>>())
    };
    sets.iter().map(target).collect()
}

fn fits(criterion: &mut Criterion) {
    let sizes = [2, 5, 6, 5, 10, 7, 7];
    let sets: Vec<[usize; 2]> = (0..7).flat_map(|i| (i + 1..7).map(move |j| [i, j])).collect();
    // A tolerance out of reach, so that the number of sweeps is fixed.
    let options = Options { tolerance: 1e-300, settled: 0.0, max_sweeps: 35, ..Options::default() };
    let targets = pairs(&sizes, &sets);
    criterion.bench_function("21 pairs of 147,000 cells, 35 sweeps", |bencher| {
        bencher.iter(|| fit(&sizes, &targets, &[], &options).map(|model| model.held_cells()));
    });
    if let Ok(model) = fit(&sizes, &targets, &[], &options) {
        criterion.bench_function("5,000 records from 147,000 cells", |bencher| {
            bencher.iter(|| model.sample(5_000, [1; 32]))
        });
    }
    let sizes = [10; 40];
    let chain: Vec<[usize; 2]> = (0..39).map(|i| [i, i + 1]).collect();
    let targets = pairs(&sizes, &chain);
    let options = Options { form: Form::Tree, ..Options::default() };
    criterion.bench_function("a chain of 40 variables", |bencher| {
        bencher.iter(|| fit(&sizes, &targets, &[], &options).map(|model| model.held_cells()));
    });
}

criterion_group!(benches, fits);
criterion_main!(benches);
