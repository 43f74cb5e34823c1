//! The maps of records and of categories.

use super::View;
use crate::markup::{Markup, tag};
use crate::numbers::figure;
use crate::pictures::{category_map, record_map};
use crate::svg::Picture;
use measures::utility::mca;

pub(super) fn pictures(view: &View<'_>) -> Vec<Picture> {
    let records = view.internal.and_then(|internal| internal.records.as_ref()).map(record_map);
    let places = view.internal.and_then(|internal| internal.categories.as_ref()).map(category_map);
    records.into_iter().chain(places).collect()
}

pub(super) fn content(view: &View<'_>) -> Markup {
    let score = view.first(mca::names::SCORE);
    let pictures = pictures(view);
    if score.is_none() && pictures.is_empty() {
        return Markup::default();
    }
    let mut content = Markup::from(tag("p").text(
        "Records and categories that go together lie together: the first two axes of a multiple correspondence analysis, numbers in classes. Each record lies at \
         the mean of its categories on the original's map. The synthetic map of categories is turned towards the original one, because the direction of its \
         axes means nothing.",
    ));
    if let Some(score) = score {
        content.push(
            tag("p").text(format!("Agreement of the maps: {} of 1 (Taub & Elliot 2020).", figure(score))),
        );
    }
    content.push(tag("div").with("class", "columns").all(pictures.iter().map(Picture::figure)));
    let left_out =
        view.internal.and_then(|internal| internal.categories.as_ref()).map(|places| &places.left_out);
    if let Some(left_out) = left_out.filter(|names| !names.is_empty()) {
        let text = format!("Left out, because they have too many categories: {}.", left_out.join(", "));
        content.push(tag("p").with("class", "quiet").text(text));
    }
    content
}
