//! The methods, one file each.

pub mod catall;
pub mod dirichlet;
pub mod ipf;
pub mod mvnorm;
pub mod normal_release;
pub mod saturated;
mod uniform_cell;
mod weighted_cells;
