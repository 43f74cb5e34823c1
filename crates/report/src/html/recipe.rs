//! The recipe, as it is in the release.

use super::View;
use crate::markup::{Markup, tag};

pub(super) fn content(view: &View<'_>) -> Markup {
    view.recipe
        .map(|recipe| tag("pre").with("tabindex", 0).with("aria-label", "Recipe").text(recipe.trim()))
        .into()
}
