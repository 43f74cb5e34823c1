//! Open: a table with the names and kinds of its columns, no values, and the questions of a new project.

use lookalike::table::schema::DecimalMark;
use lookalike::{Data, DescribeRequest, Watch};
use report::markup::{Markup, tag};

use super::fields::{button, choice, form, hidden, list, question, text_field};
use super::frame::{framed, now, problem, table};
use super::{encoded, is_table};
use crate::http::Request;
use crate::server::State;

/// Rows that are shown to whoever asks for them.
const ROWS: usize = 10;

/// What is asked of a file, and how it is read.
pub(super) struct Asked {
    file: String,
    pub(super) separator: String,
    pub(super) decimal: String,
    pub(super) missing: String,
    rows: bool,
}

impl Asked {
    fn of(get: impl Fn(&str) -> String) -> Self {
        Self {
            file: get("file"),
            separator: get("separator"),
            decimal: get("decimal"),
            missing: get("missing"),
            rows: get("rows") == "yes",
        }
    }

    pub(super) fn of_query(request: &Request) -> Self {
        Self::of(|name| request.asked(name).to_owned())
    }

    pub(super) fn of_form(request: &Request) -> Self {
        Self { rows: false, ..Self::of(|name| request.field(name).to_owned()) }
    }

    /// The table, read as was said.
    pub(super) fn data(&self, state: &State) -> Option<Data> {
        let path = state.root.existing(&self.file).filter(|path| path.is_file() && is_table(path))?;
        let separator =
            lookalike::table::read::separator(&self.separator).ok().filter(|_| !self.separator.is_empty());
        Some(
            Data::file(path)
                .with_separator(separator)
                .with_decimal(self.decimal.parse::<DecimalMark>().ok().filter(|_| !self.decimal.is_empty()))
                .with_missing(list(&self.missing, ',')),
        )
    }
}

pub(super) fn page(state: &State, asked: &Asked, error: Option<&str>) -> Option<String> {
    let data = asked.data(state)?;
    let name = data.path().map(|path| state.root.relative(path)).unwrap_or_default();
    let mut content = Markup::default();
    content.push(now(
        "Say what the table is. What you leave empty is left to the usual; everything can be changed later.",
    ));
    content.push(error.map(problem));
    let described = match DescribeRequest::new(data.clone()).run(&Watch::default()) {
        Ok(described) => described,
        Err(error) => {
            // The message names a line or a column, and the path as it was opened.
            let folder = format!("{}/", state.root.folder().display());
            content.push(problem(&format!(
                "This file cannot be read as a table: {}",
                error.to_string().replace(&folder, "")
            )));
            content.push(how_it_is_read(asked));
            return Some(framed("Open a table", None, content));
        }
    };
    let suggested = lookalike::Beginning::suggested(&described);
    let folder = name.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default().to_owned();
    content.push(
        form(state, "/begin")
            .add(hidden("file", &name))
            .add(hidden("separator", &asked.separator))
            .add(hidden("decimal", &asked.decimal))
            .add(hidden("missing", &asked.missing))
            .add(text_field("folder", "Folder of the project", &format!("{folder}-project"), "a new folder"))
            .add(text_field(
                "identifiers",
                "Which columns name people or records?",
                &suggested.identifiers.join(","),
                "names of columns, with commas between; they are made new",
            ))
            .add(text_field(
                "keys",
                "What does a neighbour know of a person?",
                &suggested.keys.join(","),
                "names of columns, with commas between",
            ))
            .add(text_field(
                "targets",
                "What must not be learned of a person?",
                "",
                "empty: all that a neighbour does not know",
            ))
            .add(text_field(
                "limits",
                "What must a release keep?",
                &lookalike::usual_limits().join("; "),
                "limits, with semicolons between",
            ))
            .add(text_field(
                "public_because",
                "May the levels and ranges of the table be published, and why?",
                "",
                "such as: they are in the code book; empty: they may not",
            ))
            .add(button("Begin")),
    );
    let rows = described.profile.variables.iter().map(|variable| {
        tag("tr")
            .add(tag("th").with("scope", "row").text(&variable.name))
            .add(tag("td").text(variable.kind))
            .add(tag("td").text(variable.levels))
            .add(tag("td").text(variable.missing))
            .add(tag("td").with("class", "wrap").prose(variable.notes.join("; ")))
    });
    content.push(
        tag("h2").text(format!(
            "Its {} columns and {} records",
            described.profile.columns, described.profile.rows
        )),
    );
    content.push(table("Columns", &["column", "kind", "different values", "missing", "to know"], rows));
    content.push(how_it_is_read(asked));
    content.push(tag("h2").text("Rows"));
    content.push(match asked.rows {
        false => {
            let link = format!(
                "/open?file={}&separator={}&decimal={}&missing={}&rows=yes",
                encoded(&name),
                encoded(&asked.separator),
                encoded(&asked.decimal),
                encoded(&asked.missing)
            );
            tag("p")
                .text("Records of people are not shown unless you ask. ")
                .add(tag("a").with("href", link).text(format!("Show {ROWS} rows")))
        }
        true => first_rows(&data),
    });
    Some(framed(&format!("Open {name}"), None, content))
}

/// How a file is read, where it is not read as it should be.
fn how_it_is_read(asked: &Asked) -> Markup {
    let form = question("/open")
        .add(hidden("file", &asked.file))
        .add(choice(
            "separator",
            "Between columns stands",
            &asked.separator,
            [
                ("", "what the first line shows"),
                (",", "a comma"),
                (";", "a semicolon"),
                ("tab", "a tabulator"),
                ("|", "a bar"),
            ],
        ))
        .add(choice("decimal", "Before decimals stands", &asked.decimal, [("", "a point"), (",", "a comma")]))
        .add(text_field(
            "missing",
            "Texts that mean missing",
            &asked.missing,
            "with commas between, such as NA,-9; the empty field always does",
        ))
        .add(button("Read it again"));
    [tag("details").add(tag("summary").text("It is read wrongly")).add(form)].into_iter().collect()
}

fn first_rows(data: &Data) -> report::markup::Tag {
    let rows = data.read(&Watch::default()).ok().map(|records| {
        let first: Vec<u32> = (0..records.rows().min(ROWS) as u32).collect();
        records.take(&first).map(|records| lookalike::table::write::csv_text(&records))
    });
    match rows {
        Some(Ok(text)) => tag("pre").with("tabindex", 0).with("aria-label", "The first rows").text(text),
        _ => tag("p").text("They are not shown: the file is read block by block, or cannot be read."),
    }
}
