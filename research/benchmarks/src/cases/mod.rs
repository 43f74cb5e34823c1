//! The one list of cases; a case is one item in one of these files and one line here.

mod cart;
mod count_models;
mod describing;
mod forests_and_nets;
mod frontier;
mod measuring;
mod noise;
mod reading;
mod risk;
mod threads;
mod writing;

use crate::Case;

/// Every case, in the order in which they are measured.
pub const CASES: &[Case] = &[
    reading::READING,
    reading::COUNTING,
    describing::NUMBERS,
    describing::PEOPLE,
    writing::CSV,
    writing::PARQUET,
    cart::SD2011,
    cart::ROWS,
    cart::VARIABLES,
    cart::BEST,
    cart::ADULT,
    cart::MILLION,
    cart::DEFAULT,
    cart::DEFAULT_MILLION,
    forests_and_nets::ARF,
    forests_and_nets::ARF_ADULT,
    forests_and_nets::TVAE,
    forests_and_nets::CTGAN,
    count_models::SATURATED,
    count_models::CELLS,
    count_models::PLAN,
    count_models::IPF,
    count_models::WIDE,
    noise::LAPLACE,
    noise::PRIVATE,
    measuring::TABLES,
    measuring::PROPENSITY,
    measuring::REGRESSION,
    measuring::BATTERY,
    measuring::SDMETRICS,
    risk::DISCLOSURE,
    risk::UNIQUES,
    risk::TCAP,
    risk::INTRUDER,
    risk::ATTACKS,
    frontier::FRONTIER,
    threads::READING,
    threads::DESCRIBE,
    threads::CATALL,
    threads::MEASURE,
    threads::SEQUENTIAL,
];
