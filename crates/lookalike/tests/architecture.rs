//! What ARCHITECTURE.md promises of the tree.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

#[test]
fn the_newcomers_walk_leads_through_files_that_exist() {
    let root = shared_data::checkout();
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let walk = page.split("## A newcomer's walk").nth(1).unwrap().split("\n## ").next().unwrap();
    let files: Vec<&str> = walk
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
        .map(|line| line.split('`').nth(1).unwrap())
        .collect();
    assert!((8..=12).contains(&files.len()), "{} files", files.len());
    for file in files {
        assert!(root.join(file).is_file(), "{file} is not there");
    }
}
