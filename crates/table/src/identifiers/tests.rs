use super::*;
use crate::column::{Entry, Numbers};
use crate::read::{ReadOptions, read_csv_text};
use crate::schema::Kind;

/// Random numbers enough for invented columns (Knuth's MMIX generator, the upper bits).
struct Lehmer(u64);

impl Lehmer {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * u128::from(limit)) >> 64) as u64
    }

    fn uniform(&mut self) -> f64 {
        self.below(1 << 53) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

fn numbers(name: &str, values: Vec<Option<i64>>) -> (Variable, Column) {
    let mut column = Numbers::with_capacity(values.len());
    values.iter().for_each(|value| column.push(value.map_or(Entry::Missing, Entry::Value)));
    (Variable::new(name, Kind::Integer { range: None }), Column::Integer(column))
}

fn judged(columns: Vec<(Variable, Column)>) -> Vec<Option<Evidence>> {
    let (variables, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    find(&variables, &columns)
}

fn is_identifier(name: &str, values: impl IntoIterator<Item = i64>) -> bool {
    judged(vec![numbers(name, values.into_iter().map(Some).collect())])[0].is_some()
}

/// Whether a text column is one, by the whole path of the reader.
fn text_is_identifier(name: &str, texts: impl IntoIterator<Item = String>) -> bool {
    let rows: Vec<String> = texts.into_iter().map(|text| format!("\"{text}\",x")).collect();
    let table =
        read_csv_text(&format!("{name},other\n{}\n", rows.join("\n")), &ReadOptions::default()).unwrap();
    table.schema().variables()[0].kind == Kind::TextId
}

#[test]
fn running_numbers_are_identifiers_from_small_tables_on() {
    for n in [22, 30, 100, 6000] {
        assert!(is_identifier("x", 1..=n), "{n}");
        assert!(is_identifier("x", (1..=n).rev().map(|i| 5 + 10 * i)), "in steps, {n}");
    }
    let mut random = Lehmer(1);
    let mut people: Vec<i64> = (0..50_000).map(|i| 7_394_483 + 10 * i + random.below(10) as i64).collect();
    assert!(is_identifier("x", people.clone()));
    people[7] = people[8];
    assert!(is_identifier("x", people), "one that was typed twice");
}

/// Measurements of many tables: the rule looks for what independent values cannot do, so that none of 4,000 columns may be flagged.
#[test]
fn measurements_are_not_identifiers() {
    let mut random = Lehmer(2);
    for repetition in 0..100 {
        for n in [30_usize, 60, 200, 1000, 3000] {
            let whole = |value: f64| value.round() as i64;
            let columns: [(&str, Vec<i64>); 8] = [
                ("age", (0..n).map(|_| 18 + random.below(80) as i64).collect()),
                ("income", (0..n).map(|_| whole((8.0 + random.normal()).exp())).collect()),
                ("even", (0..n).map(|_| random.below(100_000) as i64).collect()),
                ("fine", (0..n).map(|_| random.below(10_000_000) as i64).collect()),
                ("year", (0..n).map(|_| 1960 + random.below(60) as i64).collect()),
                ("weight", (0..n).map(|_| whole((4.0 + 1.9 * random.normal()).exp() * 100.0)).collect()),
                (
                    "gain",
                    (0..n)
                        .map(|_| if random.below(10) > 0 { 0 } else { whole((8.0 + random.normal()).exp()) })
                        .collect(),
                ),
                ("minutes", (0..n).map(|_| whole(500.0 + 200.0 * random.normal())).collect()),
            ];
            for (name, values) in columns {
                assert!(!is_identifier(name, values), "{name}, {n} records, repetition {repetition}");
            }
        }
    }
}

#[test]
fn years_days_and_moments_are_not_identifiers() {
    assert!(!is_identifier("year", 1900..=2020));
    assert!(is_identifier("id", 1900..=2020));
    let days = (2010..2020).flat_map(|year| {
        (1..=12).flat_map(move |month| (1..=28).map(move |day| year * 10_000 + month * 100 + day))
    });
    assert!(!is_identifier("day", days.clone()));
    assert!(!is_identifier("moment", days.map(|day| day * 1_000_000 + 120_000)));
    let mut random = Lehmer(3);
    let moments: Vec<i64> = (0..3000).map(|_| 1_400_000_000 + random.below(90_000_000) as i64).collect();
    assert!(!is_identifier("created_at", moments.clone()) && is_identifier("account", moments));
}

#[test]
fn long_numbers_of_one_width_are_identifiers() {
    let mut random = Lehmer(4);
    let accounts: Vec<i64> =
        (0..4000).map(|_| 100_000_000_000_000_000 + random.below(100_000_000_000_000_000) as i64).collect();
    assert!(is_identifier("account", accounts.clone()) && is_identifier("x", accounts.clone()));
    assert!(is_identifier("x", accounts.iter().take(30).copied()));
    let repeated = (0..4000).map(|_| accounts[random.below(1500) as usize]);
    assert!(is_identifier("x", repeated.collect::<Vec<_>>()));
    assert!(!is_identifier("x", accounts.iter().map(|account| account / 1_000_000 * 1000)), "rounded");
    assert!(
        !is_identifier("turnover", (0..500).map(|_| (19.0 + 1.5 * random.normal()).exp() as i64)),
        "of many widths"
    );
}

#[test]
fn numbers_that_repeat_need_many_values_or_a_name() {
    let mut random = Lehmer(5);
    let mut households = Vec::new();
    for household in 1..=6000 {
        (0..1 + random.below(4)).for_each(|_| households.push(household));
    }
    assert!(is_identifier("db030", households));
    let waves =
        |persons: i64| (1..=persons).flat_map(|person| (0..3).map(move |_| person)).collect::<Vec<_>>();
    assert!(
        is_identifier("person_id", waves(200))
            && !is_identifier("x", waves(200))
            && is_identifier("x", waves(2000))
    );
    assert!(!is_identifier("week", (0..260).map(|i| 1 + i % 52)), "a design with every week at five places");
    assert!(!is_identifier(
        "occupation",
        (0..50_000).map(|_| 1000 + (300.0 * random.uniform().powi(3)) as i64)
    ));
    assert!(!is_identifier("hospital_no", (0..20_000).map(|_| random.below(460) as i64)), "few numbers");
    assert!(!is_identifier("account_balance", (0..1000).map(|_| random.below(400) as i64)));
}

#[test]
fn case_numbers_are_known_by_their_pattern_also_when_they_repeat() {
    let mut random = Lehmer(6);
    let mut case = || format!("{}:{}:{}", 2 + random.below(78), 1 + random.below(399), 1 + random.below(3));
    let cases: Vec<String> = (0..1600).map(|_| case()).collect();
    let mut random = Lehmer(7);
    let drawn: Vec<String> = (0..5000).map(|_| cases[random.below(1600) as usize].clone()).collect();
    assert!(text_is_identifier("x", drawn));
    assert!(text_is_identifier("x", (0..300).map(|i| format!("12-{i:04}"))), "all differ");
    let codes = |random: &mut Lehmer| format!("{:04}", (900.0 * random.uniform().powi(3)) as u64 + 1);
    assert!(!text_is_identifier("occupation", (0..3000).map(|_| codes(&mut random))), "unevenly used codes");
    assert!(
        !text_is_identifier("plz", (0..5000).map(|_| format!("{:05}", random.below(3000)))),
        "short codes"
    );
    let icd = |random: &mut Lehmer| {
        format!(
            "{}{:02}.{}",
            char::from(b'A' + (20.0 * random.uniform().powi(2)) as u8),
            (60.0 * random.uniform().powi(3)) as u64,
            random.below(3)
        )
    };
    assert!(!text_is_identifier("icd", (0..5000).map(|_| icd(&mut random))), "diagnoses");
    let clock = |random: &mut Lehmer| {
        format!("{:02}:{:02}:{:02}", random.below(24), random.below(60), random.below(2))
    };
    assert!(!text_is_identifier("at", (0..3000).map(|_| clock(&mut random))), "times of day");
}

#[test]
fn free_text_and_names_are_identifiers() {
    let words = ["bus", "park", "tax", "school", "noise", "rent", "crime"];
    let mut random = Lehmer(8);
    let answers: Vec<String> = (0..400)
        .map(|i| {
            (0..3 + random.below(5)).map(|_| words[random.below(7) as usize]).collect::<Vec<_>>().join(" ")
                + &format!(" {i}")
        })
        .collect();
    assert!(text_is_identifier("words", answers.clone()));
    let mut with_blanks: Vec<String> = answers;
    with_blanks.iter_mut().step_by(10).for_each(|answer| *answer = "no answer".into());
    assert!(text_is_identifier("words", with_blanks), "most, not all, differ");
    assert!(!text_is_identifier("region", (0..400).map(|i| format!("R{:02}", i % 12))));
    assert!(!text_is_identifier("town", (0..400).map(|i| format!("town {}", words[i % 7]))));
}

#[test]
fn a_column_of_another_identifiers_values_points_to_it() {
    let mut random = Lehmer(9);
    let n = 6000;
    let ids = numbers("id", (1..=n).map(Some).collect());
    let controls = (0..n).map(|_| (random.below(5) > 0).then(|| 1 + random.below(n as u64) as i64)).collect();
    let ages = (0..n).map(|_| Some(18 + random.below(80) as i64)).collect();
    let times = (0..n).map(|_| Some(1 + random.below(3650) as i64)).collect();
    let skewed = (0..n).map(|_| Some(1 + ((6.0 + random.normal()).exp() as i64).min(n - 1))).collect();
    let found = judged(vec![
        ids,
        numbers("x", controls),
        numbers("age", ages),
        numbers("futime", times),
        numbers("pay", skewed),
    ]);
    assert_eq!(found[1], Some(Evidence::PointsTo("id".into())));
    assert!(matches!(found[0], Some(Evidence::Different { .. })));
    assert_eq!(&found[2..], [None, None, None]);

    let sparse: Vec<i64> = (0..200).map(|i| 100_000 + 17 * i + random.below(17) as i64).collect();
    let heads = (0..200).map(|_| Some(sparse[random.below(60) as usize])).collect();
    let found = judged(vec![
        numbers("head", heads),
        numbers("person_id", sparse.iter().copied().map(Some).collect()),
    ]);
    assert_eq!(
        found[0],
        Some(Evidence::PointsTo("person_id".into())),
        "among numbers with gaps no spread is asked for"
    );
}

#[test]
fn in_small_tables_ages_do_not_point_to_running_numbers() {
    let mut random = Lehmer(10);
    for _ in 0..200 {
        let ages = (0..100).map(|_| Some(1 + random.below(98) as i64)).collect();
        let found = judged(vec![numbers("id", (1..=100).map(Some).collect()), numbers("age", ages)]);
        assert_eq!(found[1], None);
    }
}

#[test]
fn a_learned_schema_says_type_and_reference_and_reads_back() {
    let rows: Vec<String> = (1..=2000).map(|i| format!("{i},{},{}", 1 + (i * 7919) % 2000, i % 7)).collect();
    let text = format!("id,friend,x\n{}\n", rows.join("\n"));
    let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
    let draft = table.schema().to_toml();
    assert!(draft.contains("type = \"integer\"") && draft.contains("refers_to = \"id\""), "{draft}");
    let schema = crate::schema::SchemaFile::parse(&draft).unwrap();
    let again =
        read_csv_text(&text, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap();
    assert_eq!(again, table);
    assert_eq!(crate::write::csv_text(&table), text, "numbers are written as they were");
    let asked = "[variables.id]\nkind = \"integer\"\n[variables.friend]\nkind = \"categorical\"\n[variables.x]\nkind = \"integer\"\n";
    let schema = crate::schema::SchemaFile::parse(asked).unwrap();
    let overruled =
        read_csv_text(&text, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap();
    assert_eq!(overruled.schema().variables()[0].kind.name(), "integer", "a schema overrules");
    assert_eq!(overruled.schema().variables()[1].kind.levels().map(|levels| levels.len()), Some(2000));
}
