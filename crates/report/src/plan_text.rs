//! A plan and its solution on a terminal.

use comfy_table::{CellAlignment, Table, presets};
use frontier::plan::{Plan, ReplicatedUniques, Solution};
use table::figures::{percent, thousands};

/// What draws from the cells of the data would repeat, for comparison.
pub fn catall_text(uniques: &ReplicatedUniques) -> String {
    format!("catall would repeat {} of the unique records.\n", percent(uniques.share_of_uniques, 1))
}

/// What each setting of a plan promises.
pub fn plan_text(plan: &Plan) -> String {
    let mut table = Table::new();
    let near: Vec<(u64, f64)> = plan
        .points
        .first()
        .map_or_else(Vec::new, |point| point.tau.iter().map(|tau| (tau.k, tau.d)).collect());
    let mut header = vec!["sigma".to_owned(), "m".to_owned()];
    for (k, d) in &near {
        header.extend(["tau1", "tau3", "tau4"].map(|tau| format!("{tau}({k},{d})")));
    }
    header.extend(["uniques again", "Hellinger", "Euclidean", "records", "± sd"].map(str::to_owned));
    table.load_style(presets::NOTHING).set_header(header);
    for point in &plan.points {
        let mut row = vec![point.sigma.to_string(), point.m.to_string()];
        for tau in &point.tau {
            row.extend([share(tau.tau1), share(tau.tau3)]);
            row.push(tau.tau4.map_or_else(|| "none".to_owned(), share));
        }
        row.push(format!("{:.1} %", 100.0 * point.replicated_uniques.share_of_uniques));
        row.push(format!("{:.1}", point.distance.hellinger));
        row.push(format!("{:.1}", point.distance.euclidean));
        row.push(thousands(point.records.mean.round() as u64));
        row.push(thousands(point.records.variance.sqrt().round() as u64));
        table.add_row(row);
    }
    table.column_iter_mut().for_each(|column| {
        column.set_cell_alignment(CellAlignment::Right);
    });
    format!(
        "{} with alpha {} and scale {}; nothing was generated\n\n{}\n\n\
         tau1(k,d): share of cells whose mean synthetic count is within d of k; tau3: how often a cell of size k stays there;\n\
         tau4: how often a cell found there has size k: for k = 1, how sure an intruder can be of a unique record.\n",
        plan.family,
        plan.alpha,
        plan.scale,
        table.trim_fmt()
    )
}

/// Four decimals, or the order of magnitude of what they would hide.
fn share(share: f64) -> String {
    if share == 0.0 || share >= 1e-3 { format!("{share:.4}") } else { format!("{share:.1e}") }
}

/// The setting that meets a bound.
pub fn solution_text(solution: &Solution) -> String {
    format!(
        "{} is met by sigma = {:.6} with m = {} (it is then {:.4}); expected Hellinger distance {:.1}\n",
        solution.bound, solution.sigma, solution.m, solution.reached, solution.distance.hellinger
    )
}
