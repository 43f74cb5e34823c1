//! The risk-utility frontier: what each method and setting gives and costs, and which of them nothing else beats.
//!
//! A [`Contest`] runs every recipe of a [`grid`] several times, so that the variation between runs is separated from differences between methods (Taub & Elliot 2019, section
//! 5.1), judges every run by one [`Battery`] of measures, and puts all contestants on one map: values with their spread, the probability that
//! a contestant is [dominated](dominance), the [limits], Taub's total scores, and a [recommendation]. Where theory knows
//! the point [beforehand](planned), it is there before any run. Finished runs are [kept](resume), and an interrupted contest goes on.

mod asked;
pub mod attack;
pub mod audit;
pub mod axes;
pub mod battery;
pub mod built_in;
mod contest;
pub mod dominance;
mod error;
pub mod grid;
pub mod limits;
mod map;
pub mod plan;
pub mod planned;
pub mod recommendation;
mod records_hash;
pub mod result;
pub mod resume;
mod run;
mod schedule;
mod spent;

pub use asked::{AskedBattery, AskedModel};
pub use axes::AxisName;
pub use battery::Battery;
pub use built_in::built_in;
pub use contest::{Contest, Imported, PlannedContestant};
pub use error::FrontierError;
pub use grid::Entry;
pub use records_hash::{records_sha256, schema_sha256};
pub use result::{
    Axis, Contestant, Estimated, Frontier, Limit, LimitCheck, Origin, Place, Recommendation, Timings,
    TotalScores,
};
pub use resume::RunStore;
pub use run::settings_for;
pub use spent::epsilon_of;
pub(crate) use spent::epsilon_remark;
