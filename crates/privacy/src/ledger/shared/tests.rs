use std::path::Path;

use super::*;
use crate::{Delta, Epsilon, Rho};

fn account(data_set: &str) -> Account {
    Account { data_set: data_set.into(), unit: "person".into(), neighbours: Neighbours::AddRemove }
}

fn pure(epsilon: f64) -> Budget {
    Budget::pure(Epsilon::new(epsilon).unwrap()).unwrap()
}

fn rho(value: f64) -> Budget {
    Budget::zero_concentrated(Rho::new(value).unwrap()).unwrap()
}

fn approximate(epsilon: f64, delta: f64) -> Budget {
    Budget::approximate(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap()).unwrap()
}

fn ledger_in(folder: &Path) -> SharedLedger {
    SharedLedger::at(folder.join("ledger.jsonl"))
}

#[test]
fn debits_add_up_until_the_limit_and_the_refusal_says_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger_in(folder.path());
    let missing = ledger.debit(&account("a"), &pure(1.0), "x").unwrap_err().to_string();
    assert!(missing.contains("ledger limit"), "{missing}");
    ledger.set_limit(&account("a"), &pure(1.0)).unwrap();
    for _ in 0..10 {
        ledger.debit(&account("a"), &pure(0.1), "a tenth").unwrap();
    }
    let refused = ledger.debit(&account("a"), &pure(0.1), "one more").unwrap_err();
    assert!(matches!(refused, PrivacyError::LedgerExhausted { .. }), "{refused}");
    ledger.set_limit(&account("a"), &pure(1.25)).unwrap();
    ledger.debit(&account("a"), &pure(0.2), "after a new limit").unwrap();
    let books = ledger.read().unwrap();
    let state = &books.accounts()[0];
    assert_eq!((state.debits, state.limits.len()), (11, 1));
    assert!((state.limits[0].spent.charge().cost().upper() - 1.2).abs() < 1e-9, "{state:?}");
    // A limit below what was spent forbids everything, and is no damage.
    ledger.set_limit(&account("a"), &pure(0.5)).unwrap();
    assert!(ledger.debit(&account("a"), &pure(0.001), "x").is_err());
    assert_eq!(ledger.read().unwrap().accounts()[0].limits[0].left, "ε = 0");
}

#[test]
fn notions_stand_side_by_side_and_are_converted_only_by_a_theorem() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger_in(folder.path());
    ledger.set_limit(&account("a"), &rho(0.5)).unwrap();
    // ε²/2 of a pure run.
    ledger.debit(&account("a"), &pure(0.5), "pure").unwrap();
    ledger.debit(&account("a"), &rho(0.25), "rho").unwrap();
    assert!(ledger.debit(&account("a"), &rho(0.2), "too much").is_err());
    let refused = ledger.debit(&account("a"), &approximate(0.1, 1e-9), "approximate").unwrap_err();
    assert!(matches!(refused, PrivacyError::CannotBeAdded { .. }), "{refused}");
    ledger.set_limit(&account("a"), &approximate(1.0, 1e-6)).unwrap();
    ledger.debit(&account("a"), &approximate(0.1, 1e-9), "approximate").unwrap();
    ledger.set_limit(&account("a"), &pure(2.0)).unwrap();
    // A notion of its own comes first.
    ledger.debit(&account("a"), &pure(2.0), "pure").unwrap();
    assert!(ledger.debit(&account("a"), &pure(0.001), "pure").is_err());
    let books = ledger.read().unwrap();
    let spent: Vec<String> =
        books.accounts()[0].limits.iter().map(|limit| limit.spent.charge().to_string()).collect();
    assert_eq!(spent[0], "ρ = 0.375");
    assert!(spent[1].contains('δ') && spent[2] == "ε = 2", "{spent:?}");
}

#[test]
fn units_and_neighbours_have_accounts_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger_in(folder.path());
    ledger.set_limit(&account("a"), &pure(1.0)).unwrap();
    let household = Account { unit: "household".into(), ..account("a") };
    let refused = ledger.debit(&household, &pure(0.1), "x").unwrap_err().to_string();
    assert!(refused.contains("unit person"), "{refused}");
    let refused = ledger.debit(&account("b"), &pure(0.1), "x").unwrap_err().to_string();
    assert!(refused.contains("accounts of a"), "{refused}");
    ledger.look("a", "a frontier").unwrap();
    assert_eq!(ledger.read().unwrap().looks().count(), 1);
}

#[test]
fn any_change_of_a_line_and_any_line_taken_out_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger_in(folder.path());
    ledger.set_limit(&account("a"), &pure(1.0)).unwrap();
    for _ in 0..4 {
        ledger.debit(&account("a"), &pure(0.2), "a fifth").unwrap();
    }
    let (text, head) = (std::fs::read(ledger.path()).unwrap(), ledger.read().unwrap().head().to_owned());
    let last = text[..text.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
    for place in 0..text.len() {
        let mut changed = text.clone();
        changed[place] ^= 1;
        std::fs::write(ledger.path(), &changed).unwrap();
        // A change of the last line is found by its hash alone.
        let books = ledger.read();
        assert!(
            books.is_err() || (place > last && books.is_ok_and(|books| !books.contains(&head))),
            "byte {place}"
        );
    }
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    for out in 0..lines.len() - 1 {
        let mut rest = lines.clone();
        rest.remove(out);
        std::fs::write(ledger.path(), rest.concat()).unwrap();
        assert!(ledger.read().is_err(), "line {out}");
    }
    std::fs::write(ledger.path(), lines[..lines.len() - 1].concat()).unwrap();
    assert!(!ledger.read().unwrap().contains(&head), "the last line is known by its hash");
    std::fs::write(ledger.path(), &text).unwrap();
    assert!(ledger.read().unwrap().contains(&head));
}

#[test]
fn half_a_line_of_a_killed_process_is_taken_off() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger_in(folder.path());
    ledger.set_limit(&account("a"), &pure(1.0)).unwrap();
    let before = std::fs::read(ledger.path()).unwrap();
    ledger.debit(&account("a"), &pure(0.4), "whole").unwrap();
    let whole = std::fs::read(ledger.path()).unwrap();
    for cut in before.len()..whole.len() {
        std::fs::write(ledger.path(), &whole[..cut]).unwrap();
        assert_eq!(ledger.read().unwrap().accounts()[0].debits, 0, "cut at {cut}");
        ledger.debit(&account("a"), &pure(0.4), "again").unwrap();
        assert_eq!(ledger.read().unwrap().accounts()[0].debits, 1, "cut at {cut}");
    }
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger_in(folder.path());
    ledger.set_limit(&account("a"), &pure(1.0)).unwrap();
    assert_eq!(std::fs::metadata(ledger.path()).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(ledger.path(), std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(ledger.read().unwrap_err().to_string().contains("chmod 600"));
}

/// Twenty threads with files of their own, as twenty processes have; those of the command line are tested there.
#[test]
fn concurrent_debits_never_overspend() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger_in(folder.path());
    ledger.set_limit(&account("a"), &pure(1.0)).unwrap();
    let granted: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..20)
            .map(|_| scope.spawn(|| usize::from(ledger.debit(&account("a"), &pure(0.125), "x").is_ok())))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(granted, 8);
    assert_eq!(ledger.read().unwrap().accounts()[0].debits, 8);
}
