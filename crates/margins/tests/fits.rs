//! What a fit must be: the wanted margins, nothing beyond them, and the same on the full table and on a
//! junction tree.

use std::ops::ControlFlow;

use margins::{
    Disagreement, Error, FittedModel, Form, Impossible, Options, Order, Stopped, TargetMargin, fit,
    fit_watched,
};
use proptest::prelude::*;

mod tables;
use tables::{all, furthest, margin, numbers, targets};

fn with_form(form: Form) -> Options {
    Options { form, ..Options::default() }
}

fn assert_meets(model: &FittedModel, targets: &[TargetMargin], within: f64) {
    for target in targets {
        let fitted = model.margin(&target.attributes).expect("targets are small");
        let off = furthest(&fitted, &target.counts);
        assert!(off <= within, "margin {:?} is off by {off}: {:?}", target.attributes, model.convergence());
    }
}

/// Textbook iterative proportional fitting, one margin and one cell at a time.
fn slowly(sizes: &[usize], targets: &[TargetMargin], sweeps: usize) -> Vec<f64> {
    let cells = sizes.iter().product();
    let mut table = vec![targets[0].total() / cells as f64; cells];
    for _ in 0..sweeps {
        for target in targets {
            let sums = margin(sizes, &table, &target.attributes);
            for (cell, count) in table.iter_mut().enumerate() {
                let at = tables::position(sizes, cell, &target.attributes);
                *count *= if target.counts[at] > 0.0 { target.counts[at] / sums[at] } else { 0.0 };
            }
        }
    }
    table
}

#[test]
fn no_three_way_interaction_means_equal_odds_ratios() {
    let sizes = [2, 2, 2];
    let joint = [10.0, 20.0, 30.0, 5.0, 8.0, 2.0, 16.0, 9.0];
    let targets = targets(&sizes, &joint, &[vec![0, 1], vec![0, 2], vec![1, 2]]);
    for form in [Form::Dense, Form::Tree] {
        let model = fit(&sizes, &targets, &[], &with_form(form)).unwrap();
        assert_meets(&model, &targets, 1e-8);
        let m = |i, j, k| model.expected(&[i, j, k]).unwrap();
        let ratio = |k| m(0, 0, k) * m(1, 1, k) / (m(0, 1, k) * m(1, 0, k));
        assert!((ratio(0) / ratio(1) - 1.0).abs() < 1e-9, "{} and {}", ratio(0), ratio(1));
    }
}

#[test]
fn the_only_table_left_is_found() {
    // With all pairs of a 2 × 2 × 2 table given, one number t is free: joint + t·(±1). Enumerate it, and take
    // the table of maximum entropy.
    let sizes = [2, 2, 2];
    let joint = [10.0, 20.0, 30.0, 5.0, 8.0, 2.0, 16.0, 9.0];
    let signs = [1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0];
    let entropy = |t: f64| -> f64 {
        joint
            .iter()
            .zip(signs)
            .map(|(count, sign)| count + t * sign)
            .map(|count| -count * f64::ln(count))
            .sum()
    };
    let steps = (-1_990_000..=4_990_000).map(|step| f64::from(step) * 1e-6);
    let best = steps.max_by(|a, b| entropy(*a).total_cmp(&entropy(*b))).unwrap();
    let targets = targets(&sizes, &joint, &[vec![0, 1], vec![0, 2], vec![1, 2]]);
    let model = fit(&sizes, &targets, &[], &Options::default()).unwrap();
    let expected: Vec<f64> = joint.iter().zip(signs).map(|(count, sign)| count + best * sign).collect();
    // Entropy is flat within √ε of its top, so the enumeration itself is no better than this.
    assert!(furthest(&model.margin(&[0, 1, 2]).unwrap(), &expected) < 1e-5);
}

#[test]
fn a_chain_has_a_closed_form_and_takes_one_sweep() {
    let sizes = [3, 4, 5, 2];
    let joint = numbers(120, 3);
    let chain = targets(&sizes, &joint, &[vec![0, 1], vec![1, 2], vec![2, 3]]);
    let one_way = |variable| margin(&sizes, &joint, &[variable]);
    let (second, third) = (one_way(1), one_way(2));
    for form in [Form::Dense, Form::Tree] {
        let model = fit(&sizes, &chain, &[], &with_form(form)).unwrap();
        if form == Form::Tree {
            assert_eq!(model.convergence().sweeps, 1);
        }
        for (cell, fitted) in model.margin(&[0, 1, 2, 3]).unwrap().into_iter().enumerate() {
            let at = |set: &[usize]| tables::position(&sizes, cell, set);
            let expected =
                chain[0].counts[at(&[0, 1])] * chain[1].counts[at(&[1, 2])] * chain[2].counts[at(&[2, 3])]
                    / (second[at(&[1])] * third[at(&[2])]);
            assert!((fitted - expected).abs() < 1e-10);
        }
    }
}

#[test]
fn the_given_order_is_the_textbook_cycle_even_where_margins_contradict_each_other() {
    let sizes = [3, 2, 4, 3];
    let sets = [vec![0, 1], vec![1, 2], vec![0, 2], vec![2, 3], vec![0, 3], vec![1]];
    let mut contradicting: Vec<TargetMargin> = sets
        .iter()
        .zip(0..)
        .map(|(set, seed)| targets(&sizes, &numbers(72, seed), std::slice::from_ref(set)).remove(0))
        .collect();
    contradicting.iter_mut().for_each(|target| {
        let total = target.total();
        target.counts.iter_mut().for_each(|count| *count /= total);
    });
    let options = Options {
        order: Order::AsGiven,
        disagreement: Disagreement::Rescale { total: 1.0 },
        max_sweeps: 7,
        ..Options::default()
    };
    let model = fit(&sizes, &contradicting, &[], &options).unwrap();
    assert_eq!((model.convergence().sweeps, model.convergence().stopped), (7, Stopped::SweepLimit));
    assert!(furthest(&model.margin(&[0, 1, 2, 3]).unwrap(), &slowly(&sizes, &contradicting, 7)) < 1e-14);
    // The last margin raked is met, and the cycle settles.
    let model = fit(&sizes, &contradicting, &[], &Options { max_sweeps: 5_000, ..options }).unwrap();
    assert_eq!(model.convergence().stopped, Stopped::Settled);
    assert!(!model.convergence().converged());
    assert!(furthest(&model.margin(&[1]).unwrap(), &contradicting[5].counts) < 1e-12);
    assert!(model.convergence().deviation > 1e-3);
}

#[test]
fn contradicting_margins_still_leave_one_table_on_a_tree() {
    let sizes = [2, 3, 2, 2];
    let sets = [vec![0, 1], vec![1, 2], vec![2, 3], vec![0, 3]];
    let contradicting: Vec<TargetMargin> = sets
        .iter()
        .zip(0..)
        .map(|(set, seed)| targets(&sizes, &numbers(24, seed), std::slice::from_ref(set)).remove(0))
        .collect();
    let options = Options {
        form: Form::Tree,
        disagreement: Disagreement::Rescale { total: 50.0 },
        ..Options::default()
    };
    let model = fit(&sizes, &contradicting, &[], &options).unwrap();
    assert_eq!(model.convergence().stopped, Stopped::Settled);
    let whole = model.margin(&all(&sizes)).unwrap();
    assert!((whole.iter().sum::<f64>() - 50.0).abs() < 1e-9);
    let FittedModel::Tree(tree) = &model else { panic!("asked for a tree") };
    for clique in tree.cliques() {
        assert!(furthest(&margin(&sizes, &whole, &clique.attributes), &clique.counts) < 1e-9);
    }
}

#[test]
fn converged_means_what_the_final_table_shows() {
    let sizes = [3, 2, 4];
    let targets = targets(&sizes, &numbers(24, 8), &[vec![0, 1], vec![1, 2], vec![0, 2]]);
    let mut stops = Vec::new();
    for max_sweeps in 1..30 {
        let model = fit(&sizes, &targets, &[], &Options { max_sweeps, ..Options::default() }).unwrap();
        let convergence = *model.convergence();
        let fitted =
            |target: &TargetMargin| furthest(&model.margin(&target.attributes).unwrap(), &target.counts);
        let deviation = targets.iter().map(fitted).fold(0.0, f64::max);
        assert!((convergence.deviation - deviation).abs() < 1e-13, "{convergence:?} against {deviation}");
        assert_eq!(convergence.converged(), convergence.deviation <= convergence.wanted);
        stops.push(convergence.stopped);
    }
    assert_eq!((stops[0], stops[28]), (Stopped::SweepLimit, Stopped::Converged));
}

#[test]
fn totals_are_rescaled_when_asked() {
    let options = Options { disagreement: Disagreement::Rescale { total: 200.0 }, ..Options::default() };
    let targets = [TargetMargin::new([0], [1.0, 3.0]), TargetMargin::new([1], [30.0, 70.0])];
    let model = fit(&[2, 2], &targets, &[], &options).unwrap();
    assert!(model.convergence().converged());
    assert!(furthest(&model.margin(&[0, 1]).unwrap(), &[15.0, 35.0, 45.0, 105.0]) < 1e-10);
}

#[test]
fn a_variable_in_no_margin_is_uniform() {
    let targets = [TargetMargin::new([0], [1.0, 3.0])];
    for form in [Form::Dense, Form::Tree] {
        let model = fit(&[2, 3], &targets, &[], &with_form(form)).unwrap();
        assert!(furthest(&model.margin(&[1]).unwrap(), &[4.0 / 3.0; 3]) < 1e-14);
        let grand_total = TargetMargin::new([], [6.0]);
        let model = fit(&[2, 3], &[grand_total], &[], &with_form(form)).unwrap();
        assert!(furthest(&model.margin(&[0, 1]).unwrap(), &[1.0; 6]) < 1e-14);
    }
    let rule = Impossible::new([0, 1], 6, [0, 1]);
    for form in [Form::Dense, Form::Tree] {
        let model = fit(&[2, 3], &targets, std::slice::from_ref(&rule), &with_form(form)).unwrap();
        assert!(furthest(&model.margin(&[0, 1]).unwrap(), &[0.0, 0.0, 1.0, 1.0, 1.0, 1.0]) < 1e-14);
    }
}

#[test]
fn impossible_cells_stay_exactly_empty() {
    let sizes = [3, 2, 3, 2];
    let rules = [Impossible::new([0, 1], 6, [1, 4]), Impossible::new([0, 1, 2, 3], 36, [0, 35])];
    let joint = tables::without(&sizes, &numbers(36, 5), &rules);
    let targets = targets(&sizes, &joint, &[vec![0, 1], vec![1, 2], vec![2, 3], vec![0, 3]]);
    let model = fit(&sizes, &targets, &rules, &Options::default()).unwrap();
    assert!(model.convergence().converged());
    assert_meets(&model, &targets, 1e-8);
    let fitted = model.margin(&all(&sizes)).unwrap();
    for (cell, (fitted, joint)) in fitted.iter().zip(&joint).enumerate() {
        assert_eq!(*fitted == 0.0, *joint == 0.0, "cell {cell}");
    }
    assert!(matches!(model, FittedModel::Dense(_)), "36 cells are held as a table");
    let columns = model.sample(100_000, [1; 32]);
    let cell =
        |row: usize| columns.iter().zip(sizes).fold(0, |at, (column, size)| at * size + column[row] as usize);
    assert!((0..100_000).all(|row| joint[cell(row)] > 0.0));
}

#[test]
fn a_target_where_nothing_is_possible_is_refused() {
    let targets = [TargetMargin::new([0], [5.0, 5.0]), TargetMargin::new([1], [4.0, 6.0])];
    let rule = [Impossible::new([0, 1], 4, [0, 2])];
    for form in [Form::Dense, Form::Tree] {
        let refusal = fit(&[2, 2], &targets, &rule, &with_form(form)).unwrap_err();
        assert_eq!(refusal, Error::Unreachable { attributes: vec![1] });
        assert_eq!(
            refusal.to_string(),
            "the target over variables [1] has records in a class where every cell is declared impossible; \
             correct the rule or the counts"
        );
        let everything = [Impossible::new([0], 2, [0, 1])];
        assert_eq!(
            fit(&[2, 2], &targets, &everything, &with_form(form)).unwrap_err(),
            Error::NothingPossible
        );
    }
}

#[test]
fn zeros_that_leave_no_cell_are_refused() {
    // The first two say that variables 0, 1 and 2 are equal; the third that 0 and 2 differ.
    let equal = [5.0, 0.0, 0.0, 5.0];
    let targets = [
        TargetMargin::new([0, 1], equal),
        TargetMargin::new([1, 2], equal),
        TargetMargin::new([0, 2], [0.0, 5.0, 5.0, 0.0]),
    ];
    for form in [Form::Dense, Form::Tree] {
        let refusal = fit(&[2, 2, 2], &targets, &[], &with_form(form)).unwrap_err();
        assert!(matches!(refusal, Error::ConflictingZeros { .. }), "{refusal}");
    }
    let softened: Vec<TargetMargin> = targets
        .iter()
        .map(|target| {
            TargetMargin::new(
                target.attributes.clone(),
                target.counts.iter().map(|c| c.max(1e-3)).collect::<Vec<_>>(),
            )
        })
        .collect();
    let model = fit(&[2, 2, 2], &softened, &[], &Options { max_sweeps: 50, ..Options::default() }).unwrap();
    assert!(!model.convergence().converged());
}

#[test]
fn forty_variables_in_a_chain() {
    let sizes = [7; 40];
    // A chain of one transition matrix, from its start: the far end is start × matrixᵏ.
    let mut start = numbers(7, 1);
    let scale = 1000.0 / start.iter().sum::<f64>();
    start.iter_mut().for_each(|count| *count *= scale);
    let mut matrix = numbers(49, 2);
    matrix.chunks_mut(7).for_each(|row| {
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|share| *share /= total);
    });
    let step = |from: &[f64]| -> Vec<f64> { (0..49).map(|cell| from[cell / 7] * matrix[cell]).collect() };
    let mut targets = Vec::new();
    let mut joint_with_first: Vec<f64> =
        (0..49).map(|cell| if cell / 7 == cell % 7 { start[cell / 7] } else { 0.0 }).collect();
    let mut now = start;
    for i in 0..39 {
        let pair = step(&now);
        now = margin(&[7, 7], &pair, &[1]);
        targets.push(TargetMargin::new([i, i + 1], pair));
        joint_with_first = joint_with_first
            .chunks(7)
            .flat_map(|row| {
                (0..7).map(|to| (0..7).map(|via| row[via] * matrix[via * 7 + to]).sum()).collect::<Vec<_>>()
            })
            .collect();
    }
    let model = fit(&sizes, &targets, &[], &Options::default()).unwrap();
    assert_eq!(model.cells(), "6366805760909027985741435139224001"); // 7^40
    assert_eq!(model.convergence().sweeps, 1);
    assert_meets(&model, &targets, 1e-8);
    assert!(furthest(&model.margin(&[0, 39]).unwrap(), &joint_with_first) < 1e-9);
    assert!(
        furthest(&margin(&[7, 7, 7], &model.margin(&[0, 20, 39]).unwrap(), &[0, 2]), &joint_with_first)
            < 1e-9
    );
}

#[test]
fn forty_variables_in_a_tree_and_in_a_cycle() {
    let sizes = [3; 40];
    let columns = tables::records(&sizes, 2_000, 7);
    let tree: Vec<Vec<usize>> = (1..40).map(|i| vec![(i - 1) / 2, i]).collect();
    let cycle: Vec<Vec<usize>> = (0..39).map(|i| vec![i, i + 1]).chain([vec![0, 39]]).collect();
    for sets in [tree, cycle] {
        let targets: Vec<TargetMargin> =
            sets.iter().map(|set| tables::counted(&sizes, &columns, set)).collect();
        let model = fit(&sizes, &targets, &[], &Options::default()).unwrap();
        assert!(matches!(model, FittedModel::Tree(_)));
        assert!(model.convergence().converged(), "{:?}", model.convergence());
        assert_meets(&model, &targets, 1e-8);
    }
}

#[test]
fn two_thousand_variables_in_a_chain_do_not_exhaust_the_stack() {
    let sizes = [2; 2000];
    let targets: Vec<TargetMargin> =
        (0..1999).map(|i| TargetMargin::new([i, i + 1], [4.0, 1.0, 1.0, 4.0])).collect();
    let model = fit(&sizes, &targets, &[], &Options::default()).unwrap();
    assert_meets(&model, &targets, 1e-8);
    assert!(furthest(&model.margin(&[0, 1999]).unwrap(), &[2.5; 4]) < 1e-8);
}

#[test]
fn a_cycle_of_ten_is_the_same_on_the_table_and_on_the_tree() {
    let sizes = [2; 10];
    let joint = numbers(1024, 11);
    let sets: Vec<Vec<usize>> = (0..9).map(|i| vec![i, i + 1]).chain([vec![0, 9]]).collect();
    let targets = targets(&sizes, &joint, &sets);
    let [dense, tree] =
        [Form::Dense, Form::Tree].map(|form| fit(&sizes, &targets, &[], &with_form(form)).unwrap());
    assert!(tree.held_cells() < 100);
    assert_meets(&tree, &targets, 1e-8);
    assert!(furthest(&dense.margin(&all(&sizes)).unwrap(), &tree.margin(&all(&sizes)).unwrap()) < 1e-9);
}

#[test]
fn a_fit_is_the_same_bit_for_bit_on_any_number_of_threads() {
    let sizes = [6, 9, 8, 7, 10, 11]; // 332,640 cells: walked in strips
    let columns = tables::records(&sizes, 3_000, 5);
    let sets: Vec<Vec<usize>> = (0..6).flat_map(|i| (i + 1..6).map(move |j| vec![i, j])).collect();
    let targets: Vec<TargetMargin> = sets.iter().map(|set| tables::counted(&sizes, &columns, set)).collect();
    for order in [Order::Free, Order::AsGiven] {
        let options = Options { order, max_sweeps: 3, ..Options::default() };
        let results = [1, 2, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let model = fit(&sizes, &targets, &[], &options).unwrap();
                let sample = model.sample(50_000, [3; 32]);
                assert!(matches!(model, FittedModel::Dense(_)), "all pairs need the full table");
                (model, sample)
            })
        });
        assert!(results.iter().all(|result| result == &results[0]));
    }
}

#[test]
fn the_form_is_chosen_by_size_and_by_wish() {
    let sizes = [4; 9]; // 262,144 cells
    let sets: Vec<Vec<usize>> = (0..8).map(|i| vec![i, i + 1]).collect();
    let targets: Vec<TargetMargin> =
        sets.iter().map(|set| tables::counted(&sizes, &tables::records(&sizes, 500, 1), set)).collect();
    let form = |options: &Options| match fit(&sizes, &targets, &[], options) {
        Ok(FittedModel::Dense(_)) => "dense".to_string(),
        Ok(FittedModel::Tree(_)) => "tree".to_string(),
        Err(error) => error.to_string(),
    };
    let one = Options { max_sweeps: 1, ..Options::default() };
    assert_eq!(form(&one), "tree");
    assert_eq!(form(&Options { form: Form::Dense, ..one.clone() }), "dense");
    assert_eq!(form(&Options { order: Order::AsGiven, ..one.clone() }), "dense");
    assert_eq!(form(&Options { tree_limit: 10, ..one.clone() }), "dense");
    assert_eq!(
        form(&Options { form: Form::Dense, dense_limit: 1000, ..one.clone() }),
        "the full table has 262144 cells, and the limit is 1000; allow a junction tree, or merge classes"
    );
    let needs_dense =
        "raking in the given order needs the full table; use the free order with a junction tree";
    assert_eq!(form(&Options { order: Order::AsGiven, dense_limit: 1000, ..one.clone() }), needs_dense);
    assert_eq!(form(&Options { order: Order::AsGiven, form: Form::Tree, ..one.clone() }), needs_dense);
    let too_large = form(&Options { tree_limit: 100, dense_limit: 1000, ..one });
    assert!(
        too_large.starts_with("the full table has 262144 cells and the best junction tree found has 128"),
        "{too_large}"
    );
}

#[test]
fn a_fit_can_be_watched_and_interrupted() {
    let sizes = [2, 2, 2];
    let targets = targets(&sizes, &numbers(8, 4), &[vec![0, 1], vec![0, 2], vec![1, 2]]);
    let mut deviations = Vec::new();
    let model = fit_watched(&sizes, &targets, &[], &Options::default(), |progress| {
        deviations.push(progress.deviation);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(deviations.len(), model.convergence().sweeps);
    assert!(deviations.windows(2).skip(1).all(|pair| pair[1] <= pair[0]));
    let interrupted = fit_watched(&sizes, &targets, &[], &Options::default(), |_| ControlFlow::Break(()));
    assert_eq!(interrupted.unwrap_err(), Error::Interrupted);
}

#[test]
fn a_model_survives_storage_and_a_broken_one_does_not() {
    let sizes = [2, 3, 2];
    let targets = targets(&sizes, &numbers(12, 9), &[vec![0, 1], vec![1, 2]]);
    for form in [Form::Dense, Form::Tree] {
        let model = fit(&sizes, &targets, &[], &with_form(form)).unwrap();
        let text = serde_json::to_string(&model).unwrap();
        let back: FittedModel = serde_json::from_str(&text).unwrap();
        assert_eq!(back.sizes(), model.sizes());
        assert!(furthest(&back.margin(&[0, 2]).unwrap(), &model.margin(&[0, 2]).unwrap()) < 1e-12);
        for broken in [
            text.replace("\"dims\":[2,3,2]", "\"dims\":[2,3,3]"),
            text.replace("\"parent\":0", "\"parent\":1"),
        ] {
            if broken != text {
                let refusal = serde_json::from_str::<FittedModel>(&broken).unwrap_err().to_string();
                assert!(refusal.contains("the stored model is not a"), "{refusal}");
            }
        }
    }
    let options: Options =
        serde_json::from_str(r#"{"order": "as-given", "disagreement": {"rescale": {"total": 1.0}}}"#)
            .unwrap();
    assert_eq!((options.order, options.tolerance), (Order::AsGiven, 1e-12));
    assert!(serde_json::from_str::<Options>(r#"{"tolerence": 1e-6}"#).is_err());
}

#[test]
fn questions_that_mean_nothing_are_refused() {
    let model = fit(&[2, 2], &[TargetMargin::new([0], [1.0, 1.0])], &[], &Options::default()).unwrap();
    for attributes in [[1, 0].as_slice(), &[2], &[0, 0]] {
        assert!(matches!(model.margin(attributes), Err(Error::Attributes { .. })));
    }
    assert!(matches!(model.expected(&[0]), Err(Error::Cell { .. })));
    assert!(matches!(model.expected(&[0, 2]), Err(Error::Cell { .. })));
}

/// A model of some margins of 4 to 6 variables, with a table that has them: positive except for impossible
/// cells and for cells that fall under a zero of some margin.
#[derive(Clone, Debug)]
struct Case {
    sizes: Vec<usize>,
    sets: Vec<Vec<usize>>,
    rules: Vec<Impossible>,
    joint: Vec<f64>,
}

fn cases() -> impl Strategy<Value = Case> {
    prop::collection::vec(1_usize..4, 4..7)
        .prop_flat_map(|sizes| {
            let set = prop::collection::btree_set(0..sizes.len(), 1..4);
            (
                Just(sizes),
                prop::collection::vec(set.clone(), 1..9),
                prop::collection::vec(set, 0..3),
                any::<u32>(),
            )
        })
        .prop_filter_map("some cell must be possible", |(sizes, sets, ruled, seed)| {
            let sets: Vec<Vec<usize>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
            let rules: Vec<Impossible> = ruled
                .into_iter()
                .enumerate()
                .map(|(at, set)| {
                    let set: Vec<usize> = set.into_iter().collect();
                    let size: usize = set.iter().map(|&variable| sizes[variable]).product();
                    Impossible::new(set, size, [(seed as usize + at) % size])
                })
                .collect();
            let cells = sizes.iter().product();
            let mut joint = tables::without(&sizes, &numbers(cells, seed), &rules);
            // Half of the time, an observed zero in the first margin.
            if seed % 2 == 0 {
                let size: usize = sets[0].iter().map(|&variable| sizes[variable]).product();
                let zero = Impossible::new(sets[0].clone(), size, [seed as usize / 2 % size]);
                joint = tables::without(&sizes, &joint, &[zero]);
            }
            (joint.iter().sum::<f64>() > 0.0).then_some(Case { sizes, sets, rules, joint })
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn table_and_tree_agree_on_every_model(case in cases()) {
        let Case { sizes, sets, rules, joint } = case;
        // Two fits that meet the margins within the tolerance may differ by some multiple of it: by more, the nearer the
        // margins come to contradicting each other.
        let within = 1e-11 * joint.iter().sum::<f64>().max(1.0);
        let targets = targets(&sizes, &joint, &sets);
        let options = Options { max_sweeps: 20_000, ..Options::default() };
        let [dense, tree] = [Form::Dense, Form::Tree]
            .map(|form| fit(&sizes, &targets, &rules, &Options { form, ..options.clone() }).unwrap());
        let in_order = fit(&sizes, &targets, &rules, &Options { order: Order::AsGiven, ..options }).unwrap();
        let whole = dense.margin(&all(&sizes)).unwrap();
        for model in [&dense, &tree, &in_order] {
            prop_assert!(model.convergence().converged(), "{:?}", model.convergence());
            assert_meets(model, &targets, within);
            prop_assert!(furthest(&model.margin(&all(&sizes)).unwrap(), &whole) < within);
        }
        // Every other margin, by elimination on the tree; and every cell.
        for set in 0..1_usize << sizes.len() {
            let set: Vec<usize> = (0..sizes.len()).filter(|variable| set >> variable & 1 == 1).collect();
            prop_assert!(furthest(&dense.margin(&set).unwrap(), &tree.margin(&set).unwrap()) < within);
        }
        for (cell, &count) in whole.iter().enumerate() {
            let classes = (0..sizes.len()).map(|variable| tables::position(&sizes, cell, &[variable]));
            let classes: Vec<usize> = classes.collect();
            prop_assert!((tree.expected(&classes).unwrap() - count).abs() < within);
            prop_assert_eq!(dense.expected(&classes).unwrap(), count);
            if joint[cell] == 0.0 {
                prop_assert!(count < within);
            }
        }
        for rule in &rules {
            let fitted = tree.margin(&rule.attributes).unwrap();
            prop_assert!(rule.cells.ones().all(|cell| fitted[cell] == 0.0));
        }
    }
}
