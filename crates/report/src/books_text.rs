//! A ledger over runs, on a terminal.

use privacy::ledger::shared::{Books, Entry};

/// What each account allows, what was taken, and every look that no guarantee covers; of the data sets that `is_asked` names.
pub fn books_text(books: &Books, is_asked: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for state in books.accounts().iter().filter(|state| is_asked(&state.account.data_set)) {
        text += &format!("{}\n", state.account);
        for limit in &state.limits {
            text += &format!(
                "  limit {}: {} was taken, {} is left\n",
                limit.limit.charge(),
                limit.spent.charge(),
                limit.left
            );
            if limit.asked.to_string().contains('δ') {
                text += &format!("    as its owner said it: {}\n", limit.asked);
            }
        }
        if state.limits.len() > 1 {
            text += "  these limits stand side by side: what is promised in all is their composition\n";
        }
        if state.debits > 0 {
            text += "  taken by\n";
        }
        for line in books.lines() {
            if let Entry::Debit { account, charge, purpose, .. } = &line.entry
                && *account == state.account
            {
                text += &format!("    {}  {}  {purpose}\n", line.at, charge.charge());
            }
        }
    }
    let looks: Vec<_> = books.looks().filter(|(_, data_set, _)| is_asked(data_set)).collect();
    if !looks.is_empty() {
        text += "looks at the records that no guarantee covers, and no limit can count\n";
        for (line, data_set, purpose) in looks {
            text += &format!("    {}  {data_set}  {purpose}\n", line.at);
        }
    }
    if text.is_empty() {
        text += "no account and no entry\n";
    }
    text + &format!(
        "last line {}\nkeep this hash elsewhere: `ledger show --contains HASH` then finds lines that were taken out\n",
        books.head()
    )
}
