//! Laws of trees, on random problems.

use proptest::prelude::*;

use super::*;

/// A column as the tests make it: ordered codes (whose values are the codes) before unordered ones.
#[derive(Clone, Debug)]
struct Column {
    ordered: u32,
    unordered: u32,
    codes: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Data {
    columns: Vec<Column>,
    /// Classes, or numbers in tenths.
    response: Vec<u32>,
    /// 0 for a numeric response.
    levels: u32,
    weights: Vec<u32>,
}

impl Column {
    fn predictor(&self) -> Predictor {
        Predictor::ordered(&self.codes, self.ordered, self.unordered).unwrap()
    }

    fn permuted(&self, order: &[usize]) -> Self {
        Self { codes: order.iter().map(|row| self.codes[*row]).collect(), ..self.clone() }
    }
}

impl Data {
    fn numbers(&self) -> Vec<f64> {
        self.response.iter().map(|code| f64::from(*code) / 10.0).collect()
    }

    fn fit_in_blocks(&self, weights: Option<&[u32]>, options: &TreeOptions, largest_block: usize) -> Tree {
        let predictors: Vec<Predictor> = self.columns.iter().map(Column::predictor).collect();
        let predictors: Vec<&Predictor> = predictors.iter().collect();
        let numbers = self.numbers();
        let response = match self.levels {
            0 => Response::Numeric(&numbers),
            levels => Response::Classes { codes: &self.response, levels },
        };
        Tree::fit_by(&predictors, &response, weights, options, None, largest_block).unwrap()
    }

    fn fit(&self, options: &TreeOptions) -> Tree {
        self.fit_in_blocks(Some(&self.weights), options, 1 << 13)
    }

    fn leaves(&self, tree: &Tree) -> Vec<u32> {
        let predictors: Vec<Predictor> = self.columns.iter().map(Column::predictor).collect();
        tree.route(&predictors.iter().collect::<Vec<_>>(), 0..self.response.len()).unwrap()
    }

    fn permuted(&self, order: &[usize]) -> Self {
        Self {
            columns: self.columns.iter().map(|column| column.permuted(order)).collect(),
            response: order.iter().map(|row| self.response[*row]).collect(),
            levels: self.levels,
            weights: order.iter().map(|row| self.weights[*row]).collect(),
        }
    }

    /// Gini's index times the weight, or the sum of squares, of some records.
    fn impurity(&self, rows: &[usize]) -> f64 {
        let weight: f64 = rows.iter().map(|row| f64::from(self.weights[*row])).sum();
        let each = |power: i32, chosen: &dyn Fn(usize) -> f64| -> f64 {
            rows.iter().map(|row| f64::from(self.weights[*row]) * chosen(*row).powi(power)).sum()
        };
        if self.levels > 0 {
            let share = |class: u32| each(1, &|row| f64::from(u8::from(self.response[row] == class)));
            weight - (0..self.levels).map(|class| share(class).powi(2)).sum::<f64>() / weight
        } else {
            let numbers = self.numbers();
            let mean = each(1, &|row| numbers[row]) / weight;
            each(2, &|row| numbers[row] - mean)
        }
    }

    /// The gain of the best split, found by trying every cut with every set of unordered codes.
    fn exhaustive_gain(&self, min_bucket: u32) -> f64 {
        let all: Vec<usize> = (0..self.response.len()).filter(|row| self.weights[*row] > 0).collect();
        let whole = self.impurity(&all);
        let mut best = 0f64;
        for column in &self.columns {
            for below in 0..=column.ordered {
                for set in 0u32..1 << column.unordered {
                    let left = |row: &usize| match column.codes[*row] {
                        code if code < column.ordered => code < below,
                        code => set >> (code - column.ordered) & 1 == 1,
                    };
                    let (left, right): (Vec<usize>, Vec<usize>) = all.iter().partition(|row| left(row));
                    let enough =
                        |rows: &[usize]| rows.iter().map(|row| self.weights[*row]).sum::<u32>() >= min_bucket;
                    if enough(&left) && enough(&right) {
                        best = best.max(whole - self.impurity(&left) - self.impurity(&right));
                    }
                }
            }
        }
        best
    }
}

prop_compose! {
    fn column(rows: usize)(ordered in 0u32..9, unordered in 0u32..4)
        (codes in prop::collection::vec(0..(ordered + unordered).max(1), rows),
         unordered in Just(if ordered + unordered == 0 { 1 } else { unordered }), ordered in Just(ordered)) -> Column {
        Column { ordered, unordered, codes }
    }
}

prop_compose! {
    /// Numbers or classes that depend on the first column.
    fn data()(rows in 2usize..120, columns in 1usize..5, levels in prop_oneof![Just(0u32), 2u32..6])
        (columns in prop::collection::vec(column(rows), columns),
         noise in prop::collection::vec(0u32..40, rows),
         weights in prop_oneof![Just(vec![1; rows]), prop::collection::vec(0u32..4, rows)],
         levels in Just(levels)) -> Data {
        let response = noise.iter().zip(&columns[0].codes).map(|(noise, code)| match levels {
            0 => noise + 7 * code,
            _ if *noise < 20 => code % levels,
            _ => noise % levels,
        }).collect();
        let mut weights = weights;
        weights[0] = weights[0].max(1);
        Data { columns, response, levels, weights }
    }
}

fn options(min_bucket: u32) -> TreeOptions {
    TreeOptions { min_bucket, min_split: 2 * min_bucket, complexity: 0.0, ..TreeOptions::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_first_split_is_the_best_of_all(data in data()) {
        let tree = data.fit(&TreeOptions { max_depth: 1, ..options(1) });
        let (found, best) = (tree.importance().iter().sum::<f64>(), data.exhaustive_gain(1));
        // Three marks and more than two classes: not every set of marks is tried.
        let exact = data.levels <= 2 || data.columns.iter().all(|column| column.ordered == 0 || column.unordered < 3);
        prop_assert!(found <= best + 1e-9 * best.max(1.0), "{found} {best}");
        if exact {
            prop_assert!((found - best).abs() <= 1e-9 * best.max(1.0), "{found} {best}");
        }
    }

    #[test]
    fn a_numeric_predictor_without_marks_is_split_best_whatever_the_least_leaf(data in data(), min_bucket in 1u32..20) {
        let mut data = data;
        data.columns.retain(|column| column.unordered == 0);
        let tree = data.fit(&TreeOptions { max_depth: 1, ..options(min_bucket) });
        let (found, best) = (tree.importance().iter().sum::<f64>(), data.exhaustive_gain(min_bucket));
        prop_assert!((found - best).abs() <= 1e-9 * best.max(1.0), "{found} {best}");
    }

    #[test]
    fn leaves_are_large_enough_and_hold_the_records_routed_to_them(data in data(), min_bucket in 1u32..12) {
        let tree = data.fit(&options(min_bucket));
        let leaves = data.leaves(&tree);
        let mut seen = 0;
        for leaf in 0..tree.leaves() as u32 {
            let donors = tree.donors(leaf);
            let weight: u64 = donors.iter().map(|row| u64::from(data.weights[*row as usize])).sum();
            prop_assert_eq!(weight, tree.weight(leaf));
            prop_assert!(tree.leaves() == 1 || weight >= u64::from(min_bucket));
            prop_assert!(donors.iter().all(|row| leaves[*row as usize] == leaf && data.weights[*row as usize] > 0));
            seen += donors.len();
            let classes: u64 = tree.class_weights(leaf).iter().map(|(_, weight)| u64::from(*weight)).sum();
            prop_assert_eq!(classes, if data.levels > 0 { weight } else { 0 });
        }
        prop_assert_eq!(seen, data.weights.iter().filter(|weight| **weight > 0).count());
    }

    #[test]
    fn histograms_and_blocks_grow_the_same_tree(data in data(), min_bucket in 1u32..6, largest_block in 0usize..60) {
        let weights = Some(data.weights.as_slice());
        let tree = data.fit_in_blocks(weights, &options(min_bucket), 1 << 13);
        prop_assert_eq!(&data.fit_in_blocks(weights, &options(min_bucket), largest_block), &tree);
    }

    #[test]
    fn a_record_that_stands_for_several_counts_as_these(data in data(), min_bucket in 1u32..6, largest_block in 0usize..60) {
        let second: Vec<u32> =
            data.response.iter().zip(&data.weights).map(|(code, weight)| code % (weight + 1)).collect();
        let predictors: Vec<Predictor> = data.columns.iter().map(Column::predictor).collect();
        let together = Tree::fit_by(
            &predictors.iter().collect::<Vec<_>>(),
            &Response::TwoClasses { second: &second },
            Some(&data.weights),
            &options(min_bucket),
            None,
            largest_block,
        )
        .unwrap();
        let each: Vec<usize> = (0..second.len()).flat_map(|row| vec![row; data.weights[row] as usize]).collect();
        let classes: Vec<u32> =
            (0..second.len()).flat_map(|row| (0..data.weights[row]).map(move |at| (row, at))).map(|(row, at)| u32::from(at < second[row])).collect();
        let apart: Vec<Predictor> = data.columns.iter().map(|column| column.permuted(&each).predictor()).collect();
        let apart = Tree::fit(
            &apart.iter().collect::<Vec<_>>(),
            &Response::Classes { codes: &classes, levels: 2 },
            None,
            &options(min_bucket),
        )
        .unwrap();
        let names = ["a", "b", "c", "d"];
        prop_assert_eq!(together.describe(&names), apart.describe(&names));
        for leaf in 0..together.leaves() as u32 {
            prop_assert_eq!(together.class_weights(leaf), apart.class_weights(leaf));
        }
    }

    #[test]
    fn the_order_of_records_does_not_matter(data in data(), min_bucket in 1u32..6, key in 1usize..1000) {
        let mut order: Vec<usize> = (0..data.response.len()).collect();
        order.sort_by_key(|row| (row * key * 7919 + key) % 1009);
        let tree = data.fit(&options(min_bucket));
        let permuted = data.permuted(&order);
        let other = permuted.fit(&options(min_bucket));
        prop_assert_eq!(tree.describe(&["a", "b", "c", "d"]), other.describe(&["a", "b", "c", "d"]));
        let (leaves, others) = (data.leaves(&tree), permuted.leaves(&other));
        prop_assert!(order.iter().zip(&others).all(|(row, leaf)| leaves[*row] == *leaf));
    }

    #[test]
    fn a_weight_counts_as_so_many_records(data in data(), min_bucket in 1u32..6) {
        let repeated = |row: usize| std::iter::repeat_n(row, data.weights[row] as usize);
        let order: Vec<usize> = (0..data.response.len()).flat_map(repeated).collect();
        let tree = data.fit(&options(min_bucket));
        let expanded = data.permuted(&order);
        let other = expanded.fit_in_blocks(None, &options(min_bucket), 1 << 13);
        prop_assert_eq!(tree.describe(&["a", "b", "c", "d"]), other.describe(&["a", "b", "c", "d"]));
        prop_assert_eq!(data.leaves(&tree), data.leaves(&other));
    }

    #[test]
    fn the_names_of_levels_do_not_matter(data in data()) {
        let mut data = data;
        data.levels = data.levels.min(2);
        if data.levels > 0 {
            data.response.iter_mut().for_each(|class| *class %= 2);
        }
        let mut renamed = data.clone();
        for column in &mut renamed.columns {
            let last = column.ordered + column.unordered - 1;
            column.codes.iter_mut().filter(|code| **code >= column.ordered).for_each(|code| {
                *code = last - (*code - column.ordered);
            });
        }
        let same_leaf = |leaves: &[u32]| -> Vec<usize> {
            leaves.iter().map(|leaf| leaves.iter().position(|other| other == leaf).unwrap()).collect()
        };
        let (tree, other) = (data.fit(&options(1)), renamed.fit(&options(1)));
        prop_assert_eq!(same_leaf(&data.leaves(&tree)), same_leaf(&renamed.leaves(&other)));
    }

    #[test]
    fn a_stored_tree_is_the_same_tree(data in data()) {
        let tree = data.fit(&options(2));
        prop_assert_eq!(stored(&tree), tree);
    }
}

/// A table large enough for histograms, threads and sibling subtraction, with a factor of many levels and marks.
fn large(rows: u32, levels: u32) -> Data {
    let code = |row: u32, key: u32, codes: u32| {
        (row.wrapping_mul(2_654_435_761).wrapping_add(key * 977)).wrapping_mul(key | 1) / 3 % codes
    };
    let column = |key: u32, ordered: u32, unordered: u32| Column {
        ordered,
        unordered,
        codes: (0..rows).map(|row| code(row, key, ordered + unordered)).collect(),
    };
    let columns = vec![column(11, 90, 2), column(23, 0, 40), column(37, 2000, 0), column(51, 0, 3)];
    let signal = |row: usize| columns[0].codes[row] / 12 + columns[1].codes[row] % 3 * 2;
    let response = (0..rows as usize).map(|row| match levels {
        0 => 40 * signal(row) + code(row as u32, 71, 200),
        _ if code(row as u32, 83, 10) < 7 => signal(row) % levels,
        _ => code(row as u32, 97, levels),
    });
    Data { response: response.collect(), columns, levels, weights: vec![1; rows as usize] }
}

#[test]
fn large_nodes_grow_the_same_tree_by_histograms_as_by_blocks() {
    for levels in [0, 2, 5, 300] {
        let data = large(6000, levels);
        let tree = data.fit_in_blocks(None, &options(5), 1 << 13);
        assert!(tree.leaves() > 100);
        for largest_block in [10, 300, 2000] {
            assert_eq!(
                data.fit_in_blocks(None, &options(5), largest_block),
                tree,
                "{levels} {largest_block}"
            );
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    for levels in [0, 6] {
        let data = large(70_000, levels);
        let fit = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| data.fit_in_blocks(None, &TreeOptions::default(), 1 << 11))
        };
        assert_eq!(fit(1), fit(4));
    }
}

#[test]
fn a_known_tree_is_recovered() {
    // Classes by a rule over two of three columns, a tenth of the records at random.
    let mut data = large(5000, 3);
    data.columns.remove(2);
    let rule = |row: usize| match (data.columns[0].codes[row], data.columns[1].codes[row]) {
        (90.., _) => 2,
        (0..30, _) => 0,
        (_, 0..20) => 1,
        _ => 0,
    };
    let truth: Vec<u32> = (0..5000).map(rule).collect();
    data.response = truth
        .iter()
        .enumerate()
        .map(|(row, class)| if row % 10 == 0 { row as u32 / 10 % 3 } else { *class })
        .collect();
    let tree = data.fit(&TreeOptions { complexity: 0.01, ..TreeOptions::default() });
    let text = tree.describe(&["a", "b", "c"]);
    // The factor is split first, so the marks of the number part twice.
    assert_eq!((tree.leaves(), tree.depth(), tree.importance()[2]), (5, 3, 0.0), "{text}");
    let right = |(leaf, class): (&u32, &u32)| tree.share(*leaf, *class).unwrap() > 0.8;
    assert!(data.leaves(&tree).iter().zip(&truth).all(right));
    assert!(text.contains("30 of 90 ordered codes left"), "{text}");
    assert!(text.contains("20 others"), "{text}");
}

#[test]
fn a_code_that_a_node_has_not_seen_goes_with_the_larger_child() {
    // Level 3 and mark 1 do not occur; level 2 parts from the others, which are more.
    let factor = Predictor::categorical(&[0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2], 4).unwrap();
    let codes = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1];
    let response = Response::Classes { codes: &codes, levels: 2 };
    let tree = Tree::fit(&[&factor], &response, None, &options(1)).unwrap();
    assert_eq!(tree.leaf_of(&[3]), tree.leaf_of(&[0]));
    assert_ne!(tree.leaf_of(&[3]), tree.leaf_of(&[2]));

    let number = Predictor::ordered(&[0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9], 10, 1).unwrap();
    let codes = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1];
    let response = Response::Classes { codes: &codes, levels: 2 };
    let tree = Tree::fit(&[&number], &response, None, &options(1)).unwrap();
    assert_eq!(tree.leaf_of(&[10]), tree.leaf_of(&[9]));
    // The cut lies in the middle of the values.
    assert_eq!((tree.leaf_of(&[4]), tree.leaf_of(&[5])), (tree.leaf_of(&[0]), tree.leaf_of(&[9])));
}

#[test]
fn rpart_cuts_off_leaves_of_the_same_class_and_impurity_does_not() {
    // Shares of 10 % and 40 %: never a majority.
    let half: Vec<u32> = (0..200).map(|row| row / 100).collect();
    let class: Vec<u32> = (0..200).map(|row| u32::from(row % 10 < if row < 100 { 1 } else { 4 })).collect();
    let predictor = Predictor::categorical(&half, 2).unwrap();
    let response = Response::Classes { codes: &class, levels: 2 };
    let leaves = |risk| {
        let options = TreeOptions { risk, ..TreeOptions::default() };
        Tree::fit(&[&predictor], &response, None, &options).unwrap().leaves()
    };
    assert_eq!((leaves(Risk::Impurity), leaves(Risk::Misclassification)), (2, 1));
}

#[test]
fn without_predictors_all_records_are_donors() {
    let tree = Tree::fit(&[], &Response::Numeric(&[1.0, 2.0, 6.0]), None, &TreeOptions::default()).unwrap();
    assert_eq!((tree.leaves(), tree.depth(), tree.mean(0), tree.share(0, 0)), (1, 0, Some(3.0), None));
    assert_eq!(tree.route(&[], 0..5), Ok(vec![0; 5]));
    assert_eq!(tree.donors(0), [0, 1, 2]);
}

#[test]
fn what_cannot_be_fitted_or_routed_is_refused() {
    let predictor = Predictor::categorical(&[0, 1, 1], 2).unwrap();
    let response = Response::Numeric(&[1.0, 2.0, 3.0]);
    let fit = |response: &Response<'_>, weights: Option<&[u32]>, options: TreeOptions| {
        Tree::fit(&[&predictor], response, weights, &options).map(|_| ())
    };
    let usual = TreeOptions::default();
    assert!(matches!(fit(&Response::Numeric(&[1.0]), None, usual), Err(TreeError::Length { .. })));
    assert!(matches!(fit(&response, Some(&[1]), usual), Err(TreeError::Length { .. })));
    assert_eq!(fit(&response, Some(&[0; 3]), usual), Err(TreeError::NoRecords));
    assert_eq!(fit(&response, Some(&[u32::MAX; 3]), usual), Err(TreeError::TooManyRecords));
    assert_eq!(fit(&Response::Classes { codes: &[0; 3], levels: 0 }, None, usual), Err(TreeError::NoClasses));
    for options in [
        TreeOptions { min_bucket: 0, ..usual },
        TreeOptions { complexity: f64::NAN, ..usual },
        TreeOptions { complexity: -1.0, ..usual },
        TreeOptions { max_depth: 101, ..usual },
    ] {
        assert!(matches!(fit(&response, None, options), Err(TreeError::Option { .. })));
    }
    let tree = Tree::fit(&[&predictor], &response, None, &usual).unwrap();
    let other = Predictor::categorical(&[0], 3).unwrap();
    assert_eq!(tree.route(&[], 0..1), Err(TreeError::Predictors { fitted: 1, given: 0 }));
    assert_eq!(tree.route(&[&other], 0..1), Err(TreeError::Coding { position: 0 }));
    assert_eq!(tree.route(&[&predictor], 1..4), Err(TreeError::Rows { end: 4, position: 0 }));
}

#[test]
fn a_damaged_tree_is_refused() {
    let tree = large(200, 2).fit(&options(5));
    let records = tree.donors.len();
    let refused = |change: &dyn Fn(&mut TreeArrays)| {
        let mut arrays = tree.arrays();
        change(&mut arrays);
        Tree::from_arrays(arrays, records).is_err()
    };
    assert!(!refused(&|_| {}));
    assert!(refused(&|arrays| arrays.nodes.clear()));
    assert!(refused(&|arrays| arrays.nodes[5] = 0));
    assert!(
        refused(&|arrays| arrays.nodes[5] += 1),
        "a right child that is not after the left one's last leaf"
    );
    assert!(refused(&|arrays| arrays.nodes[0] = 99));
    assert!(refused(&|arrays| arrays.nodes[0] = u32::MAX), "nodes below a leaf");
    assert!(refused(&|arrays| arrays.nodes[1] = u32::MAX));
    assert!(refused(&|arrays| drop(arrays.nodes.split_off(6))));
    assert!(refused(&|arrays| arrays.donors.truncate(records - 1)));
    assert!(refused(&|arrays| arrays.donors[0] = records as u32));
    assert!(refused(&|arrays| arrays.donor_offsets.truncate(1)));
    assert!(refused(&|arrays| arrays.donor_offsets[1] = 0), "a leaf without donors");
    assert!(refused(&|arrays| arrays.weights[0] = 0));
    assert!(refused(&|arrays| arrays.importance.clear()));
}

fn stored(tree: &Tree) -> Tree {
    let records = tree.donors.iter().max().map_or(0, |last| *last as usize + 1);
    Tree::from_arrays(tree.arrays(), records).unwrap()
}

#[test]
fn numbers_near_the_largest_are_split_and_stored() {
    let numbers: Vec<f64> = (0..20).map(|row| if row < 8 { -1e300 } else { 1e300 }).collect();
    let column = Predictor::ordered(&(0..20).collect::<Vec<_>>(), 20, 0).unwrap();
    let tree = Tree::fit(&[&column], &Response::Numeric(&numbers), None, &options(2)).unwrap();
    assert_eq!((tree.leaves(), tree.donors(0).len()), (2, 8));
    assert_eq!(stored(&tree), tree);
}
