use super::*;
use crate::read::{ReadOptions, read_csv_text};

fn profiled(text: &str, keys: &[&str]) -> Profile {
    let table = read_csv_text(text, &ReadOptions::default()).unwrap();
    profile(&table, &keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>(), &Grouping::default())
        .unwrap()
}

fn csv(header: &str, rows: usize, row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

fn notes_of<'a>(profile: &'a Profile, name: &str) -> &'a [String] {
    &profile.variables.iter().find(|variable| variable.name == name).unwrap().notes
}

#[track_caller]
fn assert_noted(profile: &Profile, name: &str, expected: &str) {
    let notes = notes_of(profile, name);
    assert!(notes.iter().any(|note| note.contains(expected)), "{name}: {expected} not in {notes:?}");
}

#[test]
fn cells_empties_and_uniques_of_a_table_counted_by_hand() {
    let profile = profiled("sex,agegr,pay\nM,old,1\nM,old,1\nF,old,2\nF,young,2\n", &["sex", "pay"]);
    assert_eq!((profile.rows, profile.columns, profile.cells.as_str()), (4, 3, "8"));
    assert_eq!((profile.empty_cells_share, profile.unique_share), (5.0 / 8.0, 0.5));
    let keys = profile.keys.unwrap();
    assert_eq!((keys.groups, keys.uniques), (2, 0));
    assert_eq!(keys.smallest_groups, [GroupsOfSize { size: 2, groups: 2 }]);
}

#[test]
fn identifiers_are_left_out_of_the_cross_table() {
    let profile = profiled(&csv("id,sex", 30, |row| format!("p{row},{}", row % 2)), &["id"]);
    assert_eq!(profile.cells, "2");
    assert_eq!((profile.variables[0].kind, profile.variables[0].classes), ("text-id", None));
    assert_noted(&profile, "id", "names units: 30 different texts in 30 records");
    assert_eq!(profile.keys.unwrap().uniques, 30);
}

#[test]
fn two_hundred_binary_columns_are_described() {
    let header: Vec<String> = (0..200).map(|bit| format!("b{bit}")).collect();
    let row =
        |row: usize| (0..200).map(|bit| (row >> (bit % 7) & 1).to_string()).collect::<Vec<_>>().join(",");
    let profile = profiled(&csv(&header.join(","), 128, row), &[]);
    assert_eq!(profile.cells, "1606938044258990275541962092341162602522202993782792835301376");
    assert_eq!(profile.unique_share, 1.0);
}

#[test]
fn what_a_person_should_know() {
    let text = csv("constant,number,token,comma,zip,long,day,label", 120, |row| {
        let token = if row % 10 == 0 { "NA".to_owned() } else { (row % 50).to_string() };
        let long = if row % 2 == 0 {
            "a remark that recurs".to_owned()
        } else {
            format!("a remark about case {row}")
        };
        let label = ["yes", "Yes ", "no"][row % 3];
        format!(
            "x,{},{token},\"{},5\",0{row},{long},0{}/0{}/2011,{label}",
            row * 7,
            row % 9,
            row % 9 + 1,
            row % 7 + 1
        )
    });
    let profile = profiled(&text, &[]);
    assert_noted(&profile, "constant", "constant");
    assert_noted(&profile, "number", "names units: 120 different whole numbers in 120 records");
    assert_noted(&profile, "token", "NA among numbers is read as missing");
    assert_noted(&profile, "comma", "its numbers are written with a comma");
    assert_noted(&profile, "long", "free text: 61 different texts, 60 of them in one record");
    assert_noted(&profile, "long", "rare levels: 60 of 61");
    assert_noted(&profile, "day", "day and month cannot be told apart");
    assert_noted(&profile, "label", "1 levels differ from another one only in case");
    assert_noted(&profile, "label", "1 levels begin or end with a blank");
}

#[test]
fn numbers_that_are_codes_are_suspected_and_measurements_are_not() {
    let text = csv("income,hours,change,share", 300, |row| {
        let income = if row % 5 == 0 { -8 } else { 100 + 13 * row as i64 };
        let hours = if row % 4 == 0 { 99 } else { row % 60 };
        format!("{income},{hours},{},{}", row as i64 - 150, row % 100)
    });
    let profile = profiled(&text, &[]);
    assert_noted(&profile, "income", "code? holds -8 60 times");
    assert_noted(&profile, "hours", "code? holds 99 75 times");
    assert!(notes_of(&profile, "change").iter().all(|note| !note.contains("code?")));
    assert!(notes_of(&profile, "share").iter().all(|note| !note.contains("code?")));
}

#[test]
fn dependencies_on_other_columns_are_found_and_chance_is_not() {
    let text = csv("age,agegr,occ1,occ2,height,weight,bmi,a,b,c,total,coin", 400, |row| {
        let (age, leaf) = (16 + row * 7 % 60, row * 11 % 23);
        let (height, weight) = (150 + row * 13 % 47, 45 + row * 17 % 61);
        let bmi = weight as f64 / (height as f64 / 100.0).powi(2);
        let (a, b, c) = (row * 3 % 11, row * 5 % 13, row * 7 % 17);
        let coin = if (row * row * 31 + row * 7) % 19 < 9 { "head" } else { "tail" };
        format!(
            "{age},{},o{},l{leaf},{height},{weight},{bmi:.1},{a},{b},{c},{},{coin}",
            ["young", "old"][age / 40],
            leaf % 4,
            a + b + c
        )
    });
    let profile = profiled(&text, &[]);
    assert_noted(&profile, "agegr", "a function of `age`");
    assert_noted(&profile, "occ2", "nested: each level lies in one level of `occ1`");
    assert_noted(&profile, "bmi", "computed: bmi = 10000 * weight / pow(height, 2) in all 400 records");
    assert_noted(&profile, "total", "computed: total = a + b + c in all 400 records");
    for free in ["age", "occ1", "height", "weight", "coin", "a"] {
        assert_eq!(notes_of(&profile, free), &[] as &[String], "{free}");
    }
}

#[test]
fn a_declared_domain_is_not_second_guessed() {
    let schema = "[variables.a]\nkind = \"categorical\"\nlevels = [\"None\", \"x\"]\n";
    let options = ReadOptions {
        schema: Some(crate::schema::SchemaFile::parse(schema).unwrap()),
        ..ReadOptions::default()
    };
    let table = read_csv_text(&csv("a", 60, |row| ["None", "x"][row % 2].to_owned()), &options).unwrap();
    assert_eq!(profile(&table, &[], &Grouping::default()).unwrap().variables[0].notes, &[] as &[String]);
}

#[test]
fn a_key_that_is_not_there_is_named() {
    let table = read_csv_text("sex\nM\n", &ReadOptions::default()).unwrap();
    let error = profile(&table, &["sexx".to_owned()], &Grouping::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no variable `sexx`; did you mean `sex`?");
}
