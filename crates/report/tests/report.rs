//! What the report promises: well-formed pages and pictures, nothing hostile let through, and an external edition that knows nothing of
//! the original.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use measures::Settings;
use report::{Edition, pictures, report_html};
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;

#[allow(dead_code, reason = "shared with the sample reports")]
mod fixture;

use fixture::Sample;

const BOTH: [Edition; 2] = [Edition::Internal, Edition::External];

/// The page as XML: without the line that says HTML, and without our script, which XML would have to escape.
fn as_xml(page: &str) -> String {
    let page = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    match (page.rfind("<script>"), page.rfind("</script>")) {
        (Some(from), Some(to)) if from < to => format!("{}{}", &page[..from + "<script>".len()], &page[to..]),
        _ => page.to_owned(),
    }
}

fn check_page(page: &str) {
    let xml = as_xml(page);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let mut ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let references = document.descendants().flat_map(|node| {
        let link = node.attribute("href").and_then(|href| href.strip_prefix('#'));
        let labels =
            node.attribute("aria-labelledby").unwrap_or_default().split(' ').filter(|id| !id.is_empty());
        link.into_iter().chain(labels).collect::<Vec<_>>()
    });
    for reference in references {
        assert!(ids.contains(&reference), "#{reference} leads nowhere");
    }
    ids.sort_unstable();
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None, "two elements have one id");
    for figure in document.descendants().filter(|node| node.has_tag_name("figure")) {
        let inside = |name: &str| figure.descendants().any(|node| node.tag_name().name() == name);
        assert!(inside("figcaption") && inside("svg") && inside("desc") && inside("table"));
    }
    for loaded in ["src", "srcset", "data", "action"] {
        assert!(
            document.descendants().all(|node| node.attribute(loaded).is_none()),
            "something is loaded by {loaded}"
        );
    }
    assert!(!xml.contains("url(") && !xml.contains("@import"));
}

#[test]
fn every_page_and_picture_is_well_formed_and_leads_somewhere() {
    for sample in [fixture::released_town(300), fixture::private_town(300), fixture::wide_release()] {
        for edition in BOTH {
            let page = report_html(&sample.input(), edition);
            check_page(&page);
            assert!(page.len() < 2_000_000, "{} bytes", page.len());
            let drawn = pictures(&sample.input(), edition);
            assert!(drawn.len() >= 4);
            for (name, svg) in &drawn {
                assert!(name.ends_with(".svg") && !name.contains(['/', ' ', '\\']), "{name}");
                let document = roxmltree::Document::parse(svg).unwrap();
                let root = document.root_element();
                assert_eq!(root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
                assert!(root.children().any(|node| node.tag_name().name() == "title"), "{name}");
            }
            let mut names: Vec<&String> = drawn.iter().map(|(name, _)| name).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}

#[test]
fn a_report_of_nothing_is_still_a_page() {
    for edition in BOTH {
        check_page(&report_html(&report::ReportInput::default(), edition));
    }
}

#[test]
fn the_internal_edition_has_every_section_and_the_map_can_be_read_without_scripts() {
    let sample = fixture::released_town(300);
    let page = report_html(&sample.input(), Edition::Internal);
    let ids = [
        "verdict",
        "asked",
        "frontier",
        "tables",
        "variables",
        "associations",
        "subgroups",
        "rules",
        "glossary",
        "models",
        "propensity",
        "categories",
        "risk",
        "numbers",
        "decision",
        "recipe",
        "reading",
        "citing",
    ];
    for id in ids {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
    }
    let xml = as_xml(&page);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let points = document
        .descendants()
        .filter(|node| node.attribute("class").is_some_and(|class| class.starts_with("contestant series-")));
    assert_eq!(
        points.count(),
        2 * 33,
        "one of 34 contestants failed and has no point, neither on the wide map nor on that for phones"
    );
    let told = document.descendants().filter(|node| node.attribute("class") == Some("contestant"));
    assert_eq!(told.count(), 34);
    assert!(page.contains("do not release"));
}

/// A small table with a schema that says of each column what it is.
fn table(rows: &str) -> Table {
    let schema = "[table]\ndeclared = true\nreason = \"invented\"\n\
        [variables.town]\nkind = \"categorical\"\nlevels = [\"Ayford\", \"Beeton\", \"CANARYTOWN\", \"CANARYVILLE\"]\n\
        [variables.income]\nkind = \"integer\"\nrange = [-999999999, 999999999]\nmissing = true\ncodes = { -31337 = \"canarycode\", -8 = \"child\" }\n\
        [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
        [variables.rooms]\nkind = \"integer\"\nrange = [1, 9]\n";
    let options = ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
    read_csv_text(&format!("town,income,sex,rooms\n{rows}"), &options).unwrap()
}

/// Sixty records, of which the last six are the caller's.
fn with_rows(last: &str, shift: usize) -> Table {
    let row = |at: usize| {
        let at = at + shift;
        format!(
            "{},{},{},{}\n",
            ["Ayford", "Beeton"][at % 2],
            1000 + 17 * (at * 7 % 23),
            ["F", "M"][at / 3 % 2],
            1 + at % 4
        )
    };
    let rows: String = (0..54).map(row).collect();
    table(&format!("{rows}{last}"))
}

const CANARIES: &str = "CANARYTOWN,987654321,F,9\nCANARYTOWN,-31337,M,9\nCANARYVILLE,-424242,F,9\nAyford,,M,9\nAyford,987654320,F,9\nBeeton,-31337,M,9\n";
const PLAIN: &str =
    "Ayford,1000,F,1\nBeeton,1017,M,2\nAyford,1034,F,3\nBeeton,1051,M,4\nAyford,1068,F,1\nBeeton,-8,M,2\n";

fn of(original: &Table, private: bool) -> Sample {
    let synthetic = measures::align(original.schema(), with_rows(PLAIN, 5)).unwrap();
    let settings = Settings {
        keys: vec![vec!["sex".into(), "town".into()]],
        targets: vec!["rooms".into()],
        models: vec![],
        ..fixture::settings()
    };
    let mut sample = Sample::of(original, &[&synthetic], &settings, &[]);
    if private {
        let private = fixture::private_town(300);
        sample.ledger = private.ledger;
        sample.manifest.guarantee = private.manifest.guarantee;
    } else {
        sample.frontier = Some(fixture::frontier(12));
    }
    // What is published of a schema is decided where a release is written, not here.
    let public = "[table]\ndeclared = true\nreason = \"invented\"\n[variables.town]\nkind = \"categorical\"\nlevels = [\"Ayford\", \"Beeton\"]\n";
    sample.schema = SchemaFile::parse(public).unwrap().finish().unwrap();
    sample
}

#[test]
fn the_external_edition_does_not_know_the_original() {
    for private in [false, true] {
        let canaries = of(&with_rows(CANARIES, 0), private);
        let others = of(&with_rows(PLAIN, 2), private);
        assert_ne!(canaries.findings, others.findings);
        let (told, told_of_others) = (canaries.public(), others.public());
        let (page, other) = (
            report_html(&told.input(), Edition::External),
            report_html(&told_of_others.input(), Edition::External),
        );
        assert_eq!(page, other, "the page depends on the original");
        let drawn = pictures(&told.input(), Edition::External);
        assert_eq!(
            drawn,
            pictures(&told_of_others.input(), Edition::External),
            "a picture depends on the original"
        );

        let internal = report_html(&canaries.input(), Edition::Internal);
        let drawn: String = drawn.into_iter().map(|(name, svg)| name + &svg).collect();
        for canary in ["CANARYTOWN", "CANARYVILLE", "canarycode", "31337"] {
            assert!(internal.contains(canary), "the canary {canary} is not even in the internal edition");
        }
        let values = ["987654321", "987,654,321", "987654320", "424242", "424,242", "7.25", "0.450"];
        for canary in ["CANARY", "canarycode", "31337"].into_iter().chain(values) {
            assert!(!page.contains(canary) && !drawn.contains(canary), "{canary} is in the external edition");
        }
        // Measures that were computed are not even named, but for those that the limits name.
        for finding in &canaries.findings {
            let named =
                canaries.decision.limits.iter().any(|check| check.limit.starts_with(&finding.measure));
            assert!(named || !page.contains(&format!(">{}<", finding.measure)), "{}", finding.measure);
        }
        assert!(
            page.contains("<section id=\"variables\"") && page.contains("Ayford"),
            "the synthetic files are public"
        );
        assert!(
            page.contains("tables.s_pmse &lt;= 30")
                && page.contains("not kept")
                && page.contains("not shown")
        );
        assert_eq!(page.contains("<section id=\"ledger\""), private);
        assert!(!page.contains("<section id=\"frontier\"") && !page.contains("<script"));
    }
}

#[test]
fn the_external_edition_is_an_analysts_kit_and_its_programs_run() {
    let sample = fixture::released_town(400);
    let page = report_html(&sample.public().input(), Edition::External);
    for needed in [
        "Which standard errors to use",
        "What it is fit for, and what not",
        "<section id=\"codebook\"",
        "CC BY 4.0",
        "Cite as:",
    ] {
        assert!(page.contains(needed), "{needed}");
    }
    let readme = report::readme_text(&sample.public().input());
    assert!(readme.contains("Which standard errors to use") && readme.contains("codebook.csv"));
    assert!(readme.lines().all(|line| line.chars().count() <= 130 || line.starts_with("    ")), "{readme}");
    let codebook = report::codebook_csv(&sample.schema);
    assert!(
        codebook.starts_with("variable,kind,values,")
            && codebook.contains("\nsex,categorical,MALE | FEMALE,")
    );
    // The program for Python computes what it says, on files of these names.
    let program: String = readme
        .split("Python:")
        .nth(1)
        .unwrap()
        .lines()
        .skip_while(|line| line.is_empty())
        .take_while(|line| line.starts_with("    "))
        .map(|line| format!("{}\n", &line[4..]))
        .collect();
    let folder = std::env::temp_dir().join(format!("lookalike-kit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for number in 1..=2 {
        let rows: String = (0..400).map(|row| format!("{}\n", 20 + (row * number) % 50)).collect();
        std::fs::write(folder.join(format!("synthetic-{number}.csv")), format!("age\n{rows}")).unwrap();
    }
    let run = |language: &str, arguments: [&str; 2]| {
        std::process::Command::new(language).args(arguments).current_dir(&folder).output()
    };
    if let Ok(ran) = run("python3", ["-c", &program]) {
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success() && text.contains("with a standard error of"), "{program}\n{ran:?}");
    } else {
        eprintln!("skipped: there is no python3");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_the_custodian_allows_is_shown_and_no_more() {
    let mut sample = of(&with_rows(CANARIES, 0), false);
    sample.decision.publish.measures = vec!["tables".into(), "uniques.ru".into()];
    sample.decision.publish.reason = Some("The board wants analysts to know.".into());
    let page = report_html(&sample.public().input(), Edition::External);
    assert!(page.contains("id=\"two-way-tables\"") && page.contains("The board wants analysts to know."));
    assert!(page.contains("7.25"), "the value of an allowed limit");
    assert!(!page.contains("0.450") && !page.contains("CANARY") && !page.contains("987654321"));
    assert!(!page.contains(">attribute.disco<") && !page.contains(">uniques.p1<"));
    assert!(!page.contains("side by side"), "tables hold counts of the original");
    check_page(&page);
}

#[test]
fn hostile_names_are_shown_as_text() {
    let rows = "\"</svg><script>alert(1)</script>\",1\n\"a & \"\"b\"\" 'c'\",2\n\"</svg><script>alert(1)</script>\",1\n\"a & \"\"b\"\" 'c'\",3\n";
    let original = read_csv_text(&format!("<img src=x>,n\n{rows}"), &ReadOptions::default()).unwrap();
    let settings = Settings { keys: vec![], targets: vec![], models: vec![], ..fixture::settings() };
    let mut sample = Sample::of(&original, &[&original], &settings, &["tables", "uniques", "mca"]);
    sample.recipe = "x = \"</pre><script>alert(2)</script>\"".into();
    sample.decision.accepted_by = "<b onmouseover=alert(3)>".into();
    let mut frontier = fixture::frontier(5);
    frontier.contestants[0].label = "</script><script>alert(4)</script>".into();
    sample.frontier = Some(frontier);
    for edition in BOTH {
        let page = report_html(&sample.input(), edition);
        check_page(&page);
        assert!(
            !page.contains("<script>alert") && !page.contains("<img") && !page.contains("<b onmouseover")
        );
        assert!(page.contains("&lt;script&gt;alert(1)"));
        for (_, svg) in pictures(&sample.input(), edition) {
            roxmltree::Document::parse(&svg).unwrap();
        }
    }
}

#[test]
fn both_themes_and_print_are_styled_and_nothing_may_be_loaded() {
    let page = report_html(&fixture::private_town(300).input(), Edition::External);
    for needed in [
        "prefers-color-scheme: dark",
        "@media print",
        "lang=\"en\"",
        "default-src &#39;none&#39;",
        "script-src &#39;none&#39;",
    ] {
        assert!(page.contains(needed), "{needed}");
    }
}
