//! Draws a second of the exact samplers: `cargo bench -p privacy`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use privacy::noise::{DiscreteGaussian, DiscreteLaplace, permute_and_flip};
use privacy::{Cost, NoiseSource};

const DRAWS: usize = 100_000;

fn draws(criterion: &mut Criterion) {
    let mut noise = NoiseSource::insecure_test_seed(1);
    let mut group = criterion.benchmark_group("draws");
    group.throughput(Throughput::Elements(DRAWS as u64));
    for scale in [0.1, 1.0, 10.0, 100.0, 1000.0] {
        let cost = Cost::from_units((Cost::UNITS_IN_ONE as f64 / scale) as u64);
        let law = DiscreteLaplace::for_cost(cost, 1).expect("a scale above zero");
        group.bench_function(format!("discrete Laplace, scale {scale}"), |bencher| {
            bencher.iter(|| (0..DRAWS).map(|_| law.sample(noise.rng())).fold(0, i64::wrapping_add));
        });
    }
    for rho in [1.0, 0.0001] {
        let cost = Cost::rounded_down(rho).expect("a cost within range");
        let law = DiscreteGaussian::for_cost(cost, 1).expect("a scale above zero");
        group.bench_function(format!("discrete Gaussian, rho {rho}"), |bencher| {
            bencher.iter(|| (0..DRAWS).map(|_| law.sample(noise.rng())).fold(0, i64::wrapping_add));
        });
    }
    group.throughput(Throughput::Elements(1));
    let scores: Vec<i128> = (0..1000).map(|score| score * score % 997).collect();
    let cost = Cost::rounded_down(0.1).expect("a cost within range");
    group.bench_function("permute-and-flip, 1,000 candidates", |bencher| {
        bencher.iter(|| permute_and_flip(noise.rng(), &scores, 1, cost));
    });
    let law = DiscreteLaplace::for_cost(cost, 1).expect("a scale above zero");
    let keyed = noise.keyed();
    group.throughput(Throughput::Elements(DRAWS as u64));
    group.bench_function("discrete Laplace by index", |bencher| {
        bencher.iter(|| {
            (0..DRAWS as u128).map(|index| law.sample(&mut keyed.at(index))).fold(0, i64::wrapping_add)
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = draws
}
criterion_main!(benches);
