//! A tree in a model file.

use statistics::trees::{Tree, TreeArrays};

use super::feature::FeatureCoding;
use super::scores::Scores;
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::stored::{StateReader, StateWriter, damaged, ensure};

/// Writes a tree.
pub(super) fn store(tree: &Tree, into: &mut StateWriter<'_>) -> std::io::Result<()> {
    let arrays = tree.arrays();
    into.array("codes of predictors", &arrays.codes)?;
    into.array("nodes", &arrays.nodes)?;
    into.array("listed codes", &arrays.listed)?;
    into.array("offsets of donors", &arrays.donor_offsets)?;
    into.array("donors", &arrays.donors)?;
    into.array("offsets of classes", &arrays.class_offsets)?;
    into.array("classes", &arrays.classes)?;
    into.array("weights of leaves", &arrays.weights)?;
    into.array("means of leaves", &arrays.means)?;
    into.array("importance", &arrays.importance)
}

/// A tree that splits by the predictors of a conditional, as they are coded, then by these scores, with donors among this many records.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
    scores: &Scores,
    records: usize,
) -> Result<Tree, SynthesisError> {
    let arrays = TreeArrays {
        codes: from.array("codes of predictors")?,
        nodes: from.array("nodes")?,
        listed: from.array("listed codes")?,
        donor_offsets: from.array("offsets of donors")?,
        donors: from.array("donors")?,
        class_offsets: from.array("offsets of classes")?,
        classes: from.array("classes")?,
        weights: from.array("weights of leaves")?,
        means: from.array("means of leaves")?,
        importance: from.array("importance")?,
    };
    let tree = Tree::from_arrays(arrays, records).map_err(damaged)?;
    let coding = |predictor: &usize| of.around.codings[*predictor].as_ref().map(FeatureCoding::codes);
    let codes: Option<Vec<(u32, u32)>> =
        of.predictors.iter().map(coding).chain(scores.codes().map(Some)).collect();
    ensure(codes.as_deref() == Some(tree.codes()), "a tree splits by codes that its predictors do not have")?;
    Ok(tree)
}
