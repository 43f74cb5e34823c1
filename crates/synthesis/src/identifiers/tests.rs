use std::collections::{BTreeMap, HashMap, HashSet};

use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;

use super::*;

fn read(text: &str) -> Table {
    read_csv_text(text, &ReadOptions::default()).unwrap()
}

fn texts(columns: &[(&str, Column)], name: &str) -> Vec<Option<String>> {
    let (_, column) = columns.iter().find(|(known, _)| *known == name).unwrap();
    let Column::Text(text) = column else { panic!("text") };
    (0..text.codes.len()).map(|row| text.get(row).map(str::to_owned)).collect()
}

/// How many values have so many records.
fn histogram(values: &[Option<String>]) -> BTreeMap<u32, u64> {
    let mut count: HashMap<&String, u32> = HashMap::new();
    values.iter().flatten().for_each(|value| *count.entry(value).or_default() += 1);
    let mut histogram = BTreeMap::new();
    count.into_values().for_each(|size| *histogram.entry(size).or_default() += 1);
    histogram
}

/// 3,000 persons numbered from 1, with a pointer that is missing in a fifth of the records, and cases of one to three records.
fn cohort() -> (Table, String) {
    let mut rng = Seed::new(5).stream(0);
    let mut rows = Vec::new();
    let mut case = 0;
    let mut left = 0;
    for id in 1..=3000 {
        if left == 0 {
            case += 1;
            left = [1, 1, 2, 3][rng.random_range(0..4)];
        }
        left -= 1;
        let other = 1 + rng.random_range(0..3000);
        let pointer =
            if rng.random_range(0..5) == 0 || other == id { String::new() } else { other.to_string() };
        rows.push(format!("{id},{pointer},{}:{case}:1,{}", 1 + case % 70, rng.random_range(18..90)));
    }
    let text = format!("id,control_of,case,age\n{}\n", rows.join("\n"));
    (read(&text), text)
}

#[test]
fn type_look_missing_share_repetition_and_links_are_kept() {
    let (table, _) = cohort();
    let kinds: Vec<&str> = table.schema().variables().iter().map(|variable| variable.kind.name()).collect();
    assert_eq!(kinds, ["text-id", "text-id", "text-id", "integer"]);
    let learned = Identifiers::learn(&table);
    let rows = 30_000;
    let new = learned.draw(rows, Seed::new(1));

    let ids = texts(&new, "id");
    let different: HashSet<&String> = ids.iter().flatten().collect();
    assert_eq!(different.len(), rows, "every record has a number of its own");
    assert!(ids.iter().flatten().all(|id| (1..=rows as i64).contains(&id.parse().unwrap())));

    let pointers = texts(&new, "control_of");
    let missing = |values: &[Option<String>]| {
        values.iter().filter(|value| value.is_none()).count() as f64 / values.len() as f64
    };
    let Column::Text(original) = &table.columns()[1] else { panic!("text") };
    let original: Vec<Option<String>> = (0..3000).map(|row| original.get(row).map(str::to_owned)).collect();
    assert!((missing(&pointers) - missing(&original)).abs() < 1e-3);
    assert!(
        pointers.iter().flatten().all(|pointer| different.contains(pointer)),
        "pointers point to new records"
    );
    assert!(
        pointers.iter().zip(&ids).all(|(pointer, id)| pointer != id),
        "none points to itself, as in the original"
    );

    let cases = texts(&new, "case");
    let Column::Text(old) = &table.columns()[2] else { panic!("text") };
    let real: HashSet<&String> = old.dictionary.iter().collect();
    assert!(cases.iter().flatten().all(|case| !real.contains(case)), "no case is a real one");
    let is_like = |case: &String| {
        let parts: Vec<&str> = case.split(':').collect();
        parts.len() == 3
            && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    assert!(cases.iter().flatten().all(is_like), "{:?}", &cases[..5]);

    // The sizes of groups, of cases and of pointers, against those of the original: Pearson's statistic stays below its 99.9 % quantile, 13.8 with
    // the two degrees of freedom of the sizes 1, 2 and 3 (the last group is cut where the records end).
    for (name, original) in
        [("case", (0..3000).map(|row| old.get(row).map(str::to_owned)).collect()), ("control_of", original)]
    {
        let (expected, found) = (histogram(&original), histogram(&texts(&new, name)));
        let (of, all): (u64, u64) = (expected.values().sum(), found.values().sum());
        let statistic: f64 = (1..=3)
            .map(|size| {
                let expected = expected.get(&size).copied().unwrap_or(0) as f64 / of as f64 * all as f64;
                (found.get(&size).copied().unwrap_or(0) as f64 - expected).powi(2) / expected
            })
            .sum();
        assert!(statistic < 13.8, "{name}: {statistic}, {expected:?}, {found:?}");
    }
    assert_eq!(histogram(&cases).keys().max(), Some(&3));
}

#[test]
fn one_seed_one_column_and_running_numbers_come_in_random_order() {
    let (table, _) = cohort();
    let learned = Identifiers::learn(&table);
    let once = learned.draw(3000, Seed::new(1));
    assert_eq!(once, learned.draw(3000, Seed::new(1)));
    assert_ne!(once, learned.draw(3000, Seed::new(2)));
    // Of 3,000 numbers in random order one stays in its place on average; more than 12 do with probability below 1e-9.
    let ids = texts(&once, "id");
    let in_place =
        ids.iter().enumerate().filter(|(row, id)| id.as_deref() == Some(&(row + 1).to_string())).count();
    assert!(in_place <= 12, "{in_place}");
}

#[test]
fn long_numbers_and_texts_are_never_real_ones() {
    let rows: Vec<String> = (0..2000_u64)
        .map(|i| format!("{},AB-{:05},answer number {i} of many,{}", 1_200_000 + i, i * 37 % 99_991, i % 3))
        .collect();
    let table = read(&format!("person,code,words,x\n{}\n", rows.join("\n")));
    let kept = Identifiers::learn(&table);
    let new = kept.draw(5000, Seed::new(3));
    assert_eq!(new.len(), 3);
    for ((name, column), original) in new.iter().zip(table.columns()) {
        let (Column::Text(text), Column::Text(original)) = (column, original) else { panic!("{name}") };
        assert_eq!(text.dictionary.iter().collect::<HashSet<_>>().len(), 5000, "{name}");
        assert!(text.dictionary.iter().all(|value| !original.dictionary.contains(value)), "{name}");
    }
    assert!(
        texts(&new, "person")
            .iter()
            .flatten()
            .all(|number| number.len() == 7 && number.parse::<i64>().is_ok())
    );
    assert!(texts(&new, "code").iter().flatten().all(|code| code.len() == 8 && code.starts_with("AB-")));
    assert!(
        texts(&new, "words").iter().flatten().all(|text| text.starts_with("synthetic-")),
        "no word of a record"
    );
}

#[test]
fn a_household_stays_one_for_a_person_seen_several_times() {
    let mut rows = Vec::new();
    for person in 0..1500 {
        (0..1 + person % 3).for_each(|wave| rows.push(format!("H{:04},P{person:05},{wave}", person / 2)));
    }
    let table = read(&format!("household,person,wave\n{}\n", rows.join("\n")));
    let learned = Identifiers::learn(&table);
    assert_eq!(learned.names().collect::<Vec<_>>(), ["person", "household"]);
    let new = learned.draw(rows.len(), Seed::new(4));
    let (persons, households) = (texts(&new, "person"), texts(&new, "household"));
    let mut of_person: HashMap<&String, &String> = HashMap::new();
    let mut members: HashMap<&String, HashSet<&String>> = HashMap::new();
    for (person, household) in persons.iter().flatten().zip(households.iter().flatten()) {
        assert_eq!(*of_person.entry(person).or_insert(household), household, "{person}");
        members.entry(household).or_default().insert(person);
    }
    let two = members.values().filter(|members| members.len() == 2).count();
    assert!(two + 1 >= members.len(), "households of two persons, but for the last one");
}

#[test]
fn some_point_to_themselves_as_heads_of_households_do() {
    let rows: Vec<String> =
        (0..2000).map(|i| format!("{},{},{}", 5000 + 7 * i, 5000 + 7 * (i - i % 2), i % 5)).collect();
    let table = read(&format!("person,head,x\n{}\n", rows.join("\n")));
    let kept = Identifiers::learn(&table);
    let new = kept.draw(2000, Seed::new(6));
    let (persons, heads) = (texts(&new, "person"), texts(&new, "head"));
    let itself = persons.iter().zip(&heads).filter(|(person, head)| person == head).count();
    assert!((990..=1010).contains(&itself), "{itself}");
}

#[test]
fn what_is_declared_is_enough_without_records() {
    let schema = "[variables.id]\nkind = \"text-id\"\ntype = \"integer\"\n[variables.friend]\nkind = \"text-id\"\ntype = \"integer\"\n\
                  refers_to = \"id\"\n[variables.case]\nkind = \"text-id\"\npattern = \"AA-999\"\nrecords_per_value = { 2 = 1 }\n\
                  [variables.note]\nkind = \"text-id\"\n";
    let schema = SchemaFile::parse(schema).unwrap().finish().unwrap();
    let kept = Identifiers::declared(&schema);
    let new = kept.draw(100, Seed::new(7));
    assert_eq!(texts(&new, "id").iter().flatten().collect::<HashSet<_>>().len(), 100);
    assert_eq!(texts(&new, "note")[4].as_deref(), Some("synthetic-5"), "labels in the order of records");
    assert_eq!(histogram(&texts(&new, "case")), BTreeMap::from([(2, 50)]));
    let ids: HashSet<Option<String>> = texts(&new, "id").into_iter().collect();
    assert!(texts(&new, "friend").iter().all(|friend| ids.contains(friend)));
}

#[test]
fn a_full_look_is_widened() {
    let rows: Vec<String> = (0..100).map(|i| format!("A{i:02},{}", i % 3)).collect();
    let table = read(&format!("code,x\n{}\n", rows.join("\n")));
    let kept = Identifiers::learn(&table);
    let new = kept.draw(100, Seed::new(8));
    let codes: HashSet<String> = texts(&new, "code").into_iter().flatten().collect();
    assert_eq!(codes.len(), 100);
    assert!(codes.iter().all(|code| code.starts_with('A') && code.len() > 3), "{codes:?}");
}
