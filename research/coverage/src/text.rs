//! A study in words.

use std::fmt::Write;

use crate::{Classes, Study};

/// Coverage, bias and stated errors, and the coefficients whose intervals cover least.
pub fn study_text(study: &Study) -> String {
    let mut text = String::new();
    let design = &study.design;
    let (mean, worst) = study.coverage();
    let (own_mean, own_worst) = study.original_coverage();
    let error = 100.0 * (0.05_f64 * 0.95 / study.replications.max(1) as f64).sqrt();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "{} columns, {:?} effects, {} records{}, {} replications by {}\n\
         nominal 95 % intervals of {} coefficients cover (simulation error of one {error:.1} points)\n\
         \x20                 mean    worst\n\
         \x20 synthetic     {:>6.1} % {:>6.1} %\n\
         \x20 original      {:>6.1} % {:>6.1} %\n\
         slope of the mean estimates on the truth {:.3} (original {:.3}); stated over true standard error {:.2}\n",
        design.columns,
        design.effects,
        design.records,
        match design.classes {
            Classes::Five => "",
            Classes::Undeclared => ", no cuts declared",
        },
        study.replications,
        study.software,
        study.coefficients.len(),
        100.0 * mean,
        100.0 * worst,
        100.0 * own_mean,
        100.0 * own_worst,
        study.slope(),
        study.original_slope(),
        study.stated_over_true(),
    );
    if study.withheld() > 0.0 {
        let _ = writeln!(
            text,
            "{:.1} % of the intervals were not given, and the reason was",
            100.0 * study.withheld()
        );
    }
    let mut by_coverage: Vec<_> = study.coefficients.iter().collect();
    by_coverage.sort_by(|left, right| left.coverage().total_cmp(&right.coverage()));
    text.push_str("least covered:\n");
    for of in by_coverage.iter().take(5) {
        let _ = writeln!(
            text,
            "  {:<12} truth {:>6.3}, mean estimate {:>7.4}, covered {:>5.1} %",
            of.name,
            of.truth,
            of.mean(),
            100.0 * of.coverage()
        );
    }
    text
}
