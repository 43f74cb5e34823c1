//! One card a variable: both files in one picture, and its numbers; worst first.

use measures::Finding;
use measures::utility::{amounts, tables};
use release::evidence::{ClassKind, ComparedDistribution, Distribution};

use super::View;
use super::glossary::term;
use crate::judgement::{DISTANCES, Grade, SMALL_ERROR, STANDARD_ERRORS};
use crate::lights::Colour;
use crate::markup::{Markup, Tag, tag};
use crate::numbers::{figure, share};
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
    match view.internal {
        Some(internal) => internal_cards(view, &internal.distributions),
        None => released_cards(view.released),
    }
}

/// What is known of one variable.
struct Card<'a> {
    number: usize,
    of: &'a ComparedDistribution,
    s_pmse: Option<f64>,
    mean_z: Option<f64>,
    /// How good its mean is: by its standard errors, or because it hardly differs.
    mean_grade: Option<Grade>,
    worst_table: Option<(String, f64)>,
}

fn internal_cards(view: &View<'_>, distributions: &[ComparedDistribution]) -> Markup {
    if distributions.is_empty() {
        return Markup::default();
    }
    let mut cards: Vec<Card<'_>> =
        distributions.iter().enumerate().map(|(number, of)| Card::new(view, number, of)).collect();
    cards.sort_by(|one, other| {
        let (one, other) = (one.badness(), other.badness());
        other.0.cmp(&one.0).then(other.1.total_cmp(&one.1))
    });
    let text = tag("p")
        .text("Worst first. The outline is the original, the filling the synthetic files; bars are shares of records. ")
        .add(term("S_pMSE"))
        .text(" is that of the variable's own table.");
    let mut alphabetic: Vec<&Card<'_>> = cards.iter().collect();
    alphabetic.sort_by_key(|card| card.of.variable.to_lowercase());
    let links = alphabetic
        .iter()
        .map(|card| tag("li").add(tag("a").with("href", format!("#{}", card.id())).text(&card.of.variable)));
    let index = tag("details")
        .with("class", "index")
        .add(tag("summary").text(format!("All {} variables from A to Z", cards.len())))
        .add(tag("ul").all(links));
    let gallery = tag("div").with("class", "gallery").with("id", "variable-cards");
    let gallery = gallery.all(cards.iter().map(Card::tag));
    [Markup::from(text), index.into(), tools().into(), gallery.into()].into_iter().collect()
}

/// Search and order, shown by the script.
fn tools() -> Tag {
    let search = tag("label")
        .text("Find a variable ")
        .add(tag("input").with("type", "search").with("id", "variable-search").with("autocomplete", "off"));
    let option = |value: &'static str, text: &'static str| tag("option").with("value", value).text(text);
    let order = tag("select")
        .with("id", "variable-order")
        .add(option("worst", "worst first"))
        .add(option("name", "by name"))
        .add(option("file", "as in the file"));
    let order = tag("label").text("Order ").add(order);
    tag("div")
        .with("id", "variable-tools")
        .with("class", "tools")
        .with("hidden", "hidden")
        .add(search)
        .add(order)
}

impl<'a> Card<'a> {
    fn new(view: &View<'_>, number: usize, of: &'a ComparedDistribution) -> Self {
        let is_own = |finding: &&Finding| finding.on == [of.variable.as_str()];
        let own =
            |measure: &'static str| view.all(measure).filter(is_own).filter_map(|finding| finding.value);
        let tables = view
            .all(tables::names::S_PMSE)
            .filter(|finding| finding.on.len() == 2 && finding.on.contains(&of.variable));
        let worst = tables
            .filter_map(|finding| Some((finding.value?, finding)))
            .max_by(|one, other| one.0.total_cmp(&other.0));
        let other = |finding: &Finding| finding.on.iter().find(|name| **name != of.variable).cloned();
        let mean_z = own(amounts::names::MEAN_Z).next();
        let hardly_differs = own(amounts::names::TOTAL_ERROR).next().is_some_and(|error| error < SMALL_ERROR);
        let mean_grade = mean_z.map(|z| {
            let grade = Grade::of(z, STANDARD_ERRORS);
            if hardly_differs { grade.min(Grade::Good) } else { grade }
        });
        Self {
            number,
            of,
            mean_grade,
            s_pmse: own(tables::names::S_PMSE).chain(own(tables::names::FINE_S_PMSE)).max_by(f64::total_cmp),
            mean_z,
            worst_table: worst.and_then(|(value, finding)| Some((other(finding)?, value))),
        }
    }

    fn id(&self) -> String {
        format!("variable-{}", self.number + 1)
    }

    /// The worse of its table and its mean, as the light of truth judges them.
    fn grade(&self) -> Option<Grade> {
        self.s_pmse.map(|value| Grade::of(value, DISTANCES)).max(self.mean_grade)
    }

    fn badness(&self) -> (Option<Grade>, f64) {
        (self.grade(), self.s_pmse.unwrap_or(0.0).max(self.mean_z.unwrap_or(0.0)))
    }

    fn tag(&self) -> Tag {
        let of = self.of;
        let grade = self.s_pmse.map(|value| Grade::of(value, DISTANCES));
        let colour = match self.grade() {
            None => Colour::Unlit,
            Some(Grade::FreshSample | Grade::Good) => Colour::Green,
            Some(Grade::Usable) => Colour::Amber,
            Some(Grade::Poor) => Colour::Red,
        };
        let sign = tag("span").with("class", "sign").with("aria-hidden", "true").text(colour.sign());
        let heading = tag("h3").add(sign).text(format!(" {} ", of.variable)).add(tag("small").text(&of.kind));
        let mut rows: Vec<[String; 3]> = Vec::new();
        if let Some(numbers) = of.numbers {
            let (one, other) = (numbers.original, numbers.synthetic);
            rows.push(["mean".into(), figure(one.mean), figure(other.mean)]);
            rows.push(["median".into(), figure(one.median), figure(other.median)]);
        }
        let missing = of.classes.iter().position(|class| class.is == ClassKind::Missing);
        if let Some(at) = missing {
            rows.push(["missing".into(), share(of.original[at]), share(of.synthetic[at])]);
        }
        let row = |row: &[String; 3]| {
            let [name, one, other] = row;
            tag("tr")
                .add(tag("th").with("scope", "row").text(name))
                .all([one, other].map(|cell| tag("td").text(cell)))
        };
        let head = ["", "original", "synthetic"].map(|name| match name {
            "" => tag("td"),
            name => tag("th").with("scope", "col").text(name),
        });
        let table = (!rows.is_empty()).then(|| {
            tag("table")
                .with("class", "facts")
                .add(tag("thead").add(tag("tr").all(head)))
                .add(tag("tbody").all(rows.iter().map(row)))
        });
        let judged = self.s_pmse.zip(grade).map(|(value, grade)| {
            tag("p").add(term("S_pMSE")).text(format!(" {}: {}", figure(value), grade.words()))
        });
        let off =
            self.mean_z.zip(self.mean_grade).filter(|(_, grade)| *grade > Grade::Good).map(|(z, grade)| {
                tag("p").text(format!("Its mean is off by {} standard errors: {}", figure(z), grade.words()))
            });
        let worst = self.worst_table.as_ref().map(|(other, value)| {
            tag("p").text(format!("Worst table it is in: by {other}, S_pMSE {}", figure(*value)))
        });
        tag("article")
            .with("class", format!("card {}", colour.class()))
            .with("id", self.id())
            .with("data-name", of.variable.to_lowercase())
            .with("data-file", self.number)
            .add(heading)
            .add(judged)
            .add(off)
            .add(compared(self.number, of).bare())
            .add(table)
            .add(worst)
    }
}

fn released_cards(distributions: &[Distribution]) -> Markup {
    if distributions.is_empty() {
        return Markup::default();
    }
    let text = "Shares of records in the synthetic files, with special codes and missing values. Nothing here was read off the original.";
    let card = |(at, of): (usize, &Distribution)| {
        let numbers = of.numbers.map(|numbers| {
            tag("p").text(format!("mean {}, median {}", figure(numbers.mean), figure(numbers.median)))
        });
        tag("article")
            .with("class", "card")
            .with("id", format!("variable-{}", at + 1))
            .add(tag("h3").text(format!("{} ", of.variable)).add(tag("small").text(&of.kind)))
            .add(released(at, of).bare())
            .add(numbers)
    };
    let gallery = tag("div").with("class", "gallery").all(distributions.iter().enumerate().map(card));
    [tag("p").text(text), gallery].into_iter().collect()
}
