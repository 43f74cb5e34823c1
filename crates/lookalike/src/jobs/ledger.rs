//! The ledger over all runs: what the owner allows in all, what runs have taken, and its lines for others.

use std::path::PathBuf;

use privacy::ledger::shared::{Account, Books as Entries, Entry, SharedLedger};
use privacy::{Budget as Allowed, Charge, Delta, Epsilon, Neighbours, Rho};
use table::watch::Watch;
use table::{TableError, output_file};

use crate::{Books, Budget, Error, Request};

/// The ledger that was named, else that of the environment.
fn ledger(named: Option<&PathBuf>) -> Result<SharedLedger, Error> {
    let named = named.map(|ledger| Books { ledger: ledger.clone(), data_set: None });
    match Books::named_or_usual(named.as_ref()) {
        Some(books) => Ok(SharedLedger::at(books.ledger)),
        None => Err(Error::option(
            "ledger",
            format!("name the file of the ledger, or set {}", crate::LEDGER_VARIABLE),
        )),
    }
}

/// Asks what a ledger holds.
///
/// ```
/// use lookalike::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("ledger.jsonl");
/// let mut limit = LedgerLimitRequest::new(&file, "census", "person");
/// limit.budget.epsilon = Some(3.0);
/// limit.run()?;
/// let found = LedgerShowRequest::new(&file).run()?;
/// assert_eq!(found.accounts()[0].limits[0].left, "ε = 3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LedgerShowRequest {
    /// The file; that of the environment if not given.
    pub ledger: Option<PathBuf>,
    /// Only what is of this data set.
    pub data_set: Option<String>,
    /// A hash that was kept elsewhere: the ledger must hold the line that has it.
    pub contains: Option<String>,
}

impl LedgerShowRequest {
    /// Asks for everything in this file.
    pub fn new(ledger: impl Into<PathBuf>) -> Self {
        Self { ledger: Some(ledger.into()), ..Self::default() }
    }

    /// Reads and checks the ledger.
    pub fn run(&self) -> Result<Entries, Error> {
        let books = ledger(self.ledger.as_ref())?.read()?;
        if let Some(hash) = &self.contains
            && !books.contains(hash)
        {
            return Err(Error::Refused(
                "the ledger holds no line with the hash that was kept: lines were changed or taken out since"
                    .into(),
            ));
        }
        if let Some(name) = &self.data_set
            && !books.lines().iter().any(|line| of_data_set(&line.entry) == Some(name))
        {
            return Err(Error::option("data-set", format!("the ledger knows no data set `{name}`")));
        }
        Ok(books)
    }

    fn is_asked(&self, data_set: &str) -> bool {
        self.data_set.as_deref().is_none_or(|name| name == data_set)
    }
}

/// The data set that an entry is of.
fn of_data_set(entry: &Entry) -> Option<&String> {
    match entry {
        Entry::Opened { .. } => None,
        Entry::Limit { account, .. } | Entry::Debit { account, .. } => Some(&account.data_set),
        Entry::Look { data_set, .. } => Some(data_set),
    }
}

impl Request for LedgerShowRequest {
    type Outcome = Entries;

    fn inputs(&self) -> Vec<PathBuf> {
        self.ledger.clone().into_iter().collect()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        ledger(self.ledger.as_ref()).map(|ledger| ledger.path().to_owned()).into_iter().collect()
    }

    fn perform(&self, _: &Watch) -> Result<Entries, Error> {
        self.run()
    }

    fn text(&self, books: &Entries) -> String {
        report::books_text(books, |data_set| self.is_asked(data_set))
    }

    fn json(&self, books: &Entries) -> serde_json::Value {
        let accounts: Vec<_> =
            books.accounts().iter().filter(|state| self.is_asked(&state.account.data_set)).collect();
        let lines: Vec<_> = books
            .lines()
            .iter()
            .filter(|line| of_data_set(&line.entry).is_none_or(|data_set| self.is_asked(data_set)))
            .collect();
        serde_json::json!({ "accounts": accounts, "lines": lines, "head": books.head() })
    }
}

/// Asks for a limit: what may be spent of a data set in all.
#[derive(Clone, Debug)]
pub struct LedgerLimitRequest {
    /// The file; that of the environment if not given. It is made if there is none.
    pub ledger: Option<PathBuf>,
    /// The data set, as its owner calls it.
    pub data_set: String,
    /// What is protected, as the schema calls it.
    pub unit: String,
    /// What may be spent. With ε and δ, runs are added up by way of ρ, unless `basic` says otherwise.
    pub budget: Budget,
    /// Add the ε and the δ of runs, instead of converting to ρ.
    pub basic: bool,
}

impl LedgerLimitRequest {
    /// Asks for a limit of this data set and unit; what it is stands in `budget`.
    pub fn new(ledger: impl Into<PathBuf>, data_set: &str, unit: &str) -> Self {
        Self {
            ledger: Some(ledger.into()),
            data_set: data_set.into(),
            unit: unit.into(),
            budget: Budget::default(),
            basic: false,
        }
    }

    fn allowed(&self) -> Result<Allowed, Error> {
        let Budget { epsilon, delta, rho, records, .. } = self.budget;
        if records.is_some() {
            return Err(Error::option("records", "a limit does not depend on it; leave it out"));
        }
        let delta = delta.map(Delta::new).transpose()?;
        match (epsilon, delta, rho) {
            (Some(epsilon), None, None) if !self.basic => Ok(Allowed::pure(Epsilon::new(epsilon)?)?),
            (Some(epsilon), Some(delta), None) if self.basic => {
                Ok(Allowed::approximate(Epsilon::new(epsilon)?, delta)?)
            }
            (Some(epsilon), Some(delta), None) => {
                Ok(Allowed::approximate_via_zcdp(Epsilon::new(epsilon)?, delta)?)
            }
            (None, None, Some(rho)) if !self.basic => Ok(Allowed::zero_concentrated(Rho::new(rho)?)?),
            _ if self.basic => Err(Error::option("basic", "it is for limits of ε and δ; name both")),
            _ => Err(Error::Usage("name a limit: epsilon, epsilon with delta, or rho".into())),
        }
    }

    /// Enters the limit.
    pub fn run(&self) -> Result<Entries, Error> {
        let neighbours = self.budget.neighbours.unwrap_or(Neighbours::AddRemove);
        let account = Account { data_set: self.data_set.clone(), unit: self.unit.clone(), neighbours };
        let ledger = ledger(self.ledger.as_ref())?;
        ledger.set_limit(&account, &self.allowed()?)?;
        Ok(ledger.read()?)
    }
}

impl Request for LedgerLimitRequest {
    type Outcome = Entries;

    fn inputs(&self) -> Vec<PathBuf> {
        self.ledger.clone().into_iter().collect()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        ledger(self.ledger.as_ref()).map(|ledger| ledger.path().to_owned()).into_iter().collect()
    }

    fn perform(&self, _: &Watch) -> Result<Entries, Error> {
        self.run()
    }

    fn text(&self, books: &Entries) -> String {
        report::books_text(books, |data_set| data_set == self.data_set)
    }

    fn json(&self, books: &Entries) -> serde_json::Value {
        serde_json::json!({ "accounts": books.accounts(), "head": books.head() })
    }
}

/// Asks for the lines of a ledger as a table, for auditors and spreadsheets.
#[derive(Clone, Debug)]
pub struct LedgerExportRequest {
    /// The ledger, and which data set of it.
    pub show: LedgerShowRequest,
    /// The CSV file to write; without one the table is only shown.
    pub out: Option<PathBuf>,
    /// Whether a file of that name may be replaced.
    pub replace: bool,
}

impl LedgerExportRequest {
    /// The table: one row an entry.
    fn table(&self, books: &Entries) -> String {
        let mut text =
            String::from("number,at,kind,data_set,unit,neighbours,notion,epsilon,delta,rho,purpose,sha256\n");
        for (line, hash) in books.lines().iter().zip(books.hashes()) {
            let Some(data_set) = of_data_set(&line.entry).filter(|name| self.show.is_asked(name)) else {
                continue;
            };
            let (kind, account, charge, purpose) = match &line.entry {
                Entry::Limit { account, limit, .. } => ("limit", Some(account), Some(limit.charge()), ""),
                Entry::Debit { account, charge, purpose, .. } => {
                    ("debit", Some(account), Some(charge.charge()), purpose.as_str())
                }
                Entry::Look { purpose, .. } => ("look without a guarantee", None, None, purpose.as_str()),
                Entry::Opened { .. } => continue,
            };
            let [notion, epsilon, delta, rho] = match charge {
                None => [const { String::new() }; 4],
                Some(Charge::Pure(cost)) => ["pure".into(), cost.to_string(), String::new(), String::new()],
                Some(Charge::ZeroConcentrated(cost)) => {
                    ["zero-concentrated".into(), String::new(), String::new(), cost.to_string()]
                }
                Some(Charge::Approximate(cost, delta)) => {
                    ["approximate".into(), cost.to_string(), format!("{:e}", delta.upper()), String::new()]
                }
            };
            let cells = [
                line.number.to_string(),
                line.at.clone(),
                kind.to_owned(),
                data_set.clone(),
                account.map_or_else(String::new, |account| account.unit.clone()),
                account.map_or_else(String::new, |account| account.neighbours.to_string()),
                notion,
                epsilon,
                delta,
                rho,
                purpose.to_owned(),
                hash.clone(),
            ];
            text += &cells.map(|cell| quoted(&cell)).join(",");
            text.push('\n');
        }
        text
    }
}

/// A field of a CSV file; what a spreadsheet would run as a formula gets an apostrophe.
fn quoted(cell: &str) -> String {
    let guarded =
        if cell.starts_with(['=', '+', '-', '@', '\t']) { format!("'{cell}") } else { cell.to_owned() };
    if guarded.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

impl Request for LedgerExportRequest {
    type Outcome = Entries;

    fn inputs(&self) -> Vec<PathBuf> {
        self.show.inputs()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        ledger(self.show.ledger.as_ref())
            .map(|ledger| ledger.path().to_owned())
            .into_iter()
            .chain(self.out.clone())
            .collect()
    }

    fn perform(&self, _: &Watch) -> Result<Entries, Error> {
        let books = self.show.run()?;
        if let Some(path) = &self.out {
            let written: Result<(), TableError> =
                output_file::check("out", path, &self.inputs(), self.replace).and_then(|()| {
                    output_file::write_private(path, self.table(&books).as_bytes(), self.replace)
                });
            written?;
        }
        Ok(books)
    }

    fn text(&self, books: &Entries) -> String {
        match &self.out {
            None => self.table(books),
            Some(path) => format!("{}: {} entries\n", path.display(), self.table(books).lines().count() - 1),
        }
    }

    fn json(&self, books: &Entries) -> serde_json::Value {
        self.show.json(books)
    }
}
