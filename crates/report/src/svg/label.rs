//! Text in a picture: how wide it is about, how it is cut, and where it fits without covering another.

use std::fmt::Display;

use super::px;
use crate::markup::{Markup, Tag, tag};

/// Width of an average character over the size of the font; wide enough for every usual sans-serif.
const CHARACTER: f64 = 0.62;
/// The size of text in pictures.
pub(crate) const FONT: f64 = 11.0;

/// To which side of its place a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// About how wide a text is: capitals are wider than small letters.
pub(crate) fn label_width(text: &str) -> f64 {
    let wide = |character: char| match character {
        _ if character as u32 >= 0x2e80 => 1.7,
        'm' | 'w' | 'M' | 'W' | '%' => 1.4,
        _ if character.is_uppercase() => 1.15,
        _ => 1.0,
    };
    text.chars().map(wide).sum::<f64>() * CHARACTER * FONT
}

/// The text, cut to a width in its middle: names of a questionnaire differ at their ends.
pub(crate) fn shortened(text: &str, width: f64) -> String {
    if label_width(text) <= width {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let first = kept.div_ceil(2);
        let (head, tail) = (&characters[..first], &characters[characters.len() - (kept - first)..]);
        let (head, tail): (String, String) = (head.iter().collect(), tail.iter().collect());
        format!("{}…{}", head.trim_end(), tail.trim_start())
    };
    (1..characters.len())
        .rev()
        .map(cut)
        .find(|cut| label_width(cut) <= width)
        .unwrap_or_else(|| "…".to_owned())
}

/// A text at a place, cut to `width`; its title has it in full.
pub(crate) fn label(text: &str, (x, y): (f64, f64), anchor: Anchor, width: f64) -> Tag {
    let shown = shortened(text, width);
    let is_cut = shown != text;
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let element = tag("text").with("x", px(x)).with("y", px(y)).with("text-anchor", anchor).text(shown);
    if is_cut { element.add(tag("title").text(text)) } else { element }
}

/// Labels beside points, of which none covers another or leaves the picture.
#[derive(Debug)]
pub(crate) struct Labels {
    room: [f64; 4],
    taken: Vec<[f64; 4]>,
}

impl Labels {
    /// Within these limits: left, top, right, bottom.
    pub(crate) fn within(room: [f64; 4]) -> Self {
        Self { room, taken: Vec::new() }
    }

    /// Keeps labels away from a point.
    pub(crate) fn keep_free(&mut self, (x, y): (f64, f64), radius: f64) {
        self.taken.push([x - radius, y - radius, x + radius, y + radius]);
    }

    /// The label right or left of, above or below a point, or nothing where it does not fit.
    pub(crate) fn place(&mut self, text: &str, (x, y): (f64, f64), class: impl Display) -> Markup {
        let (width, height) = (label_width(text) + 2.0, FONT + 2.0);
        let places = [
            (x + 8.0, y + 4.0, Anchor::Start),
            (x - 8.0, y + 4.0, Anchor::End),
            (x, y - 9.0, Anchor::Middle),
            (x, y + 18.0, Anchor::Middle),
            (x + 8.0, y - 7.0, Anchor::Start),
            (x + 8.0, y + 15.0, Anchor::Start),
            (x - 8.0, y - 7.0, Anchor::End),
            (x - 8.0, y + 15.0, Anchor::End),
        ];
        for (x, y, anchor) in places {
            let left = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - width / 2.0,
                Anchor::End => x - width,
            };
            let place = [left, y - height + 2.0, left + width, y + 3.0];
            let inside = place[0] >= self.room[0]
                && place[1] >= self.room[1]
                && place[2] <= self.room[2]
                && place[3] <= self.room[3];
            let covers = |other: &[f64; 4]| {
                place[0] < other[2] && other[0] < place[2] && place[1] < other[3] && other[1] < place[3]
            };
            if inside && !self.taken.iter().any(covers) {
                self.taken.push(place);
                return label(text, (x, y), anchor, width).with("class", class).into();
            }
        }
        Markup::default()
    }

    /// Keeps labels away from a line that runs across, piece by piece.
    pub(crate) fn keep_free_across(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let pieces = (((x2 - x1).abs() + (y2 - y1).abs()) / 6.0).ceil().clamp(1.0, 400.0);
        for piece in 0..=pieces as u32 {
            let share = f64::from(piece) / pieces;
            self.keep_free((x1 + share * (x2 - x1), y1 + share * (y2 - y1)), 1.0);
        }
    }

    /// Keeps labels away from a thin line, such as an error bar.
    pub(crate) fn keep_free_line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.taken.push([x1.min(x2) - 1.0, y1.min(y2) - 1.0, x1.max(x2) + 1.0, y1.max(y2) + 1.0]);
    }

    /// The label as near to a point as it fits, joined to it by a line where it stands further away. Where nothing is free it is put at the edge at
    /// the right, one below the other, so that every point has its name.
    pub(crate) fn place_anywhere(&mut self, text: &str, (x, y): (f64, f64), class: &str) -> Markup {
        let near = self.place(text, (x, y), class);
        if !near.is_empty() {
            return near;
        }
        let (width, height) = (label_width(text) + 2.0, FONT + 2.0);
        let directions = [0.0, 0.5, -0.5, 1.0, -1.0, 1.6, -1.6, 2.2, -2.2, 2.7, -2.7, 3.1];
        let around = (2..12).flat_map(|ring| {
            directions.map(|angle: f64| {
                let radius = 12.0 * f64::from(ring);
                (x + radius * angle.cos(), y + radius * angle.sin())
            })
        });
        let around = around.map(|(to_x, to_y)| {
            let left = if to_x >= x { to_x } else { to_x - width };
            [left, to_y - height / 2.0, left + width, to_y + height / 2.0]
        });
        let edge = (0..400).map(|at| {
            let y = self.room[1] + 6.0 + 7.0 * f64::from(at);
            [self.room[2] - width, y - height / 2.0, self.room[2], y + height / 2.0]
        });
        let found = around.chain(edge).find(|place| {
            let inside = place[0] >= self.room[0]
                && place[1] >= self.room[1]
                && place[2] <= self.room[2]
                && place[3] <= self.room[3];
            let covers = |other: &[f64; 4]| {
                place[0] < other[2] && other[0] < place[2] && place[1] < other[3] && other[1] < place[3]
            };
            inside && !self.taken.iter().any(covers)
        });
        let Some(place) = found else { return Markup::default() };
        self.taken.push(place);
        let (anchor, end) = if place[0] >= x { (Anchor::Start, place[0]) } else { (Anchor::End, place[2]) };
        let end = (end.clamp(place[0], place[2]), (place[1] + place[3]) / 2.0);
        let text_x = if anchor == Anchor::Start { place[0] + 1.0 } else { place[2] - 1.0 };
        let leader = tag("line")
            .with("x1", px(x))
            .with("y1", px(y))
            .with("x2", px(end.0))
            .with("y2", px(end.1))
            .with("class", "leader");
        let name = label(text, (text_x, end.1 + 4.0), anchor, width).with("class", class);
        [Markup::from(leader), Markup::from(name)].into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_told_in_full() {
        assert_eq!(shortened("MARRIED", 100.0), "MARRIED");
        let long = "a very long name of a level that nobody would print";
        let cut = shortened(long, 80.0);
        assert!(cut.contains('…') && cut.ends_with('t') && label_width(&cut) <= 80.0, "{cut}");
        let [one, other] = ["spending_on_category_7_in_euro", "spending_on_category_8_in_euro"];
        assert_ne!(shortened(one, 150.0), shortened(other, 150.0));
        let markup = Markup::from(label(long, (0.0, 0.0), Anchor::Start, 80.0)).into_string();
        assert!(markup.contains(&format!("<title>{long}</title>")));
    }

    #[test]
    fn every_point_of_a_crowd_has_its_name_and_none_covers_another() {
        let mut labels = Labels::within([0.0, 0.0, 700.0, 500.0]);
        let places: Vec<(f64, f64)> =
            (0..40).map(|at| (300.0 + f64::from(at % 7), 200.0 + f64::from(at))).collect();
        places.iter().for_each(|place| labels.keep_free(*place, 4.0));
        let points = labels.taken.len();
        let named =
            places.iter().filter(|place| !labels.place_anywhere("cart-20", **place, "name").is_empty());
        assert_eq!(named.count(), 40);
        let boxes = &labels.taken[points..];
        for (at, one) in boxes.iter().enumerate() {
            let apart = |other: &[f64; 4]| {
                one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1]
            };
            assert!(boxes[..at].iter().all(apart) && labels.taken[..points].iter().all(apart));
        }
    }

    #[test]
    fn labels_do_not_cover_each_other() {
        let mut labels = Labels::within([0.0, 0.0, 200.0, 60.0]);
        let placed = (0..20).filter(|_| !labels.place("a label", (100.0, 30.0), "name").is_empty()).count();
        assert!((2..=8).contains(&placed), "{placed}");
        let fit = |one: &[f64; 4], other: &[f64; 4]| {
            one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1]
        };
        for (at, one) in labels.taken.iter().enumerate() {
            assert!(labels.taken[..at].iter().all(|other| fit(one, other)));
        }
    }
}
