//! What is said of files that cannot be used.

use synthesis::Recipe;
use synthesis::model_file::SavedModel;

use crate::container::Container;
use crate::models::{fitted, people, saved};

/// What is said of a file of these bytes, when it is opened or when its model is read.
fn refusal(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    std::fs::write(&path, bytes).unwrap();
    SavedModel::read(&path).and_then(|file| file.model()).map(|_| ()).unwrap_err().to_string()
}

fn model() -> Vec<u8> {
    let recipe = Recipe { seed: Some(1), ..Recipe::new("catall") };
    saved(&fitted(&people(60), &recipe))
}

#[test]
fn a_file_that_was_changed_is_refused_at_every_byte() {
    let bytes = model();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        let said = refusal(&changed);
        let expected = match at {
            0..8 => "is no model file",
            8..12 => "this program reads version 6",
            _ => "was changed after it was written; fit the model again",
        };
        assert!(said.contains(expected), "byte {at}: {said}");
    }
    for length in (0..bytes.len()).step_by(97) {
        let said = refusal(&bytes[..length]);
        assert!(said.contains("model file"), "{length} bytes: {said}");
    }
    assert!(refusal(&[&bytes[..], b"more"].concat()).contains("was changed after it was written"));
}

#[test]
fn other_versions_and_other_files_are_refused_with_the_way_out() {
    let container = Container { version: 99, ..Container::parse(&model()) };
    let said = refusal(&container.bytes());
    assert!(said.contains("version 99") && said.contains("fit the model again"), "{said}");
    let former = refusal(br#"{"format":"lookalike-model","version":2,"method":"catall"}"#);
    assert!(former.contains("version 2 or before") && former.contains("fit the model again"), "{former}");
    assert!(refusal(b"").contains("is no model file") && refusal(b"sex,age\n").contains("is no model file"));
}

/// A block that claims more than there is must not be given room for it.
#[test]
fn claims_of_more_than_the_file_has_are_refused() {
    let container = Container::parse(&model());
    for at in 0..container.blocks.len() {
        for count in [u64::MAX, u64::MAX / 8, 1 << 40, container.blocks[at].count + 1] {
            let mut claiming = container.clone();
            claiming.blocks[at].count = count;
            refusal(&claiming.bytes());
        }
    }
}

#[test]
fn a_model_that_hides_what_it_holds_is_refused() {
    let mut container = Container::parse(&model());
    let header = String::from_utf8(container.header).unwrap();
    container.header = header.replace("\"confidential\":true", "\"confidential\":false").into_bytes();
    let said = refusal(&container.bytes());
    assert!(said.contains("says that it does not"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_confidential_model_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let recipe = Recipe { seed: Some(1), ..Recipe::new("catall") };
    let fitted = fitted(&people(60), &recipe);
    synthesis::model_file::ModelFile::new(&fitted).unwrap().write(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
}
