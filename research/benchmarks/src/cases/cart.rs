//! Sequential synthesis by CART, the default.

use synthesis::{Recipe, Run, fit};
use table::Table;

use crate::clock::{once, repeatedly};
use crate::data::{made_up, read};
use crate::{BenchError, Case, Peer, Places, Promise};

/// The file of the golden pair.
const SD2011_18: &str = "golden/sd18_cart/original.csv";

/// In the file's own order of variables, with which synthpop does not finish: its figure is for a kinder one.
pub const SD2011: Case = Case {
    name: "cart",
    what: "sequential CART on SD2011, 5,000 rows by 18 variables",
    sizes: &[5_000],
    of: "",
    work: |places, _| {
        let table = places.sd2011(SD2011_18)?;
        repeatedly(|| synthetic(&table))
    },
    peers: &[
        Peer::Figure { name: "R synthpop, without its cross-validation", cpu_s: 1.93 },
        Peer::Runner { name: "py-synthpop", data: SD2011_18 },
        Peer::R { name: "R rpart, variable by variable", script: include_str!("../../peers/cart.R") },
    ],
    promises: &[Promise::TimesLess(0, 20.0)],
};

/// Records drawn from a model of SD2011-18 with smooth numbers, so that nearly all of them differ.
pub const ROWS: Case = Case {
    name: "cart-rows",
    what: "sequential CART on 18 variables, 5,000 to 1,000,000 rows",
    sizes: &[5_000, 15_000, 50_000, 150_000, 500_000, 1_000_000],
    of: "N",
    work: |places, rows| {
        let table = of_model(places, rows)?;
        if rows < 20_000 { repeatedly(|| synthetic(&table)) } else { once(|| synthetic(&table)) }
    },
    peers: &[],
    // N log N from 5,000 to 1,000,000 rows has an exponent of 1.09, and 30 per cent more over a factor of 200 one of 0.05.
    promises: &[Promise::Exponent(1.14)],
};

/// Correlated categories of 2 to 12 levels; each variable looks at all before it.
pub const VARIABLES: Case = Case {
    name: "cart-variables",
    what: "sequential CART on 5,000 rows, 40 to 320 variables",
    sizes: &[40, 80, 160, 320],
    of: "p",
    work: |_, variables| {
        let sizes: Vec<usize> = (0..variables as usize).map(|place| 2 + place % 11).collect();
        let table = made_up(5_000, &sizes, 1)?;
        once(|| synthetic(&table))
    },
    peers: &[],
    promises: &[],
};

/// The same where each variable looks at the 20 that say most of it.
pub const BEST: Case = Case {
    name: "cart-best",
    what: "sequential CART on 5,000 rows, 40 to 320 variables, each given the 20 before it that say most of it",
    sizes: &[40, 80, 160, 320],
    of: "p",
    work: |_, variables| {
        let sizes: Vec<usize> = (0..variables as usize).map(|place| 2 + place % 11).collect();
        let table = made_up(5_000, &sizes, 1)?;
        once(|| synthetic_with(&table, &["predictors=best 20"]))
    },
    peers: &[],
    // Each variable costs the same, but for the tables of pairs that choose.
    promises: &[Promise::Exponent(1.35)],
};

/// scikit-learn's compiled trees.
pub(crate) const ADULT: Case = Case {
    name: "cart-adult",
    what: "sequential CART on Adult, 48,842 rows by 15 variables",
    sizes: &[48_842],
    of: "",
    work: |places, _| {
        let table = read(&places.shared("data/adult.csv.gz")?)?;
        repeatedly(|| synthetic(&table))
    },
    peers: &[
        Peer::Figure { name: "py-synthpop, measured earlier", cpu_s: 7.3 },
        Peer::Runner { name: "py-synthpop", data: "data/adult.csv.gz" },
    ],
    promises: &[Promise::TimesLessOrFigure(1, 0, 8.0)],
};

/// synthpop took 63 CPU seconds for 50,000 rows.
pub(crate) const MILLION: Case = Case {
    name: "cart-million",
    what: "sequential CART on 18 variables, 50,000 rows and 1,000,000",
    sizes: &[1_000_000, 50_000],
    of: "N",
    work: |places, rows| {
        let table = of_model(places, rows)?;
        once(|| synthetic(&table))
    },
    peers: &[Peer::Figure { name: "R synthpop, 50,000 rows", cpu_s: 63.0 }],
    promises: &[Promise::TimesLess(0, 80.0), Promise::AtFirst(60.0, 3_000.0)],
};

/// As it comes: trees with scores and leaves chosen for each variable, records chosen out of candidates.
pub(crate) const DEFAULT: Case = Case {
    name: "sequential",
    what: "sequential as it comes on SD2011, 5,000 rows by 18 variables",
    sizes: &[5_000],
    of: "",
    work: |places, _| {
        let table = places.sd2011(SD2011_18)?;
        repeatedly(|| by_default(&table))
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(0.35)],
};

/// The same for many records.
pub(crate) const DEFAULT_MILLION: Case = Case {
    name: "sequential-million",
    what: "sequential as it comes on 18 variables, 1,000,000 rows",
    sizes: &[1_000_000],
    of: "N",
    work: |places, rows| {
        let table = of_model(places, rows)?;
        once(|| by_default(&table))
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(60.0)],
};

fn by_default(table: &Table) -> Result<Table, BenchError> {
    let recipe = Recipe { seed: Some(1), ..Recipe::new("sequential") };
    fit(table, &recipe, &Run::default()).and_then(|fitted| fitted.table(0)).map_err(BenchError::failed)
}

/// Trees alone, with leaves as peers grow them.
fn synthetic(table: &Table) -> Result<Table, BenchError> {
    synthetic_with(table, &[])
}

fn synthetic_with(table: &Table, options: &[&str]) -> Result<Table, BenchError> {
    let mut recipe = Recipe { seed: Some(1), ..Recipe::new("sequential") };
    let mut options = ["tilt=false", "min_bucket=5"].iter().chain(options);
    let fitted =
        options.try_for_each(|option| recipe.set(option)).and_then(|()| fit(table, &recipe, &Run::default()));
    fitted.and_then(|fitted| fitted.table(0)).map_err(BenchError::failed)
}

fn of_model(places: &Places, rows: u64) -> Result<Table, BenchError> {
    let original = places.sd2011(SD2011_18)?;
    let mut recipe = Recipe { seed: Some(7), rows: Some(rows), ..Recipe::new("sequential") };
    let drawn =
        recipe.set("smoothing=spline").and_then(|()| fit(&original, &recipe, &Run::default())?.table(0));
    drawn.map_err(BenchError::failed)
}
