//! Invented people for tests of attacks: some numbers, some levels, no two alike.

use rand::RngExt;
use table::Table;
use table::read::{ReadOptions, read_csv_text};

use crate::mixed_records::random;

/// Records as lines of a file.
pub(crate) fn people(records: usize, seed: u64) -> Vec<String> {
    let mut rng = random(seed, 9);
    let mut person = || {
        let age: f64 = rng.random_range(0.0..80.0);
        let wage = 20.0 * age + rng.random_range(0.0..500.0);
        let rent = 0.3 * wage + rng.random_range(0.0..90.0);
        let (region, trade) = (rng.random_range(0..4), rng.random_range(0..9));
        let town = 3 * region + rng.random_range(0..3);
        format!("{age:.2},{wage:.1},{rent:.1},r{region},t{town},trade{trade}")
    };
    (0..records).map(|_| person()).collect()
}

/// The first so many lines of one file and then as many of another as are left of it.
pub(crate) fn with_copies(of: &[String], copies: usize, release: &[String]) -> Vec<String> {
    of.iter().take(copies).chain(release.iter().skip(copies)).cloned().collect()
}

/// The lines as a table.
pub(crate) fn table(lines: &[String]) -> Table {
    let text = format!("age,wage,rent,region,town,trade\n{}\n", lines.join("\n"));
    read_csv_text(&text, &ReadOptions::default()).unwrap()
}
