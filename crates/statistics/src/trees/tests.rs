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
        let read: Tree = serde_json::from_str(&serde_json::to_string(&tree).unwrap()).unwrap();
        prop_assert_eq!(data.leaves(&read), data.leaves(&tree));
        for leaf in 0..tree.leaves() as u32 {
            prop_assert_eq!(read.donors(leaf), tree.donors(leaf));
            prop_assert_eq!(read.class_weights(leaf), tree.class_weights(leaf));
            // The reader of JSON may miss the last bit of a number.
            let apart = read.mean(leaf).unwrap_or(0.0) - tree.mean(leaf).unwrap_or(0.0);
            prop_assert!(apart.abs() < 1e-9);
        }
    }
}
