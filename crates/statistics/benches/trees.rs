//! Speed of trees: `cargo bench -p statistics`.

use criterion::{Criterion, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use statistics::trees::{Predictor, Response, Tree, TreeError, TreeOptions};

/// Nine numbers of 100 values and nine factors of 10 levels.
fn columns(rows: usize, rng: &mut ChaCha12Rng) -> Result<Vec<Predictor>, TreeError> {
    let number = |rng: &mut ChaCha12Rng| -> Vec<f64> {
        (0..rows).map(|_| f64::from(rng.random_range(0..100u32))).collect()
    };
    let factor = |rng: &mut ChaCha12Rng| -> Vec<u32> { (0..rows).map(|_| rng.random_range(0..10)).collect() };
    let column = |position: usize| match position % 2 {
        0 => Predictor::numeric(&number(rng), None),
        _ => Predictor::categorical(&factor(rng), 10),
    };
    (0..18).map(column).collect()
}

fn trees(criterion: &mut Criterion) {
    let rows = 10_000;
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let columns = columns(rows, &mut rng).expect("the columns are within their codes");
    let predictors: Vec<&Predictor> = columns.iter().collect();
    let numbers: Vec<f64> = (0..rows).map(|_| rng.random()).collect();
    let mut fit = |name: &str, response: Response<'_>| {
        criterion.bench_function(&format!("{name}, 10,000 records, 18 predictors"), |bencher| {
            bencher.iter(|| {
                Tree::fit(&predictors, &response, None, &TreeOptions::default()).map(|tree| tree.leaves())
            })
        });
    };
    fit("numbers", Response::Numeric(&numbers));
    for levels in [2, 10, 1000] {
        let codes: Vec<u32> = numbers.iter().map(|number| (number * f64::from(levels)) as u32).collect();
        fit(&format!("{levels} classes"), Response::Classes { codes: &codes, levels });
    }
}

criterion_group!(benches, trees);
criterion_main!(benches);
