//! A client of PostgreSQL: one connection, one read-only snapshot, and counts out of it.
//!
//! All queries see the records of one moment, whatever others write meanwhile (`REPEATABLE READ READ ONLY`). Errors are told by their SQLSTATE, because the text of a server may quote a value.

mod copy;
mod failure;
mod tls;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::postgres::fallible_iterator::FallibleIterator;
use ::postgres::types::{Kind, Type};
use ::postgres::{Client, Config, NoTls, Row};
use table::TableError;
use table::sql::{Answer, Answers, ColumnType, Dialect, Engine, EngineColumn};
use table::watch::Watch;

use crate::{EngineError, Host, Settings, Tls};
pub use copy::Target;
use failure::{could_not, is_lost};

/// A connection with a snapshot.
pub(crate) struct Postgres {
    settings: Settings,
    watch: Watch,
    client: Mutex<Client>,
    lost: AtomicBool,
    has_begun_again: AtomicBool,
}

/// What every session is told: how we write texts and read times, and to stop working for us once we are gone.
const SESSION: &str = "SET standard_conforming_strings = on; SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; \
     SET idle_in_transaction_session_timeout = '1h'";

/// Known since PostgreSQL 14: a query whose client has gone is ended.
const NOTICE_WHEN_GONE: &str = "SET client_connection_check_interval = '2s'";

const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Connects.
fn connect(settings: &Settings) -> Result<Client, EngineError> {
    let mut config = Config::new();
    match &settings.host {
        Host::Socket(folder) => config.host_path(folder),
        Host::Name(name) => config.host(name),
    };
    config
        .port(settings.port)
        .user(&settings.user)
        .dbname(&settings.database)
        .application_name("lookalike")
        .connect_timeout(Duration::from_secs(10));
    if let Some(password) = &settings.password {
        config.password(password);
    }
    let connected = match &settings.tls {
        Tls::Local => config.ssl_mode(::postgres::config::SslMode::Disable).connect(NoTls),
        Tls::Verified { roots, own } => {
            let tls = tls::connector(roots.as_deref(), own.as_ref())?;
            config.ssl_mode(::postgres::config::SslMode::Require).connect(tls)
        }
    };
    let mut client = connected.map_err(|error| could_not("connect to the database", &error))?;
    client.batch_execute(SESSION).map_err(|error| could_not("begin with the database", &error))?;
    // Older servers do not know it, and go on as they do.
    let _ = client.batch_execute(NOTICE_WHEN_GONE);
    Ok(client)
}

impl Postgres {
    /// Connects, and takes a snapshot.
    pub(crate) fn open(settings: Settings, watch: Watch) -> Result<Self, EngineError> {
        let client = Self::with_snapshot(&settings)?;
        Ok(Self {
            settings,
            watch,
            client: Mutex::new(client),
            lost: AtomicBool::new(false),
            has_begun_again: AtomicBool::new(false),
        })
    }

    fn with_snapshot(settings: &Settings) -> Result<Client, EngineError> {
        let mut client = connect(settings)?;
        client.batch_execute(SNAPSHOT).map_err(|error| could_not("begin with the database", &error))?;
        Ok(client)
    }

    fn client(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the connection, and ends it there when the work is cancelled here.
    fn watched<T>(&self, work: impl FnOnce(&mut Client) -> Result<T, Failed>) -> Result<T, TableError> {
        self.watch.check()?;
        let mut client = self.client();
        let token = client.cancel_token();
        let (is_done, done) = (Mutex::new(false), Condvar::new());
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut ended = is_done.lock().unwrap_or_else(PoisonError::into_inner);
                while !*ended {
                    (ended, _) = done
                        .wait_timeout(ended, Duration::from_millis(200))
                        .unwrap_or_else(PoisonError::into_inner);
                    if !*ended && self.watch.check().is_err() {
                        // What cannot be ended there ends when the connection does.
                        let _ = match &self.settings.tls {
                            Tls::Local => token.cancel_query(NoTls).ok(),
                            Tls::Verified { roots, own } => tls::connector(roots.as_deref(), own.as_ref())
                                .ok()
                                .and_then(|tls| token.cancel_query(tls).ok()),
                        };
                        return;
                    }
                }
            });
            let result = work(&mut client);
            *is_done.lock().unwrap_or_else(PoisonError::into_inner) = true;
            done.notify_all();
            result
        });
        match result {
            Ok(result) => Ok(result),
            Err(Failed::Here(error)) => Err(error),
            Err(Failed::There(error)) => {
                self.watch.check()?;
                if is_lost(&error) || client.is_closed() {
                    self.lost.store(true, Ordering::Relaxed);
                }
                Err(could_not("count in the database", &error))
            }
        }
    }
}

/// Who could not.
enum Failed {
    Here(TableError),
    There(::postgres::Error),
}

impl From<::postgres::Error> for Failed {
    fn from(error: ::postgres::Error) -> Self {
        Self::There(error)
    }
}

impl Engine for Postgres {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn query(&self, query: &str, each: Answers<'_>) -> Result<(), TableError> {
        self.watched(|client| {
            let mut rows = client.query_raw(query, Vec::<String>::new())?;
            while let Some(row) = rows.next()? {
                let answers: Vec<Answer> =
                    (0..row.len()).map(|at| answer(&row, at)).collect::<Result<_, ::postgres::Error>>()?;
                each(answers).map_err(Failed::Here)?;
            }
            Ok(())
        })
    }

    fn columns(&self, from: &str) -> Result<Vec<EngineColumn>, TableError> {
        self.watched(|client| {
            let described = client.prepare(&format!("SELECT * FROM {from} LIMIT 0"))?;
            let column = |column: &::postgres::Column| EngineColumn {
                name: column.name().to_owned(),
                holds: holds(column.type_()),
            };
            Ok(described.columns().iter().map(column).collect())
        })
    }

    fn begin_again(&self) -> Result<bool, TableError> {
        if !self.lost.load(Ordering::Relaxed) || self.has_begun_again.swap(true, Ordering::Relaxed) {
            return Ok(false);
        }
        match Self::with_snapshot(&self.settings) {
            Ok(client) => {
                *self.client() = client;
                self.lost.store(false, Ordering::Relaxed);
                Ok(true)
            }
            Err(_) => Ok(false),
        }
    }

    fn notes(&self, from: &str) -> Result<Vec<String>, TableError> {
        let mut may_write = false;
        let from = from.replace('\'', "''");
        let query =
            format!("SELECT CAST(has_table_privilege('{from}', 'INSERT, UPDATE, DELETE, TRUNCATE') AS INT)");
        self.query(&query, &mut |row| {
            may_write = row.first() == Some(&Answer::Class(1));
            Ok(())
        })?;
        let note = "the role may write to the table; one that may only read it (SELECT) is enough, and safer";
        Ok(may_write.then(|| note.to_owned()).into_iter().collect())
    }
}

/// What a row says in one column.
fn answer(row: &Row, at: usize) -> Result<Answer, ::postgres::Error> {
    let kind = row.columns()[at].type_();
    let whole = |value: Option<i64>| value.map_or(Answer::Null, Answer::Class);
    Ok(match *kind {
        Type::INT8 => whole(row.try_get(at)?),
        Type::INT4 => whole(row.try_get::<_, Option<i32>>(at)?.map(i64::from)),
        Type::INT2 => whole(row.try_get::<_, Option<i16>>(at)?.map(i64::from)),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(at)?.map_or(Answer::Null, Answer::Number),
        Type::FLOAT4 => {
            row.try_get::<_, Option<f32>>(at)?.map_or(Answer::Null, |value| Answer::Number(f64::from(value)))
        }
        _ => row.try_get::<_, Option<String>>(at)?.map_or(Answer::Null, Answer::Text),
    })
}

/// What a column of this type holds.
fn holds(kind: &Type) -> ColumnType {
    match *kind {
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::CHAR | Type::UUID => ColumnType::Text,
        Type::BOOL => ColumnType::Boolean,
        Type::INT2 | Type::INT4 | Type::INT8 => ColumnType::Whole,
        Type::FLOAT4 | Type::FLOAT8 | Type::NUMERIC => ColumnType::Real,
        Type::DATE => ColumnType::Date,
        Type::TIMESTAMP => ColumnType::Timestamp { universal: false },
        Type::TIMESTAMPTZ => ColumnType::Timestamp { universal: true },
        Type::TIME => ColumnType::Time,
        _ => match kind.kind() {
            Kind::Enum(_) => ColumnType::Text,
            Kind::Domain(of) => holds(of),
            _ => ColumnType::Other(kind.name().to_owned()),
        },
    }
}
