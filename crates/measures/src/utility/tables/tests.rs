//! Tables small enough to check by hand, laws that hold for all of them, and the edges where numbers end.

use std::sync::Arc;

use proptest::prelude::*;
use table::column::Column;
use table::read::{ReadOptions, read_csv_text};
use table::schema::Levels;
use table::{Attributes, Classes, CodedTable, Codes, CountSource, Domain, Kind, Schema, Table, Variable};

use super::all_tables::tables_between;
use super::*;
use crate::SharedTables;
use TableStatistic::*;

fn utility(pairs: &[(u64, u64)]) -> TableUtility {
    TableUtility::of(vec!["x".into()], &CellPairs::new(pairs.iter().copied()), SyntheticSize::Fixed)
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-10 * one.abs().max(other.abs()).max(1e-6)
}

#[track_caller]
fn assert_value(of: &TableUtility, statistic: TableStatistic, expected: f64) {
    let value = of.value(statistic).unwrap();
    assert!(close(value, expected), "{}: {value} is not {expected}", statistic.name());
}

#[test]
fn the_cards_are_in_the_order_of_the_statistics() {
    for (at, statistic) in TableStatistic::ALL.into_iter().enumerate() {
        assert_eq!(statistic as usize, at);
        let name = format!("{statistic:?}");
        let snake = name.strip_prefix('S').filter(|rest| rest.starts_with(char::is_uppercase));
        let snake = snake.map_or(name.clone(), |rest| format!("s_{rest}")).to_lowercase();
        assert_eq!(statistic.name().trim_start_matches("tables.").replace("df_g", "dfg"), snake);
    }
}

#[test]
fn a_two_by_one_table_by_hand() {
    // y = (2, 2), s = (3, 1): differences of 1 over expected 2.5 and 1.5.
    let found = utility(&[(2, 2), (0, 0), (2, 0), (0, 2)]);
    assert_value(&found, Empty, 1.0);
    let found = utility(&[(2, 3), (2, 1)]);
    assert_value(&found, Vw, 1.0 / 2.5 + 1.0 / 1.5);
    assert_value(&found, Ft, 4.0 * ((3_f64.sqrt() - 2_f64.sqrt()).powi(2) + (1.0 - 2_f64.sqrt()).powi(2)));
    let bits = |p: f64, h: f64| p * (p / h).log2();
    let jsd = (bits(0.5, 0.625) + bits(0.5, 0.375) + bits(0.75, 0.625) + bits(0.25, 0.375)) / 2.0;
    assert_value(&found, Jsd, jsd);
    assert_value(&found, Specks, 0.25);
    assert_value(&found, Mabsdd, 0.5);
    assert_value(
        &found,
        Wmabsdd,
        (1.0 / 2.5_f64.sqrt() + 1.0 / 1.5_f64.sqrt()) * (std::f64::consts::PI / 2.0).sqrt(),
    );
    // Scores 0.6 and 1/3: three high synthetic records beat two low ones and tie with two; one low one ties with two.
    assert_value(&found, U, 3.0 * 2.0 + 3.0 * 2.0 / 2.0 + 1.0 * 2.0 / 2.0);
    assert_value(&found, G, 2.0 * (3.0 * 1.5_f64.ln() + 0.5_f64.ln()));
    assert_value(&found, Pmse, (1.0 / 2.5 + 1.0 / 1.5) / 8.0 / 8.0);
    assert_value(&found, Po50, 100.0 * (3.0 + 2.0) / 8.0 - 50.0);
    assert_value(&found, Dbhatt, (1.0 - (0.375_f64.sqrt() + 0.125_f64.sqrt())).sqrt());
    assert_value(&found, SPmse, 16.0 / 15.0);
    assert_value(&found, SJsd, 2.0 * jsd * 8.0 / 2_f64.ln());
    assert_eq!((found.value(Df), found.value(DfG), found.value(Empty)), (Ok(1.0), Ok(1.0), Ok(0.0)));
    assert_eq!(found.null(Vw), Some(1.0));
}

#[test]
fn the_definition_of_pmse_is_met() {
    // Mean over all records of (propensity score − c)², for unequal sizes.
    let pairs = [(5, 2), (3, 7), (0, 1), (4, 0)];
    let (original, synthetic) = (12.0, 10.0);
    let share = synthetic / (original + synthetic);
    let mean =
        pairs.iter().map(|(y, s)| f64::from(y + s) * (f64::from(*s) / f64::from(y + s) - share).powi(2));
    let pmse = mean.sum::<f64>() / (original + synthetic);
    let found = utility(&pairs.map(|(y, s)| (y as u64, s as u64)));
    assert_value(&found, Pmse, pmse);
    assert_value(&found, SPmse, pmse / (3.0 * share * (1.0 - share).powi(2) / (original + synthetic)));
}

#[test]
fn a_random_size_has_one_more_degree_of_freedom() {
    let counts = CellPairs::new([(2, 3), (2, 1), (0, 4)]);
    let random = TableUtility::of(vec![], &counts, SyntheticSize::Random);
    assert_eq!((random.value(Df), random.value(DfG)), (Ok(3.0), Ok(2.0)));
    assert_value(&random, SVw, random.value(Vw).unwrap() / 3.0);
}

#[test]
fn every_edge_has_an_answer_or_a_reason() {
    let no_original = utility(&[(0, 3), (0, 1)]);
    assert_eq!(no_original.value(Vw), Err(Undefined::NoOriginal));
    let no_synthetic = utility(&[(3, 0)]);
    assert_eq!(
        (no_synthetic.value(SPmse), no_synthetic.value(Empty)),
        (Err(Undefined::NoSynthetic), Ok(0.0))
    );
    assert_eq!(utility(&[]).value(G), Err(Undefined::NoOriginal));
    let one_cell = utility(&[(5, 7)]);
    assert_eq!((one_cell.value(Vw), one_cell.value(SPmse)), (Ok(0.0), Err(Undefined::OneCell)));
    assert_eq!((one_cell.value(G), one_cell.value(SG)), (Ok(0.0), Err(Undefined::OneCommonCell)));
    let apart = utility(&[(5, 0), (0, 5)]);
    assert_eq!(
        (apart.value(G), apart.value(SG)),
        (Err(Undefined::NoCommonCell), Err(Undefined::NoCommonCell))
    );
    for (statistic, most) in
        [(Specks, 1.0), (Mabsdd, 2.0), (Jsd, 1.0), (Dbhatt, 1.0), (U, 25.0), (Po50, 50.0), (Pmse, 0.25)]
    {
        assert_value(&apart, statistic, most);
    }
    let findings: Vec<Finding> = one_cell.findings().collect();
    let undefined = findings.iter().find(|finding| finding.measure == "tables.s_pmse").unwrap();
    assert_eq!(
        undefined.because.as_deref(),
        Some("all records fall into one cell, which leaves no degree of freedom")
    );
}

fn read(text: &str) -> Table {
    read_csv_text(text, &ReadOptions::default()).unwrap()
}

#[test]
fn files_with_odd_shapes_are_measured() {
    let original = read("sex,town,same\nF,a,z\nM,a,z\nF,b,z\nM,b,z\n");
    // A level on one side only, a constant column, one row, n ≠ N.
    let synthetic = read("sex,town,same\nF,c,z\n");
    let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
    let tables = all_tables(&comparison, 1, &TableOptions::default()).unwrap();
    assert_eq!(tables.iter().map(|table| table.on.join(":")).collect::<Vec<_>>(), ["sex", "town", "same"]);
    // y n/N = (½, ½), s = (1, 0), c = 1/5: ¼ / (3/5) + ¼ / (2/5).
    assert_value(&tables[0], Vw, 0.25 / 0.6 + 0.25 / 0.4);
    assert_eq!((tables[1].value(Specks), tables[1].value(DfG)), (Ok(1.0), Err(Undefined::NoCommonCell)));
    assert_eq!(tables[2].s_pmse(), Err(Undefined::OneCell));
    let summary = TablesSummary::of(&tables, 5);
    assert_eq!((summary.undefined(SPmse), summary.worst.len()), (1, 2));
    assert_eq!(summary.variables.last().unwrap().mean_s_pmse, None);
    let found = summary.findings(WhichTables::OfWays(1));
    assert_eq!(found[0].detail["undefined"], 1);
    assert!(all_tables(&comparison, 4, &TableOptions::default()).unwrap().is_empty());
    assert!(all_tables(&comparison, 0, &TableOptions::default()).is_err());
    assert!(one_table(&comparison, &["nothing"], &TableOptions::default()).is_err());
    assert!(one_table::<&str>(&comparison, &[], &TableOptions::default()).is_err());
}

#[test]
fn an_empty_synthetic_table_gives_reasons() {
    let levels = Levels::new(["F", "M"]).unwrap();
    let schema =
        Schema::new(vec![Variable::new("sex", Kind::Categorical { levels })], vec![], vec![]).unwrap();
    let table = |codes: &[u32]| {
        let column = Column::Categorical(Arc::new(Codes::collect(2, codes.iter().copied())));
        Table::new(Arc::new(schema.clone()), vec![column]).unwrap()
    };
    let (full, none) = (table(&[0, 1]), table(&[]));
    for (original, synthetic, reason) in [
        (&full, &none, Undefined::NoSynthetic),
        (&none, &full, Undefined::NoOriginal),
        (&none, &none, Undefined::NoOriginal),
    ] {
        let comparison = Comparison { original, synthetic, holdout: None };
        let found = one_table(&comparison, &["sex"], &TableOptions::default()).unwrap();
        assert_eq!(found.s_pmse(), Err(reason));
    }
}

#[test]
fn several_synthetic_sets_are_averaged() {
    let original = read("x\na\na\nb\nb\n");
    let sets = [read("x\na\na\na\nb\n"), read("x\na\na\nb\nb\n")];
    let shared =
        SharedTables::of_sets(&original, &[&sets[0], &sets[1]], &TableOptions::default().grouping).unwrap();
    let mean = shared.table(&["x"], &TableOptions::default()).unwrap();
    assert_value(&mean, SPmse, 16.0 / 15.0 / 2.0);
    assert!(matches!(
        SharedTables::of_sets(&original, &[], &TableOptions::default().grouping),
        Err(MeasureError::NoSynthetic)
    ));
}

#[test]
fn missing_values_can_be_left_out_densely_and_sparsely() {
    let original = read("x,y\na,1\n,2\nb,\na,1\nb,2\n");
    let synthetic = read("x,y\na,1\na,2\n,\nb,2\nb,2\n");
    let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
    let options = TableOptions { missing: MissingValues::AreLeftOut, ..TableOptions::default() };
    let shared = SharedTables::new(&comparison, &options.grouping).unwrap();
    let of = shared.attributes(&["x", "y"]).unwrap();
    let (y, s) = (shared.original(), &shared.synthetic()[0]);
    let dense = CellPairs::of_margins(
        shared.domain(),
        &y.margins(std::slice::from_ref(&of)).unwrap()[0],
        &s.margins(std::slice::from_ref(&of)).unwrap()[0],
        options.missing,
    );
    assert_eq!((dense.pairs.as_slice(), dense.cells), (&[(2, 1), (0, 1), (1, 2)][..], 4.0));
    let (y, s) = (y.contingency_table(&of).unwrap(), s.contingency_table(&of).unwrap());
    assert_eq!(CellPairs::of_tables(shared.domain(), &y, &s, options.missing), dense);
    assert_eq!(shared.table(&["x", "y"], &options).unwrap().original_records, 3);
}

fn coded(sizes: &[usize], rows: &[Vec<u32>]) -> CodedTable {
    let classes = sizes.iter().enumerate().map(|(i, size)| Classes::of_size(format!("v{i}"), *size));
    let columns = (0..sizes.len()).map(|i| Codes::collect(sizes[i], rows.iter().map(|row| row[i])));
    CodedTable::from_codes(Domain::new(classes.collect()).unwrap(), columns.collect())
}

#[test]
fn sources_with_other_classes_are_refused() {
    let (one, other) = (coded(&[2], &[vec![0]]), coded(&[3], &[vec![0]]));
    let of = [Attributes::new([0])];
    assert!(matches!(
        tables_between(&one, &other, &of, &TableOptions::default()),
        Err(MeasureError::DifferentDomains)
    ));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let rows = |seed: u32| -> Vec<Vec<u32>> {
        (0..3000_u32).map(|i| (1..9).map(|v| i.wrapping_mul(seed * v + 7) % (v + 2)).collect()).collect()
    };
    let sizes: Vec<usize> = (3..11).collect();
    let (one, other) = (coded(&sizes, &rows(31)), coded(&sizes, &rows(57)));
    let of = Attributes::combinations(one.domain(), 3);
    let found = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| tables_between(&one, &other, &of, &TableOptions::default()).unwrap())
    };
    assert!(found(1) == found(2) && found(1) == found(5));
    assert_eq!(found(1).len(), 56);
}

#[test]
fn batches_hold_every_table_once_and_keep_large_ones_apart() {
    let sizes = [2, 3, 5000, 5000, 4];
    let domain = coded(&sizes, &[]).domain().clone();
    let of = Attributes::combinations(&domain, 2);
    let batches = all_tables::batches(&domain, &of, 100);
    let places: Vec<usize> = batches
        .iter()
        .flat_map(|batch| match batch {
            all_tables::Batch::Dense(places) => places.clone().collect(),
            all_tables::Batch::Sparse(place) => vec![*place],
        })
        .collect();
    assert_eq!(places, (0..of.len()).collect::<Vec<_>>());
    assert_eq!(batches.iter().filter(|batch| matches!(batch, all_tables::Batch::Sparse(_))).count(), 1);
}

/// Draws from the original's own cells, a third as many: what is said to be expected is met on average. With 4,000 draws the
/// standard error of a mean of VW/9 is 0.0075; four of them are allowed, and 1 % for terms of higher order.
#[test]
fn a_right_generator_scores_its_null_whatever_the_sizes() {
    let original = [500_u64, 400, 350, 300, 300, 250, 250, 250, 200, 200];
    let ends: Vec<u64> = original
        .iter()
        .scan(0, |end, count| {
            *end += count;
            Some(*end)
        })
        .collect();
    let mut state = 20_260_101_u64;
    let mut uniform = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let checked = [Vw, Ft, Jsd, Pmse, Dbhatt, SVw, SFt, SJsd, SPmse, G, SG];
    let (mut sums, draws) = ([0.0; 11], 4000);
    let mut null = [0.0; 11];
    for _ in 0..draws {
        let mut synthetic = [0_u64; 10];
        for _ in 0..1000 {
            let at = uniform(3000);
            synthetic[ends.partition_point(|end| *end <= at)] += 1;
        }
        let found = utility(&original.into_iter().zip(synthetic).collect::<Vec<_>>());
        for (at, statistic) in checked.into_iter().enumerate() {
            sums[at] += found.value(statistic).unwrap() / f64::from(draws);
            null[at] = found.null(statistic).unwrap();
        }
    }
    for (at, statistic) in checked.into_iter().enumerate() {
        let ratio = sums[at] / null[at];
        assert!((ratio - 1.0).abs() < 0.04, "{}: {ratio} times its null value", statistic.name());
    }
}

fn two_tables() -> impl Strategy<Value = (Vec<usize>, Vec<Vec<u32>>, Vec<Vec<u32>>)> {
    prop::collection::vec(1_usize..6, 1..5).prop_flat_map(|sizes| {
        let row: Vec<_> = sizes.iter().map(|size| 0..*size as u32).collect();
        let rows = || prop::collection::vec(row.clone(), 1..40);
        (Just(sizes), rows(), rows())
    })
}

fn some_pairs() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let pairs = prop::collection::vec((0_u64..30, 0_u64..30), 1..40);
    pairs.prop_filter("records on both sides", |pairs| {
        pairs.iter().any(|pair| pair.0 > 0) && pairs.iter().any(|pair| pair.1 > 0)
    })
}

proptest! {
    #[test]
    fn a_table_compared_with_itself_is_perfect((sizes, rows, _) in two_tables()) {
        let table = coded(&sizes, &rows);
        let all = Attributes::all(table.domain());
        let found = tables_between(&table, &table, &[all], &TableOptions::default()).unwrap().remove(0);
        for statistic in [Vw, Ft, Jsd, Specks, Wmabsdd, G, Pmse, Po50, Mabsdd, Dbhatt] {
            prop_assert_eq!(found.value(statistic), Ok(0.0), "{}", statistic.name());
        }
    }

    #[test]
    fn a_table_repeated_as_a_whole_is_perfect(counts in prop::collection::vec(0_u64..1000, 1..30), k in 1_u64..9) {
        prop_assume!(counts.iter().any(|count| *count > 0));
        let found = utility(&counts.iter().map(|count| (*count, k * count)).collect::<Vec<_>>());
        for statistic in [Vw, Ft, Jsd, Specks, Wmabsdd, G, Pmse, Mabsdd, Dbhatt] {
            prop_assert_eq!(found.value(statistic), Ok(0.0), "{}", statistic.name());
        }
    }

    #[test]
    fn the_order_of_rows_does_not_matter((sizes, one, other) in two_tables(), turn in 0_usize..40) {
        let mut turned = other.clone();
        turned.rotate_left(turn % other.len());
        turned.reverse();
        let of = Attributes::combinations(coded(&sizes, &one).domain(), 1);
        let options = TableOptions::default();
        let before = tables_between(&coded(&sizes, &one), &coded(&sizes, &other), &of, &options).unwrap();
        let after = tables_between(&coded(&sizes, &one), &coded(&sizes, &turned), &of, &options).unwrap();
        prop_assert_eq!(before, after);
    }

    #[test]
    fn the_order_of_columns_does_not_matter((sizes, one, other) in two_tables()) {
        let reverse = |rows: &[Vec<u32>]| -> Vec<Vec<u32>> {
            rows.iter().map(|row| row.iter().rev().copied().collect()).collect()
        };
        let turned_sizes: Vec<usize> = sizes.iter().rev().copied().collect();
        let all = [Attributes::new(0..sizes.len())];
        let options = TableOptions::default();
        let before = tables_between(&coded(&sizes, &one), &coded(&sizes, &other), &all, &options).unwrap().remove(0);
        let (one, other) = (coded(&turned_sizes, &reverse(&one)), coded(&turned_sizes, &reverse(&other)));
        let after = tables_between(&one, &other, &all, &options).unwrap().remove(0);
        for statistic in TableStatistic::ALL {
            match (before.value(statistic), after.value(statistic)) {
                (Ok(before), Ok(after)) => prop_assert!(close(before, after), "{}", statistic.name()),
                (before, after) => prop_assert_eq!(before, after),
            }
        }
    }

    #[test]
    fn counting_every_record_k_times_scales_as_it_should(pairs in some_pairs(), k in 2_u64..9) {
        let one = utility(&pairs);
        let many = utility(&pairs.iter().map(|(y, s)| (k * y, k * s)).collect::<Vec<_>>());
        let value = |of: &TableUtility, statistic| of.value(statistic).unwrap();
        for statistic in [Jsd, Specks, Pmse, Po50, Mabsdd, Dbhatt, Df] {
            prop_assert!(close(value(&one, statistic), value(&many, statistic)), "{}", statistic.name());
        }
        let factor = k as f64;
        for (statistic, factor) in [(Vw, factor), (Ft, factor), (Wmabsdd, factor.sqrt()), (U, factor * factor)] {
            prop_assert!(close(factor * value(&one, statistic), value(&many, statistic)), "{}", statistic.name());
        }
    }

    #[test]
    fn distances_of_shares_do_not_see_the_synthetic_size(pairs in some_pairs(), k in 2_u64..9) {
        let one = utility(&pairs);
        let many = utility(&pairs.iter().map(|(y, s)| (*y, k * s)).collect::<Vec<_>>());
        for statistic in [Jsd, Specks, Mabsdd, Dbhatt] {
            prop_assert!(close(one.value(statistic).unwrap(), many.value(statistic).unwrap()), "{}", statistic.name());
        }
    }

    #[test]
    fn specks_is_the_distance_of_the_scores(pairs in some_pairs()) {
        // The definition: largest gap between the distribution functions of the propensity scores.
        let (original, synthetic) = CellPairs::new(pairs.iter().copied()).totals();
        let score = |pair: &(u64, u64)| pair.1 as f64 / (pair.0 + pair.1) as f64;
        let occupied: Vec<&(u64, u64)> = pairs.iter().filter(|pair| **pair != (0, 0)).collect();
        let gap = |at: &&(u64, u64)| {
            let below = occupied.iter().filter(|pair| score(pair) <= score(at));
            let (y, s) = below.fold((0, 0), |(y, s), pair| (y + pair.0, s + pair.1));
            (y as f64 / original as f64 - s as f64 / synthetic as f64).abs()
        };
        let largest = occupied.iter().map(gap).fold(0.0, f64::max);
        prop_assert!(close(utility(&pairs).value(Specks).unwrap(), largest));
    }

    #[test]
    fn u_is_the_number_of_pairs_that_are_won(pairs in some_pairs()) {
        let occupied: Vec<&(u64, u64)> = pairs.iter().filter(|pair| **pair != (0, 0)).collect();
        let mut won = 0.0;
        for (y, s) in &occupied {
            for (other_y, other_s) in &occupied {
                let (mine, theirs) = (s * (other_y + other_s), other_s * (y + s));
                let share = if mine > theirs { 1.0 } else if mine == theirs { 0.5 } else { 0.0 };
                won += share * (s * other_y) as f64;
            }
        }
        prop_assert_eq!(utility(&pairs).value(U).unwrap(), won);
    }

    #[test]
    fn every_value_lies_in_the_range_of_its_card(pairs in some_pairs()) {
        let found = utility(&pairs);
        for statistic in TableStatistic::ALL {
            if let Ok(value) = found.value(statistic) {
                prop_assert!(statistic.card().range.contains(value), "{}: {value}", statistic.name());
            }
        }
    }
}
