//! Names of columns that speak of units, or of time. They help where numbers alone leave a doubt, and never decide.

/// Words for a name or number that is given to a unit.
const MARKS: [&str; 15] = [
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "identifier",
    "ident",
    "key",
    "nr",
    "no",
    "number",
    "nummer",
    "num",
    "serial",
    "ssn",
];

/// Words for units.
const UNITS: [&str; 29] = [
    "account",
    "case",
    "client",
    "claim",
    "customer",
    "employee",
    "family",
    "hh",
    "household",
    "invoice",
    "loan",
    "member",
    "order",
    "participant",
    "patient",
    "person",
    "policy",
    "proband",
    "pupil",
    "record",
    "respondent",
    "row",
    "sample",
    "student",
    "subject",
    "ticket",
    "transaction",
    "user",
    "p",
];

/// Words for time.
const TIMES: [&str; 11] =
    ["time", "date", "stamp", "timestamp", "ts", "datetime", "at", "day", "when", "epoch", "created"];

/// Whether the name of a column says that it names units: `id`, `case_no`, `personId`, `household`.
pub(super) fn is_telling(name: &str) -> bool {
    let words = words(name);
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    let is_unit = |word: &str| word.len() > 1 && UNITS.contains(&word);
    let compound = |word: &str| {
        let is_mark = |mark: &&&str| word.strip_suffix(**mark).is_some_and(|unit| UNITS.contains(&unit));
        MARKS.iter().find(is_mark).is_some()
    };
    MARKS.contains(&last.as_str())
        || is_unit(last)
        || compound(last)
        || (first == "id" && words.len() > 1)
        // A pointer: `control_of`, `parent_ref`.
        || (words.len() > 1 && matches!(last.as_str(), "of" | "ref" | "pointer"))
}

/// Whether it says that its values are moments.
pub(super) fn speaks_of_time(name: &str) -> bool {
    words(name).iter().any(|word| TIMES.contains(&word.as_str()))
}

/// The words of a name, in small letters: `caseNo`, `case_no` and `CASE NO` are case and no.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        let new_word = character.is_uppercase() && before.is_lowercase();
        if new_word || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (character.is_alphanumeric(), words.last_mut()) {
            word.extend(character.to_lowercase());
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_units_are_known_by_their_last_word() {
        for name in [
            "id",
            "ID",
            "Person ID",
            "personId",
            "pid",
            "case_no",
            "CASE",
            "hhid",
            "household",
            "control_of",
            "ID_case",
            "caseno",
        ] {
            assert!(is_telling(name), "{name}");
        }
        for name in [
            "account_balance",
            "number_of_alarms",
            "paid",
            "covid",
            "valid",
            "age",
            "nofriend",
            "idle",
            "kid",
            "db030",
            "income",
            "grid",
            "q1",
            "p",
        ] {
            assert!(!is_telling(name), "{name}");
        }
        assert!(speaks_of_time("created_at") && speaks_of_time("Timestamp") && !speaks_of_time("times"));
    }
}
