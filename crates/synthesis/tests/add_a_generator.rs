//! A generator in one file, through the public traits alone: the worked example of CONTRIBUTING.md.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod independent;

use synthesis::decoder::Decoder;
use synthesis::identifiers::Identifiers;
use synthesis::randomness::Seed;
use synthesis::registry::{Load, Method};
use synthesis::synthesizer::Data;
use synthesis::{Cells, Making, Model, StructuralZeros, Synthesizer};
use table::read::{ReadOptions, read_csv_text};
use table::{CodedTable, CountSource, Grouping, Table};

/// Its line of the registry.
const LINE: Method = Method {
    card: &independent::CARD,
    build: Some(independent::build),
    private: None,
    load: Some(Load::Cells(independent::load)),
};

/// A thousand records whose two variables are always equal.
fn people() -> Table {
    let text = "one,other\n".to_owned() + &"a,a\n".repeat(700) + &"b,b\n".repeat(300);
    read_csv_text(&text, &ReadOptions::default()).unwrap()
}

fn decoded(model: &dyn Model<Cells>, decoder: &Decoder, rows: usize) -> Table {
    decoder.decode(&model.sample(rows, Seed::new(1)).unwrap(), Seed::new(2)).unwrap()
}

#[test]
fn it_is_fitted_and_drawn_from_like_any_other() {
    let people = people();
    let coded = CodedTable::new(&people, &Grouping::default()).unwrap();
    let zeros = StructuralZeros::of(people.schema(), &coded).unwrap();
    let Synthesizer::Counts(method) = LINE.build.unwrap()(&toml::Table::new()).unwrap() else {
        panic!("a method of counts")
    };
    let model = method.fit(Data { counts: &coded, zeros: &zeros }).unwrap();
    let identifiers = Identifiers::learn(&people);
    let decoder = Decoder::new(people.shared_schema(), coded.domain().clone(), identifiers).unwrap();
    let drawn = decoded(model.as_ref(), &decoder, 10_000);
    let share = |of: &dyn Fn(&[u32]) -> bool| {
        let coded = CodedTable::new(&drawn, &Grouping::default()).unwrap();
        let all = table::Attributes::all(coded.domain());
        let cells = coded.contingency_table(&all).unwrap();
        let count = |cell: usize| {
            if of(&[cells.class(cell, 0), cells.class(cell, 1)]) { cells.counts()[cell] } else { 0 }
        };
        (0..cells.occupied()).map(count).sum::<u64>() as f64 / 10_000.0
    };
    // Four standard errors: a seed in 16,000 would fail.
    assert!((share(&|cell| cell[0] == 0) - 0.7).abs() < 4.0 * (0.21_f64 / 1e4).sqrt());
    assert!(
        (share(&|cell| cell[0] == cell[1]) - 0.58).abs() < 4.0 * (0.2436_f64 / 1e4).sqrt(),
        "0.7² + 0.3²"
    );
    assert_eq!(decoded(model.as_ref(), &decoder, 100), decoded(model.as_ref(), &decoder, 100));
    assert_eq!(method.records_card().making, Making::PlainDraws);
    let wrong = "aded = 1".parse::<toml::Table>().unwrap();
    assert!(LINE.build.unwrap()(&wrong).err().unwrap().to_string().contains("did you mean `added`?"));
}

#[test]
fn contributing_shows_this_file() {
    let page = include_str!("../../../CONTRIBUTING.md");
    assert!(
        page.contains(include_str!("independent/mod.rs")),
        "copy independent/mod.rs into CONTRIBUTING.md"
    );
}
