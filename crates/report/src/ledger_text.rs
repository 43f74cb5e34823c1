//! The ledger of a private release, as a page for people.

use std::fmt::Write;

use privacy::Neighbours;
use privacy::ledger::{
    ChargeRecord, CostRecord, EventRecord, LedgerRecord, Mechanism, ReleaseSize, Sensitivity,
};
use synthesis::private::{Spending, SpendingPlan};
use table::figures::thousands;

/// The ledger as Markdown.
pub fn ledger_markdown(ledger: &LedgerRecord) -> String {
    let mut page = String::from("# Privacy ledger\n\n");
    let written = write_page(&mut page, ledger);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    page
}

fn write_page(page: &mut String, ledger: &LedgerRecord) -> std::fmt::Result {
    if let Some(warning) = &ledger.warning {
        writeln!(page, "> **{warning}**\n")?;
    }
    if ledger.warning.is_none() {
        writeln!(page, "{}.\n", first_upper(&ledger.guarantee_sentence()))?;
    }
    writeln!(page, "| | |\n|---|---|")?;
    writeln!(page, "| asked for | {} |", ledger.asked)?;
    writeln!(page, "| limit, which is what is guaranteed | {} |", charge(&ledger.limit))?;
    writeln!(page, "| spent by this run | {} |", charge(&ledger.spent))?;
    writeln!(page, "| neighbours | {}: {} |", neighbours(ledger.neighbours), ledger.neighbours_sentence())?;
    writeln!(page, "| a record stands for | one {} |", ledger.unit)?;
    writeln!(page, "| size of the release | {} |", size(&ledger.release_size))?;
    writeln!(page, "| noise from | {} |", ledger.randomness.generator)?;
    writeln!(page, "| made by | {} {} |", ledger.software.name, ledger.software.version)?;
    writeln!(page, "\n{}\n\n## What is guaranteed, in every notion\n", ledger.scope)?;
    if let Some(epsilon) = &ledger.totals.pure {
        writeln!(page, "- pure: ε = {}", cost(epsilon))?;
    }
    if let Some(rho) = &ledger.totals.zero_concentrated {
        writeln!(page, "- zero-concentrated: ρ = {}", cost(rho))?;
    }
    for total in &ledger.totals.approximate {
        writeln!(
            page,
            "- approximate: ε = {} at δ = {:e}, by {}",
            cost(&total.epsilon),
            total.delta,
            total.by
        )?;
    }
    writeln!(page, "\n## Every look at the records\n")?;
    writeln!(page, "| look | of | by | neighbours differ by | scale | cost |\n|---|---|---|---|---|---|")?;
    for event in &ledger.events {
        let part = event
            .part
            .as_ref()
            .map_or_else(|| "all records".into(), |part| format!("{} = {}", part.by, part.name));
        let scale = event.scale.map_or_else(|| "–".into(), |scale| format!("{scale:.4}"));
        let EventRecord { purpose, mechanism: how, sensitivity: by, cost, .. } = event;
        writeln!(
            page,
            "| {} | {} | {} | {} | {scale} | {} |",
            escaped(purpose),
            escaped(&part),
            mechanism(*how),
            sensitivity(*by),
            charge(cost)
        )?;
    }
    writeln!(
        page,
        "\nLooks at all records add up; of looks at disjoint parts of the records, the dearest part counts. Whatever is computed from the \
         answers costs nothing.\n\n## Why each domain is public\n"
    )?;
    for domain in &ledger.domains {
        writeln!(page, "- `{}`: {}", domain.variable, domain.declared_because)?;
    }
    Ok(())
}

/// What a private run would spend, for a terminal.
pub fn spending_text(plan: &SpendingPlan) -> String {
    let mut text = format!(
        "{}: {} may be spent ({} was asked for); {}, tables {}\nnothing was read\n\n",
        plan.method,
        plan.limit,
        plan.asked,
        neighbours(plan.neighbours),
        plan.neighbours_sentence()
    );
    let line = |spending: &Spending| {
        format!(
            "  {:<22} {}: {}\n",
            spending.charge.to_string(),
            mechanism(spending.mechanism),
            spending.purpose
        )
    };
    plan.questions.iter().for_each(|question| text += &line(question));
    if let Some((by, parts, questions)) = &plan.in_strata {
        text += &format!("  in each of the {parts} strata by {by}, of which the dearest counts:\n");
        questions.iter().for_each(|question| text += &format!("  {}", line(question)));
    }
    let (size, noisy) = plan.size;
    text += &if noisy {
        format!(
            "\nThe number of records is not public: this is the plan for {} of them. A noisy count decides; where the number is public, say \
             --records N.\n",
            thousands(size)
        )
    } else {
        format!("\nPlanned for {} records, a number that is taken as public.\n", thousands(size))
    };
    text += &format!("Domains are public because: {}\n", plan.reason);
    for caveat in plan.caveats().iter().chain(&plan.remarks) {
        text += &format!("Note: {caveat}.\n");
    }
    if plan.m > 1 {
        text += &format!("{} data sets are drawn", plan.m);
        let each = plan.questions.iter().any(|question| {
            matches!(question.mechanism, Mechanism::PosteriorPredictive | Mechanism::NormalSample)
        });
        text += if each {
            ", and each is paid for.\n"
        } else {
            " from one noisy model; they cost nothing more.\n"
        };
    }
    text
}

pub(crate) fn cost(cost: &CostRecord) -> String {
    format!("{}", cost.value)
}

pub(crate) fn charge(charge: &ChargeRecord) -> String {
    charge.charge().to_string()
}

pub(crate) fn neighbours(neighbours: Neighbours) -> &'static str {
    match neighbours {
        Neighbours::AddRemove => "add-remove neighbours",
        Neighbours::ReplaceOne => "replace-one neighbours",
    }
}

pub(crate) fn size(size: &ReleaseSize) -> String {
    match size {
        ReleaseSize::Declared { records, because } => format!("{}, public: {because}", thousands(*records)),
        ReleaseSize::NoisyCount { records, event } => {
            format!("{}, a noisy count ({event})", thousands(*records))
        }
    }
}

pub(crate) fn mechanism(mechanism: Mechanism) -> &'static str {
    match mechanism {
        Mechanism::DiscreteLaplace => "discrete Laplace noise",
        Mechanism::DiscreteGaussian => "discrete Gaussian noise",
        Mechanism::ThresholdedHistogram => "discrete Laplace noise and a threshold",
        Mechanism::PermuteAndFlip => "permute-and-flip",
        Mechanism::ExponentialMechanism => "exponential mechanism",
        Mechanism::PosteriorPredictive => "posterior predictive draws",
        Mechanism::NormalSample => "normal draws",
        Mechanism::SampledGaussian => "discrete Gaussian noise on sums over sampled records",
    }
}

pub(crate) fn sensitivity(sensitivity: Sensitivity) -> String {
    match sensitivity {
        Sensitivity::L1(value) => format!("{value} in sum"),
        Sensitivity::L2(value) => format!("{value:.4} in root of squares"),
        Sensitivity::LargestScore(value) => format!("{value} in any score"),
        Sensitivity::BySampling => "see the method".into(),
    }
}

fn first_upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}
