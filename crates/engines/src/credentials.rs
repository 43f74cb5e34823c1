//! Passwords and settings from the files of PostgreSQL: the password file and the service file, as libpq reads them.

use std::path::{Path, PathBuf};

use crate::EngineError;
use crate::address::Host;

/// The variables of a process.
pub(crate) struct Environment(Box<Lookup>);

/// What a name stands for, if it is set.
type Lookup = dyn Fn(&str) -> Option<String>;

impl Environment {
    pub(crate) fn of_process() -> Self {
        Self(Box::new(|name| std::env::var(name).ok()))
    }

    #[cfg(test)]
    pub(crate) fn of(variables: &[(&str, &str)]) -> Self {
        let variables: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self(Box::new(move |name| {
            variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        }))
    }

    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    fn at_home(&self, file: &str) -> Option<PathBuf> {
        Some(Path::new(&self.variable("HOME")?).join(file))
    }

    fn password_file(&self) -> Option<PathBuf> {
        self.variable("PGPASSFILE").map(PathBuf::from).or_else(|| self.at_home(".pgpass"))
    }

    fn service_files(&self) -> Vec<PathBuf> {
        let own =
            self.variable("PGSERVICEFILE").map(PathBuf::from).or_else(|| self.at_home(".pg_service.conf"));
        let of_system = self.variable("PGSYSCONFDIR").unwrap_or_else(|| "/etc/postgresql-common".into());
        own.into_iter().chain([Path::new(&of_system).join("pg_service.conf")]).collect()
    }
}

/// Files that are looked into.
pub(crate) fn files(environment: &Environment) -> Vec<PathBuf> {
    environment.password_file().into_iter().chain(environment.service_files()).collect()
}

/// The settings of a service.
pub(crate) fn service(environment: &Environment, name: &str) -> Result<Vec<(String, String)>, EngineError> {
    for path in environment.service_files() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let header = format!("[{name}]");
        let mut lines = text.lines().map(str::trim).skip_while(|line| *line != header);
        if lines.next().is_none() {
            continue;
        }
        let settings = lines
            .take_while(|line| !line.starts_with('['))
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
        return Ok(settings.collect());
    }
    Err(EngineError::usage(format!(
        "the service `{name}` is in no service file (PGSERVICEFILE, ~/.pg_service.conf)"
    )))
}

/// The password of a role, from the first line of the password file that fits.
pub(crate) fn password(
    environment: &Environment,
    host: &Host,
    port: u16,
    database: &str,
    user: &str,
) -> Result<Option<String>, EngineError> {
    let Some(path) = environment.password_file() else { return Ok(None) };
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(None) };
    refuse_if_others_read(&path)?;
    // As libpq has it, a socket is `localhost` there.
    let host = match host {
        Host::Socket(_) => "localhost",
        Host::Name(name) => name,
    };
    let port = port.to_string();
    let wanted = [host, port.as_str(), database, user];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields = fields(line);
        let [four @ .., password] = fields.as_slice() else { continue };
        if four.len() == 4 && four.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted) {
            return Ok(Some(password.clone()));
        }
    }
    Ok(None)
}

/// The fields of a line, separated by colons; a backslash takes the next character as it is.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            ':' if fields.len() < 5 => fields.push(String::new()),
            '\\' => fields.last_mut().into_iter().for_each(|field| field.extend(characters.next())),
            character => fields.last_mut().into_iter().for_each(|field| field.push(character)),
        }
    }
    fields
}

#[cfg(unix)]
fn refuse_if_others_read(path: &Path) -> Result<(), EngineError> {
    use std::os::unix::fs::PermissionsExt;
    let is_open = std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0);
    match is_open {
        true => {
            let path = path.display();
            Err(EngineError::usage(format!(
                "{path} holds passwords and can be read by others; say `chmod 600 {path}`"
            )))
        }
        false => Ok(()),
    }
}

#[cfg(not(unix))]
fn refuse_if_others_read(_: &Path) -> Result<(), EngineError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_come_from_the_first_line_that_fits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pass");
        std::fs::write(
            &path,
            "# ours\ndb:5432:census:ann:wrong\\:one\n*:*:census:bob:p\\\\w:d\nlocalhost:*:*:*:here\n",
        )
        .unwrap();
        let environment = Environment::of(&[("PGPASSFILE", path.to_str().unwrap())]);
        let find =
            |host: Host, database: &str, user: &str| password(&environment, &host, 5432, database, user);
        let db = || Host::Name("db".into());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert!(find(db(), "census", "ann").unwrap_err().to_string().contains("chmod 600"));
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        assert_eq!(find(db(), "census", "ann").unwrap().as_deref(), Some("wrong:one"));
        assert_eq!(find(db(), "census", "bob").unwrap().as_deref(), Some("p\\w:d"));
        assert_eq!(find(Host::Socket("/run".into()), "x", "y").unwrap().as_deref(), Some("here"));
        assert_eq!(find(db(), "other", "bob").unwrap(), None);
    }

    #[test]
    fn services_hold_settings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("services");
        std::fs::write(&path, "[a]\nhost=one\n[b]\n# note\nhost = two\nport=6543\n\n[c]\nhost=three\n")
            .unwrap();
        let environment =
            Environment::of(&[("PGSERVICEFILE", path.to_str().unwrap()), ("PGSYSCONFDIR", "/nowhere")]);
        let settings = service(&environment, "b").unwrap();
        assert_eq!(settings, [("host".to_owned(), "two".to_owned()), ("port".to_owned(), "6543".to_owned())]);
        assert!(service(&environment, "d").unwrap_err().to_string().contains("PGSERVICEFILE"));
    }
}
