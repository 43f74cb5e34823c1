//! A golden pair as measures take it.

use measures::Comparison;
use shared_data::GoldenPair;

pub fn comparison(pair: &GoldenPair) -> Comparison<'_> {
    Comparison { original: &pair.original, synthetic: &pair.synthetic, holdout: None }
}
