//! A measure in one file, through the public trait alone: the worked example of CONTRIBUTING.md.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod most_frequent;

use measures::{Settings, SyntheticSets, align, evaluate};
use most_frequent::MostFrequent;
use table::read::{ReadOptions, read_csv_text};

#[test]
fn it_is_evaluated_like_any_other() {
    let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
    let original = read("town,age\na,1\na,2\na,3\nb,4\n");
    let aligned = |text: &str| align(original.schema(), read(text)).unwrap();
    let one = aligned("town,age\na,1\nb,2\nb,2\nb,3\n");
    let other = aligned("town,age\na,1\na,1\na,3\na,3\n");
    let sets = SyntheticSets { original: &original, synthetic: &[&one, &other], holdout: None };
    let found = evaluate(&sets, &[&MostFrequent], &Settings::default()).unwrap();
    assert_eq!(found.len(), 1, "a number has no levels");
    // 3/4 of the original have the level `a`, 1/4 and 4/4 of the synthetic files: 1/2 and 1/4 apart.
    assert_eq!((found[0].measure.as_str(), found[0].value), ("mode.difference", Some(0.375)));
    assert_eq!(found[0].detail["each"], serde_json::json!([0.5, 0.25]));
}

#[test]
fn contributing_shows_this_file() {
    let page = include_str!("../../../CONTRIBUTING.md");
    assert!(
        page.contains(include_str!("most_frequent/mod.rs")),
        "copy most_frequent/mod.rs into CONTRIBUTING.md"
    );
}
