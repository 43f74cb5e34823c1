//! The file of a ledger over runs: appended to under a lock, never rewritten.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::super::charge::Budget;
use super::super::record::ChargeRecord;
use super::{Account, Books, Entry};
use crate::PrivacyError;

/// The most bytes of a ledger that are read: millions of entries.
const LARGEST: u64 = 1 << 30;

/// A ledger over runs, in a file of its owner.
///
/// ```
/// use privacy::ledger::shared::{Account, SharedLedger};
/// use privacy::{Budget, Epsilon, Neighbours};
///
/// # let folder = std::env::temp_dir().join(format!("lookalike-doc-ledger-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let ledger = SharedLedger::at(folder.join("ledger.jsonl"));
/// let account = Account { data_set: "census".into(), unit: "person".into(), neighbours: Neighbours::AddRemove };
/// let epsilon = |value| Budget::pure(Epsilon::new(value)?);
/// ledger.set_limit(&account, &epsilon(3.0)?)?;
/// ledger.debit(&account, &epsilon(2.0)?, "a first release")?;
/// let refused = ledger.debit(&account, &epsilon(2.0)?, "a second one").unwrap_err();
/// assert!(refused.to_string().contains("ε = 1 is left"), "{refused}");
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), privacy::PrivacyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedLedger {
    path: PathBuf,
}

impl SharedLedger {
    /// The ledger in this file, which need not exist yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Everything that was entered, checked and added up.
    pub fn read(&self) -> Result<Books, PrivacyError> {
        let mut file = self.open(false)?;
        file.lock_shared().map_err(|error| self.failed(&error))?;
        let books = self.books(&mut file)?;
        Ok(books)
    }

    /// Sets what may be spent of an account, in the notion of the budget; the file is made if there is none.
    pub fn set_limit(&self, account: &Account, budget: &Budget) -> Result<(), PrivacyError> {
        let named = [&account.data_set, &account.unit].into_iter().all(|name| !name.trim().is_empty());
        if !named {
            return Err(PrivacyError::Ledger {
                path: self.place(),
                what: "a data set and a unit need names".into(),
            });
        }
        let limit = ChargeRecord::of(budget.limit());
        let entry = Entry::Limit { account: account.clone(), asked: budget.asked(), limit };
        self.append(true, |_| Ok(entry))
    }

    /// Takes a budget from an account, or refuses. When it comes back, the debit is on the disk.
    pub fn debit(&self, account: &Account, budget: &Budget, purpose: &str) -> Result<(), PrivacyError> {
        self.append(false, |books| books.debit(account, budget, purpose))
    }

    /// Enters a look that no guarantee covers.
    pub fn look(&self, data_set: &str, purpose: &str) -> Result<(), PrivacyError> {
        let entry = Entry::Look { data_set: data_set.to_owned(), purpose: purpose.to_owned() };
        self.append(false, |_| Ok(entry))
    }

    /// Appends what `entry` makes of the books so far, under a lock that no other process shares.
    fn append(
        &self,
        make: bool,
        entry: impl FnOnce(&Books) -> Result<Entry, PrivacyError>,
    ) -> Result<(), PrivacyError> {
        let mut file = self.open(make)?;
        file.lock().map_err(|error| self.failed(&error))?;
        let mut books = self.books(&mut file)?;
        let mut bytes = Vec::new();
        if books.lines().is_empty() {
            if !make {
                return Err(self.wrong("it is empty; begin it with `lookalike ledger limit`".into()));
            }
            bytes = books.next(Books::opening()).map_err(|what| self.wrong(what))?;
            books = Books::parse(&bytes).map_err(|what| self.wrong(what))?;
        }
        bytes.extend(books.next(entry(&books)?).map_err(|what| self.wrong(what))?);
        // What a killed process left of a line goes: its debit was never granted.
        let end = self.end_of_lines(&mut file)?;
        file.set_len(end).map_err(|error| self.failed(&error))?;
        let written = file
            .seek(SeekFrom::Start(end))
            .and_then(|_| file.write_all(&bytes))
            .and_then(|()| file.sync_all());
        if let Err(error) = written {
            // Half a line would be taken off by the next run; this is only tidier.
            let _ = file.set_len(end);
            return Err(self.failed(&error));
        }
        Ok(())
    }

    fn open(&self, make: bool) -> Result<File, PrivacyError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(make);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let is_new = make && !self.path.exists();
        let file = options.open(&self.path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if !make => {
                self.wrong("there is no such ledger; begin one with `lookalike ledger limit`".into())
            }
            _ => self.failed(&error),
        })?;
        let found = file.metadata().map_err(|error| self.failed(&error))?;
        if !found.is_file() {
            return Err(self.wrong("it is no plain file".into()));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if found.permissions().mode() & 0o077 != 0 {
                return Err(
                    self.wrong("others than its owner may read or write it; chmod 600 it first".into())
                );
            }
        }
        if is_new && let Some(folder) = self.path.parent() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            // So that the file itself outlives a power cut.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(file)
    }

    fn books(&self, file: &mut File) -> Result<Books, PrivacyError> {
        Books::parse(&self.bytes(file)?).map_err(|what| self.wrong(what))
    }

    fn bytes(&self, file: &mut File) -> Result<Vec<u8>, PrivacyError> {
        let length = file.metadata().map_err(|error| self.failed(&error))?.len();
        if length > LARGEST {
            return Err(self.wrong("it is larger than any ledger".into()));
        }
        let mut bytes = Vec::with_capacity(length as usize);
        file.seek(SeekFrom::Start(0)).map_err(|error| self.failed(&error))?;
        file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| self.failed(&error))?;
        Ok(bytes)
    }

    fn end_of_lines(&self, file: &mut File) -> Result<u64, PrivacyError> {
        let bytes = self.bytes(file)?;
        Ok(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1))
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }

    fn wrong(&self, what: String) -> PrivacyError {
        PrivacyError::Ledger { path: self.place(), what }
    }

    fn failed(&self, error: &std::io::Error) -> PrivacyError {
        PrivacyError::LedgerFile { path: self.place(), error: error.to_string() }
    }
}
