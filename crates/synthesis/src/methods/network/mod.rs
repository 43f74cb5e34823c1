//! Bayesian networks under privacy: every variable drawn given a few others that come before it.
//!
//! | file | one idea |
//! |---|---|
//! | `plan` | what a budget can measure, and which parents a variable may have |
//! | `learn` | the questions: parents chosen, tables counted under noise |
//! | `model` | the network: drawing, storing |

mod learn;
mod model;
mod plan;

pub(super) use self::learn::{learn, spending};
pub(super) use self::model::{NetworkModel, Node, load};
pub(super) use self::plan::{Parents, Plan};
