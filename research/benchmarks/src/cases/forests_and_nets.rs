//! An adversarial forest, and the nets of the literature beside the package that made them known.

use synthesis::{Recipe, Run, fit};
use table::Table;

use crate::clock::{once, repeatedly};
use crate::data::read;
use crate::{BenchError, Case, Peer, Promise};

/// The file of the golden pair.
const SD2011_18: &str = "golden/sd18_cart/original.csv";

pub(crate) const ARF: Case = Case {
    name: "arf",
    what: "an adversarial forest of 20 trees on SD2011, 5,000 rows by 18 variables, without the choice among candidates",
    sizes: &[5_000],
    of: "",
    work: |places, _| {
        let table = places.sd2011(SD2011_18)?;
        repeatedly(|| synthetic(&table, "arf", &["tilt=false"]))
    },
    peers: &[Peer::Figure { name: "a prototype in Python over scikit-learn", cpu_s: 1.2 }],
    promises: &[Promise::CpuSeconds(0.3)],
};

pub(crate) const ARF_ADULT: Case = Case {
    name: "arf-adult",
    what: "an adversarial forest of 20 trees on 10,000 records of Adult, 15 variables, without the choice among candidates",
    sizes: &[10_000],
    of: "",
    work: |places, rows| {
        let table = read(&places.shared("data/adult.csv.gz")?)?;
        // Every fourth or fifth record: the file is in no order.
        let step = table.rows() / rows as usize;
        let some: Vec<u32> = (0..rows as u32).map(|row| row * step as u32).collect();
        let table = table.take(&some).map_err(BenchError::failed)?;
        repeatedly(|| synthetic(&table, "arf", &["tilt=false"]))
    },
    peers: &[Peer::Figure { name: "a prototype in Python over scikit-learn", cpu_s: 2.3 }],
    promises: &[Promise::CpuSeconds(0.6)],
};

/// The package's 300 epochs took 75.3 CPU seconds.
pub(crate) const TVAE: Case = Case {
    name: "tvae",
    what: "30 epochs of TVAE as published on SD2011, 5,000 rows by 18 variables",
    sizes: &[5_000],
    of: "",
    work: |places, _| {
        let table = places.sd2011(SD2011_18)?;
        once(|| synthetic(&table, "tvae", &["epochs=30", "atoms=false", "tilt=false", "draw=largest"]))
    },
    peers: &[
        Peer::Python {
            name: "ctgan, TVAE",
            packages: &["ctgan"],
            script: concat!("NET = \"TVAE\"\n", include_str!("../../peers/nets.py")),
        },
        Peer::Figure { name: "ctgan 0.12.1, TVAE, measured earlier", cpu_s: 7.5 },
    ],
    promises: &[Promise::TimesLessOrFigure(0, 1, 4.0)],
};

/// The package's first 3 of 300 epochs took a hundredth of 455 CPU seconds.
pub(crate) const CTGAN: Case = Case {
    name: "ctgan",
    what: "30 epochs of CTGAN as published on SD2011, 5,000 rows by 18 variables",
    sizes: &[5_000],
    of: "",
    work: |places, _| {
        let table = places.sd2011(SD2011_18)?;
        once(|| synthetic(&table, "ctgan", &["epochs=30", "atoms=false", "tilt=false"]))
    },
    peers: &[
        Peer::Python {
            name: "ctgan, CTGAN",
            packages: &["ctgan"],
            script: concat!("NET = \"CTGAN\"\n", include_str!("../../peers/nets.py")),
        },
        Peer::Figure { name: "ctgan 0.12.1, CTGAN, measured earlier", cpu_s: 45.5 },
    ],
    promises: &[Promise::TimesLessOrFigure(0, 1, 4.0)],
};

fn synthetic(table: &Table, method: &str, options: &[&str]) -> Result<Table, BenchError> {
    let mut recipe = Recipe { seed: Some(1), ..Recipe::new(method) };
    let options = options.iter().try_for_each(|option| recipe.set(option));
    let fitted = options.and_then(|()| fit(table, &recipe, &Run::default()));
    fitted.and_then(|fitted| fitted.table(0)).map_err(BenchError::failed)
}
