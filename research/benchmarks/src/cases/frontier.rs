//! A whole risk-utility frontier.

use frontier::{Battery, Contest, RunStore, built_in};
use measures::MEASURES;
use table::watch::Watch;

use crate::clock::once;
use crate::{BenchError, Case, Peer, Promise};

/// The built-in grid, each recipe run as often as makes 108 runs, with the full default battery of a frontier: the tree has its null distribution by resampling, and
/// permutations are left out, here and in the figure.
pub const FRONTIER: Case = Case {
    name: "frontier",
    what: "a frontier of 108 runs with the full default battery, without permutations, on SD2011, 5,000 rows by 18 variables",
    sizes: &[108],
    of: "",
    work: |places, runs| {
        let original = places.sd2011("golden/sd18_cart/original.csv")?;
        let battery = Battery::new(Battery::usual(original.columns().len()), MEASURES.to_vec());
        let [risk, utility] = battery.usual_axes().map_err(BenchError::failed)?;
        let (entries, remarks) = built_in(&original).map_err(BenchError::failed)?;
        let repeat = (runs as u32).div_ceil(entries.len() as u32);
        let contest = Contest {
            data_set: &original,
            original: &original,
            data: "original.csv".into(),
            entries,
            imported: Vec::new(),
            battery,
            risk,
            utility,
            limits: Vec::new(),
            repeat,
            seed: 1,
            remarks,
        };
        once(|| {
            let (frontier, _) =
                contest.run(&RunStore::nowhere(), &Watch::default()).map_err(BenchError::failed)?;
            let ran: u32 = frontier.contestants.iter().map(|contestant| contestant.runs).sum();
            if u64::from(ran) < runs {
                return Err(BenchError::Failed(format!("only {ran} runs gave a result")));
            }
            Ok(frontier)
        })
    },
    peers: &[Peer::Figure {
        name: "R synthpop: one run, utility.gen without permutations, three-way tables",
        cpu_s: 24.9,
    }],
    promises: &[Promise::CpuSeconds(40.0)],
};
