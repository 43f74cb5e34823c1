use proptest::prelude::*;
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;

use super::*;
use crate::risk::identity;
use crate::risk::matching::tests::{read, without_records};
use crate::risk::uniques::{record_flags, unique_records};

fn compare<'a>(original: &'a Table, synthetic: &'a Table) -> Comparison<'a> {
    Comparison { original, synthetic, holdout: None }
}

fn values(found: &AttributeDisclosure) -> Vec<Option<f64>> {
    AttributeStatistic::ALL.iter().map(|statistic| found.value(*statistic).ok()).collect()
}

/// Class a: x, x, y against x, x. Class b: x against y. Class c: y, y against y. Class d in the original, e in the synthetic
/// table alone.
fn small_pair() -> (Table, Table) {
    let original = read("k,t\na,x\na,x\na,y\nb,x\nc,y\nc,y\nd,x\n");
    let synthetic = read("k,t\na,x\na,x\nb,y\nc,y\ne,x\n");
    (original, synthetic)
}

#[test]
fn every_number_of_a_small_pair_is_that_by_hand() {
    let (original, synthetic) = small_pair();
    let found =
        attribute_disclosure(&compare(&original, &synthetic), &["k"], "t", &DisclosureOptions::default())
            .unwrap();
    let expected = [
        400.0 / 7.0,
        100.0,
        600.0 / 7.0,
        600.0 / 7.0,
        400.0 / 7.0,
        200.0 / 7.0,
        2.0,
        2.0,
        2500.0 / 49.0,
        1700.0 / 21.0,
        100.0,
        400.0 / 7.0,
        400.0 / 6.0,
        7.0 / 12.0,
        1.0,
        0.2,
        228.0 / 7.0,
        172.0 / 7.0,
    ];
    for ((statistic, value), expected) in AttributeStatistic::ALL.iter().zip(values(&found)).zip(expected) {
        assert!((value.unwrap() - expected).abs() < 1e-12, "{statistic:?}: {value:?}, not {expected}");
    }
    assert_eq!(found.identity.uio(), Some(200.0 / 7.0));
}

#[test]
fn what_is_not_counted_leaves_the_sums_and_not_the_number_of_records() {
    let (original, synthetic) = small_pair();
    let pair = compare(&original, &synthetic);
    let disco = |options: &DisclosureOptions| {
        attribute_disclosure(&pair, &["k"], "t", options).unwrap().value(AttributeStatistic::Disco).unwrap()
    };
    let not_x = DisclosureOptions {
        not_counted: [("t".to_owned(), vec!["x".to_owned()])].into(),
        ..DisclosureOptions::default()
    };
    assert_eq!(disco(&not_x), 200.0 / 7.0);
    let small_groups = DisclosureOptions { largest_group: Some(1), ..DisclosureOptions::default() };
    assert_eq!(disco(&small_groups), 0.0);
    let records = per_record(&pair, &["k"], "t", &not_x).unwrap();
    let counted: Vec<bool> = records.original.iter().map(|record| record.counted).collect();
    assert_eq!(counted, [false, false, true, false, true, true, false]);
}

#[test]
fn a_missing_target_or_key_counts_unless_it_is_told_not_to() {
    let original = read("k,t\na,\na,\n,y\n,y\n,y\nb,x\n");
    let pair = compare(&original, &original);
    let disco = |options: &DisclosureOptions| {
        attribute_disclosure(&pair, &["k"], "t", options).unwrap().value(AttributeStatistic::Disco).unwrap()
    };
    let all = DisclosureOptions::default();
    assert_eq!(disco(&all), 100.0);
    assert_eq!(disco(&DisclosureOptions { count_missing_targets: false, ..all.clone() }), 400.0 / 6.0);
    assert_eq!(disco(&DisclosureOptions { count_missing_keys: false, ..all }), 50.0);
}

#[test]
fn one_and_two_way_tables_give_the_obvious_away() {
    // 60 records of class (p, u) disclose `no`, which goes with p in 60 of 70 records; `no` is all that is disclosed.
    let mut original = "a,b,t\n".to_owned() + &"p,u,no\n".repeat(60);
    original += &"p,v,no\np,v,yes\n".repeat(5);
    original += &"q,v,no\nq,v,yes\n".repeat(20);
    let table = read(&original);
    let pair = compare(&table, &table);
    let found = attribute_disclosure(&pair, &["a", "b"], "t", &DisclosureOptions::default()).unwrap();
    let level = found.obvious_level.clone().unwrap();
    assert_eq!((level.level.as_str(), level.disclosed_records), ("no", 60));
    assert_eq!((level.percent_of_disclosed, level.percent_of_original), (100.0, 8500.0 / 110.0));
    let pairs: Vec<(&str, &str, u64, u64)> = (found.obvious_pairs.iter())
        .map(|pair| (pair.key.as_str(), pair.key_value.as_str(), pair.key_records, pair.pair_records))
        .collect();
    assert_eq!(pairs, [("a", "p", 70, 65), ("b", "u", 60, 60)]);
    let disco = found.findings().into_iter().find(|finding| finding.measure == "attribute.disco").unwrap();
    assert_eq!(disco.detail["obvious_level"]["level"], "no");
    assert_eq!(disco.detail["obvious_pairs"].as_array().unwrap().len(), 2);
    let strict = DisclosureOptions {
        one_way_flag: crate::risk::FlagThreshold { records: 60, percent: 90.0 },
        two_way_flag: crate::risk::FlagThreshold { records: 4, percent: 95.0 },
        ..DisclosureOptions::default()
    };
    let found = attribute_disclosure(&pair, &["a", "b"], "t", &strict).unwrap();
    assert!(found.obvious_level.is_none());
    assert_eq!(found.obvious_pairs.len(), 1);
}

#[test]
fn without_records_numbers_are_reasons() {
    let original = read("k,t\na,x\nb,y\n");
    let empty = without_records(&original);
    let found = |original, synthetic| {
        attribute_disclosure(&compare(original, synthetic), &["k"], "t", &DisclosureOptions::default())
            .unwrap()
    };
    let no_synthetic = found(&original, &empty);
    assert_eq!(no_synthetic.value(AttributeStatistic::Disco), Ok(0.0));
    assert_eq!(no_synthetic.value(AttributeStatistic::Dorig), Ok(100.0));
    for undefined in [
        AttributeStatistic::Dsyn,
        AttributeStatistic::CapS,
        AttributeStatistic::Tcap,
        AttributeStatistic::TcapTaub,
        AttributeStatistic::MeanDenom,
        AttributeStatistic::Weap1Share,
        AttributeStatistic::UndefinedShare,
    ] {
        assert!(no_synthetic.value(undefined).is_err(), "{undefined:?}");
    }
    let no_original = found(&empty, &original);
    assert!(no_original.value(AttributeStatistic::Disco).is_err());
    assert_eq!(no_original.value(AttributeStatistic::UndefinedShare), Ok(1.0));
    assert!(no_original.value(AttributeStatistic::TcapTaub).is_err());
}

#[test]
fn one_row_constant_columns_and_all_missing_have_answers() {
    let one = read("k,t\na,x\n");
    let found =
        attribute_disclosure(&compare(&one, &one), &["k"], "t", &DisclosureOptions::default()).unwrap();
    assert_eq!(found.value(AttributeStatistic::Disco), Ok(100.0));
    let schema = SchemaFile::parse(
        "[variables.k]\nkind = \"real\"\nmissing = true\n[variables.t]\nkind = \"real\"\nmissing = true",
    );
    let options = ReadOptions { schema: Some(schema.unwrap()), ..ReadOptions::default() };
    let missing = read_csv_text("k,t\n,\n,\n,\n", &options).unwrap();
    let found =
        attribute_disclosure(&compare(&missing, &missing), &["k"], "t", &DisclosureOptions::default())
            .unwrap();
    assert_eq!((found.value(AttributeStatistic::Disco), found.identity.uio()), (Ok(100.0), Some(0.0)));
}

#[test]
fn numbers_in_groups_match_by_group() {
    let original = read("age,t\n1,x\n2,x\n3,x\n8,y\n9,y\n10,y\n");
    let synthetic = read("age,t\n1.5,x\n2.5,x\n8.5,y\n9.5,y\n");
    let pair = compare(&original, &synthetic);
    let is = |options: &DisclosureOptions| {
        attribute_disclosure(&pair, &["age"], "t", options).unwrap().value(AttributeStatistic::Is).unwrap()
    };
    assert_eq!(is(&DisclosureOptions::default()), 0.0);
    assert_eq!(is(&DisclosureOptions { key_groups: Some(2), ..DisclosureOptions::default() }), 100.0);
}

#[test]
fn keys_and_targets_have_stated_defaults() {
    let table = read("a,b,c\nx,y,z\nx,y,w\nv,y,z\n");
    let pair = compare(&table, &table);
    let options = DisclosureOptions::default();
    let names = |found: Vec<AttributeDisclosure>| {
        found.iter().map(|one| format!("{} -> {}", one.keys.join(","), one.target)).collect::<Vec<_>>()
    };
    let all = attribute_disclosures(&pair, &[], &[], &options).unwrap();
    assert_eq!(names(all), ["b,c -> a", "a,c -> b", "a,b -> c"]);
    let empty_set = attribute_disclosures(&pair, &[Vec::new()], &["c".to_owned()], &options).unwrap();
    assert_eq!(names(empty_set), ["a,b -> c"]);
    let sets = [vec!["a".to_owned()], vec!["a".to_owned(), "b".to_owned()]];
    let of_sets = attribute_disclosures(&pair, &sets, &[], &options).unwrap();
    assert_eq!(names(of_sets), ["a -> b", "a -> c", "a,b -> c"]);
    let refused = attribute_disclosures(&pair, &sets, &["b".to_owned()], &options).unwrap_err().to_string();
    assert_eq!(
        refused,
        "variable `b`: it is a target and one of the keys a, b; an intruder who knows it has nothing to learn"
    );
    let everything = vec![vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]];
    let settings = Settings { keys: everything, ..Settings::default() };
    let findings = Attribute.evaluate(&pair, &settings).unwrap();
    assert_eq!(findings.len(), cards::CARDS.len());
    assert!(findings.iter().all(|finding| finding.because.is_some()));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let table = read("a,b\nx,y\n");
    let pair = compare(&table, &table);
    let refuse = |options: &DisclosureOptions| {
        attribute_disclosure(&pair, &["a"], "b", options).unwrap_err().to_string()
    };
    let default = DisclosureOptions::default();
    let not_counted = |target: &str, level: &str| DisclosureOptions {
        not_counted: [(target.to_owned(), vec![level.to_owned()])].into(),
        ..DisclosureOptions::default()
    };
    assert!(refuse(&not_counted("b", "z")).contains("is not among its levels"));
    assert!(refuse(&not_counted("a", "x")).contains("it is no target"));
    assert!(
        refuse(&DisclosureOptions { key_groups: Some(1), ..default.clone() }).contains("must be 2 or more")
    );
    assert!(
        refuse(&DisclosureOptions { largest_group: Some(0), ..default.clone() })
            .contains("must be 1 or more")
    );
    let error = attribute_disclosure(&pair, &["z"], "b", &default).unwrap_err().to_string();
    assert!(error.starts_with("there is no variable `z`"), "{error}");
    let other = read("a\nx\n");
    let error =
        attribute_disclosure(&compare(&table, &other), &["a"], "b", &default).unwrap_err().to_string();
    assert!(error.contains("the synthetic table does not have it"), "{error}");
}

/// Rows of four variables with few levels.
fn rows(at_least: usize) -> impl Strategy<Value = Vec<[u8; 4]>> {
    prop::collection::vec([0_u8..3, 0_u8..2, 0_u8..4, 0_u8..3], at_least..40)
}

fn table_of(rows: &[[u8; 4]], columns: &[usize]) -> Table {
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let mut text = line(columns.iter().map(|column| format!("v{column}")).collect());
    for row in rows {
        text += &line(columns.iter().map(|column| format!("l{}", row[*column])).collect());
    }
    read(&text)
}

proptest! {
    #[test]
    fn a_table_against_itself_discloses_what_it_holds(rows in rows(1)) {
        let table = table_of(&rows, &[0, 1, 2, 3]);
        let pair = compare(&table, &table);
        let found = attribute_disclosure(&pair, &["v0", "v1"], "v3", &DisclosureOptions::default()).unwrap();
        let value = |statistic| found.value(statistic).unwrap();
        use AttributeStatistic::*;
        for same in [Dsyn, Dis, Disco, Disdio] {
            prop_assert_eq!(value(same), value(Dorig));
        }
        prop_assert_eq!(value(Is), 100.0);
        prop_assert_eq!((value(CapS), value(Dcap)), (value(CapD), value(CapD)));
        if value(Dsyn) > 0.0 {
            prop_assert!((value(TcapTaub) - 1.0).abs() < 1e-15);
            prop_assert_eq!(value(UndefinedShare), 0.0);
        }
        prop_assert_eq!(found.identity.repu(), found.identity.uio());
        prop_assert_eq!(found.identity.uiois(), found.identity.uio());
    }

    #[test]
    fn the_order_of_rows_and_columns_changes_nothing(original in rows(1), synthetic in rows(0), turn in 0_usize..40) {
        let options = DisclosureOptions { largest_group: Some(3), ..DisclosureOptions::default() };
        let found = |original: &[[u8; 4]], synthetic: &[[u8; 4]], columns: &[usize]| {
            let (original, synthetic) = (table_of(original, columns), table_of(synthetic, &[0, 1, 2, 3]));
            let pair = compare(&original, &synthetic);
            let attribute = attribute_disclosure(&pair, &["v0", "v2"], "v3", &options).unwrap();
            let identity = identity::identity_disclosure(&pair, &["v2", "v1"], &options).unwrap();
            let uniques = unique_records::<&str>(&pair, &[]).unwrap();
            (values(&attribute), identity.replicated_uniques, uniques.replicated_uniques, uniques.p1())
        };
        if synthetic.is_empty() {
            return Ok(());
        }
        let (mut turned, mut turned_synthetic) = (original.clone(), synthetic.clone());
        turned.rotate_left(turn % original.len());
        turned_synthetic.reverse();
        prop_assert_eq!(
            found(&original, &synthetic, &[0, 1, 2, 3]),
            found(&turned, &turned_synthetic, &[3, 1, 0, 2])
        );
    }

    #[test]
    fn a_record_unique_on_some_keys_is_unique_on_more(rows in rows(1)) {
        let table = table_of(&rows, &[0, 1, 2, 3]);
        let pair = compare(&table, &table);
        let some = record_flags(&pair, &["v0", "v2"]).unwrap().original_unique;
        let more = record_flags(&pair, &["v0", "v2", "v3"]).unwrap().original_unique;
        prop_assert!(some.iter().zip(&more).all(|(some, more)| !some || *more));
    }

    #[test]
    fn records_add_up_to_the_whole(original in rows(1), synthetic in rows(1), limit in prop::option::of(1_u64..4)) {
        let options = DisclosureOptions { largest_group: limit, ..DisclosureOptions::default() };
        let (original, synthetic) = (table_of(&original, &[0, 1, 2, 3]), table_of(&synthetic, &[0, 1, 2, 3]));
        let pair = compare(&original, &synthetic);
        let whole = attribute_disclosure(&pair, &["v0", "v1"], "v2", &options).unwrap();
        let records = per_record(&pair, &["v0", "v1"], "v2", &options).unwrap();
        let percent = |test: &dyn Fn(&OriginalRecord) -> bool| {
            let found = records.original.iter().filter(|record| record.counted && test(record)).count();
            100.0 * found as f64 / records.original.len() as f64
        };
        let value = |statistic| whole.value(statistic).unwrap();
        use AttributeStatistic::*;
        prop_assert_eq!(percent(&|record| record.disclosed_in_original), value(Dorig));
        prop_assert_eq!(percent(&|record| record.in_synthetic), value(Is));
        prop_assert_eq!(percent(&|record| record.disclosed_in_synthetic), value(Dis));
        prop_assert_eq!(percent(&|record| record.disclosed_correctly), value(Disco));
        let by_margins: f64 = records.original.iter().map(|record| record.disclosed_by_margins).sum();
        prop_assert!((100.0 * by_margins / records.original.len() as f64 - value(DiscoMargins)).abs() < 1e-9);
        let told = records.original.iter().filter(|record| record.told_by_others).count();
        prop_assert_eq!(100.0 * told as f64 / records.original.len() as f64, value(DiscoOthers));
        let certain: Vec<&SyntheticRecord> =
            records.synthetic.iter().filter(|record| record.counted && record.weap == 1.0).collect();
        let share = certain.len() as f64 / records.synthetic.len() as f64;
        prop_assert!((share - value(Weap1Share)).abs() < 1e-12);
        let tcap: Vec<f64> = certain.iter().filter_map(|record| record.tcap).collect();
        match whole.value(TcapTaub) {
            Ok(expected) => {
                let mean = tcap.iter().sum::<f64>() / tcap.len() as f64;
                prop_assert!((mean - expected).abs() < 1e-12);
            }
            Err(_) => prop_assert!(tcap.is_empty()),
        }
        if limit.is_none() {
            let n = records.original.len() as f64;
            let cap: f64 = records.original.iter().map(|record| record.cap_original).sum::<f64>() * 100.0 / n;
            let dcap: f64 = records.original.iter().filter_map(|record| record.cap_synthetic).sum::<f64>() * 100.0 / n;
            prop_assert!((cap - value(CapD)).abs() < 1e-9 && (dcap - value(Dcap)).abs() < 1e-9);
        }
    }
}

/// Two classes of keys: in the first, four originals of which three have x, and two synthetic records; in the second, one of each. The synthetic shares of
/// x and y are 2/3 and 1/3.
#[test]
fn margins_alone_disclose_what_independence_would() {
    let original = read("k,t\na,x\na,x\na,x\na,y\nb,y\n");
    let synthetic = read("k,t\na,x\na,x\nb,y\n");
    let found =
        attribute_disclosure(&compare(&original, &synthetic), &["k"], "t", &DisclosureOptions::default())
            .unwrap();
    let share = 2.0_f64 / 3.0;
    let expected = 3.0 * share.powi(2) + (1.0 - share).powi(2) + (1.0 - share);
    let margins = found.value(AttributeStatistic::DiscoMargins).unwrap();
    assert!((margins - 100.0 * expected / 5.0).abs() < 1e-9, "{margins}");
    let excess = found.value(AttributeStatistic::DiscoExcess).unwrap();
    assert!((excess - (80.0 - margins)).abs() < 1e-9, "{excess}");
}

#[test]
fn what_is_true_of_a_group_is_told_by_its_other_members() {
    // The two of `a` tell each other's target; `b` is alone, and `c` disagrees.
    let text = "k,t\na,1\na,1\nb,1\nc,1\nc,2\n";
    let original = table::read::read_csv_text(text, &table::read::ReadOptions::default()).unwrap();
    let comparison = Comparison { original: &original, synthetic: &original, holdout: None };
    let found = attribute_disclosure(&comparison, &["k"], "t", &DisclosureOptions::default()).unwrap();
    assert_eq!(found.value(AttributeStatistic::Dorig), Ok(60.0));
    assert_eq!(found.value(AttributeStatistic::DiscoOthers), Ok(40.0));
    // With `l` known too everybody is alone, and the target still follows from it for the four of `u`.
    let text = "k,l,t\na,u,1\nb,u,1\nc,u,1\nd,u,1\ne,v,2\n";
    let original = table::read::read_csv_text(text, &table::read::ReadOptions::default()).unwrap();
    let comparison = Comparison { original: &original, synthetic: &original, holdout: None };
    let found = attribute_disclosure(&comparison, &["k", "l"], "t", &DisclosureOptions::default()).unwrap();
    assert_eq!(found.value(AttributeStatistic::DiscoOthers), Ok(80.0));
}
