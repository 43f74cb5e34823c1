//! In which order variables are synthesised: that of the file, that of the recipe, or one found from sizes and dependences.

use table::{Attributes, CodedTable, CountSource, Grouping, Table, Variable};

use super::options::{Order, OrderName};
use crate::SynthesisError;

/// Categorical variables of more levels than this come last in an order that is found, the largest at the very end: as predictors they cost
/// most, and they say little that coarser variables do not.
const MANY_LEVELS: usize = 20;

/// The modelled variables, given in file order, in the order in which they are visited.
pub(super) fn visit_sequence(
    order: &Order,
    modelled: &[usize],
    variables: &[Variable],
    records: &Table,
) -> Result<Vec<usize>, SynthesisError> {
    match order {
        Order::Named(OrderName::File) => Ok(modelled.to_vec()),
        Order::Named(OrderName::Auto) => by_size_and_dependence(modelled, variables, records),
        Order::List(names) => {
            let mut sequence = Vec::with_capacity(modelled.len());
            for name in names {
                let known = || variables.iter().map(|variable| variable.name.as_str());
                let Some(position) = known().position(|other| other == name) else {
                    let hint = table::similar_name::hint(name, known());
                    return Err(SynthesisError::option(
                        "order",
                        format!("there is no variable `{name}`{hint}"),
                    ));
                };
                if variables[position].kind == table::Kind::TextId {
                    let message = format!("`{name}` is an identifier, which is made new; take it out");
                    return Err(SynthesisError::option("order", message));
                }
                if sequence.contains(&position) {
                    return Err(SynthesisError::option("order", format!("`{name}` is named twice")));
                }
                // What is computed has its place after what it is computed from.
                if modelled.contains(&position) {
                    sequence.push(position);
                }
            }
            let rest: Vec<usize> = modelled.iter().copied().filter(|at| !sequence.contains(at)).collect();
            sequence.extend(rest);
            Ok(sequence)
        }
    }
}

/// Starts with the variable that the others depend on most and goes on with the one that depends most on those before it. Dependence is
/// the mutual information of classes as a share of the smaller entropy.
fn by_size_and_dependence(
    modelled: &[usize],
    variables: &[Variable],
    records: &Table,
) -> Result<Vec<usize>, SynthesisError> {
    let levels = |at: usize| variables[at].kind.levels().map_or(0, |levels| levels.len());
    let in_data = |at: &&usize| **at < records.schema().variables().len();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        modelled.iter().filter(in_data).partition(|at| levels(**at) <= MANY_LEVELS);
    large.sort_by_key(|at| (levels(*at), *at));
    let names: Vec<&str> = small.iter().map(|at| variables[*at].name.as_str()).collect();
    let mut sequence = Vec::with_capacity(modelled.len());
    if small.len() > 2 {
        let grouping = Grouping::quantiles(10);
        let coded = CodedTable::new(&records.select(&names)?, &grouping)?;
        let dependence = dependences(&coded, small.len())?;
        let mut open: Vec<usize> = (0..small.len()).collect();
        let total = |at: usize| dependence[at].iter().sum::<f64>();
        let mut next = best(&open, total);
        while let Some(place) = next {
            let at = open.remove(place);
            sequence.push(at);
            next = best(&open, |at| sequence.iter().map(|known| dependence[at][*known]).fold(0.0, f64::max));
        }
        sequence = sequence.into_iter().map(|at| small[at]).collect();
    } else {
        sequence.append(&mut small);
    }
    sequence.append(&mut large);
    sequence.extend(modelled.iter().copied().filter(|at| *at >= records.schema().variables().len()));
    // A child comes after its parent.
    for at in sequence.clone() {
        let parent = variables[at].within.as_ref();
        let parent =
            parent.and_then(|parent| sequence.iter().position(|other| &variables[*other].name == parent));
        let own = sequence.iter().position(|other| *other == at);
        if let (Some(parent), Some(own)) = (parent, own)
            && parent > own
        {
            let moved = sequence.remove(parent);
            sequence.insert(own, moved);
        }
    }
    Ok(sequence)
}

/// The place of the largest, the first of equals.
pub(super) fn best(open: &[usize], worth: impl Fn(usize) -> f64) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, at) in open.iter().enumerate() {
        let worth = worth(*at);
        if best.is_none_or(|(_, most)| worth > most) {
            best = Some((place, worth));
        }
    }
    best.map(|(place, _)| place)
}

/// For every pair of variables I(X; Y) / min(H(X), H(Y)), 0 where one of them is constant.
fn dependences(coded: &CodedTable, variables: usize) -> Result<Vec<Vec<f64>>, SynthesisError> {
    let mut dependence = vec![vec![0.0; variables]; variables];
    for margin in coded.all_margins(2)? {
        let [left, right] = margin.attributes().positions()[..] else { continue };
        let of = Attributes::new([left, right]);
        let [rows, columns] = coded.domain().sizes(&of)[..] else { continue };
        let counts: Vec<f64> = margin.counts().iter().map(|count| *count as f64).collect();
        let total: f64 = counts.iter().sum();
        let row_sum: Vec<f64> =
            (0..rows).map(|row| counts[row * columns..(row + 1) * columns].iter().sum()).collect();
        let column_sum: Vec<f64> =
            (0..columns).map(|column| (0..rows).map(|row| counts[row * columns + column]).sum()).collect();
        let entropy = |counts: &[f64]| -> f64 {
            counts
                .iter()
                .filter(|count| **count > 0.0)
                .map(|count| -count / total * (count / total).ln())
                .sum()
        };
        let (of_row, of_column) = (entropy(&row_sum), entropy(&column_sum));
        let smaller = of_row.min(of_column);
        if smaller > 0.0 {
            let shared = (of_row + of_column - entropy(&counts)) / smaller;
            dependence[left][right] = shared;
            dependence[right][left] = shared;
        }
    }
    Ok(dependence)
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    fn names(order: &Order, text: &str) -> Result<Vec<String>, SynthesisError> {
        let table = read_csv_text(text, &ReadOptions::default()).unwrap();
        let variables = table.schema().variables();
        let all: Vec<usize> = (0..variables.len()).collect();
        let sequence = visit_sequence(order, &all, variables, &table)?;
        Ok(sequence.into_iter().map(|at| variables[at].name.clone()).collect())
    }

    #[test]
    fn an_order_that_is_found_follows_dependence_and_leaves_many_levels_to_the_end() {
        let mut text = String::from("place,noise,a,b\n");
        for row in 0..600 {
            let a = row % 4;
            text.push_str(&format!("p{},{},a{a},b{}\n", row % 30, (row * 7 / 3) % 5 % 2, a / 2));
        }
        let order = names(&Order::Named(OrderName::Auto), &text).unwrap();
        assert_eq!(order[3], "place");
        assert_eq!(order[2], "noise");
        assert_eq!(names(&Order::Named(OrderName::File), &text).unwrap(), ["place", "noise", "a", "b"]);
    }

    #[test]
    fn an_order_that_is_given_comes_first_and_is_checked() {
        let text = "a,b,c\n1,2,3\n2,1,3\n";
        assert_eq!(names(&Order::List(vec!["c".into()]), text).unwrap(), ["c", "a", "b"]);
        let error = |list: &[&str]| {
            let list = list.iter().map(|name| (*name).to_owned()).collect();
            names(&Order::List(list), text).unwrap_err().to_string()
        };
        assert!(error(&["c", "c"]).contains("named twice"));
        assert!(error(&["cc"]).contains("did you mean `c`?"));
    }
}
