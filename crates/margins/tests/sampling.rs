//! What a sample must be: records of the fitted model, the same for the same seed whoever draws them.

use loglinear::{FittedModel, Form, Impossible, Options, Sampler, Target, fit};

#[path = "../src/chi_square.rs"]
mod chi_square;
mod tables;
use chi_square::assert_fits;
use tables::{all, margin, numbers, targets};

fn tabulated(dims: &[usize], columns: &[Vec<u32>], variables: &[usize]) -> Vec<f64> {
    let columns: Vec<Vec<usize>> =
        columns.iter().map(|column| column.iter().map(|&class| class as usize).collect()).collect();
    tables::counted(dims, &columns, variables).counts
}

fn cycle_of_five(form: Form) -> FittedModel {
    let dims = [2, 3, 2, 3, 4];
    let rules = [Impossible::new([1, 2], 6, [3])];
    let joint = tables::without(&dims, &numbers(144, 21), &rules);
    let targets = targets(&dims, &joint, &[vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 4], vec![0, 4]]);
    fit(&dims, &targets, &rules, &Options { form, ..Options::default() }).expect("the margins agree")
}

#[test]
fn records_follow_the_model_from_the_table_and_from_the_tree() {
    for form in [Form::Dense, Form::Tree] {
        let model = cycle_of_five(form);
        let columns = model.sample(200_000, [5; 32]);
        assert!(columns.iter().all(|column| column.len() == 200_000));
        let whole = all(model.dims());
        assert_fits(&tabulated(model.dims(), &columns, &whole), &model.margin(&whole).unwrap());
    }
}

#[test]
fn counts_follow_the_model() {
    let FittedModel::Dense(model) = cycle_of_five(Form::Dense) else { panic!("asked for a table") };
    for records in [5_000, 300_000] {
        let mut counts = vec![0.0; model.table().len()];
        for (cell, count) in model.sample_counts(records, [6; 32]) {
            counts[cell] = count as f64;
        }
        assert_eq!(counts.iter().sum::<f64>(), records as f64);
        assert_fits(
            &margin(model.dims(), &counts, &[0, 1, 2]),
            &margin(model.dims(), model.table(), &[0, 1, 2]),
        );
    }
}

#[test]
fn neighbouring_records_are_independent() {
    let model = cycle_of_five(Form::Tree);
    let last = &model.sample(100_001, [8; 32])[4];
    let mut pairs = vec![0.0; 16];
    last.windows(2).for_each(|pair| pairs[(pair[0] * 4 + pair[1]) as usize] += 1.0);
    let share = model.margin(&[4]).unwrap();
    let expected: Vec<f64> = (0..16).map(|cell| share[cell / 4] * share[cell % 4]).collect();
    assert_fits(&pairs, &expected);
}

#[test]
fn far_ends_of_a_long_chain_go_together_as_the_model_says() {
    let dims = [3; 12];
    let pair = [8.0, 1.0, 1.0, 1.0, 8.0, 1.0, 1.0, 1.0, 8.0];
    let targets: Vec<Target> = (0..11).map(|i| Target::new([i, i + 1], pair)).collect();
    let model = fit(&dims, &targets, &[], &Options::default()).unwrap();
    assert!(matches!(model, FittedModel::Tree(_)));
    let columns = model.sample(100_000, [9; 32]);
    for variables in [[0, 11], [2, 7], [10, 11]] {
        assert_fits(&tabulated(&dims, &columns, &variables), &model.margin(&variables).unwrap());
    }
}

#[test]
fn a_sample_does_not_depend_on_threads_or_blocks_or_its_length() {
    for form in [Form::Dense, Form::Tree] {
        let model = cycle_of_five(form);
        let rows = 2 * Sampler::BLOCK + 100;
        let samples = [1, 2, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| model.sample(rows, [3; 32]))
        });
        assert!(samples.iter().all(|sample| sample == &samples[0]));
        assert_ne!(model.sample(rows, [4; 32]), samples[0]);
        let fewer = model.sample(rows - 50, [3; 32]);
        let last_block = model.sampler().block(2, 100, [3; 32]);
        for (variable, column) in samples[0].iter().enumerate() {
            assert_eq!(fewer[variable], column[..rows - 50]);
            assert_eq!(last_block[variable], column[2 * Sampler::BLOCK..]);
        }
        assert_eq!(model.sample(0, [3; 32]), vec![Vec::<u32>::new(); 5]);
    }
}
