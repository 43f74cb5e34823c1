//! The distribution of each variable.

use super::View;
use crate::markup::{Markup, tag};
use crate::pictures::{compared, released};
use crate::svg::Picture;

pub(super) fn pictures(view: &View<'_>) -> Vec<Picture> {
    match view.internal {
        Some(internal) => {
            internal.distributions.iter().enumerate().map(|(at, one)| compared(at, one)).collect()
        }
        None => view.released.iter().enumerate().map(|(at, one)| released(at, one)).collect(),
    }
}

pub(super) fn content(view: &View<'_>) -> Markup {
    let pictures = pictures(view);
    if pictures.is_empty() {
        return Markup::default();
    }
    let text = match view.internal {
        Some(_) => {
            "Shares of records in the original (outlined) and in the synthetic files (filled), with special codes and missing values."
        }
        None => {
            "Shares of records in the synthetic files, with special codes and missing values. Nothing here was read off the original."
        }
    };
    let gallery = tag("div").with("class", "gallery").all(pictures.iter().map(Picture::figure));
    [tag("p").text(text), gallery].into_iter().collect()
}
