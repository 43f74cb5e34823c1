//! Thousands of model files that were altered and hashed again: refused, or harmless, and never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;
use serde_json::Value;
use synthesis::model_file::SavedModel;
use synthesis::{Recipe, SynthesisError};
use table::write::csv_text;

use crate::container::{Block, Container};
use crate::models::{fitted, people, recipes, saved};

/// Alterations of each model; the environment variable `ALTERATIONS` asks for more, or for others.
const EACH: u64 = 220;

/// Bytes of memory, mapped or not, that this test may need at most beyond what it has at the start.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 1 << 30;

#[test]
fn altered_files_are_refused_or_harmless() {
    let people = people(240);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let each = std::env::var("ALTERATIONS").ok().and_then(|each| each.parse().ok()).unwrap_or(EACH);
    let mut rng = ChaCha12Rng::seed_from_u64(each);
    let (mut refused, mut harmless, mut panicked) = (0, 0, Vec::new());
    let before = memory();
    for (name, recipe) in recipes() {
        let container = Container::parse(&saved(&fitted(&people, &recipe)));
        for number in 0..each {
            let mut altered = container.clone();
            let mut what = alter(&mut altered, &mut rng);
            if rng.random_bool(0.15) {
                what = format!("{what}; {}", alter(&mut altered, &mut rng));
            }
            std::fs::write(&path, altered.bytes()).unwrap();
            match catch_unwind(AssertUnwindSafe(|| draw(&path))) {
                Ok(Ok(())) => harmless += 1,
                Ok(Err(_)) => refused += 1,
                Err(_) => panicked.push(format!("{name}, alteration {number}: {what}")),
            }
        }
    }
    assert!(panicked.is_empty(), "{} panicked:\n{}", panicked.len(), panicked.join("\n"));
    assert!(refused > 2_000 && harmless > 200, "{refused} refused, {harmless} harmless");
    #[cfg(target_os = "linux")]
    assert!(memory() < before + MOST_MEMORY, "{} bytes more", memory() - before);
    let _ = before;
}

/// Opens the file, reads the model, and draws a small data set.
fn draw(path: &std::path::Path) -> Result<(), SynthesisError> {
    let file = SavedModel::read(path)?;
    let recipe = &file.header.recipe;
    let rows = (recipe.method != "saturated").then_some(25);
    let recipe = Recipe { seed: Some(1), m: 1, rows, ..recipe.clone() };
    let fitted = file.fitted(&recipe)?;
    let table = fitted.table(0)?;
    assert!(!csv_text(&table).is_empty() && fitted.remarks().len() < 1_000);
    Ok(())
}

/// Alters one thing, and says what.
fn alter(container: &mut Container, rng: &mut ChaCha12Rng) -> String {
    let at = rng.random_range(0..container.blocks.len());
    let name = String::from_utf8_lossy(&container.blocks[at].name).into_owned();
    let place = format!("block {at} `{name}`");
    match rng.random_range(0..20) {
        0..4 => format!("header, {}", alter_json(&mut container.header, rng)),
        4 => {
            let byte = rng.random_range(0..container.header.len());
            container.header[byte] ^= 1 << rng.random_range(0..8);
            format!("header, byte {byte}")
        }
        5 => {
            container.blocks.remove(at);
            format!("{place} dropped")
        }
        6 => {
            let other = rng.random_range(0..container.blocks.len());
            container.blocks.swap(at, other);
            format!("{place} swapped with {other}")
        }
        7 => {
            let other = rng.random_range(0..container.blocks.len());
            container.blocks[at].data = container.blocks[other].data.clone();
            let (length, width) = (container.blocks[at].data.len(), container.blocks[at].width());
            container.blocks[at].data.truncate(length - length % width);
            container.blocks[at].count = (container.blocks[at].data.len() / width) as u64;
            format!("{place} has the contents of {other}")
        }
        8 => {
            container.blocks[at].count =
                [0, 1, u64::MAX, 1 << 33, container.blocks[at].count + 1][rng.random_range(0..5)];
            format!("{place} claims {}", container.blocks[at].count)
        }
        9 => {
            let block = container.blocks[at].clone();
            container.blocks.insert(at, block);
            format!("{place} doubled")
        }
        _ => {
            // Blocks of JSON are few among those of trees.
            let text: Vec<usize> =
                (0..container.blocks.len()).filter(|at| container.blocks[*at].kind == 1).collect();
            if rng.random_bool(0.4) && !text.is_empty() {
                let at = text[rng.random_range(0..text.len())];
                let block = &mut container.blocks[at];
                let what = alter_json(&mut block.data, rng);
                block.count = block.data.len() as u64;
                return format!("block {at} `{}`, {what}", String::from_utf8_lossy(&block.name));
            }
            let what = alter_items(&mut container.blocks[at], rng);
            format!("{place}, {what}")
        }
    }
}

/// Alters the items of a block.
fn alter_items(block: &mut Block, rng: &mut ChaCha12Rng) -> String {
    let width = block.width();
    let items = block.data.len() / width;
    if items == 0 {
        block.data = vec![1; width];
        block.count = 1;
        return "an item is there".into();
    }
    let at = rng.random_range(0..items);
    let item = at * width..(at + 1) * width;
    let what = match rng.random_range(0..9) {
        0 => {
            block.data.truncate((items - 1) * width);
            "the last item is gone".to_owned()
        }
        1 => {
            block.data.extend_from_within(item);
            format!("item {at} is at the end too")
        }
        2 => {
            let other = rng.random_range(0..items);
            for byte in 0..width {
                block.data.swap(at * width + byte, other * width + byte);
            }
            format!("items {at} and {other} are swapped")
        }
        3 => {
            block.data.clear();
            "nothing is left".into()
        }
        4 => {
            let byte = rng.random_range(0..block.data.len());
            block.data[byte] ^= 1 << rng.random_range(0..8);
            format!("a bit of byte {byte} is changed")
        }
        _ => {
            let number: u64 = match (block.kind, rng.random_range(0..6)) {
                (_, 0) => 0,
                (_, 1) => u64::MAX,
                (5, 2) => u64::from(f32::INFINITY.to_bits()),
                (6, 2) => f64::INFINITY.to_bits(),
                (5, 3) => u64::from((-1.0_f32).to_bits()),
                (6, 3) => [1e300_f64, -1e300, -1.0, 1e-300][rng.random_range(0..4)].to_bits(),
                (_, 2) => 1,
                (_, 3) => items as u64,
                _ => rng.random(),
            };
            block.data[item].copy_from_slice(&number.to_le_bytes()[..width]);
            format!("item {at} of {items} has the bits {number:x}")
        }
    };
    block.count = (block.data.len() / width) as u64;
    what
}

/// Alters one value somewhere in a JSON text.
fn alter_json(text: &mut Vec<u8>, rng: &mut ChaCha12Rng) -> String {
    let Ok(mut json) = serde_json::from_slice::<Value>(text) else { return "no JSON any more".into() };
    // A JSON pointer (RFC 6901) to where the walk stops.
    let mut place = String::new();
    let mut at = &json;
    while !rng.random_bool(0.1) {
        match at {
            Value::Object(entries) if !entries.is_empty() => {
                let (key, value) = entries.iter().nth(rng.random_range(0..entries.len())).unwrap();
                place = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                at = value;
            }
            Value::Array(items) if !items.is_empty() => {
                let item = rng.random_range(0..items.len());
                place = format!("{place}/{item}");
                at = &items[item];
            }
            _ => break,
        }
    }
    let before = at.clone();
    let at = json.pointer_mut(&place).unwrap();
    *at = altered(before.clone(), rng);
    let shown = |value: &Value| value.to_string().chars().take(60).collect::<String>();
    let what = format!("{place}: {} for {}", shown(at), shown(&before));
    *text = serde_json::to_vec(&json).unwrap();
    what
}

fn altered(value: Value, rng: &mut ChaCha12Rng) -> Value {
    match value {
        Value::Null => [Value::from(0), Value::from(1.5), Value::from("x"), Value::from(Vec::<u8>::new())]
            [rng.random_range(0..4)]
        .clone(),
        Value::Bool(is) => Value::from(!is),
        Value::Number(number) => {
            let old = number.as_f64().unwrap();
            match rng.random_range(0..11) {
                0 => 0.into(),
                1 => (-1).into(),
                2 => (old as i64).wrapping_add(1).into(),
                3 => (old as i64).wrapping_sub(1).into(),
                4 => u64::MAX.into(),
                5 => u32::MAX.into(),
                6 => 1e308.into(),
                7 => (-1e300).into(),
                8 => (old + 0.5).into(),
                9 => 1e-300.into(),
                _ => Value::Null,
            }
        }
        Value::String(mut text) => match rng.random_range(0..5) {
            0 => "".into(),
            1 => Value::Null,
            2 => format!("{text}x").into(),
            _ => {
                // One character of a text such as the schema becomes another.
                let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
                if let Some(place) = places.get(rng.random_range(0..places.len().max(1))) {
                    let end = *place + text[*place..].chars().next().map_or(0, char::len_utf8);
                    let other = b"0123456789 aeb=\"'[]{}<>-.\n"[rng.random_range(0..26)];
                    text.replace_range(*place..end, &char::from(other).to_string());
                }
                text.into()
            }
        },
        Value::Array(mut items) => {
            match (rng.random_range(0..4), items.is_empty()) {
                (0, _) => items.clear(),
                (1, false) => drop(items.pop()),
                (2, false) => items.push(items[0].clone()),
                (3, false) => {
                    let (one, other) = (rng.random_range(0..items.len()), rng.random_range(0..items.len()));
                    items.swap(one, other);
                }
                _ => items.push(Value::from(7)),
            }
            Value::Array(items)
        }
        Value::Object(mut entries) => {
            let key = entries.keys().nth(rng.random_range(0..entries.len().max(1))).cloned();
            match (key, rng.random_bool(0.5)) {
                (Some(key), true) => drop(entries.remove(&key)),
                (Some(key), false) => drop(entries.insert(key, Value::from(3))),
                _ => {}
            }
            Value::Object(entries)
        }
    }
}

/// The most memory that this process has had mapped.
#[cfg(target_os = "linux")]
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

#[cfg(not(target_os = "linux"))]
fn memory() -> u64 {
    0
}
