//! Files that are written whole or not at all.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use crate::TableError;

/// Temporary files and folders of writes under way.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary file or folder that is to be removed if the process is asked to stop.
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Remembers `path` until this is dropped.
    pub fn new(path: &Path) -> Self {
        if let Ok(mut unfinished) = UNFINISHED.lock() {
            unfinished.insert(path.to_owned());
        }
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut unfinished) = UNFINISHED.lock() {
            unfinished.remove(&self.0);
        }
    }
}

/// Removes what writes under way have left, for a process that was asked to stop.
pub fn remove_unfinished() {
    for path in UNFINISHED.lock().iter().flat_map(|unfinished| unfinished.iter()) {
        // Another thread may still be writing into the folder while it is being emptied.
        for _ in 0..20 {
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            if !path.exists() {
                break;
            }
        }
    }
}

/// How the names of temporary files and folders begin.
pub const PREFIX: &str = ".lookalike-";

/// What is younger may belong to a run that has not locked it yet.
const YOUNG: Duration = Duration::from_secs(60);

/// Marks a temporary file or folder as that of a living process, as long as the result is held. A file system without locks has no marks,
/// and nothing is swept there.
pub fn lock(path: &Path) -> Option<File> {
    let file = File::open(path).ok()?;
    file.try_lock().ok().map(|()| file)
}

/// Whether a file is what a write left that was killed.
pub fn is_unfinished(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// Whether a folder is not there or holds nothing but what killed writes have left.
pub fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).map_or(true, |mut entries| {
        entries.all(|entry| entry.is_ok_and(|entry| is_unfinished(&entry.file_name().to_string_lossy())))
    })
}

/// Removes from a folder the temporary files and folders of runs that were killed: those that no living process holds.
///
/// What was set aside while a release was replaced, `.lookalike-old-NAME-…`, goes only once there is a release NAME again.
pub fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let Some(name) = name.strip_prefix(PREFIX) else { continue };
        let is_needed = name.strip_prefix("old-").is_some_and(|kept| {
            let of = kept.rsplit_once('-').map_or("", |(of, _)| of);
            of.is_empty() || !folder.join(of).exists()
        });
        let is_old = || {
            let modified = path.symlink_metadata().and_then(|found| found.modified()).ok();
            modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > YOUNG)
        };
        let Ok(kind) = entry.file_type() else { continue };
        if is_needed || kind.is_symlink() || !is_mine(&path) || !is_old() || lock(&path).is_none() {
            continue;
        }
        let _ = if kind.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
}

/// Whether a file belongs to the user of this process.
#[cfg(unix)]
fn is_mine(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let mine = rustix::process::geteuid().as_raw();
    std::fs::symlink_metadata(path).is_ok_and(|found| found.uid() == mine)
}

#[cfg(not(unix))]
fn is_mine(_: &Path) -> bool {
    true
}

/// Writes `contents` to `path`: to a temporary file beside it first, then renamed, so that no reader ever sees half of it.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), TableError> {
    write_with(path, |file| file.write_all(contents))
}

/// Whether a file could be written here, found out before long work whose result it is to hold: its folder must exist and be writable.
pub fn check(path: &Path) -> Result<(), TableError> {
    let attempt = || match path.is_dir() {
        true => Err(std::io::ErrorKind::IsADirectory.into()),
        false => tempfile::tempfile_in(folder_of(path)),
    };
    attempt().map(|_| ()).map_err(|source| TableError::io(path, source))
}

/// Whether files could be written in this folder, which need not exist; nothing is made.
pub fn check_folder(folder: &Path) -> Result<(), TableError> {
    let existing = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    tempfile::tempfile_in(existing).map(|_| ()).map_err(|source| TableError::io(folder, source))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Like [`write()`], for confidential contents: only the owner can read the file.
pub fn write_private(path: &Path, contents: &[u8]) -> Result<(), TableError> {
    write_private_with(path, |file| file.write_all(contents))
}

/// Like [`write_private()`], with a closure that produces the contents.
pub fn write_private_with(
    path: &Path,
    produce: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), TableError> {
    write_to(path, tempfile::Builder::new(), true, produce)
}

/// Like [`write()`] or [`write_private()`], to a file that does not exist; one that does is left as it is.
pub fn write_new(path: &Path, contents: &[u8], private: bool) -> Result<(), TableError> {
    let builder = if private { tempfile::Builder::new() } else { ordinary() };
    write_to(path, builder, false, |file| file.write_all(contents))
}

/// Files as a program makes them usually: the user's umask takes away what it takes away.
fn ordinary() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Like [`write()`], with a closure that produces the contents.
pub fn write_with(
    path: &Path,
    produce: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), TableError> {
    write_to(path, ordinary(), true, produce)
}

fn write_to(
    path: &Path,
    mut builder: tempfile::Builder<'_, 'static>,
    replace: bool,
    produce: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), TableError> {
    let folder = folder_of(path);
    let attempt = || {
        sweep_once(folder);
        let file = builder.prefix(PREFIX).tempfile_in(folder)?;
        let _lock = file.as_file().try_lock();
        let _unfinished = Unfinished::new(file.path());
        let mut buffered = std::io::BufWriter::with_capacity(1 << 20, file);
        produce(&mut buffered)?;
        let file = buffered.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        let persisted = if replace { file.persist(path) } else { file.persist_noclobber(path) };
        persisted.map(|_| ()).map_err(|failed| failed.error)
    };
    attempt().map_err(|source| TableError::io(path, source))
}

/// Sweeps a folder the first time that this process writes there.
fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if SWEPT.lock().is_ok_and(|mut swept| swept.insert(folder.to_owned())) {
        sweep(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        write_private(&path, b"secret").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
    }

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

    #[test]
    fn leftovers_of_killed_runs_are_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
        let make = |name: &str, age: Option<std::time::SystemTime>| {
            let path = folder.path().join(name);
            if name.ends_with('/') {
                std::fs::create_dir(&path).unwrap()
            } else {
                std::fs::write(&path, "x").unwrap()
            }
            if let Some(age) = age {
                File::open(&path).unwrap().set_modified(age).unwrap();
            }
            path
        };
        let swept = [
            make(".lookalike-dead/", Some(long_ago)),
            make(".lookalike-file", Some(long_ago)),
            make(".lookalike-old-out-x1/", Some(long_ago)),
        ];
        make("out/", None);
        let held = make(".lookalike-held/", Some(long_ago));
        let _held = lock(&held).unwrap();
        let kept = [
            held,
            make(".lookalike-young/", None),
            make(".lookalike-old-gone-x1/", Some(long_ago)),
            make("mine.csv", Some(long_ago)),
        ];
        sweep(folder.path());
        assert!(swept.iter().all(|path| !path.exists()));
        assert!(kept.iter().all(|path| path.exists()), "{kept:?}");
    }

    #[test]
    fn places_that_cannot_be_written_are_known_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        check(&file).unwrap();
        check_folder(&folder.path().join("new/deeper")).unwrap();
        assert!(check(folder.path()).is_err() && check(&folder.path().join("new/file")).is_err());
        std::fs::write(&file, "").unwrap();
        check(&file).unwrap();
        assert!(check_folder(&file).is_err() && check_folder(&file.join("new")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
