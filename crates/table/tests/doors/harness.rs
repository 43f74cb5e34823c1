//! Every door through which bytes of others come in, tried with altered files: nothing may panic, hang or overflow the stack, whatever a file holds.
//!
//! A target reads bytes and may refuse them. Inputs are the files in `corpus/TARGET`, altered at random: bits, bytes, pieces left out, doubled, exchanged with other files, numbers made
//! extreme, words of the format put in. `LOOKALIKE_FUZZ_SECONDS` says how long all targets together are tried (4 s by default, 60 s by `make fuzz`), `PROPTEST_RNG_SEED` with which
//! alterations. The input being tried lies in a file, so that one that ends the process can be found again; one that panics is kept beside it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::alteration::Alterations;

/// An input that takes longer than this is a door that can be jammed; doors are small files here.
const LONGEST: Duration = Duration::from_secs(20);

fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(target.corpus).join(target.name);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Tries one target until its time is up; the number of inputs that were tried and of those that were read.
fn attempt(target: &Target, seconds: f64, seed: u64) -> (u64, u64) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doors");
    std::fs::create_dir_all(&folder).unwrap();
    let current = folder.join(format!("{}.now", target.name));
    let scratch = tempfile::tempdir().unwrap();
    let files = corpus(target);
    let mut alterations = Alterations::new(&files, target.words, seed);
    let (start, mut tried, mut read) = (Instant::now(), 0, 0);
    // Every file as it is comes first.
    while (tried as usize) < files.len() || start.elapsed().as_secs_f64() < seconds {
        let input = match files.get(tried as usize) {
            Some(file) => file.clone(),
            None => alterations.next(),
        };
        std::fs::write(&current, &input).unwrap();
        let began = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| (target.read)(&input, scratch.path())));
        tried += 1;
        read += u64::from(matches!(result, Ok(true)));
        if result.is_err() || began.elapsed() > LONGEST {
            let kept = folder.join(format!("{}.{tried}.failed", target.name));
            std::fs::copy(&current, &kept).unwrap();
            panic!("{}: the input in {} panics, or takes {:?}", target.name, kept.display(), began.elapsed());
        }
    }
    let _ = std::fs::remove_file(&current);
    (tried, read)
}

/// Tries all targets, and says how many inputs there were.
pub fn try_all(targets: &[Target]) {
    let seconds = number("LOOKALIKE_FUZZ_SECONDS", 4) as f64 / 2.0 / targets.len() as f64;
    let seed = number("PROPTEST_RNG_SEED", std::process::id().into());
    for target in targets {
        let (tried, read) = attempt(target, seconds, seed);
        println!("{:16} {tried:>8} inputs, {read:>8} of them read", target.name);
        let folder = tempfile::tempdir().unwrap();
        let sound = corpus(target).iter().any(|file| (target.read)(file, folder.path()));
        assert!(sound, "{}: no file of its corpus is read, so that the target tries nothing", target.name);
    }
}

/// A door, with words of its format.
pub struct Target {
    /// Its name, which is that of the folder of its corpus.
    pub name: &'static str,
    /// Where the folders of corpora lie.
    pub corpus: &'static str,
    /// Words that are put in.
    pub words: &'static [&'static str],
    /// Reads these bytes, with a folder for files; whether they were accepted.
    pub read: fn(&[u8], &Path) -> bool,
}

/// Reads bytes as a file.
pub fn file(bytes: &[u8], folder: &Path, name: &str, read: impl Fn(&Path) -> bool) -> bool {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    read(&path)
}

/// Reads bytes as text.
pub fn text(bytes: &[u8], read: impl Fn(&str) -> bool) -> bool {
    read(&String::from_utf8_lossy(bytes))
}
