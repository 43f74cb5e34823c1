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

    /// The picture as a file of its own.
    pub(crate) fn file(&self) -> String {
        let svg = self.svg_of(Some(tag("style").source(PICTURE_STYLE)));
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", Markup::from(svg).into_string())
    }

    fn svg(&self) -> Tag {
        self.svg_of(None)
    }

    fn svg_of(&self, style: Option<Tag>) -> Tag {
        let (width, height) = (px(self.size.0), px(self.size.1));
        let [title, description] = ["title", "desc"].map(|part| format!("{}-{part}", self.name));
        tag("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("viewBox", format!("0 0 {width} {height}"))
            .with("width", &width)
            .with("height", &height)
            .with("class", "picture")
            .with("role", "img")
            .with("aria-labelledby", format!("{title} {description}"))
            .add(tag("title").with("id", title).text(&self.title))
            .add(tag("desc").with("id", description).text(&self.description))
            .add(style)
            .add(self.marks.clone())
    }
}

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
        let row = |row: &Vec<String>| {
            tag("tr").all(row.iter().enumerate().map(|(column, value)| match column {
                0 => tag("th").with("scope", "row").text(value),
                _ => tag("td").text(value),
            }))
        };
        let table = tag("table").add(tag("thead").add(head)).add(tag("tbody").all(self.rows.iter().map(row)));
        tag("div")
            .with("class", "frame")
            .with("role", "group")
            .with("aria-label", "Table")
            .with("tabindex", 0)
            .add(table)
    }
}
