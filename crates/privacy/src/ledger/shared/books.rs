//! What the lines of a ledger over runs add up to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::Left;
use super::super::charge::{Amount, Budget, Charge, Notion};
use super::super::record::ChargeRecord;
use super::super::totals::Totals;
use super::{Account, Entry, Line};
use crate::{Guarantee, PrivacyError};

/// What the first line says.
pub(super) const FORMAT: &str = "lookalike-ledger";
const VERSION: u32 = 1;

/// What stands for the line before the first.
const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// All lines, checked: the chain of hashes holds, and no debit exceeded its limit.
#[derive(Clone, Debug, Default)]
pub struct Books {
    lines: Vec<Line>,
    hashes: Vec<String>,
    accounts: Vec<AccountState>,
}

/// An account with its limits and what was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccountState {
    /// Of what.
    pub account: Account,
    /// One of each notion at most.
    pub limits: Vec<LimitState>,
    /// Number of debits.
    pub debits: u64,
    /// What all debits add up to, in every notion in which that can be stated.
    pub totals: Totals,
    #[serde(skip)]
    #[schemars(skip)]
    charges: Vec<Charge>,
}

/// A limit and what was taken of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitState {
    /// As the owner said it.
    pub asked: Guarantee,
    /// In the notion in which debits are added up.
    pub limit: ChargeRecord,
    /// What was taken, in the same notion.
    pub spent: ChargeRecord,
    /// What is left, in words, rounded down.
    pub left: String,
}

impl LimitState {
    fn notion(&self) -> Notion {
        self.limit.charge().notion()
    }

    fn amount(charge: Charge) -> Amount {
        Amount { cost: charge.cost(), delta: charge.delta() }
    }

    /// The sum with one more charge, if it can be stated in the notion and is within the limit.
    fn with(&self, charge: Charge) -> Option<Charge> {
        let spent = Self::amount(self.spent.charge()).checked_add(charge.in_notion(self.notion())?)?;
        spent.is_within(Self::amount(self.limit.charge())).then(|| spent.in_words(self.notion()))
    }

    fn set(&mut self, spent: Charge) {
        let left = Self::amount(self.limit.charge()).saturating_sub(Self::amount(spent));
        self.left = Left(left.in_words(self.notion())).to_string();
        self.spent = ChargeRecord::of(spent);
    }
}

impl Books {
    /// Reads lines, checks them, and adds them up. What follows the last line end was never finished and is not read.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        let mut books = Self::default();
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for (number, bytes) in text[..whole].split_inclusive(|byte| *byte == b'\n').enumerate() {
            let bytes = &bytes[..bytes.len() - 1];
            let place = |what: String| format!("line {}: {what}", number + 1);
            let line: Line = serde_json::from_slice(bytes).map_err(|error| place(error.to_string()))?;
            if line.number != number as u64 || line.previous != books.head() {
                return Err(place(
                    "it does not follow the line before: lines were changed or taken out".into(),
                ));
            }
            books.add(&line.entry).map_err(place)?;
            books.hashes.push(sha256(bytes));
            books.lines.push(line);
        }
        Ok(books)
    }

    /// The bytes of the next line.
    pub(super) fn next(&self, entry: Entry) -> Result<Vec<u8>, String> {
        let number = self.lines.len() as u64;
        let line = Line { number, at: table::clock::now(), previous: self.head().to_owned(), entry };
        let mut bytes = serde_json::to_vec(&line).map_err(|error| error.to_string())?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The first line.
    pub(super) fn opening() -> Entry {
        Entry::Opened { format: FORMAT.into(), version: VERSION }
    }

    /// SHA-256 of the last line: whoever keeps it elsewhere can tell whether lines were taken out.
    pub fn head(&self) -> &str {
        self.hashes.last().map_or(BEGINNING, String::as_str)
    }

    /// Whether a hash that was kept elsewhere is that of a line.
    pub fn contains(&self, hash: &str) -> bool {
        self.hashes.iter().any(|own| own.eq_ignore_ascii_case(hash.trim()))
    }

    /// All lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The hash of each line.
    pub fn hashes(&self) -> &[String] {
        &self.hashes
    }

    /// All accounts, in the order in which their limits were set.
    pub fn accounts(&self) -> &[AccountState] {
        &self.accounts
    }

    /// Looks that no guarantee covers, by data set.
    pub fn looks(&self) -> impl Iterator<Item = (&Line, &str, &str)> {
        self.lines.iter().filter_map(|line| match &line.entry {
            Entry::Look { data_set, purpose } => Some((line, data_set.as_str(), purpose.as_str())),
            _ => None,
        })
    }

    /// The entry by which a run takes this budget, or the reason why it may not.
    pub(super) fn debit(
        &self,
        account: &Account,
        budget: &Budget,
        purpose: &str,
    ) -> Result<Entry, PrivacyError> {
        let charge = budget.limit();
        let Some(state) = self.accounts.iter().find(|state| state.account == *account) else {
            return Err(PrivacyError::NoAccount {
                account: account.to_string(),
                others: self.others(account),
            });
        };
        let own = state.limits.iter().find(|limit| limit.notion() == charge.notion());
        let stated = |limit: &&LimitState| charge.in_notion(limit.notion()).is_some();
        let Some(limit) = own.or_else(|| state.limits.iter().find(stated)) else {
            let notions: Vec<String> = state.limits.iter().map(|limit| limit.notion().to_string()).collect();
            return Err(PrivacyError::CannotBeAdded {
                purpose: purpose.to_owned(),
                cost: charge.to_string(),
                notion: notions.join(" and "),
                way_out: "set a limit in its notion beside, with `lookalike ledger limit`".into(),
            });
        };
        if limit.with(charge).is_none() {
            return Err(PrivacyError::LedgerExhausted {
                account: account.to_string(),
                cost: charge.to_string(),
                limit: limit.limit.charge().to_string(),
                left: limit.left.clone(),
            });
        }
        Ok(Entry::Debit {
            account: account.clone(),
            asked: budget.asked(),
            charge: ChargeRecord::of(charge),
            against: limit.notion(),
            purpose: purpose.to_owned(),
        })
    }

    /// The accounts of the same data set, and where there are none the names of the others.
    fn others(&self, account: &Account) -> String {
        let same: Vec<String> = self
            .accounts
            .iter()
            .filter(|state| state.account.data_set == account.data_set)
            .map(|state| format!("unit {}, {} neighbours", state.account.unit, state.account.neighbours))
            .collect();
        if !same.is_empty() {
            return format!("for `{}` there is {}", account.data_set, same.join("; "));
        }
        let mut names: Vec<&str> =
            self.accounts.iter().map(|state| state.account.data_set.as_str()).collect();
        names.dedup();
        if names.is_empty() {
            "there is none yet".into()
        } else {
            format!("there are accounts of {}", names.join(", "))
        }
    }

    fn add(&mut self, entry: &Entry) -> Result<(), String> {
        match entry {
            Entry::Opened { format, version } => {
                let first = self.lines.is_empty() && format == FORMAT;
                match (first, *version) {
                    (true, VERSION) => Ok(()),
                    (true, version) => {
                        Err(format!("a ledger of version {version}, which this program does not read"))
                    }
                    (false, _) => Err("the beginning of another ledger".into()),
                }
            }
            _ if self.lines.is_empty() => Err("no ledger over runs begins like this".into()),
            Entry::Limit { account, asked, limit } => self.set_limit(account, *asked, *limit),
            Entry::Debit { account, charge, against, .. } => {
                let state = self.accounts.iter_mut().find(|state| state.account == *account);
                let state = state.ok_or("a debit without an account")?;
                let limit = state.limits.iter_mut().find(|limit| limit.notion() == *against);
                let limit = limit.ok_or("a debit without a limit")?;
                let spent = limit.with(charge.charge()).ok_or("a debit beyond its limit")?;
                limit.set(spent);
                state.debits += 1;
                state.charges.push(charge.charge());
                state.totals = totals(&state.charges);
                Ok(())
            }
            Entry::Look { .. } => Ok(()),
        }
    }

    fn set_limit(&mut self, account: &Account, asked: Guarantee, limit: ChargeRecord) -> Result<(), String> {
        let budget = Budget::from_parts(asked, limit.charge()).map_err(|error| error.to_string())?;
        let position = self.accounts.iter().position(|state| state.account == *account);
        let position = position.unwrap_or_else(|| {
            let (limits, charges) = (Vec::new(), Vec::new());
            let totals = totals(&charges);
            self.accounts.push(AccountState { account: account.clone(), limits, debits: 0, totals, charges });
            self.accounts.len() - 1
        });
        let limits = &mut self.accounts[position].limits;
        let earlier = limits.iter().position(|limit| limit.notion() == budget.notion());
        let spent =
            earlier.map_or(Amount::default().in_words(budget.notion()), |at| limits[at].spent.charge());
        let mut state = LimitState { asked, limit, spent: ChargeRecord::of(spent), left: String::new() };
        state.set(spent);
        match earlier {
            Some(at) => limits[at] = state,
            None => limits.push(state),
        }
        Ok(())
    }
}

fn totals(charges: &[Charge]) -> Totals {
    Totals::of(charges.iter().map(|charge| (*charge, None)), Guarantee::NotPrivate)
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
