//! `lookalike json-schema`: the published form of the files that machines read and people write.

use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lookalike::{Document, DocumentRequest, Error};

use super::{Everywhere, Run};

/// Print the JSON Schema of a file that Lookalike writes or reads.
#[derive(Debug, Args)]
pub(super) struct JsonSchema {
    /// Which file
    #[arg(value_parser = documents())]
    of: Document,
    /// Print every key with its meaning, as a page of Markdown
    #[arg(long)]
    markdown: bool,
}

fn documents() -> impl TypedValueParser<Value = Document> {
    let values = Document::ALL.map(|document| PossibleValue::new(document.name()).help(document.meaning()));
    PossibleValuesParser::new(values).try_map(|name| {
        Document::ALL.into_iter().find(|document| document.name() == name).ok_or("there is no such document")
    })
}

impl Run for JsonSchema {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        everywhere.carry_out(&DocumentRequest { of: self.of, markdown: self.markdown })
    }
}
