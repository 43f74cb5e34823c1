//! What raking a fitted model must be: the published totals met, everything else kept, and the same on the
//! full table and on a junction tree.

use std::ops::ControlFlow;

use margins::{
    Disagreement, Error, FittedModel, Form, Impossible, Options, Order, Stopped, TargetMargin, fit,
};
use proptest::prelude::*;

mod tables;
use tables::{all, furthest, margin, numbers, position, targets};

fn with_form(form: Form) -> Options {
    Options { form, ..Options::default() }
}

/// The model that has exactly this table.
fn saturated(sizes: &[usize], table: &[f64]) -> FittedModel {
    fit(sizes, &[TargetMargin::new(all(sizes), table)], &[], &Options::default())
        .expect("one margin is always fitted")
}

/// The chain 0 – 1 – 2 – 3 in both forms.
fn chain(sizes: &[usize; 4], seed: u32) -> [FittedModel; 2] {
    let joint = numbers(sizes.iter().product(), seed);
    let targets = targets(sizes, &joint, &[vec![0, 1], vec![1, 2], vec![2, 3]]);
    [Form::Dense, Form::Tree]
        .map(|form| fit(sizes, &targets, &[], &with_form(form)).expect("the margins agree"))
}

fn whole(model: &FittedModel) -> Vec<f64> {
    model.margin(&all(model.sizes())).expect("the table is small")
}

/// Deming and Stephan's procedure as they describe it, one margin and one cell at a time.
fn slowly(sizes: &[usize], start: &[f64], targets: &[TargetMargin], sweeps: usize) -> Vec<f64> {
    let mut table = start.to_vec();
    for _ in 0..sweeps {
        for target in targets {
            let sums = margin(sizes, &table, &target.attributes);
            for (cell, count) in table.iter_mut().enumerate() {
                let at = position(sizes, cell, &target.attributes);
                *count *= if sums[at] > 0.0 { target.counts[at] / sums[at] } else { 0.0 };
            }
        }
    }
    table
}

#[test]
fn two_by_two_is_the_root_of_a_quadratic() {
    // Odds ratio 6, rows 60 and 40, columns 50 and 50: a(a − 10) = 6(60 − a)(50 − a), so a = 40.
    let model = saturated(&[2, 2], &[40.0, 10.0, 20.0, 30.0]);
    let rows = TargetMargin::new([0], [60.0, 40.0]);
    let columns = TargetMargin::new([1], [50.0, 50.0]);
    let raked = model.rake(&[rows, columns], &Options::default()).unwrap();
    assert!(furthest(&whole(&raked), &[40.0, 20.0, 10.0, 30.0]) < 1e-9);
    // One margin alone scales the rows, to another total.
    let raked = model.rake(&[TargetMargin::new([0], [100.0, 300.0])], &Options::default()).unwrap();
    assert!(furthest(&whole(&raked), &[80.0, 20.0, 120.0, 180.0]) < 1e-10);
    // The grand total scales everything.
    let raked = model.rake(&[TargetMargin::new([], [1.0])], &Options::default()).unwrap();
    assert!(furthest(&whole(&raked), &[0.4, 0.1, 0.2, 0.3]) < 1e-14);
}

#[test]
fn a_model_that_has_the_totals_stays_as_it_is() {
    for model in chain(&[2, 3, 2, 4], 3) {
        let sets = [vec![0, 1], vec![2], vec![3]];
        let raked = model.rake(&targets(model.sizes(), &whole(&model), &sets), &Options::default()).unwrap();
        assert!(furthest(&whole(&raked), &whole(&model)) < 1e-10);
        assert_eq!(raked.convergence().sweeps, 1);
    }
}

#[test]
fn odds_ratios_that_the_totals_do_not_speak_of_are_kept() {
    let sizes = [2, 3, 2, 4];
    let published = targets(&sizes, &numbers(48, 77), &[vec![0], vec![1], vec![2, 3]]);
    for model in chain(&sizes, 5) {
        let raked = model.rake(&published, &Options::default()).unwrap();
        let ratio = |model: &FittedModel, a: [usize; 2], b: [usize; 2], c: usize, d: usize| {
            let m = |i: usize, j: usize| model.expected(&[i, j, c, d]).unwrap();
            m(a[0], b[0]) * m(a[1], b[1]) / (m(a[0], b[1]) * m(a[1], b[0]))
        };
        for cell in 0..24 {
            let (b, c, d) = ([[0, 1], [0, 2], [1, 2]][cell / 8], cell / 4 % 2, cell % 4);
            let [before, after] = [&model, &raked].map(|model| ratio(model, [0, 1], b, c, d));
            assert!((after / before - 1.0).abs() < 1e-9, "{before} became {after}");
        }
    }
}

#[test]
fn raked_twice_is_raked_once() {
    for model in chain(&[3, 3, 2, 2], 8) {
        let published = targets(model.sizes(), &numbers(36, 9), &[vec![0], vec![1, 2], vec![3]]);
        let once = model.rake(&published, &Options::default()).unwrap();
        let twice = once.rake(&published, &Options::default()).unwrap();
        assert!(furthest(&whole(&once), &whole(&twice)) < 1e-9);
    }
}

#[test]
fn a_tree_keeps_its_cliques_or_widens_them_for_a_target_across() {
    let sizes = [2, 3, 2, 4];
    let [dense, tree] = chain(&sizes, 12);
    let cliques = |model: &FittedModel| match model {
        FittedModel::Tree(tree) => tree.cliques().iter().map(|c| c.attributes.clone()).collect(),
        FittedModel::Dense(_) => Vec::new(),
    };
    let census = numbers(48, 13);
    let within = targets(&sizes, &census, &[vec![0], vec![1, 2], vec![3]]);
    let raked = tree.rake(&within, &Options::default()).unwrap();
    assert_eq!(cliques(&raked), cliques(&tree));
    let across = targets(&sizes, &census, &[vec![0, 3], vec![2]]);
    let raked = tree.rake(&across, &Options::default()).unwrap();
    assert!(cliques(&raked).iter().any(|clique| clique.contains(&0) && clique.contains(&3)));
    let expected = whole(&dense.rake(&across, &Options::default()).unwrap());
    assert!(furthest(&whole(&raked), &expected) < 1e-9);
    // In the given order, when the tree is too large, or when asked, it becomes the full table.
    for options in [
        Options { order: Order::AsGiven, ..Options::default() },
        Options { tree_limit: 10, ..Options::default() },
        with_form(Form::Dense),
    ] {
        let raked = tree.rake(&across, &options).unwrap();
        assert!(matches!(raked, FittedModel::Dense(_)));
        assert!(furthest(&whole(&raked), &expected) < 1e-9);
    }
}

#[test]
fn zeros_in_the_totals_empty_cells() {
    for model in chain(&[2, 3, 2, 2], 15) {
        let published = [TargetMargin::new([1], [70.0, 0.0, 30.0]), TargetMargin::new([3], [45.0, 55.0])];
        let raked = model.rake(&published, &Options::default()).unwrap();
        assert!(raked.convergence().converged());
        let textbook = slowly(model.sizes(), &whole(&model), &published, 200);
        assert!(furthest(&whole(&raked), &textbook) < 1e-9);
        assert_eq!(raked.margin(&[1]).unwrap()[1], 0.0);
        // What raking has emptied, raking cannot fill.
        let refusal = raked.rake(&[TargetMargin::new([1], [1.0; 3])], &Options::default()).unwrap_err();
        assert_eq!(refusal, Error::EmptyInModel { attributes: vec![1] });
    }
}

#[test]
fn a_total_where_the_model_is_empty_is_refused() {
    let rule = [Impossible::new([0, 1], 4, [1, 3])]; // class 1 of variable 1 cannot occur
    let counts = [TargetMargin::new([0], [5.0, 5.0]), TargetMargin::new([2], [4.0, 6.0])];
    for form in [Form::Dense, Form::Tree] {
        let model = fit(&[2, 2, 2], &counts, &rule, &with_form(form)).unwrap();
        let published = [TargetMargin::new([0], [50.0, 50.0]), TargetMargin::new([1], [99.0, 1.0])];
        let refusal = model.rake(&published, &Options::default()).unwrap_err();
        assert_eq!(refusal, Error::EmptyInModel { attributes: vec![1] });
        assert_eq!(
            refusal.to_string(),
            "the target over variables [1] has records in a class that the model leaves empty, and raking \
             cannot fill it; fit the model with a small positive count there, or correct the target"
        );
    }
    // Reachable one by one, but not together.
    let diagonal = saturated(&[2, 2], &[5.0, 0.0, 0.0, 5.0]);
    let published = [TargetMargin::new([0], [10.0, 0.0]), TargetMargin::new([1], [5.0, 5.0])];
    let refusal = diagonal.rake(&published, &Options::default()).unwrap_err();
    assert_eq!(refusal, Error::ConflictingZeros { attributes: vec![1] });
    // On the diagonal both margins are one and the same, so these two are never met.
    let published = [TargetMargin::new([0], [6.0, 4.0]), TargetMargin::new([1], [5.0, 5.0])];
    let raked = diagonal.rake(&published, &Options::default()).unwrap();
    assert_eq!(raked.convergence().stopped, Stopped::Settled);
    assert!((raked.convergence().deviation - 1.0).abs() < 1e-12);
    let text = serde_json::to_string(&diagonal).unwrap().replace("5.0", "0.0");
    let nobody: FittedModel = serde_json::from_str(&text).unwrap();
    let refusal = nobody.rake(&published, &Options::default()).unwrap_err();
    assert_eq!(refusal, Error::EmptyInModel { attributes: vec![0] });
}

#[test]
fn what_cannot_be_raked_is_refused_in_words() {
    let sizes = [5; 4];
    let [dense, tree] = chain(&sizes, 20);
    let text = |model: &FittedModel, targets: &[TargetMargin], options: &Options| {
        model.rake(targets, options).unwrap_err().to_string()
    };
    let census = targets(&sizes, &numbers(625, 21), &[vec![0, 3], vec![1], vec![0, 2]]);
    let narrow = Options { tree_limit: 100, dense_limit: 100, ..Options::default() };
    assert_eq!(
        text(&tree, &census, &narrow),
        "no clique of the model holds all variables of the target over [0, 3] or [0, 2], and a tree that \
         does has 250 cells, above the limit of 100; include that margin when the model is fitted, and \
         fewer others, or merge classes"
    );
    assert_eq!(
        text(&tree, &census, &Options { order: Order::AsGiven, ..narrow.clone() }),
        "raking in the given order needs the full table; use the free order with a junction tree"
    );
    assert_eq!(
        text(&tree, &census, &Options { form: Form::Dense, ..narrow }),
        "the full table has 625 cells, and the limit is 100; allow a junction tree, or merge classes"
    );
    assert_eq!(
        text(&dense, &census, &with_form(Form::Tree)),
        "form must be automatic or dense to rake a model that is held as the full table"
    );
    let options = Options::default();
    for model in [&dense, &tree] {
        assert_eq!(model.rake(&[], &options).unwrap_err(), Error::NoTargets);
        assert!(matches!(
            model.rake(&[TargetMargin::new([4], [1.0; 5])], &options),
            Err(Error::Attributes { .. })
        ));
        assert!(matches!(
            model.rake(&[TargetMargin::new([0], [1.0; 4])], &options),
            Err(Error::Shape { .. })
        ));
        let other_total = [census[1].clone(), TargetMargin::new([2], [1.0; 5])];
        assert!(matches!(model.rake(&other_total, &options), Err(Error::Disagreement { .. })));
        let stop = model.rake_watched(&census, &options, |_| ControlFlow::Break(()));
        assert_eq!(stop.unwrap_err(), Error::Interrupted);
    }
}

#[test]
fn totals_are_rescaled_when_asked() {
    let options = Options { disagreement: Disagreement::Rescale { total: 1000.0 }, ..Options::default() };
    let model = saturated(&[2, 2], &[40.0, 10.0, 20.0, 30.0]);
    let shares = [TargetMargin::new([0], [0.6, 0.4]), TargetMargin::new([1], [50.0, 50.0])];
    let raked = model.rake(&shares, &options).unwrap();
    assert!(raked.convergence().converged());
    assert!(furthest(&whole(&raked), &[400.0, 200.0, 100.0, 300.0]) < 1e-8);
}

#[test]
fn forty_variables_meet_the_totals_of_each() {
    let sizes = [4; 40];
    let columns = tables::records(&sizes, 2_000, 3);
    let pairs: Vec<TargetMargin> = (0..39).map(|i| tables::counted(&sizes, &columns, &[i, i + 1])).collect();
    let model = fit(&sizes, &pairs, &[], &Options::default()).unwrap();
    let published: Vec<TargetMargin> = (0..40)
        .map(|variable| {
            let counts = numbers(4, variable as u32);
            let total: f64 = counts.iter().sum();
            TargetMargin::new([variable], counts.iter().map(|count| count * 5e4 / total).collect::<Vec<_>>())
        })
        .collect();
    let raked = model.rake(&published, &Options::default()).unwrap();
    assert!(raked.convergence().converged(), "{:?}", raked.convergence());
    for target in &published {
        assert!(furthest(&raked.margin(&target.attributes).unwrap(), &target.counts) < 1e-7);
    }
    // The two ends, which no clique holds together, can be published together.
    let ends = TargetMargin::new([0, 39], numbers(16, 50));
    let raked = model.rake(std::slice::from_ref(&ends), &Options::default()).unwrap();
    assert!(furthest(&raked.margin(&[0, 39]).unwrap(), &ends.counts) < 1e-8);
}

#[test]
fn a_raked_model_is_the_same_bit_for_bit_on_any_number_of_threads() {
    let sizes = [6, 9, 8, 7, 10, 11]; // 332,640 cells: walked in strips
    let columns = tables::records(&sizes, 3_000, 5);
    let pairs: Vec<TargetMargin> = (0..5).map(|i| tables::counted(&sizes, &columns, &[i, i + 1])).collect();
    let other = tables::records(&sizes, 5_000, 6);
    let published: Vec<TargetMargin> =
        [vec![0], vec![1, 4], vec![5]].iter().map(|set| tables::counted(&sizes, &other, set)).collect();
    for form in [Form::Dense, Form::Tree] {
        let model = fit(&sizes, &pairs, &[], &with_form(form)).unwrap();
        let results = [1, 2, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| model.rake(&published, &Options::default()).unwrap())
        });
        assert!(results[0].convergence().converged());
        assert!(results.iter().all(|result| result == &results[0]));
    }
}

/// A fitted model of 4 or 5 variables, some cells impossible, and published totals that its cells can meet.
#[derive(Clone, Debug)]
struct Case {
    sizes: Vec<usize>,
    modelled: Vec<Vec<usize>>,
    rule: Vec<Impossible>,
    published: Vec<Vec<usize>>,
    seed: u32,
}

fn cases() -> impl Strategy<Value = Case> {
    prop::collection::vec(1_usize..4, 4..6)
        .prop_flat_map(|sizes| {
            let sets = |most| {
                let set = prop::collection::btree_set(0..sizes.len(), 0..3);
                let set = set.prop_map(|set| set.into_iter().collect::<Vec<usize>>());
                prop::collection::vec(set, 1..most)
            };
            (Just(sizes.clone()), sets(6), sets(5), any::<u32>())
        })
        .prop_map(|(sizes, modelled, published, seed)| {
            let size: usize = modelled[0].iter().map(|&variable| sizes[variable]).product();
            let ruled = (size > 2 && seed % 2 == 0).then_some(seed as usize / 2 % size.max(1));
            let rule = ruled.map(|cell| Impossible::new(modelled[0].clone(), size, [cell]));
            Case { sizes, modelled, rule: rule.into_iter().collect(), published, seed }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn table_tree_and_textbook_agree(case in cases()) {
        let Case { sizes, modelled, rule, published, seed } = case;
        let size = sizes.iter().product();
        let joint = tables::without(&sizes, &numbers(size, seed), &rule);
        let census = tables::without(&sizes, &numbers(size, seed ^ 1), &rule);
        let [survey, published] =
            [(&joint, &modelled), (&census, &published)].map(|(table, sets)| targets(&sizes, table, sets));
        let options = Options { max_sweeps: 20_000, ..Options::default() };
        let [dense, tree] = [Form::Dense, Form::Tree]
            .map(|form| fit(&sizes, &survey, &rule, &Options { form, ..options.clone() }).unwrap());
        let expected = slowly(&sizes, &whole(&dense), &published, 2_000);
        let in_order = Options { order: Order::AsGiven, ..options.clone() };
        for raked in [
            dense.rake(&published, &options).unwrap(),
            tree.rake(&published, &options).unwrap(),
            tree.rake(&published, &in_order).unwrap(),
        ] {
            prop_assert!(raked.convergence().converged(), "{:?}", raked.convergence());
            prop_assert!(furthest(&whole(&raked), &expected) < 1e-9);
            for target in &published {
                prop_assert!(furthest(&raked.margin(&target.attributes).unwrap(), &target.counts) < 1e-8);
            }
        }
    }
}
