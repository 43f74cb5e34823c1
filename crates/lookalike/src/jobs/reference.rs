//! What the software knows of itself: its generators, its measures, and the form of its files.

use measures::MEASURES;
use serde_json::{Value, json};
use synthesis::registry::{self, METHODS};
use table::watch::Watch;

use crate::{Document, Error, Request};

/// Asks for the generators with their options.
#[derive(Clone, Debug, Default)]
pub struct MethodsRequest {
    /// One method, with all that its card says; all if none is named.
    pub name: Option<String>,
    /// As a page of documentation.
    pub markdown: bool,
}

/// Asks for the measures, with what they ask and how they are read.
///
/// ```
/// use lookalike::{MeasuresRequest, Request, Watch};
///
/// let request = MeasuresRequest { name: Some("tables".into()), ..MeasuresRequest::default() };
/// let found = request.perform(&Watch::default())?;
/// assert!(request.text(&found).contains("tables.s_pmse"));
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MeasuresRequest {
    /// One family or one measure, with the settings that it honours; all if none is named.
    pub name: Option<String>,
    /// As a page of documentation.
    pub markdown: bool,
}

/// Asks for the published form of a file.
#[derive(Clone, Debug)]
pub struct DocumentRequest {
    /// Which file.
    pub of: Document,
    /// Every key with its meaning, as a page of Markdown.
    pub markdown: bool,
}

/// What was asked for, as text and as JSON.
#[derive(Clone, Debug)]
pub struct Reference {
    text: String,
    json: Value,
}

impl Request for MethodsRequest {
    type Outcome = Reference;

    fn perform(&self, _: &Watch) -> Result<Reference, Error> {
        if let Some(name) = &self.name {
            let card = registry::method(name)?.card;
            return Ok(Reference { text: report::method_text(card), json: json!(card) });
        }
        let cards = || METHODS.iter().map(|method| method.card);
        let text =
            if self.markdown { report::methods_markdown(cards()) } else { report::methods_text(cards()) };
        Ok(Reference { text, json: json!(cards().collect::<Vec<_>>()) })
    }

    fn text(&self, found: &Reference) -> String {
        found.text.clone()
    }

    fn json(&self, found: &Reference) -> Value {
        found.json.clone()
    }
}

impl Request for MeasuresRequest {
    type Outcome = Reference;

    fn perform(&self, _: &Watch) -> Result<Reference, Error> {
        if let Some(name) = &self.name {
            let (text, json) = report::measure_card_text(name).map_err(Error::Usage)?;
            return Ok(Reference { text, json });
        }
        let families = MEASURES.iter().map(|measure| (measure.name(), measure.cards()));
        let text =
            if self.markdown { report::measures_markdown(families) } else { report::measures_text(families) };
        let cards: Vec<_> = MEASURES.iter().flat_map(|measure| measure.cards()).collect();
        Ok(Reference { text, json: json!(cards) })
    }

    fn text(&self, found: &Reference) -> String {
        found.text.clone()
    }

    fn json(&self, found: &Reference) -> Value {
        found.json.clone()
    }
}

impl Request for DocumentRequest {
    type Outcome = Reference;

    fn perform(&self, _: &Watch) -> Result<Reference, Error> {
        let json = json!(self.of.json_schema());
        let pretty = || serde_json::to_string_pretty(&json).unwrap_or_default() + "\n";
        let text = if self.markdown { self.of.markdown() } else { pretty() };
        Ok(Reference { text, json })
    }

    fn text(&self, found: &Reference) -> String {
        found.text.clone()
    }

    fn json(&self, found: &Reference) -> Value {
        found.json.clone()
    }
}
