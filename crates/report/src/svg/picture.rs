//! A picture with its title, its description and the numbers behind it.

use super::px;
use crate::markup::{Markup, Tag, tag};

/// The style of all marks, for pages and for files.
pub(crate) const PICTURE_STYLE: &str = include_str!("picture.css");

/// A drawn picture.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    /// Its name: of its file, and of its place on a page.
    pub(crate) name: String,
    /// What it shows, in a few words.
    pub(crate) title: String,
    /// What is to be seen, for those who do not see it.
    pub(crate) description: String,
    /// Its size.
    pub(crate) size: (f64, f64),
    /// The marks.
    pub(crate) marks: Markup,
    /// The numbers behind it.
    pub(crate) table: DataTable,
}

/// The numbers behind a picture.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataTable {
    /// Heads of the columns.
    pub(crate) head: Vec<String>,
    /// Rows; the first column names the row.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Picture {
    /// The picture on a page: in a frame that scrolls where the page is too narrow, with its numbers behind it.
    pub(crate) fn figure(&self) -> Tag {
        let frame = tag("div")
            .with("class", "frame")
            .with("role", "group")
            .with("aria-label", format!("Picture: {}", self.title))
            .with("tabindex", 0)
            .add(self.svg());
        tag("figure")
            .with("id", &self.name)
            .add(tag("figcaption").text(&self.title))
            .add(frame)
            .add(self.table.details())
    }

    /// The picture on a card that has a heading of its own: with its numbers behind it, and no caption.
    pub(crate) fn bare(&self) -> Markup {
        let frame = tag("div")
            .with("class", "frame")
            .with("id", &self.name)
            .with("role", "group")
            .with("aria-label", format!("Picture: {}", self.title))
            .with("tabindex", 0)
            .add(self.svg());
        [frame, self.table.details()].into_iter().collect()
    }

    /// The picture as a file of its own.
    pub(crate) fn file(&self) -> String {
        let svg = self.svg_of(Some(tag("style").source(PICTURE_STYLE)));
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", Markup::from(svg).into_string())
    }

    /// The drawing alone.
    pub(crate) fn svg(&self) -> Tag {
        self.svg_of(None)
    }

    fn svg_of(&self, style: Option<Tag>) -> Tag {
        let (width, height) = (px(self.size.0), px(self.size.1));
        // A picture is one thing to a reader of the screen, unless parts of it can be followed.
        let role = if self.marks.has_links() { "group" } else { "img" };
        let [title, description] = ["title", "desc"].map(|part| format!("{}-{part}", self.name));
        tag("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("viewBox", format!("0 0 {width} {height}"))
            .with("width", &width)
            .with("height", &height)
            .with("class", "picture")
            .with("role", role)
            .with("aria-labelledby", format!("{title} {description}"))
            .add(tag("title").with("id", title).text(&self.title))
            .add(tag("desc").with("id", description).text(&self.description))
            .add(style)
            .add(self.marks.clone())
    }
}

/// Columns of a table that a narrow page has room for.
const MOST_NARROW: usize = 3;

impl DataTable {
    /// A table of these columns.
    pub(crate) fn new(head: impl IntoIterator<Item = impl Into<String>>, rows: Vec<Vec<String>>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), rows }
    }

    /// The table behind a fold.
    pub(crate) fn details(&self) -> Tag {
        tag("details").with("class", "numbers").add(tag("summary").text("The numbers")).add(self.table())
    }

    /// The table itself, in a frame that scrolls where the page is too narrow.
    pub(crate) fn table(&self) -> Tag {
        let head = tag("tr").all(self.head.iter().map(|name| tag("th").with("scope", "col").text(name)));
        let is_wide = self.head.len() > MOST_NARROW;
        let row = |row: &Vec<String>| {
            tag("tr").all(row.iter().enumerate().map(|(column, value)| match column {
                0 => tag("th").with("scope", "row").text(value),
                // Where a page is narrow, the head of the column stands before its value.
                _ if is_wide => {
                    tag("td").with("data-head", self.head.get(column).map_or("", String::as_str)).text(value)
                }
                _ => tag("td").text(value),
            }))
        };
        let table = if is_wide { tag("table").with("class", "wide") } else { tag("table") };
        let table = table.add(tag("thead").add(head)).add(tag("tbody").all(self.rows.iter().map(row)));
        tag("div")
            .with("class", "frame")
            .with("role", "group")
            .with("aria-label", "Table")
            .with("tabindex", 0)
            .add(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::{Filling, Scale, Shade, Stroke, bar, bottom_axis, cell, line};

    #[test]
    fn a_picture_is_its_title_its_description_and_its_marks() {
        let picture = Picture {
            name: "sexes".into(),
            title: "Women & men".into(),
            description: "One bar.".into(),
            size: (40.0, 20.5),
            marks: bar((0.0, 10.0), (12.25, 2.0), Filling::Synthetic).into(),
            table: DataTable::new(["", "share"], vec![vec!["F".into(), "50 %".into()]]),
        };
        let drawn = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 20.5\" width=\"40\" height=\"20.5\" class=\"picture\" \
             role=\"img\" aria-labelledby=\"sexes-title sexes-desc\"><title id=\"sexes-title\">Women &amp; men</title>\
             <desc id=\"sexes-desc\">One bar.</desc>\
             <rect x=\"0\" y=\"2\" width=\"12.2\" height=\"8\" class=\"bar synthetic-bar\"></rect></svg>";
        assert_eq!(Markup::from(picture.svg()).into_string(), drawn);
        let figure = Markup::from(picture.figure()).into_string();
        assert!(figure.contains(drawn) && figure.contains("<figcaption>Women &amp; men</figcaption>"));
        assert!(figure.contains("<tr><th scope=\"row\">F</th><td>50 %</td></tr>"));
        assert!(picture.file().starts_with("<?xml") && picture.file().contains("prefers-color-scheme: dark"));
    }

    #[test]
    fn marks_say_what_they_are() {
        let drawn = |mark: Tag| Markup::from(mark).into_string();
        assert_eq!(
            drawn(line((0.0, 1.0), (2.0, 3.0), Stroke::Reference)),
            "<line x1=\"0\" y1=\"1\" x2=\"2\" y2=\"3\" class=\"reference\"></line>"
        );
        let shades = [Shade::Amount(0.5), Shade::Signed(-0.25), Shade::Signed(2.0), Shade::Unknown];
        let shades = shades.map(|shade| drawn(cell((0.0, 0.0), (1.0, 1.0), shade)));
        let classes = [
            "\"cell\" fill-opacity=\"0.50\"",
            "less\" fill-opacity=\"0.25\"",
            "more\" fill-opacity=\"1.00\"",
            "unknown",
        ];
        for (shade, class) in shades.iter().zip(classes) {
            assert!(shade.contains(class), "{shade}");
        }
        let axis =
            drawn(bottom_axis(&Scale::linear((0.0, 1.0), (10.0, 94.0)), (10.0, 94.0), (50.0, 5.0), "share"));
        for part in [">0<", ">0.5<", ">1<", "class=\"axis-name\">share<"] {
            assert!(axis.contains(part), "{part}: {axis}");
        }
    }
}
