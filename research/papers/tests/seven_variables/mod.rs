//! SD2011 where it lies beside the checkout.

use papers::Request;
use papers::social_diagnosis::{SEVEN_VARIABLES, seven_categories};
use table::Table;

/// The first variables of the seven; nothing, with a message, where the file is absent.
pub fn seven_variables(variables: usize) -> Option<Table> {
    let path = shared_data::find("data/sd2011_s7.csv")?;
    Some(seven_categories(&path).unwrap().select(&SEVEN_VARIABLES[..variables]).unwrap())
}

/// This many runs, from seed 0.
pub fn request(runs: u32) -> Request<'static> {
    Request { data: &[], runs, seed: 0, progress: &|_| () }
}
