//! Gradients against finite differences, and what training does to simple tables.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::{Adam, Gan, GanShape, Records, Span, Spans, Vae, VaeShape};

fn span(levels: usize, first_component: usize) -> Span {
    Span { levels, first_component, is_condition: first_component == levels }
}

fn spans() -> Spans {
    Spans::new(vec![span(3, 3), span(5, 2), span(2, 2)])
}

fn records(rows: usize, rng: &mut ChaCha12Rng) -> Records {
    let mut records = Records::default();
    for _ in 0..rows {
        for span in spans().spans() {
            let choice = rng.random_range(0..span.levels);
            records.choices.push(choice as u32);
            let has = choice >= span.first_component;
            records.positions.push(if has { rng.random::<f32>() * 1.8 - 0.9 } else { 0.0 });
        }
    }
    records
}

/// The largest relative difference between a gradient and finite differences of the loss, over blocks of weights of about a tensor's size.
fn worst(weights: &mut [f64], gradient: &[f64], loss: impl Fn(&[f64]) -> f64) -> f64 {
    let step = 1e-6;
    let mut worst = 0.0_f64;
    for start in (0..weights.len()).step_by(40) {
        let (mut apart, mut size) = (0.0, 0.0);
        for at in start..weights.len().min(start + 40) {
            let own = weights[at];
            weights[at] = own + step;
            let above = loss(weights);
            weights[at] = own - step;
            let below = loss(weights);
            weights[at] = own;
            let slope = (above - below) / (2.0 * step);
            apart += (slope - gradient[at]).powi(2);
            size += gradient[at].powi(2) + slope.powi(2);
        }
        // What is below 1e-4 is lost in the rounding of the differences, which is 1e-10.
        worst = worst.max(apart.sqrt() / size.sqrt().max(1e-4));
    }
    worst
}

#[test]
fn the_gradient_of_the_autoencoder_is_that_of_its_loss() {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let vae = Vae::new(VaeShape { hidden: 7, latent: 3, reconstruction: 2.0 }, spans());
    let mut weights: Vec<f64> = vae.initial(&mut rng);
    weights.iter_mut().for_each(|weight| *weight += 0.02 * rng.random::<f64>());
    let records = records(6, &mut rng);
    let chance = vae.chance(6, &mut rng);
    let mut gradient = vec![0.0; vae.weights()];
    vae.gradient(&weights, &records, &chance, 6.0, &mut gradient);
    let loss = |weights: &[f64]| {
        let loss = vae.gradient(weights, &records, &chance, 6.0, &mut vec![0.0; vae.weights()]);
        loss.reconstruction + loss.divergence
    };
    let worst = worst(&mut weights, &gradient, loss);
    assert!(worst < 1e-6, "{worst}");
}

/// The gradient of a batch is the sum of those of its records by themselves, which are computed in another way; and these do not depend on where they are computed.
#[test]
fn the_gradient_of_a_batch_is_the_sum_of_those_of_its_records() {
    let mut rng = ChaCha12Rng::seed_from_u64(7);
    let vae = Vae::new(VaeShape { hidden: 37, latent: 5, reconstruction: 2.0 }, spans());
    let weights: Vec<f64> = vae.initial(&mut rng);
    let (records, chance) = (records(9, &mut rng), vae.chance(9, &mut rng));
    let mut together = vec![0.0; vae.weights()];
    vae.gradient(&weights, &records, &chance, 1.0, &mut together);
    let mut alone = vec![0.0; vae.weights()];
    for row in 0..9_u32 {
        let one = records.take(&[row], vae.spans().len());
        let chance = &chance[row as usize * 5..(row as usize + 1) * 5];
        vae.gradient(&weights, &one, chance, 1.0, &mut alone);
    }
    let apart = together.iter().zip(&alone).map(|(left, right)| (left - right).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-12, "{apart}");
}

/// Run in memory that begins at every place of a cache line: to the last bit the same.
#[test]
fn the_gradient_of_one_record_does_not_depend_on_where_it_is_computed() {
    let mut rng = ChaCha12Rng::seed_from_u64(8);
    let vae = Vae::new(VaeShape { hidden: 37, latent: 5, reconstruction: 2.0 }, spans());
    let initial: Vec<f32> = vae.initial(&mut rng);
    let (records, chance) = (records(1, &mut rng), vae.chance::<f32>(1, &mut rng));
    let at = |place: usize| {
        let mut weights = vec![0.0; place];
        weights.extend(&initial);
        let mut gradient = vec![0.0; place + vae.weights()];
        vae.gradient(&weights[place..], &records, &chance, 1.0, &mut gradient[place..]);
        gradient[place..].iter().map(|slope| slope.to_bits()).collect::<Vec<u32>>()
    };
    assert!((1..16).all(|place| at(place) == at(0)));
}

fn gan() -> Gan {
    let shape = GanShape { noise: 4, hidden: 6, pack: 2, temperature: 0.5, penalty: 10.0, dropout: 0.5 };
    Gan::new(shape, spans())
}

fn conditions(rows: usize, rng: &mut ChaCha12Rng) -> Vec<Option<(u32, u32)>> {
    let one = |_| match rng.random_range(0..3) {
        0 => Some((0, rng.random_range(0..3))),
        1 => Some((2, rng.random_range(0..2))),
        _ => None,
    };
    (0..rows).map(one).collect()
}

#[test]
fn the_gradient_of_the_critic_is_that_of_its_loss_penalty_included() {
    let mut rng = ChaCha12Rng::seed_from_u64(2);
    let gan = gan();
    let (generator, mut critic): (Vec<f64>, Vec<f64>) = gan.initial(&mut rng);
    // Larger weights, so that the norm of the gradient is not near zero.
    critic.iter_mut().for_each(|weight| *weight *= 2.0);
    let rows = 8;
    let (records, chance, synthetic) =
        (records(rows, &mut rng), gan.critic_chance(rows, &mut rng), gan.generator_chance(rows, &mut rng));
    let (real, made) = (conditions(rows, &mut rng), conditions(rows, &mut rng));
    let run = |critic: &[f64], gradient: &mut [f64]| {
        let loss =
            gan.critic_gradient(critic, &generator, &records, &real, &made, &chance, &synthetic, gradient);
        loss.distance + loss.penalty
    };
    let mut gradient = vec![0.0; critic.len()];
    run(&critic, &mut gradient);
    let size = critic.len();
    let worst = worst(&mut critic, &gradient, |critic| run(critic, &mut vec![0.0; size]));
    assert!(worst < 1e-6, "{worst}");
}

/// Pairs of one real and one synthetic record each: the gradient of all is the mean of those of the pairs, which are computed in another way.
#[test]
fn the_gradient_of_the_critic_is_the_mean_of_those_of_its_pairs() {
    let mut rng = ChaCha12Rng::seed_from_u64(9);
    let shape = GanShape { noise: 4, hidden: 21, pack: 1, temperature: 0.5, penalty: 10.0, dropout: 0.0 };
    let gan = Gan::new(shape, spans());
    let (generator, critic): (Vec<f64>, Vec<f64>) = gan.initial(&mut rng);
    let (records, mut chance) = (records(6, &mut rng), gan.critic_chance(6, &mut rng));
    let synthetic = gan.synthetic(&generator, &gan.generator_chance(6, &mut rng));
    let mut together = vec![0.0; critic.len()];
    gan.critic_gradient_against(&critic, &synthetic, &records, &chance, &mut together);
    let (mixes, width) = (chance.mix.clone(), spans().width());
    let mut apart = vec![0.0; critic.len()];
    for (row, made) in synthetic.chunks_exact(width).enumerate() {
        chance.mix = vec![mixes[row]];
        chance.masks.iter_mut().flatten().for_each(|mask| mask.truncate(21));
        let one = records.take(&[row as u32], spans().len());
        gan.critic_gradient_against(&critic, made, &one, &chance, &mut apart);
    }
    let worst =
        together.iter().zip(&apart).map(|(left, right)| (left - right / 6.0).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12, "{worst}");
}

#[test]
fn the_gradient_of_the_generator_is_that_of_its_loss() {
    let mut rng = ChaCha12Rng::seed_from_u64(3);
    let gan = gan();
    let (mut generator, critic): (Vec<f64>, Vec<f64>) = gan.initial(&mut rng);
    let rows = 8;
    let (chance, made) = (gan.generator_chance(rows, &mut rng), conditions(rows, &mut rng));
    let run = |generator: &[f64], gradient: &mut [f64]| {
        let loss = gan.generator_gradient(generator, &critic, &made, &chance, gradient);
        loss.judged + loss.conditions
    };
    let mut gradient = vec![0.0; generator.len()];
    run(&generator, &mut gradient);
    let size = generator.len();
    let worst = worst(&mut generator, &gradient, |generator| run(generator, &mut vec![0.0; size]));
    assert!(worst < 1e-6, "{worst}");
}

/// Two spans that always agree, three choices at 0.5, 0.3 and 0.2: after training, draws agree in more than 80 of 100 records, where independent
/// ones would in 38, and shares are met to 0.05.
#[test]
fn the_autoencoder_learns_a_dependence() {
    let mut rng = ChaCha12Rng::seed_from_u64(4);
    let vae = Vae::new(
        VaeShape { hidden: 32, latent: 8, reconstruction: 2.0 },
        Spans::new(vec![span(3, 3), span(3, 3)]),
    );
    let mut weights: Vec<f32> = vae.initial(&mut rng);
    let mut adam = Adam::new(weights.len(), 1e-3, (0.9, 0.999), 1e-5);
    for _ in 0..1_500 {
        let mut records = Records::default();
        for _ in 0..100 {
            let choice = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2][rng.random_range(0..10)];
            records.choices.extend([choice, choice]);
            records.positions.extend([0.0, 0.0]);
        }
        let chance = vae.chance(100, &mut rng);
        let mut gradient = vec![0.0; weights.len()];
        vae.gradient(&weights, &records, &chance, 100.0, &mut gradient);
        adam.step(&mut weights, &gradient);
        vae.clamp(&mut weights);
    }
    let drawn = vae.decode(&weights, &vae.chance::<f32>(5_000, &mut rng));
    let (mut agree, mut shares) = (0.0, [0.0; 3]);
    for row in drawn.chunks_exact(6) {
        agree += (0..3).map(|at| f64::from(row[at] * row[3 + at])).sum::<f64>() / 5_000.0;
        (0..3).for_each(|at| shares[at] += f64::from(row[at]) / 5_000.0);
    }
    assert!(agree > 0.8, "{agree}");
    for (share, expected) in shares.into_iter().zip([0.5, 0.3, 0.2]) {
        assert!((share - expected).abs() < 0.05, "{shares:?}");
    }
}

/// The same by a generator and its critic.
#[test]
fn the_generator_learns_shares() {
    let mut rng = ChaCha12Rng::seed_from_u64(5);
    let shape = GanShape { noise: 8, hidden: 32, pack: 5, temperature: 0.2, penalty: 10.0, dropout: 0.2 };
    let gan = Gan::new(shape, Spans::new(vec![span(3, 3), span(3, 3)]));
    let (mut generator, mut critic): (Vec<f32>, Vec<f32>) = gan.initial(&mut rng);
    let mut of_generator = Adam::new(generator.len(), 1e-3, (0.5, 0.9), 1e-6);
    let mut of_critic = Adam::new(critic.len(), 1e-3, (0.5, 0.9), 0.0);
    let none = vec![None; 100];
    for _ in 0..800 {
        let mut records = Records::default();
        for _ in 0..100 {
            let choice = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2][rng.random_range(0..10)];
            records.choices.extend([choice, choice]);
            records.positions.extend([0.0, 0.0]);
        }
        let (chance, synthetic) = (gan.critic_chance(100, &mut rng), gan.generator_chance(100, &mut rng));
        let mut gradient = vec![0.0; critic.len()];
        gan.critic_gradient(&critic, &generator, &records, &none, &none, &chance, &synthetic, &mut gradient);
        of_critic.step(&mut critic, &gradient);
        let mut gradient = vec![0.0; generator.len()];
        let chance = gan.generator_chance(100, &mut rng);
        gan.generator_gradient(&generator, &critic, &none, &chance, &mut gradient);
        of_generator.step(&mut generator, &gradient);
    }
    let noise = gan.generator_chance::<f32>(5_000, &mut rng).noise;
    let none = vec![None; 5_000];
    let moments = gan.moments(&generator, &none, &noise);
    assert_eq!(moments.len(), gan.moments_len());
    let drawn = gan.draw(&generator, &moments, &none, &noise);
    let mut shares = [0.0; 3];
    drawn.chunks_exact(6).for_each(|row| (0..3).for_each(|at| shares[at] += f64::from(row[at]) / 5_000.0));
    assert!((shares[0] - 0.5).abs() < 0.2 && shares.iter().all(|share| *share > 0.05), "{shares:?}");
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let train = || -> Vec<f32> {
        let mut rng = ChaCha12Rng::seed_from_u64(6);
        let vae = Vae::new(VaeShape { hidden: 64, latent: 16, reconstruction: 2.0 }, spans());
        let mut weights: Vec<f32> = vae.initial(&mut rng);
        let records = records(700, &mut rng);
        let chance = vae.chance(700, &mut rng);
        let mut gradient = vec![0.0; weights.len()];
        vae.gradient(&weights, &records, &chance, 700.0, &mut gradient);
        Adam::new(weights.len(), 1e-3, (0.9, 0.999), 1e-5).step(&mut weights, &gradient);
        weights
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(pool(1).install(train), pool(3).install(train));
}
