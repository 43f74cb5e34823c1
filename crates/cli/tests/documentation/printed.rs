//! Whether a command prints what a page shows.

/// Whether `printed` is what `shown` promises: the same lines, where a line `…` stands for any lines and `…` within a line for any text.
pub fn agrees(shown: &[String], printed: &str) -> Result<(), String> {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let shown: Vec<&str> = shown.iter().map(|line| line.trim_end()).collect();
    if matches(&shown, &printed) {
        return Ok(());
    }
    Err(format!("the page shows\n{}\nbut it prints\n{}", shown.join("\n"), printed.join("\n")))
}

fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match shown {
        [] => printed.iter().all(|line| line.is_empty()),
        ["…", rest @ ..] => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        [line, rest @ ..] => match printed {
            [first, others @ ..] => line_matches(line, first) && matches(rest, others),
            [] => line.is_empty() && matches(rest, printed),
        },
    }
}

fn line_matches(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let mut last = None;
    for part in parts {
        let Some(place) = rest.find(part) else { return false };
        rest = &rest[place + part.len()..];
        last = Some(part);
    }
    rest.is_empty() || last.is_some_and(|last| last.is_empty() || printed.ends_with(last))
}

#[test]
fn an_ellipsis_stands_for_what_is_left_out() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let printed = "town: 5 people\n  age  0 to 90\n  sex  2 levels\ndone";
    for (page, same) in [
        ("town: 5 people\n…\ndone", true),
        ("…\n  sex  … levels\ndone", true),
        ("town: … people\n…", true),
        ("town: 6 people\n…", false),
        ("town: 5 people\ndone", false),
        ("…\n  sex  2\n…", false),
        ("…", true),
    ] {
        assert_eq!(agrees(&shown(page), printed).is_ok(), same, "{page}");
    }
}
