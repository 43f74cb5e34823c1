//! The folder in which the workbench works: no path leads out of it.

use std::path::{Component, Path, PathBuf};

/// The file that a workbench holds in its folder.
const LOCK: &str = ".lookalike-workbench";

/// The root, resolved.
#[derive(Clone, Debug)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn new(folder: &Path) -> std::io::Result<Self> {
        std::fs::canonicalize(folder).map(Self)
    }

    /// Held as long as a workbench runs, so that two of them do not write one project; none where the folder cannot be written. The system lets go of
    /// it when the process ends, however that is.
    pub(crate) fn lock(&self) -> std::io::Result<Option<std::fs::File>> {
        let mut options = std::fs::OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let Ok(file) = options.open(self.0.join(LOCK)) else { return Ok(None) };
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(std::fs::TryLockError::WouldBlock) => {
                let text =
                    "another workbench works in it; use that one, end it, or name another folder with --root";
                Err(std::io::Error::new(std::io::ErrorKind::ResourceBusy, text))
            }
            // A file system without locks is no reason to stop.
            Err(std::fs::TryLockError::Error(_)) => Ok(None),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// An existing file or folder below the root by a relative path; nothing where it lies elsewhere, also by way of a link.
    pub(crate) fn existing(&self, relative: &str) -> Option<PathBuf> {
        let path = self.named(relative)?;
        std::fs::canonicalize(path).ok().filter(|path| path.starts_with(&self.0))
    }

    /// A path below the root that may not exist yet: its folder must.
    pub(crate) fn new_file(&self, relative: &str) -> Option<PathBuf> {
        let path = self.named(relative)?;
        let folder =
            std::fs::canonicalize(path.parent()?).ok().filter(|folder| folder.starts_with(&self.0))?;
        let path = folder.join(path.file_name()?);
        // What is there may be a link out.
        match path.exists() {
            true => std::fs::canonicalize(path).ok().filter(|path| path.starts_with(&self.0)),
            false => Some(path),
        }
    }

    fn named(&self, relative: &str) -> Option<PathBuf> {
        let path = Path::new(relative);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        (!relative.contains(['\0', '\\']) && path.components().all(plain)).then(|| self.0.join(path))
    }

    /// The path as it is written below the root.
    pub(crate) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.0).unwrap_or(path).display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_workbench_works_in_a_folder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::new(folder.path()).unwrap();
        let held = root.lock().unwrap();
        assert!(held.is_some());
        assert!(root.lock().unwrap_err().to_string().contains("another workbench"));
        drop(held);
        assert!(root.lock().unwrap().is_some());
    }

    #[test]
    fn no_path_leads_out() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.csv"), "x").unwrap();
        let inside = tempfile::tempdir().unwrap();
        std::fs::create_dir(inside.path().join("project")).unwrap();
        std::fs::write(inside.path().join("project/data.csv"), "x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path(), inside.path().join("link")).unwrap();
        let root = Root::new(inside.path()).unwrap();
        assert!(root.existing("project/data.csv").is_some() && root.existing("").is_some());
        let absolute = outside.path().join("secret.csv").display().to_string();
        for wrong in [
            "../secret.csv",
            "project/../../x",
            "/etc/passwd",
            "link/secret.csv",
            "link",
            "a\0b",
            "..\\x",
            absolute.as_str(),
        ] {
            assert_eq!(root.existing(wrong), None, "{wrong}");
            assert_eq!(root.new_file(wrong).filter(|_| wrong != "link"), None, "{wrong}");
        }
        assert!(root.new_file("project/new").is_some() && root.new_file("nowhere/new").is_none());
    }
}
