//! Releases that are damaged in known ways, each of which must turn the light of its side.

use measures::{MEASURES, Measure, Settings, SyntheticSets, align, evaluate};
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use town::Town;

use super::*;

const PEOPLE: usize = 1_500;

/// A file of the town as rows of fields that can be damaged.
#[derive(Clone)]
struct File {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl File {
    /// People of the same town; another seed is a fresh sample of it.
    fn new(seed: u64) -> Self {
        let text = Town::new(PEOPLE, seed).csv();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let fields = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
        let head = fields(reader.headers().unwrap());
        let rows = reader.records().map(|record| fields(&record.unwrap())).collect();
        Self { head, rows }
    }

    fn at(&self, name: &str) -> usize {
        self.head.iter().position(|known| known == name).unwrap()
    }

    /// With every value of a variable replaced.
    fn with(mut self, name: &str, change: impl Fn(usize, &str) -> String) -> Self {
        let at = self.at(name);
        self.rows.iter_mut().enumerate().for_each(|(row, fields)| fields[at] = change(row, &fields[at]));
        self
    }

    /// With the values of some variables taken from the rows of another file.
    fn with_columns_of(mut self, other: &Self, names: &[&str]) -> Self {
        for name in names {
            let at = self.at(name);
            self.rows.iter_mut().zip(&other.rows).for_each(|(row, from)| row[at].clone_from(&from[at]));
        }
        self
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        let at = self.at(name);
        let mut values: Vec<f64> =
            self.rows.iter().filter_map(|row| row[at].parse().ok()).filter(|value| *value >= 0.0).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    fn table(&self, schema: Option<&str>) -> Table {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.head).unwrap();
        self.rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let schema = schema.map(|schema| SchemaFile::parse(schema).unwrap());
        read_csv_text(&text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
    }
}

/// What is measured of the town, without what takes long.
fn findings_of(synthetic: &File) -> Vec<Finding> {
    let schema = Town::new(PEOPLE, 7).schema();
    let original = File::new(7).table(Some(&schema));
    let synthetic = align(original.schema(), synthetic.table(None)).unwrap();
    let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let settings = Settings {
        keys: vec![names(&["sex", "age", "district"])],
        targets: names(&["disability", "education"]),
        ..Settings::default()
    };
    let wanted = ["files", "tables", "amounts", "conformance", "uniques", "attribute"];
    let families: Vec<&dyn Measure> =
        MEASURES.iter().copied().filter(|family| wanted.contains(&family.name())).collect();
    evaluate(&sets, &families, &settings).unwrap()
}

fn lights_of(synthetic: &File) -> Lights {
    let findings = findings_of(synthetic);
    Lights::of(&Subject::of_findings(&findings.iter().collect::<Vec<_>>()))
}

#[test]
fn a_fresh_sample_of_the_same_town_has_no_warning_light() {
    let lights = lights_of(&File::new(8));
    for light in [&lights.truth, &lights.risk, &lights.rules] {
        assert_eq!(light.colour, Colour::Green, "{}: {}", light.topic, light.sentence);
    }
    assert_eq!(lights.guarantee.colour, Colour::Unlit);
    assert!(lights.not_for().is_empty(), "{:?}", lights.not_for());
    assert!(lights.safe_to_release().starts_with("Nothing that was measured speaks against it"));
}

#[test]
fn ten_kinds_of_damage_each_turn_the_right_light() {
    let fresh = || File::new(8);
    let original = File::new(7);
    let income = fresh().numbers("income");
    let cap = income[income.len() * 9 / 10];
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| *value >= 0.0);
    type Pick = fn(&Lights) -> &Light;
    let (truth, risk, rules): (Pick, Pick, Pick) = (|of| &of.truth, |of| &of.risk, |of| &of.rules);
    let cases: Vec<(&str, File, Pick)> = vec![
        (
            "shifted mean",
            fresh().with("income", |_, text| {
                number(text).map_or_else(|| text.to_owned(), |value| format!("{}", (value * 1.4).round()))
            }),
            truth,
        ),
        (
            "lost tail",
            fresh().with("income", |_, text| {
                number(text).map_or_else(|| text.to_owned(), |value| format!("{}", value.min(cap)))
            }),
            truth,
        ),
        ("broken pair", fresh().with_columns_of(&File::new(9), &["education", "disability"]), truth),
        (
            "swapped labels",
            fresh().with("district", |_, text| match text {
                "Old Market" => "Lighthouse Point".into(),
                "Lighthouse Point" => "Old Market".into(),
                other => other.to_owned(),
            }),
            truth,
        ),
        (
            "lost level",
            fresh().with("education", |_, text| text.replace("MASTER OR MORE", "BACHELOR")),
            truth,
        ),
        (
            "values lost",
            fresh().with("income", |row, text| match number(text) {
                Some(_) if row % 3 == 0 => String::new(),
                _ => text.to_owned(),
            }),
            truth,
        ),
        (
            "copied records",
            File {
                rows: original.rows[..PEOPLE / 20]
                    .iter()
                    .chain(&fresh().rows[PEOPLE / 20..])
                    .cloned()
                    .collect(),
                ..fresh()
            },
            risk,
        ),
        (
            "people's keys and targets kept",
            fresh().with_columns_of(&original, &["sex", "age", "district", "disability", "education"]),
            risk,
        ),
        (
            "broken rule",
            fresh().with("pperroom", |row, text| if row % 25 == 0 { "9.999".into() } else { text.into() }),
            rules,
        ),
        (
            "values outside the domain",
            fresh()
                .with("district", |row, text| if row % 200 == 0 { "Atlantis".into() } else { text.into() }),
            rules,
        ),
    ];
    assert_eq!(cases.len(), 10);
    for (damage, file, pick) in cases {
        let lights = lights_of(&file);
        let light = pick(&lights);
        // Damage to the analyst's side alone is no risk, and none of it but a broken rule is one of rules.
        if light.topic == "truth" {
            assert_eq!(lights.risk.colour, Colour::Green, "{damage}: {}", lights.risk.sentence);
            assert_eq!(lights.rules.colour, Colour::Green, "{damage}: {}", lights.rules.sentence);
        }
        assert!(light.colour >= Colour::Amber, "{damage}: {} says {}", light.topic, light.sentence);
        // What burns has a sentence of its own, and the verdict never says that all is well.
        assert!(!light.sentence.is_empty() && light.sentence.ends_with('.'), "{damage}: {}", light.sentence);
        if light.topic == "risk" {
            assert!(!lights.safe_to_release().starts_with("Nothing"), "{damage}");
        }
        if light.topic == "truth" {
            assert!(!lights.not_for().is_empty(), "{damage}");
        }
        // A number on a scale lies in the zone of its light's colour.
        for light in lights.all() {
            let Some(gauge) = &light.gauge else { continue };
            let zone = match gauge.value {
                value if value <= gauge.green => Colour::Green,
                value if value <= gauge.amber => Colour::Amber,
                _ => Colour::Red,
            };
            assert_eq!(zone, light.colour, "{damage}: {} at {}", light.sentence, gauge.value);
        }
    }
}

#[test]
fn the_whole_original_is_called_a_copy_and_high_risk() {
    let lights = lights_of(&File::new(7));
    assert_eq!(
        (lights.truth.word, lights.risk.colour),
        ("too close", Colour::Red),
        "{}",
        lights.risk.sentence
    );
}

#[test]
fn a_broken_limit_turns_the_light_of_its_side_and_says_so() {
    let findings = findings_of(&File::new(8));
    let findings: Vec<&Finding> = findings.iter().collect();
    for (limit, is_risk) in [("attribute.disco <= 0", true), ("tables.mean_s_pmse:2 <= 0.5", false)] {
        let check = frontier::limits::check(
            &frontier::limits::parse(limit).unwrap(),
            &[findings.iter().map(|finding| (*finding).clone()).collect()],
            None,
        );
        assert!(!check.kept);
        let decision = Decision { limits: vec![check], ..Decision::default() };
        let subject = Subject { decision: Some(&decision), ..Subject::of_findings(&findings) };
        let lights = Lights::of(&subject);
        let light = if is_risk { &lights.risk } else { &lights.truth };
        assert_eq!(light.colour, Colour::Red);
        assert!(light.sentence.contains(limit), "{}", light.sentence);
    }
}

/// What a frontier keeps of a version has neither keys nor the table in its details, and is judged by the same rules.
#[test]
fn the_means_of_runs_are_judged_by_what_is_known_of_them() {
    use measures::risk::{attribute, few_keys};
    use measures::{Better, Finding};
    let on = ["sex", "age", "occ"];
    let finding = |measure: &str, value: f64| {
        Finding::value(measure, on, value, None, Better::Lower).with("target", "occ")
    };
    let disco = finding(attribute::names::DISCO, 60.0);
    let known = [
        disco.clone(),
        finding(attribute::names::DISCO_MARGINS, 20.0),
        finding(attribute::names::DISCO_OTHERS, 58.0),
    ];
    let risk = |findings: &[&Finding]| Lights::of(&Subject::of_findings(findings)).risk;
    let light = risk(&known.iter().collect::<Vec<_>>());
    assert_eq!(light.colour, Colour::Green);
    assert!(
        light.sentence.starts_with("Who knows sex, age of a person learns occ for 60 % of people; 58 %"),
        "{}",
        light.sentence
    );
    // What it is held against is not known: it says nothing.
    assert_eq!(risk(&[&disco]).colour, Colour::Unlit);
    let none: [&str; 0] = [];
    for (gain, colour) in [(1.0, Colour::Green), (6.0, Colour::Amber), (20.0, Colour::Red)] {
        let gain = Finding::value(few_keys::names::WORST_GAIN, none, gain, None, Better::Lower);
        assert_eq!(risk(&[&gain]).colour, colour);
    }
    let worst = Finding::value("tables.worst_s_pmse", none, 43.4, None, Better::Lower).with("ways", 2);
    let truth = Lights::of(&Subject::of_findings(&[&worst])).truth;
    assert_eq!(truth.sentence, "Poor, not for analysis; worst: the worst of two-way tables, S_pMSE 43.4.");
}

#[test]
fn a_version_is_promised_what_it_will_be_released_with() {
    for (epsilon, colour) in [(None, Colour::Unlit), (Some(1.0), Colour::Green), (Some(20.0), Colour::Amber)]
    {
        let light = Light::planned(epsilon);
        assert_eq!((light.colour, light.gauge.is_some()), (colour, epsilon.is_some()));
    }
}
