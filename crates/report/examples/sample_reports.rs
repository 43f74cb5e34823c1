//! Writes sample reports of the built-in town, in both editions: `cargo run -p lookalike-report --example sample_reports -- FOLDER`.
//! The browser test opens them.

#![allow(clippy::unwrap_used, reason = "an example that cannot go on should panic")]

use std::path::PathBuf;

use report::{Edition, pictures, report_html};

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/fixture/mod.rs"]
mod fixture;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("name the folder to write to"));
    std::fs::create_dir_all(&folder).unwrap();
    let samples = [
        ("released", fixture::released_town(1500)),
        ("private", fixture::private_town(1500)),
        ("wide", fixture::wide_release()),
    ];
    for (name, sample) in samples {
        for (edition, word) in [(Edition::Internal, "internal"), (Edition::External, "external")] {
            let path = folder.join(format!("{name}-{word}.html"));
            std::fs::write(&path, report_html(&sample.input(), edition)).unwrap();
            println!("{}", path.display());
            let drawn = folder.join(format!("{name}-{word}-pictures"));
            std::fs::create_dir_all(&drawn).unwrap();
            for (file, svg) in pictures(&sample.input(), edition) {
                std::fs::write(drawn.join(file), svg).unwrap();
            }
        }
    }
}
