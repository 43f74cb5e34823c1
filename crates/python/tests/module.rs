//! The library is one that Python can import: `make test-python` tests what it does, and finds it where this test finds it.

use std::path::PathBuf;

/// The library, which is built beside the tests.
fn library() -> PathBuf {
    let folder = std::env::current_exe().expect("a test is a program").with_file_name("");
    let names = ["lib_native.so", "lib_native.dylib", "_native.dll"];
    let found = names.iter().map(|name| folder.join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("no library in {}", folder.display()))
}

#[test]
fn python_finds_the_module_in_the_library() {
    let bytes = std::fs::read(library()).unwrap();
    let holds = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    assert!(holds(b"PyInit__native"));
    // It asks for no particular version of Python's library.
    assert!(!holds(b"libpython3"));
}
