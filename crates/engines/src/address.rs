//! Where a table is: `postgresql://[user@]host[:port]/database/table`, with the settings that libpq knows after a question mark.
//!
//! The last part is the table, or `schema.table`; a point within a name is written `%2E`, and other characters that mean something in an address are written likewise. Settings that
//! the address leaves open come from a service file and from the variables `PGHOST`, `PGPORT`, `PGUSER`, `PGSSLMODE` and so on. Passwords are in none of these but the file
//! that `PGPASSFILE` names, `~/.pgpass`, or the variable `PGPASSWORD`.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use table::sql::Engine;
use table::watch::Watch;

use crate::credentials::{self, Environment};
use crate::{Connections, EngineError, Place};

/// Where a table is, as a person wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    user: Option<String>,
    host: Option<String>,
    port: Option<u16>,
    database: String,
    table: Vec<String>,
    settings: Vec<(String, String)>,
}

/// How a table is reached.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// The machine.
    pub host: Host,
    /// Its port.
    pub port: u16,
    /// The role.
    pub user: String,
    /// The database.
    pub database: String,
    /// The password, where one is known.
    pub password: Option<String>,
    /// How the connection is protected.
    pub tls: Tls,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("host", &self.host)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// This one, by the folder of a socket.
    Socket(PathBuf),
    /// One by its name or number.
    Name(String),
}

impl Host {
    fn is_local(&self) -> bool {
        match self {
            Self::Socket(_) => true,
            Self::Name(name) => {
                name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
            }
        }
    }
}

/// How a connection is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tls {
    /// It never leaves this machine.
    Local,
    /// Encrypted; the certificate is checked, and that it is of this host.
    Verified {
        /// The certificates that are trusted, if not those of the system.
        roots: Option<PathBuf>,
        /// Our own certificate and its key.
        own: Option<(PathBuf, PathBuf)>,
    },
}

/// Settings that an address may hold.
const KNOWN: [&str; 8] = ["host", "port", "user", "service", "sslmode", "sslrootcert", "sslcert", "sslkey"];

impl Address {
    /// Whether this is meant as an address.
    pub fn is_address(text: &str) -> bool {
        let (scheme, rest) = text.split_at(text.find("://").unwrap_or(0));
        rest.starts_with("://") && ["postgresql", "postgres"].contains(&scheme.to_ascii_lowercase().as_str())
    }

    /// Reads an address. A password in it is refused: command lines are seen by others and kept in histories.
    pub fn parse(text: &str) -> Result<Self, EngineError> {
        let refuse = |message: &str| Err(EngineError::usage(format!("the address of the table: {message}")));
        let Some((_, rest)) = text.split_once("://").filter(|_| Self::is_address(text)) else {
            return refuse("it begins with postgresql://");
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        let mut settings = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            if name == "password" || name == "sslpassword" {
                return refuse(PASSWORD);
            }
            if !KNOWN.contains(&name.as_str()) {
                return refuse(&format!("it has the setting `{name}`; known are {}", KNOWN.join(", ")));
            }
            settings.push((name, value));
        }
        if user.is_some_and(|user| user.contains(':')) {
            return refuse(PASSWORD);
        }
        let (database, table) = path.split_once('/').unwrap_or((path, ""));
        if table.is_empty() || table.contains('/') {
            return refuse(
                "say postgresql://host/database/table, or schema.table in its place; a slash within a name is written %2F",
            );
        }
        let (host, port) = host_and_port(host)?;
        let table = table.split('.').map(decoded).collect::<Result<Vec<_>, _>>()?;
        if table.len() > 2 || table.iter().any(String::is_empty) {
            return refuse("the table is `table` or `schema.table`; a point within a name is written %2E");
        }
        Ok(Self {
            user: user.map(decoded).transpose()?.filter(|user| !user.is_empty()),
            host: Some(decoded(host)?).filter(|host| !host.is_empty()),
            port,
            database: decoded(database)?,
            table,
            settings,
        })
    }

    /// How to get there, with what the environment of this process adds.
    pub fn resolve(&self) -> Result<Settings, EngineError> {
        self.resolve_in(&Environment::of_process())
    }

    pub(crate) fn resolve_in(&self, environment: &Environment) -> Result<Settings, EngineError> {
        let written = |name: &str| {
            self.settings
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.clone())
                .filter(|value| !value.is_empty())
        };
        let service = match written("service").or_else(|| environment.variable("PGSERVICE")) {
            Some(name) => credentials::service(environment, &name)?,
            None => Vec::new(),
        };
        let of_service =
            |name: &str| service.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let setting = |name: &str, variable: &str| {
            written(name).or_else(|| of_service(name)).or_else(|| environment.variable(variable))
        };
        let host = self.host.clone().or_else(|| setting("host", "PGHOST"));
        let host = match host {
            None => Host::Socket("/var/run/postgresql".into()),
            Some(host) if host.starts_with('/') => Host::Socket(host.into()),
            Some(host) => Host::Name(host),
        };
        let port = match self.port {
            Some(port) => port,
            None => match setting("port", "PGPORT") {
                None => 5432,
                Some(port) => port
                    .parse()
                    .map_err(|_| EngineError::usage("the port of the database is not a number"))?,
            },
        };
        let user = self.user.clone().or_else(|| setting("user", "PGUSER"));
        let user = user
            .or_else(|| environment.variable("USER"))
            .or_else(|| environment.variable("LOGNAME"))
            .ok_or_else(|| {
                EngineError::usage(
                    "name the role of the database: postgresql://ROLE@host/database/table, or PGUSER",
                )
            })?;
        let database = Some(self.database.clone())
            .filter(|name| !name.is_empty())
            .or_else(|| of_service("dbname"))
            .or_else(|| environment.variable("PGDATABASE"))
            .unwrap_or_else(|| user.clone());
        let mode = setting("sslmode", "PGSSLMODE");
        let path = |name: &str, variable: &str| setting(name, variable).map(PathBuf::from);
        let own = path("sslcert", "PGSSLCERT").zip(path("sslkey", "PGSSLKEY"));
        let verified = Tls::Verified {
            roots: path("sslrootcert", "PGSSLROOTCERT").filter(|roots| roots != Path::new("system")),
            own,
        };
        let tls = match (mode.as_deref(), host.is_local()) {
            (Some("verify-full"), _) if matches!(host, Host::Name(_)) => verified,
            (None | Some("disable" | "allow" | "prefer"), true) => Tls::Local,
            (None | Some("verify-full"), false) => verified,
            (Some(_), true) if matches!(host, Host::Socket(_)) => Tls::Local,
            (Some(_), _) => {
                let message = "sslmode: connections to other machines are encrypted and the certificate of the host is checked; say verify-full or leave it out, and name the \
                               certificate of your authority with sslrootcert";
                return Err(EngineError::usage(message));
            }
        };
        let password = match environment.variable("PGPASSWORD").or_else(|| of_service("password")) {
            Some(password) => Some(password),
            None => credentials::password(environment, &host, port, &database, &user)?,
        };
        Ok(Settings { host, port, user, database, password, tls })
    }
}

impl Place for Address {
    fn table(&self) -> &[String] {
        &self.table
    }

    fn name(&self) -> &str {
        self.table.last().map_or("", String::as_str)
    }

    fn opens(&self) -> (Vec<PathBuf>, Connections) {
        let Ok(settings) = self.resolve() else {
            // What is wrong is said when the table is opened, by the same files.
            return (credentials::files(&Environment::of_process()), Connections::default());
        };
        let mut files = match &settings.tls {
            Tls::Local => Vec::new(),
            Tls::Verified { roots, own } => {
                let own = own.iter().flat_map(|(certificate, key)| [certificate.clone(), key.clone()]);
                roots.iter().cloned().chain(own).collect()
            }
        };
        files.extend(credentials::files(&Environment::of_process()));
        match &settings.host {
            Host::Socket(folder) => {
                files.push(folder.clone());
                (files, Connections::default())
            }
            Host::Name(_) => {
                // Names of machines are looked up, and the certificates of the system read.
                let system = [
                    "/etc",
                    "/lib",
                    "/lib64",
                    "/usr/lib",
                    "/usr/share/ca-certificates",
                    "/run/systemd/resolve",
                ];
                files.extend(system.map(PathBuf::from));
                (files, Connections::To(vec![settings.port]))
            }
        }
    }

    fn available(&self) -> Result<(), EngineError> {
        crate::available()
    }

    fn open(&self, watch: &Watch) -> Result<Box<dyn Engine>, EngineError> {
        crate::open(self, watch)
    }
}

const PASSWORD: &str = "it holds a password, which others can see on a command line; leave it out, and put it into the file that PGPASSFILE names or ~/.pgpass \
     (host:port:database:role:password, readable by you alone), into a service file, or into the variable PGPASSWORD";

fn host_and_port(text: &str) -> Result<(&str, Option<u16>), EngineError> {
    let number = |port: &str| {
        port.parse()
            .map(Some)
            .map_err(|_| EngineError::usage("the address of the table: its port is not a number"))
    };
    if let Some(rest) = text.strip_prefix('[') {
        let Some((host, after)) = rest.split_once(']') else {
            return Err(EngineError::usage("the address of the table: a bracket opens and does not close"));
        };
        return Ok((host, after.strip_prefix(':').map_or(Ok(None), number)?));
    }
    match text.split_once(':') {
        Some((host, "")) => Ok((host, None)),
        Some((host, port)) => Ok((host, number(port)?)),
        None => Ok((text, None)),
    }
}

/// A text with %XX decoded.
fn decoded(text: &str) -> Result<String, EngineError> {
    let wrong =
        || EngineError::usage("the address of the table: after % come two hexadecimal digits, of UTF-8");
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = text.get(at + 1..at + 3).ok_or_else(wrong)?;
            out.push(u8::from_str_radix(digits, 16).map_err(|_| wrong())?);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str, variables: &[(&str, &str)]) -> Result<Settings, EngineError> {
        Address::parse(text)?.resolve_in(&Environment::of(variables))
    }

    #[test]
    fn an_address_says_where_a_table_is() {
        let address = Address::parse("postgresql://ann@db.example.org:5433/census/house.people").unwrap();
        assert_eq!(
            (address.table(), address.name()),
            (&["house".to_owned(), "people".to_owned()][..], "people")
        );
        let settings = address.resolve_in(&Environment::of(&[])).unwrap();
        assert_eq!((settings.host, settings.port), (Host::Name("db.example.org".into()), 5433));
        assert_eq!((settings.user.as_str(), settings.database.as_str()), ("ann", "census"));
        assert_eq!(settings.tls, Tls::Verified { roots: None, own: None });
        let hostile = Address::parse("postgresql:///d%2Fb/%22;%20drop%20table%20x;--.a%2Eb").unwrap();
        assert_eq!(hostile.table(), ["\"; drop table x;--", "a.b"]);
        assert_eq!(Address::parse("postgres://[::1]:99/d/t").unwrap().port, Some(99));
        assert!(
            Address::is_address("PostgreSQL://x")
                && !Address::is_address("c:/postgresql")
                && !Address::is_address("people.csv")
        );
        for wrong in [
            "postgresql://h/d",
            "postgresql://h/d/",
            "postgresql://h/d/a.b.c",
            "postgresql://h/d/t/x",
            "postgresql://h:x/d/t",
            "postgresql://h/d/a..b",
            "postgresql://h/d/%zz",
            "postgresql://h/d/t?color=red",
            "postgresql://[::1/d/t",
        ] {
            assert!(matches!(Address::parse(wrong), Err(EngineError::Usage(_))), "{wrong}");
        }
    }

    #[test]
    fn passwords_are_refused_and_not_repeated() {
        for text in ["postgresql://ann:hunter2@h/d/t", "postgresql://h/d/t?password=hunter2"] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.contains(".pgpass") && !error.contains("hunter2"), "{error}");
        }
        let settings = resolved("postgresql://ann@h/d/t", &[("PGPASSWORD", "hunter2")]).unwrap();
        assert!(!format!("{settings:?}").contains("hunter2") && settings.password.is_some());
    }

    #[test]
    fn other_machines_are_reached_with_a_checked_certificate_only() {
        let local = [("USER", "ann")];
        for here in
            ["postgresql:///d/t", "postgresql://localhost/d/t", "postgresql://127.0.0.1/d/t?sslmode=disable"]
        {
            assert_eq!(resolved(here, &local).unwrap().tls, Tls::Local, "{here}");
        }
        let own =
            resolved("postgresql://localhost/d/t?sslmode=verify-full&sslrootcert=ca.pem", &local).unwrap();
        assert_eq!(own.tls, Tls::Verified { roots: Some("ca.pem".into()), own: None });
        for mode in ["disable", "prefer", "require", "verify-ca"] {
            let error =
                resolved(&format!("postgresql://db/d/t?sslmode={mode}"), &local).unwrap_err().to_string();
            assert!(error.contains("verify-full"), "{error}");
            assert!(resolved("postgresql://db/d/t", &[("USER", "ann"), ("PGSSLMODE", mode)]).is_err());
        }
        assert!(resolved("postgresql://db/d/t", &[]).unwrap_err().to_string().contains("PGUSER"));
        let by_variables = [("USER", "ann"), ("PGHOST", "/run/pg"), ("PGPORT", "6000"), ("PGUSER", "bob")];
        let settings = resolved("postgresql:///d/t", &by_variables).unwrap();
        assert_eq!(
            (settings.host, settings.port, settings.user.as_str()),
            (Host::Socket("/run/pg".into()), 6000, "bob")
        );
    }
}
