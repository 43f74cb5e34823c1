//! An analyst's kit: what the data are, how they were made, which standard errors are right, what they are for, and the codebook. The page and
//! `README.txt` of a release say the same.

use inference::{Estimand, RULES, Rule, valid_rule};
use synthesis::Recipe;
use table::date::DateFormat;
use table::figures::thousands;
use table::{Kind, Schema, Variable};

use super::{Edition, ReportInput, View};
use crate::markup::{Markup, Tag, tag};
use crate::svg::DataTable;

/// One part of the kit.
struct Part {
    heading: &'static str,
    text: Vec<String>,
    list: Vec<String>,
    /// Programs, each with its language.
    code: Vec<(&'static str, String)>,
}

impl Part {
    fn new(heading: &'static str, text: Vec<String>) -> Self {
        Self { heading, text, list: Vec::new(), code: Vec::new() }
    }
}

pub(super) fn content(view: &View<'_>) -> Markup {
    if view.is_internal() {
        return Markup::default();
    }
    let parts: Vec<Tag> = parts(view).iter().map(shown).collect();
    if parts.is_empty() { Markup::default() } else { tag("div").with("class", "kit").all(parts).into() }
}

/// One part on a page.
fn shown(part: &Part) -> Tag {
    let mut content = tag("div").add(tag("h3").text(part.heading));
    content = content.all(part.text.iter().map(|text| tag("p").prose(text)));
    if !part.list.is_empty() {
        content = content.add(tag("ul").all(part.list.iter().map(|line| tag("li").prose(line))));
    }
    for (language, code) in &part.code {
        content = content
            .add(tag("p").with("class", "quiet").text(language))
            .add(tag("pre").with("tabindex", 0).with("aria-label", *language).text(code));
    }
    content
}

/// `README.txt` of a release: the kit as text.
pub fn readme_text(input: &ReportInput<'_>) -> String {
    let view = View::new(input, Edition::External);
    let mut out = format!("{}\n{}\n\n", view.name, "=".repeat(view.name.chars().count()));
    for part in parts(&view) {
        out.push_str(&format!("{}\n{}\n\n", part.heading, "-".repeat(part.heading.chars().count())));
        for text in &part.text {
            out.push_str(&format!("{}\n\n", wrapped(text, "")));
        }
        for line in &part.list {
            out.push_str(&format!("- {}\n", wrapped(line, "  ")));
        }
        if !part.list.is_empty() {
            out.push('\n');
        }
        for (language, code) in &part.code {
            let indented: String = code.lines().map(|line| format!("    {line}\n")).collect();
            out.push_str(&format!("{language}:\n\n{indented}\n"));
        }
    }
    out.push_str("The variables are in codebook.csv; report.html shows them.\n");
    out
}

/// A text that begins a sentence.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Lines of about 90 characters.
fn wrapped(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        if width > 0 && width + word.chars().count() + 1 > 90 {
            out.push_str(&format!("\n{indent}"));
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word.chars().count();
    }
    out
}

fn parts(view: &View<'_>) -> Vec<Part> {
    let all = [what(view), fit_for(view), standard_errors(view), made(view), terms(view)];
    all.into_iter().flatten().collect()
}

fn what(view: &View<'_>) -> Option<Part> {
    let manifest = view.manifest?;
    let mut text = vec![format!(
        "{}. {} of {} variables, as {}.",
        capital(manifest.label.trim_end_matches('.')),
        match manifest.m {
            1 => "One data set".to_owned(),
            m => format!("{m} data sets"),
        },
        manifest.input.columns,
        match manifest.m {
            1 => "the file synthetic-1".to_owned(),
            m => format!("the files synthetic-1 to synthetic-{m}"),
        },
    )];
    text.extend(view.decision.map(|decision| {
        let when = decision.accepted_at.split('T').next().unwrap_or_default();
        format!("Accepted for release by {}, {when}.", decision.accepted_by)
    }));
    text.extend(match view.holds_real_records() {
        Some(true) => {
            Some("Its records are those of real people, with values changed: handle them as such.".to_owned())
        }
        Some(false) => Some("No record is a person. What looks like somebody you know is chance.".to_owned()),
        None => None,
    });
    Some(Part::new("What this is", text))
}

fn fit_for(view: &View<'_>) -> Option<Part> {
    view.manifest?;
    let lights = view.lights();
    let mut part = Part::new("What it is fit for, and what not", Vec::new());
    let measured =
        view.findings.iter().any(|finding| finding.family() == measures::utility::tables::CARD.name);
    if measured {
        part.text.push(format!("Truth: {}", lights.truth.sentence));
        part.list.extend(lights.not_for());
    } else {
        let known = if view.withheld > 0 {
            "was measured by its owner and is not published"
        } else {
            "was not measured"
        };
        part.text.push(format!(
            "How close it is to the original {known}. Use it to learn, to teach, to write and test programs, and to \
             plan an analysis; have results that matter checked on the original by its owner."
        ));
    }
    part.list.push(view.never_for().to_owned());
    part.list.push("Not for linking with other files about people.".to_owned());
    part.list.extend(view.decision.iter().flat_map(|decision| decision.caveats.clone()));
    Some(part)
}

/// Which standard errors are valid, with programs that compute one.
fn standard_errors(view: &View<'_>) -> Option<Part> {
    let (manifest, recipe) = (view.manifest?, Recipe::parse(view.recipe?).ok()?);
    let schema = view.schema?;
    let example = Example::of(schema)?;
    let card = recipe.records_card().ok();
    let estimand = Estimand::parse(&example.estimand()).ok()?;
    let choice = valid_rule(card.as_ref().map(|card| &card.making), &estimand, manifest.m as usize);
    let rule = RULES.iter().find(|known| known.rule == choice.rule)?;
    let mut part = Part::new(
        "Which standard errors to use",
        vec![
            format!(
                "Not those that software prints for one file: they leave out what drawing records adds. Valid here is the rule `{}`: {}. {}.",
                rule.name,
                rule.formula,
                capital(choice.because.trim_end_matches('.'))
            ),
            format!(
                "v is the mean of the variances that the files' own records give, b the variance of the estimates over the files, m = {} the number of files, \
                 n_syn the records of a file, N = {} the records of the original ({}).",
                manifest.m,
                thousands(manifest.input.rows),
                rule.citation.trim_end_matches('.')
            ),
        ],
    );
    part.code.push(("On the command line", format!("lookalike fit . --estimate \"{}\"", example.estimand())));
    let is_csv = recipe.format.extension() == "csv";
    match variance(choice.rule).filter(|_| is_csv) {
        Some(variance) => {
            part.code.push(("R", example.in_r(manifest.m, manifest.input.rows, variance)));
            part.code.push(("Python", example.in_python(manifest.m, manifest.input.rows, variance)));
        }
        // No formula does it, or the files are no plain text: the program that made them computes it.
        None => {
            let estimand = quoted(&example.estimand());
            let r =
                format!("system2(\"lookalike\", c(\"fit\", \".\", \"--estimate\", shQuote({estimand})))\n");
            let python = format!(
                "import subprocess\nsubprocess.run([\"lookalike\", \"fit\", \".\", \"--estimate\", {estimand}], check=True)\n"
            );
            part.code.push(("R, where lookalike is installed", r));
            part.code.push(("Python, where lookalike is installed", python));
        }
    }
    Some(part)
}

/// The variance by a rule, as R and Python both write it; none for rules that need more than a formula.
fn variance(rule: Rule) -> Option<&'static str> {
    match rule {
        Rule::Ts => Some("v * (n / N + 1 / m)"),
        Rule::Tp | Rule::Partial => Some("b / m + v * n / N"),
        Rule::Proper => Some("v * (n / N + (1 + n / N) / m)"),
        Rule::Tf | Rule::Pooled | Rule::Posterior | Rule::Bootstrap => None,
    }
}

/// What the programs estimate: the mean of the first number, else the share of the first level.
struct Example<'a> {
    variable: &'a Variable,
    level: Option<&'a str>,
}

impl<'a> Example<'a> {
    fn of(schema: &'a Schema) -> Option<Self> {
        let simple = |variable: &&Variable| {
            variable.name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        let variables = || schema.variables().iter().filter(simple);
        let number =
            variables().find(|variable| matches!(variable.kind, Kind::Integer { .. } | Kind::Real { .. }));
        if let Some(variable) = number {
            return Some(Self { variable, level: None });
        }
        let plain = |text: &str| !text.is_empty() && !text.contains(['"', '\\', '\'', '`', '\n']);
        variables().find_map(|variable| {
            let level = variable.kind.levels()?.iter().find(|level| plain(level))?;
            Some(Self { variable, level: Some(level) })
        })
    }

    fn estimand(&self) -> String {
        match self.level {
            None => format!("mean({})", self.variable.name),
            Some(level) => format!("share({} = '{level}')", self.variable.name),
        }
    }

    /// The texts of its column that are no values.
    fn no_values(&self) -> Vec<String> {
        let codes = self.variable.codes.iter().map(|code| code.value.to_string());
        std::iter::once(String::new()).chain(self.variable.missing_tokens.clone()).chain(codes).collect()
    }

    fn in_r(&self, m: u32, rows: u64, variance: &str) -> String {
        let name = quoted(&self.variable.name);
        let none: Vec<String> = self.no_values().iter().map(|text| quoted(text)).collect();
        let value = match self.level {
            None => "as.numeric(x)".to_owned(),
            Some(level) => format!("as.numeric(x == {})", quoted(level)),
        };
        let b = if m > 1 { "var(q)" } else { "0" };
        format!(
            "m <- {m}; N <- {rows}\nq <- v <- n <- numeric(m)\nfor (l in 1:m) {{\n  data <- read.csv(sprintf(\"synthetic-%d.csv\", l), \
             check.names = FALSE, colClasses = \"character\", na.strings = NULL)\n  x <- data[[{name}]]\n  x <- x[!(x %in% c({}))]\n  x <- {value}\n  \
             q[l] <- mean(x); v[l] <- var(x) / length(x); n[l] <- nrow(data)\n}}\nb <- {b}; v <- mean(v); n <- mean(n)\nse <- sqrt({variance})\n\
             cat(mean(q), \"with a standard error of\", se, \"\\n\")\n",
            none.join(", ")
        )
    }

    fn in_python(&self, m: u32, rows: u64, variance: &str) -> String {
        let name = quoted(&self.variable.name);
        let none: Vec<String> = self.no_values().iter().map(|text| quoted(text)).collect();
        let value = match self.level {
            None => format!("float(row[{name}])"),
            Some(level) => format!("float(row[{name}] == {})", quoted(level)),
        };
        let b = if m > 1 { "variance(q)" } else { "0" };
        format!(
            "import csv\nfrom statistics import mean, variance\nm, N = {m}, {rows}\nq, v, n = [], [], []\nfor l in range(1, m + 1):\n    with \
             open(f\"synthetic-{{l}}.csv\", newline=\"\", encoding=\"utf-8\") as file:\n        rows = list(csv.DictReader(file))\n    x = [{value} for row in rows \
             if row[{name}] not in [{}]]\n    q.append(mean(x)); v.append(variance(x) / len(x)); n.append(len(rows))\nb, v, n = {b}, mean(v), mean(n)\n\
             se = ({variance}) ** 0.5\nprint(mean(q), \"with a standard error of\", se)\n",
            none.join(", ")
        )
    }
}

/// A text as R and Python both write it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn made(view: &View<'_>) -> Option<Part> {
    let manifest = view.manifest?;
    let method = synthesis::registry::method(&manifest.method).ok();
    let mut text = vec![format!(
        "Made on {} by {} with the method {}{} from {} records; recipe.toml holds all settings.",
        manifest.created.split('T').next().unwrap_or_default(),
        manifest.software,
        manifest.method,
        method
            .map_or_else(String::new, |method| format!(" ({})", method.card.citation.trim_end_matches('.'))),
        thousands(manifest.input.rows),
    )];
    text.push(format!("Privacy: {}.", manifest.guarantee.trim_end_matches('.')));
    text.extend(manifest.not_covered.clone());
    text.push(format!("The domains in schema.toml are from {}.", manifest.schema_from.trim_end_matches('.')));
    Some(Part::new("How it was made", text))
}

fn terms(view: &View<'_>) -> Option<Part> {
    let manifest = view.manifest?;
    let licence = view.decision.and_then(|decision| decision.licence.as_deref());
    let year = manifest.created.split('-').next().unwrap_or_default();
    let owner = view.decision.map_or("the owner", |decision| decision.accepted_by.as_str());
    let mut part = Part::new("Terms, citation and how to check the files", Vec::new());
    part.text.push(match licence {
        Some(licence) => format!("Licence: {licence}"),
        None => "Licence: none is stated; ask whoever gave you the data.".to_owned(),
    });
    part.text.push(format!(
        "Cite as: {owner} ({year}). {}. Synthetic data made by {} with the method {}.",
        view.name, manifest.software, manifest.method
    ));
    part.text.push(
        "manifest.json lists every file with its SHA-256, and manifest.sha256 that of the manifest. `lookalike verify FOLDER` checks all of them, and \
         that nothing was added. Where manifest.json.minisig is there too, the release is signed: `lookalike verify FOLDER --signer KEY`, or minisign, checks by \
         whom, with the public key that its owner gives you."
            .to_owned(),
    );
    Some(part)
}

const HEAD: [&str; 8] =
    ["variable", "kind", "values", "from", "to", "missing", "special codes", "computed or nested"];

/// One row a variable, from what is released of the schema.
fn rows(schema: &Schema) -> Vec<Vec<String>> {
    schema.variables().iter().map(row).collect()
}

fn row(variable: &Variable) -> Vec<String> {
    let (from, to) = match &variable.kind {
        Kind::Integer { range: Some((from, to)) } => (from.to_string(), to.to_string()),
        Kind::Real { range: Some((from, to)) } => (about(*from), about(*to)),
        Kind::Date { range: Some((from, to)), .. } => {
            (DateFormat::Iso.format(*from), DateFormat::Iso.format(*to))
        }
        Kind::Datetime { range: Some((from, to)), format } => (format.iso(*from), format.iso(*to)),
        _ => (String::new(), String::new()),
    };
    let levels = variable
        .kind
        .levels()
        .map_or_else(String::new, |levels| levels.iter().collect::<Vec<_>>().join(" | "));
    let codes: Vec<String> =
        variable.codes.iter().map(|code| format!("{} = {}", code.value, code.meaning)).collect();
    let missing = if variable.missing { "may be missing" } else { "never" };
    let from_others = match (&variable.formula, &variable.within) {
        (Some(formula), _) => format!("computed: {}", formula.text()),
        (None, Some(parent)) => format!("within {parent}"),
        (None, None) => String::new(),
    };
    let kind = variable.kind.name().to_owned();
    vec![variable.name.clone(), kind, levels, from, to, missing.to_owned(), codes.join(" | "), from_others]
}

/// A number to three digits: enough for a reader, and not the value of a record to its last digit. `schema.toml` has it in full.
fn about(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let unit = 10_f64.powf(value.abs().log10().floor() - 2.0);
    let rounded = (value / unit).round() * unit;
    let text = format!("{rounded:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The codebook as a section of the external edition.
pub(super) fn codebook(view: &View<'_>) -> Markup {
    let Some(schema) = view.schema.filter(|_| !view.is_internal()) else { return Markup::default() };
    let table = DataTable::new(HEAD, rows(schema)).table().with("data-wrap", "wrap");
    let text = tag("p").text("The same is in codebook.csv.");
    tag("div").with("class", "codebook").add(text).add(table).into()
}

/// `codebook.csv`: the variables of a release, from what is released of its schema. What a spreadsheet would take for a formula is written as text.
pub fn codebook_csv(schema: &Schema) -> String {
    let field = |text: &String| {
        let guarded = table::spreadsheet::guarded(text);
        match guarded.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", guarded.replace('"', "\"\"")),
            false => guarded.into_owned(),
        }
    };
    let line = |cells: &[String]| cells.iter().map(field).collect::<Vec<_>>().join(",") + "\n";
    let head: Vec<String> = HEAD.map(str::to_owned).into();
    std::iter::once(line(&head)).chain(rows(schema).iter().map(|row| line(row))).collect()
}
