//! Where results go: never over an input of the run, over another file only when asked to, and straight into what is no file to replace.
//!
//! Paths are compared by what they lead to, so that `./out/m.json`, a symbolic link and a hard link are the file that they stand for.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use crate::{TableError, atomic_file};

/// Refuses a file for results that must not be written, before the work whose results they are.
///
/// `option` is the option that names the file, `inputs` are all files that the run reads, and `replace` says whether a file that exists may
/// be replaced.
pub fn check(option: &str, path: &Path, inputs: &[PathBuf], replace: bool) -> Result<(), TableError> {
    let refuse = |message: String| Err(TableError::output(option, message));
    if inputs.iter().any(|input| is_same_file(path, input)) {
        return refuse(format!("{} is an input of this run; choose another name", path.display()));
    }
    if path.is_dir() {
        return refuse(format!("{} is a folder; name a file", path.display()));
    }
    if is_stream(path) {
        return Ok(());
    }
    if path.symlink_metadata().is_ok() && !replace {
        return refuse(format!("{} exists; choose another name, or say --force", path.display()));
    }
    atomic_file::check(&target(path))
}

/// Refuses a place for a folder into which results are to be written, each of which is checked by itself.
pub fn check_folder(option: &str, folder: &Path) -> Result<(), TableError> {
    if folder.exists() && !folder.is_dir() {
        return Err(TableError::output(option, format!("{} is no folder", folder.display())));
    }
    atomic_file::check_folder(folder)
}

/// Writes results to a file that [`check`] has let pass: whole or not at all, or straight into a pipe or a device. If it is not to replace
/// anything, a file that has come into being since then is left as it is.
pub fn write(path: &Path, contents: &[u8], replace: bool) -> Result<(), TableError> {
    write_as(path, contents, replace, false)
}

/// Like [`write()`], for confidential contents: only the owner can read the file.
pub fn write_private(path: &Path, contents: &[u8], replace: bool) -> Result<(), TableError> {
    write_as(path, contents, replace, true)
}

fn write_as(path: &Path, contents: &[u8], replace: bool, private: bool) -> Result<(), TableError> {
    if is_stream(path) {
        let stream = OpenOptions::new().append(true).open(path);
        let written = stream.and_then(|mut stream| stream.write_all(contents).and_then(|()| stream.flush()));
        return match written {
            // A reader that went away, such as `head`, has read what it wanted.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|source| TableError::io(path, source)),
        };
    }
    let target = target(path);
    match (replace, private) {
        (true, true) => atomic_file::write_private(&target, contents),
        (true, false) => atomic_file::write(&target, contents),
        (false, _) => atomic_file::write_new(&target, contents, private),
    }
}

/// Whether a path leads to something that is written into and not replaced: a pipe, a device, or a descriptor that is already open.
fn is_stream(path: &Path) -> bool {
    let is_descriptor =
        ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|open| path.starts_with(open));
    is_descriptor || std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The file that is replaced: of a symbolic link, the file to which it leads.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether two paths lead to one file that exists.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    if let (Ok(one), Ok(other)) = (one.canonicalize(), other.canonicalize())
        && one == other
    {
        return true;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| std::fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
        identity(one).is_some_and(|found| identity(other) == Some(found))
    }
    #[cfg(not(unix))]
    false
}

/// Whether a path lies in a folder or is it; neither need exist.
pub fn is_within(path: &Path, folder: &Path) -> bool {
    resolved(path).starts_with(resolved(folder))
}

/// The path without links and dots: as far as it exists by what the file system says, beyond that by its words.
pub fn resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (mut found, mut rest) = (absolute.as_path(), Vec::new());
    let mut resolved = loop {
        if let Ok(resolved) = found.canonicalize() {
            break resolved;
        }
        match (found.parent(), found.components().next_back()) {
            (Some(parent), Some(last)) => {
                rest.push(last);
                found = parent;
            }
            _ => break found.to_owned(),
        }
    };
    for component in rest.into_iter().rev() {
        match component {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::Normal(name) => resolved.push(name),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("mine.csv");
        std::fs::write(&data, "a\n1\n").unwrap();
        (folder, data)
    }

    fn refusal(path: &Path, inputs: &[PathBuf], replace: bool) -> String {
        check("json", path, inputs, replace).unwrap_err().to_string()
    }

    #[test]
    fn no_way_of_writing_an_inputs_name_lets_it_be_replaced() {
        let (folder, data) = folder();
        let inputs = [data.clone()];
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        let mut names = vec![data.clone(), folder.path().join("./deep/../mine.csv")];
        let hard = folder.path().join("hard.json");
        std::fs::hard_link(&data, &hard).unwrap();
        names.push(hard);
        #[cfg(unix)]
        {
            let soft = folder.path().join("soft.json");
            std::os::unix::fs::symlink(&data, &soft).unwrap();
            names.push(soft);
        }
        for name in names {
            for replace in [false, true] {
                assert!(
                    refusal(&name, &inputs, replace).contains("is an input of this run"),
                    "{}",
                    name.display()
                );
            }
        }
        check("json", &folder.path().join("new.json"), &inputs, false).unwrap();
    }

    #[test]
    fn a_file_that_exists_is_replaced_only_when_told() {
        let (folder, data) = folder();
        assert!(
            refusal(&data, &[], false).contains("`json`") && refusal(&data, &[], false).contains("--force")
        );
        check("json", &data, &[], true).unwrap();
        assert!(write(&data, b"new", false).is_err());
        assert_eq!(std::fs::read(&data).unwrap(), b"a\n1\n");
        write_private(&data, b"new", true).unwrap();
        assert_eq!(std::fs::read(&data).unwrap(), b"new");
        assert!(refusal(folder.path(), &[], true).contains("is a folder"));
        assert!(check("json", &folder.path().join("none/x.json"), &[], false).is_err());
        write(&folder.path().join("fresh"), b"x", false).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_written_into() {
        let (folder, data) = folder();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&data, &link).unwrap();
        write(&link, b"through", true).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read(&data).unwrap(), b"through");
        let null = Path::new("/dev/null");
        check("json", null, &[], false).unwrap();
        write_private(null, b"x", false).unwrap();
        use std::os::unix::fs::FileTypeExt;
        assert!(std::fs::metadata(null).unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_path_lies_in_a_folder_however_it_is_written() {
        let (folder, _) = folder();
        let out = folder.path().join("out");
        for path in ["out", "out/m.json", "./out/m.json", "out/../out/m.json", "new/../out/deep/m.json"] {
            assert!(is_within(&folder.path().join(path), &out), "{path}");
        }
        for path in ["output/m.json", "m.json", "out/../m.json"] {
            assert!(!is_within(&folder.path().join(path), &out), "{path}");
        }
        assert!(is_within(Path::new("./nowhere/m.json"), Path::new("nowhere")));
        check_folder("pictures", &out).unwrap();
        std::fs::write(&out, "").unwrap();
        assert!(check_folder("pictures", &out).unwrap_err().to_string().contains("`pictures`"));
    }
}
