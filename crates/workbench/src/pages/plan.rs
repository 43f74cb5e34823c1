//! Plan: what noise would cost and give, before anything is made.

use lookalike::Request as _;
use lookalike::frontier::plan::{Bound, Free};
use lookalike::synthesis::{Recipe, registry};
use lookalike::{Budget, PlanRequest, SpendingRequest, SynthesiseRequest, Watch};
use report::markup::{Markup, Tag, tag};

use super::Opened;
use super::fields::{button, choice, hidden, number_field, question, text_field};
use super::frame::{framed, now, problem};
use crate::http::Request;
use crate::record;
use crate::server::State;

/// Sizes of cells of which risk is shown.
const SIZES: std::ops::RangeInclusive<u64> = 1..=10;

/// What is asked of counts with noise.
struct Asked {
    family: String,
    /// The dispersion, as a power of ten: a slider is even where dispersions are not.
    power: f64,
    m: u32,
    alpha: f64,
    solve: String,
}

impl Asked {
    fn of(request: &Request) -> Self {
        let number = |name: &str, usual: f64, range: std::ops::RangeInclusive<f64>| {
            request
                .asked(name)
                .trim()
                .parse::<f64>()
                .ok()
                .filter(|value| range.contains(value))
                .unwrap_or(usual)
        };
        let families = ["poisson", "nbi", "pig"];
        let family = request.asked("family");
        Self {
            family: families.into_iter().find(|known| *known == family).unwrap_or("nbi").to_owned(),
            power: number("power", -0.3, -3.0..=3.0),
            m: number("m", 5.0, 1.0..=1000.0) as u32,
            alpha: number("alpha", 0.0, 0.0..=1000.0),
            solve: request.asked("solve").trim().to_owned(),
        }
    }

    /// The dispersion in two digits.
    fn sigma(&self) -> f64 {
        format!("{:.1e}", 10_f64.powf(self.power)).parse().unwrap_or(1.0)
    }

    fn has_sigma(&self) -> bool {
        self.family != "poisson"
    }

    fn command(&self) -> Vec<String> {
        let mut arguments = vec![
            "plan".to_owned(),
            format!("--family={}", self.family),
            format!("--m={}", self.m),
            format!("--alpha={}", self.alpha),
        ];
        arguments.extend(self.has_sigma().then(|| format!("--sigma={}", self.sigma())));
        let near: Vec<String> = SIZES.map(|size| format!("{size}:0.5")).collect();
        arguments.push(format!("--near={}", near.join(",")));
        arguments.extend((!self.solve.is_empty()).then(|| format!("--solve={}", self.solve)));
        arguments
    }
}

pub(super) fn page(state: &State, of: &Opened, request: &Request) -> String {
    let mut content = Markup::default();
    content.push(now("See what noise would cost and give before anything is made. This page reads the table and writes nothing; go on to the frontier if you do not want to plan by hand."));
    content.push(tag("h2").text("Counts with noise"));
    content.push(tag("p").text("Every cell of the cross-table is drawn again with a dispersion σ: the larger, the safer and the less true. An intruder who finds a cell of size 1 in the release wants to know how sure it is that the original has a person there: that is τ₄ at 1."));
    let asked = Asked::of(request);
    content.push(counts_form(of, &asked));
    content.push(tag("div").with("id", "planned").add(planned(state, of, &asked)));
    content.push(tag("h2").text("A private run"));
    content.push(tag("p").text("Differential privacy has a budget ε, and every question to the records spends of it. This is the bill of a run, before it is made; it reads the schema and no record."));
    let (method, epsilon) = (request.asked("method"), request.asked("epsilon"));
    content.push(spending_form(of, method, epsilon));
    content.push(spending(state, of, method, epsilon));
    framed("Plan", Some(of), content)
}

fn counts_form(of: &Opened, asked: &Asked) -> Tag {
    let slider = tag("input")
        .with("type", "range")
        .with("name", "power")
        .with("min", "-2")
        .with("max", "2")
        .with("step", "0.1")
        .with("value", asked.power);
    question("/plan")
        .with("data-live", "planned")
        .add(hidden("project", &of.name))
        .add(choice(
            "family",
            "The noise",
            &asked.family,
            [
                ("nbi", "negative binomial"),
                ("pig", "Poisson–inverse Gaussian"),
                ("poisson", "Poisson, without a dispersion"),
            ],
        ))
        .add(
            tag("label")
                .text("Dispersion σ")
                .add(tag("small").text(format!("from 0.01 to 100; now {}", asked.sigma())))
                .add(slider),
        )
        .add(number_field(
            "m",
            "Data sets",
            f64::from(asked.m),
            "more data sets are truer and riskier",
            ["1", "1000", "1"],
        ))
        .add(number_field(
            "alpha",
            "Mean count of a cell that is empty but could be filled",
            asked.alpha,
            "0: it stays empty",
            ["0", "1000", "any"],
        ))
        .add(text_field(
            "solve",
            "A limit to be met",
            &asked.solve,
            "such as tau4(1,0.5) <= 0.1; the page then names the σ that meets it with the least loss",
        ))
        .add(button("Show"))
}

fn planned(state: &State, of: &Opened, asked: &Asked) -> Markup {
    let mut content = Markup::default();
    let Some(data) = of.data(state) else {
        content.push(problem("The table of the project is not below the folder of the workbench, so that nothing can be planned here."));
        return content;
    };
    let sigmas = asked.has_sigma().then(|| vec![asked.sigma()]);
    let run = || {
        let mut request = PlanRequest::of_family(data, (&asked.family, None), sigmas.as_deref(), &[asked.m])?;
        request.mechanism = request.mechanism.with_alpha(asked.alpha)?;
        request.grid.near = SIZES.map(|size| (size, 0.5)).collect();
        if !asked.solve.is_empty() {
            request.solve = Some((asked.solve.parse::<Bound>()?, Free::sigma()));
        }
        request.run(&Watch::default())
    };
    match state.one_at_a_time(run) {
        Ok(planned) => {
            content.push(report::plan_section(&planned.plan, planned.cells, planned.records));
            content.push(
                planned
                    .solution
                    .as_ref()
                    .map(|solution| tag("p").with("class", "now").text(report::solution_text(solution))),
            );
            content.push(tag("p").text("The same on a command line:"));
            content.push(
                tag("pre")
                    .with("tabindex", 0)
                    .with("aria-label", "Command")
                    .text(record::typed(&of.name, &asked.command())),
            );
        }
        Err(error) => content.push(problem(&error.to_string())),
    }
    content
}

fn spending_form(of: &Opened, method: &str, epsilon: &str) -> Tag {
    let private = registry::METHODS
        .iter()
        .filter(|method| method.card.privacy.is_some())
        .map(|method| (method.card.name, method.card.name));
    let chosen = if method.is_empty() { registry::default_method(true) } else { method };
    question("/plan")
        .add(hidden("project", &of.name))
        .add(choice("method", "The method", chosen, private))
        .add(text_field("epsilon", "The budget ε", epsilon, "1 is strong, up to 10 is usual"))
        .add(button("Show the bill"))
}

fn spending(state: &State, of: &Opened, method: &str, epsilon: &str) -> Markup {
    let mut content = Markup::default();
    if epsilon.is_empty() {
        return content;
    }
    let Some(value) = epsilon.trim().parse::<f64>().ok().filter(|value| *value > 0.0 && value.is_finite())
    else {
        content.push(problem("The budget ε must be a number above 0."));
        return content;
    };
    let Some(data) = of.data(state) else {
        content.push(problem("The table of the project is not below the folder of the workbench."));
        return content;
    };
    let method =
        registry::method(method).map_or_else(|_| registry::default_method(true), |method| method.card.name);
    let recipe = Recipe::new(method);
    let recipe = Budget { epsilon: Some(value), ..Budget::default() }.on_top_of(recipe);
    let request = SpendingRequest(SynthesiseRequest::new(data, recipe));
    match request.perform(&Watch::default()) {
        Ok(plan) => {
            content.push(
                tag("pre").with("tabindex", 0).with("aria-label", "The bill").text(request.text(&plan)),
            );
            let arguments = [
                "synth".to_owned(),
                format!("--method={method}"),
                format!("--epsilon={value}"),
                "--dry-run".to_owned(),
            ];
            content.push(tag("p").text("The same on a command line:"));
            content.push(
                tag("pre")
                    .with("tabindex", 0)
                    .with("aria-label", "Command")
                    .text(record::typed(&of.name, &arguments)),
            );
        }
        Err(error) => content.push(problem(&error.to_string())),
    }
    content
}
