//! The methods, one file each.

pub mod catall;
pub mod ipf;
pub mod saturated;
mod uniform_cell;
