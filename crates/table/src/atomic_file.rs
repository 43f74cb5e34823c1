//! Files that are written whole or not at all.

use std::io::Write;
use std::path::Path;

use crate::TableError;

/// Writes `contents` to `path`: to a temporary file beside it first, then renamed, so that no reader ever sees half of it.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), TableError> {
    write_with(path, |file| file.write_all(contents))
}

/// Like [`write()`], with a closure that produces the contents.
pub fn write_with(
    path: &Path,
    produce: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), TableError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let attempt = || {
        let file = tempfile::NamedTempFile::new_in(folder)?;
        let mut buffered = std::io::BufWriter::with_capacity(1 << 20, file);
        produce(&mut buffered)?;
        let file = buffered.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        make_readable(file.as_file())?;
        file.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    };
    attempt().map_err(|source| TableError::io(path, source))
}

/// A temporary file is private to its owner; a finished one gets the usual permissions.
#[cfg(unix)]
fn make_readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        write(&path, b"old").unwrap();
        let failed = write_with(&path, |file| {
            file.write_all(b"half")?;
            Err(std::io::Error::other("disk full"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
