//! The methods, one file each.

pub mod catall;
pub mod ipf;
pub mod saturated;
pub mod sequential;
mod uniform_cell;

pub use sequential::graph;
