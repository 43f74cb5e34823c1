//! The methods, one file each.

pub mod aim;
pub mod arf;
pub mod catall;
pub mod classical;
pub mod datasynthesizer;
pub mod dirichlet;
mod expanded_cells;
mod grouped_model;
pub mod ipf;
pub mod mst;
pub mod mvnorm;
pub mod nets;
mod network;
pub mod normal_release;
pub mod pairwise;
pub mod privbayes;
pub mod saturated;
pub mod sequential;
mod stored_cells;
mod uniform_cell;
mod weighted_cells;
mod whole;

pub use sequential::graph;
