//! What a sample must be: records of the fitted model, the same for the same seed whoever draws them.

use margins::{FittedModel, Form, Impossible, Options, Sampler, TargetMargin, fit};

mod chi_square;
mod tables;
use chi_square::assert_fits;
use tables::{all, numbers, targets};

fn tabulated(sizes: &[usize], columns: &[Vec<u32>], attributes: &[usize]) -> Vec<f64> {
    let columns: Vec<Vec<usize>> =
        columns.iter().map(|column| column.iter().map(|&class| class as usize).collect()).collect();
    tables::counted(sizes, &columns, attributes).counts
}

fn cycle_of_five(form: Form) -> FittedModel {
    let sizes = [2, 3, 2, 3, 4];
    let rules = [Impossible::new([1, 2], 6, [3])];
    let joint = tables::without(&sizes, &numbers(144, 21), &rules);
    let targets = targets(&sizes, &joint, &[vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 4], vec![0, 4]]);
    fit(&sizes, &targets, &rules, &Options { form, ..Options::default() }).expect("the margins agree")
}

#[test]
fn records_follow_the_model_from_the_table_and_from_the_tree() {
    for form in [Form::Dense, Form::Tree] {
        let model = cycle_of_five(form);
        let columns = model.sample(200_000, [5; 32]);
        assert!(columns.iter().all(|column| column.len() == 200_000));
        let whole = all(model.sizes());
        assert_fits(&tabulated(model.sizes(), &columns, &whole), &model.margin(&whole).unwrap());
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
    let sizes = [3; 12];
    let pair = [8.0, 1.0, 1.0, 1.0, 8.0, 1.0, 1.0, 1.0, 8.0];
    let targets: Vec<TargetMargin> = (0..11).map(|i| TargetMargin::new([i, i + 1], pair)).collect();
    let model = fit(&sizes, &targets, &[], &Options::default()).unwrap();
    assert!(matches!(model, FittedModel::Tree(_)));
    let columns = model.sample(100_000, [9; 32]);
    for attributes in [[0, 11], [2, 7], [10, 11]] {
        assert_fits(&tabulated(&sizes, &columns, &attributes), &model.margin(&attributes).unwrap());
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
