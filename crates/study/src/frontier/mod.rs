//! The risk-utility frontier: what each method and setting gives and costs, and which of them nothing else beats.

pub mod result;

pub use result::{
    Axis, Contestant, Estimated, Frontier, Limit, LimitCheck, Origin, Place, Recommendation, Timings,
    TotalScores,
};
