//! "Did you mean …?": the known name nearest to one that was mistyped.

/// The known name nearest to `wrong` in edit distance, if it is near enough to be what was meant.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = wrong.to_lowercase();
    let longest_distance = 1 + wrong.chars().count() / 3;
    known
        .into_iter()
        .map(|name| (edit_distance(&lower, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= longest_distance)
        .min()
        .map(|(_, name)| name)
}

/// `"; did you mean `x`?"`, or nothing when no known name is near.
pub fn hint<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wrong, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Levenshtein's distance: the fewest insertions, deletions and substitutions that turn `a` into `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut current = vec![i + 1];
        for (j, right) in b.iter().enumerate() {
            let substitution = previous[j] + usize::from(left != *right);
            current.push(substitution.min(previous[j + 1] + 1).min(current[j] + 1));
        }
        previous = current;
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant_and_nothing_far_fetched() {
        assert_eq!(nearest("levls", ["kind", "levels", "range"]), Some("levels"));
        assert_eq!(nearest("Income", ["income", "outcome"]), Some("income"));
        assert_eq!(nearest("xyz", ["kind", "levels"]), None);
        assert_eq!(hint("sexx", ["sex"]), "; did you mean `sex`?");
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
