//! What a synthesis would give, studied before anything is released.
//!
//! - [`plan`]: risk and utility of the saturated mechanism *a priori*, from the sizes of the cells alone.

pub mod plan;
