//! The first screen: four lights, and the questions of whoever decides.

use super::View;
use crate::judgement::judged;
use crate::lights::{COPIED, Gauge, Light, Lights};
use crate::markup::{Markup, Tag, tag};
use crate::numbers::{class_name, figure, share};
use crate::pictures::{gauge, small_map};
use crate::verdict::Verdict;
use ::frontier::{Axis, Frontier};
use measures::utility::tables;
use release::evidence::Subgroup;
use table::figures::thousands;

pub(super) fn content(view: &View<'_>) -> Markup {
    // A page of a frontier alone is about many versions: nothing was measured of one, no light can burn, and the map comes first.
    if view.is_of_frontier_alone() {
        return Markup::default();
    }
    let lights = view.lights();
    let mut content = Markup::default();
    content.push(tag("div").with("class", "lights").all(lights.all().map(|one| light(view, one, true))));
    content.push(questions(view, &lights));
    let asides = asides(view);
    if !asides.is_empty() {
        content.push(tag("div").with("class", "aside").all(asides));
    }
    if view.withheld > 0 {
        content.push(withheld(view));
    }
    let (undefined, all) = Verdict::of(&view.findings).undefined;
    if undefined > 0 {
        content.push(tag("p").with("class", "quiet").text(format!(
            "{} of {} numbers could not be computed; the evaluation lists each with its reason.",
            thousands(undefined),
            thousands(all)
        )));
    }
    content
}

/// One light with its sentence, its number and, on the page of its parts, a way to what shows it.
pub(super) fn light(view: &View<'_>, of: &Light, is_with_parts: bool) -> Tag {
    let heading = tag("h3")
        .add(tag("span").with("class", "sign").with("aria-hidden", "true").text(of.colour.sign()))
        .text(format!(" {}: ", capital(of.topic)))
        .add(tag("span").with("class", "state").text(of.word));
    let number = |of: &Gauge| {
        tag("div").with("class", "number").add(tag("p").with("class", "quiet").text(&of.name)).add(gauge(of))
    };
    let shown = is_with_parts && view.has_section(of.section);
    tag("section")
        .with("class", format!("light {}", of.colour.class()))
        .with("aria-label", format!("{}: {}", of.topic, of.word))
        .add(tag("p").with("class", "question").text(of.question))
        .add(heading)
        .add(tag("p").text(&of.sentence))
        .add(of.gauge.as_ref().map(number))
        .add(shown.then(|| {
            let link = tag("a").with("href", format!("#{}", of.section)).text("Show it");
            tag("p").with("class", "more").add(link)
        }))
}

/// A sentence that goes on after a colon.
fn small(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The questions of a board, each with its answer.
fn questions(view: &View<'_>, lights: &Lights) -> Option<Tag> {
    let mut answers: Vec<(&str, Markup)> = Vec::new();
    let text = |text: String| Markup::from(tag("p").text(text));
    if view.is_internal() {
        answers.push(("Is it safe to release?", text(lights.safe_to_release())));
    }
    answers.extend(worst_table(view).map(|answer| ("What is the worst table?", text(answer))));
    // Whose record is in the file as it is needs no group to be found in.
    let copied = lights.risk.gauge.as_ref().is_some_and(|gauge| gauge.name == COPIED);
    let copied = copied.then(|| "First of all the people whose records were copied as they are.".to_owned());
    let at_risk = match (copied, at_risk(view)) {
        (Some(copied), Some(groups)) => Some(format!("{copied} Beside them: {}", small(&groups))),
        (copied, groups) => copied.or(groups),
    };
    answers.extend(at_risk.map(|answer| ("Who is at risk?", text(answer))));
    let not_for = lights.not_for();
    if view.findings.iter().any(|finding| finding.family() == tables::CARD.name) {
        const SHOWN: usize = 5;
        let lines = not_for.iter().take(SHOWN).map(|line| tag("li").text(line));
        let more = not_for.len().saturating_sub(SHOWN);
        let more = (more > 0).then(|| tag("li").text(format!("and {more} more, in the parts below")));
        let always = tag("li").text(view.never_for());
        let none = not_for
            .is_empty()
            .then(|| tag("li").text("Nothing that was measured is off so far that it should not be used."));
        answers.push((
            "What may I not use it for?",
            tag("ul").add(none).all(lines).add(more).add(always).into(),
        ));
    }
    (!answers.is_empty()).then(|| {
        tag("div").with("class", "questions").all(
            answers
                .into_iter()
                .map(|(question, answer)| tag("div").add(tag("h3").text(question)).add(answer)),
        )
    })
}

fn worst_table(view: &View<'_>) -> Option<String> {
    let pairs = view.all(tables::names::S_PMSE).filter(|finding| finding.on.len() == 2);
    let (value, finding) = pairs
        .filter_map(|finding| Some((finding.value?, finding)))
        .max_by(|one, other| one.0.total_cmp(&other.0))?;
    let (one, other) = (&finding.on[0], &finding.on[1]);
    let judged = if value < crate::judgement::COPY { "too close" } else { judged(value) };
    Some(format!("{one} by {other}: S_pMSE {}, {judged}; 1 is expected, up to 10 is good.", figure(value)))
}

fn at_risk(view: &View<'_>) -> Option<String> {
    let groups = view.internal?.subgroups.as_ref()?;
    let (target, all) = (groups.target.as_ref()?, groups.disclosed?);
    let base = groups.base.unwrap_or_default();
    let Some(worst) = groups.most_disclosed.first() else {
        let keys = groups.keys.join(", ");
        if all == 0.0 && base == 0.0 {
            return Some(format!(
                "No group of people stands out: by {keys} together, {target} is learned for certain of nobody."
            ));
        }
        return Some(format!(
            "Nobody in particular: who knows {keys} learns {target} of no group more often than without their records, beyond chance ({} and {} of all people).",
            share(all),
            share(base)
        ));
    };
    Some(format!(
        "Most of all people with {}: {target} is learned for {} of them, {} without their records (of all people {} and {}).",
        group_name(worst),
        share(worst.disclosed.unwrap_or_default()),
        share(worst.base.unwrap_or_default()),
        share(all),
        share(base)
    ))
}

/// A group by its classes: "sex F and age 20 to under 30".
pub(super) fn group_name(of: &Subgroup) -> String {
    let named = of.cell.iter().map(|(variable, class)| format!("{variable} {}", class_name(class)));
    named.collect::<Vec<_>>().join(" and ")
}

/// What stands beside: how good in one number, the recommended version, and who decided.
fn asides(view: &View<'_>) -> Vec<Tag> {
    let mut asides = Vec::new();
    let verdict = Verdict::of(&view.findings);
    if let Some(value) = verdict.sample_share {
        asides.push(tag("div").add(tag("p").with("class", "large").text(format!("{value:.0} %"))).add(
            tag("p").text(format!(
                "By its two-way tables as good as a random sample of {value:.0} % of the original's records. A fresh sample as large as the original would be as good as one of 33 %."
            )),
        ));
    }
    if let Some(frontier) = view.frontier
        && let Some(map) = small_map(frontier)
    {
        let text = tag("p").prose(recommended(view, frontier));
        let other = view.decision.filter(|decision| decision.recommended == Some(false));
        let other = other.and_then(|decision| decision.chosen.as_ref());
        let other = other
            .map(|chosen| tag("p").add(tag("strong").text(format!("Another one was chosen: {chosen}."))));
        let link =
            tag("p").with("class", "more").add(tag("a").with("href", "#frontier").text("All versions"));
        let heading = tag("h3").text("The recommended version");
        let words = tag("div").add(heading).add(other).add(text).add(link);
        asides.push(tag("div").with("class", "beside").add(map).add(words));
    }
    if let Some(decision) = view.decision {
        let when = decision.accepted_at.split('T').next().unwrap_or_default();
        let mut card = tag("div")
            .add(tag("h3").text("Accepted by"))
            .add(tag("p").add(tag("strong").text(&decision.accepted_by)).text(format!(", {when}")));
        card = card.all(decision.note.as_ref().map(|note| tag("p").text(format!("“{note}”"))));
        card = card.all(limits(view));
        asides.push(card);
    }
    let differences: Vec<Tag> =
        verdict.differences.iter().map(|line| tag("li").text(capital(line))).collect();
    if !differences.is_empty() {
        asides.push(tag("div").add(tag("h3").text("The files differ")).add(tag("ul").all(differences)));
    }
    if view.findings.is_empty() && view.is_internal() {
        asides.push(tag("div").add(tag("p").text("Nothing was measured of this release.")));
    }
    asides
}

/// Which version the frontier recommends, in a sentence for whoever decides.
fn recommended(view: &View<'_>, frontier: &Frontier) -> String {
    let Some(name) = &frontier.recommendation.name else {
        return frontier.recommendation.reason.clone();
    };
    let one = frontier.contestants.iter().find(|one| one.name == *name);
    let value = |axis: &Axis| {
        let at = frontier.axes.iter().position(|known| known == axis)?;
        one?.values.get(at).copied().flatten().map(|value| figure(value.mean))
    };
    let number = |axis: &Axis| value(axis).map(|value| format!("{} {value}", axis.label));
    let numbers: Vec<String> = [&frontier.utility, &frontier.risk].into_iter().filter_map(number).collect();
    let of = frontier.contestants.iter().filter(|one| one.failed.is_none()).count();
    let judged = match (frontier.limits.is_empty(), view.decision.is_some()) {
        (false, _) => "the best for analysis of those that keep all limits of the frontier",
        (true, true) => {
            "the best for analysis; the frontier had no limits, those of the decision came after it"
        }
        (true, false) => "the best for analysis; no limits were set",
    };
    format!(
        "{name}, of {of} versions that were tried: {judged}. By the mean of its runs: {}.",
        numbers.join("; ")
    )
}

/// Whether limits are kept. Of a private release the public sees only some of them, and no sentence may sound as if these were all.
fn limits(view: &View<'_>) -> Option<Tag> {
    let sees_all = view.is_internal() || view.ledger.is_none();
    let decision = view.decision.filter(|decision| sees_all && !decision.limits.is_empty())?;
    let broken: Vec<&str> =
        decision.limits.iter().filter(|check| !check.kept).map(|check| check.limit.as_str()).collect();
    let text = match (broken.len(), decision.limits.len()) {
        (0, 1) => format!("The limit is kept: {}.", decision.limits[0].limit),
        (0, all) => format!("All {all} limits are kept."),
        (some, all) => format!("Not kept: {some} of {all} limits ({}).", broken.join("; ")),
    };
    Some(tag("p").text(text))
}

fn withheld(view: &View<'_>) -> Tag {
    let because = view.decision.and_then(|decision| decision.publish.reason.as_deref());
    let text = if view.findings.is_empty() {
        "What was measured against the original is not shown: measuring reads the original again, and nothing that the public may see covers that."
    } else {
        "Of what was measured against the original, only what its owner allows is shown."
    };
    let reason = because.map(|because| format!(" The owner's reason: {because}"));
    tag("p").with("class", "quiet").text(text).text(reason.unwrap_or_default())
}
