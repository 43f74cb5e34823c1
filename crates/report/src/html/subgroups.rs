//! Groups of people of whom the release is least true, and of whom it gives most away.

use release::evidence::Subgroup;
use table::figures::thousands;

use super::View;
use super::glossary::term;
use super::summary::group_name;
use crate::judgement::judged;
use crate::markup::{Markup, tag};
use crate::numbers::{figure, share};
use crate::svg::DataTable;

pub(super) fn content(view: &View<'_>) -> Markup {
    let Some(groups) = view.internal.and_then(|internal| internal.subgroups.as_ref()) else {
        return Markup::default();
    };
    let mut content = Markup::from(tag("p").text(format!(
        "People grouped by {}, and by two of these together; groups of fewer than 30 are left out.",
        groups.keys.join(", ")
    )));
    let column = |heading: &str, text: Markup, table: DataTable| {
        tag("div").add(tag("h3").text(heading)).add(text).add(table.table())
    };
    let mut columns = Vec::new();
    if !groups.least_true.is_empty() {
        let row = |group: &Subgroup| {
            let value = group.s_pmse.unwrap_or_default();
            vec![
                group_name(group),
                thousands(group.records),
                figure(value),
                judged(value).to_owned(),
                group.worst_variable.clone().unwrap_or_default(),
            ]
        };
        let head = ["group", "people", "mean S_pMSE", "in words", "furthest off"];
        let text = tag("p")
            .text("The mean ")
            .add(term("S_pMSE"))
            .text(" of all other variables within the group; 1 is expected.");
        let rows = groups.least_true.iter().map(row).collect();
        columns.push(column("Where it is least true", text.into(), DataTable::new(head, rows)));
    }
    if let (Some(target), Some(all)) = (&groups.target, groups.disclosed) {
        let row = |group: &Subgroup| {
            vec![
                group_name(group),
                thousands(group.records),
                share(group.disclosed.unwrap_or_default()),
                share(group.base.unwrap_or_default()),
            ]
        };
        let target_head = format!("{target} learned");
        let head = ["group", "people", target_head.as_str(), "without their records"];
        let base = groups.base.unwrap_or_default();
        let text = format!(
            "For how many of a group an intruder who knows these keys learns {target}, and for how many it would be learned without their records. Of all people: {} and {}.",
            share(all),
            share(base)
        );
        let rows: Vec<Vec<String>> = groups.most_disclosed.iter().map(row).collect();
        let heading = "Where it gives most away";
        if rows.is_empty() {
            let none = format!("{text} In no group is more learned than chance explains.");
            columns.push(tag("div").add(tag("h3").text(heading)).add(tag("p").text(none)));
        } else {
            columns.push(column(heading, tag("p").text(text).into(), DataTable::new(head, rows)));
        }
    }
    content.push(tag("div").with("class", "columns").all(columns));
    content
}
