use measures::evaluate;
use table::read::{ReadOptions, read_csv_text};

use super::*;

fn table(text: &str) -> Table {
    read_csv_text(text, &ReadOptions::default()).unwrap()
}

#[test]
fn the_release_alone_tells_nothing_of_the_original() {
    let original = table("town,n\nA,1\nA,2\nCANARY,9\n");
    let synthetic = table("town,n\nA,1\nA,2\nA,1\n");
    let synthetic = measures::align(original.schema(), synthetic).unwrap();
    let evidence = Evidence::of_release(&[&synthetic]);
    assert_eq!(evidence.internal, None);
    let labels: Vec<Vec<&str>> = evidence
        .released
        .iter()
        .map(|variable| variable.classes.iter().map(|class| class.label.as_str()).collect())
        .collect();
    assert_eq!(labels, [vec!["A"], vec!["1", "2"]]);
    assert_eq!(evidence.released[1].shares, [2.0 / 3.0, 1.0 / 3.0]);
}

#[test]
fn both_files_are_seen_over_the_same_classes_with_missing_and_codes() {
    let schema = "[table]\n[variables.income]\nkind = \"integer\"\nmissing = true\ncodes = { -8 = \"child\" }\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n";
    let options = ReadOptions {
        schema: Some(table::schema::SchemaFile::parse(schema).unwrap()),
        ..ReadOptions::default()
    };
    let original = read_csv_text("income,sex\n5,F\n-8,M\n,M\n7,F\n", &options).unwrap();
    let synthetic = read_csv_text("income,sex\n5,F\n5,F\n-8,F\n5,F\n", &options).unwrap();
    let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
    let compared = distribution::compared(&sets);
    let income = &compared[0];
    let labels: Vec<&str> = income.classes.iter().map(|class| class.label.as_str()).collect();
    assert_eq!(labels, ["5", "7", "-8 (child)", "missing"]);
    assert_eq!(income.original, [0.25, 0.25, 0.25, 0.25]);
    assert_eq!(income.synthetic, [0.75, 0.0, 0.25, 0.0]);
    assert_eq!(compared[1].original, [0.5, 0.5]);
    assert_eq!(compared[1].synthetic, [1.0, 0.0]);
}

#[test]
fn many_numbers_fall_into_round_intervals_and_their_shares_add_up() {
    let rows: String = (0..1000).map(|row| format!("{}\n", (row * 37) % 500)).collect();
    let original = table(&format!("x\n{rows}{}100000\n", rows.repeat(2)));
    let sets = SyntheticSets { original: &original, synthetic: &[&original], holdout: None };
    let x = &distribution::compared(&sets)[0];
    assert!((x.original.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(x.classes.last().unwrap().is, ClassKind::Tail, "the outlier is a tail");
    assert_eq!(x.classes[0].label, "0 to 49");
    assert_eq!(x.classes.len(), 11);
    let levels: String = (0..40).map(|level| format!("level{}\n", level.min(30))).collect();
    let many = table(&format!("l\n{}", levels.repeat(10)));
    let sets = SyntheticSets { original: &many, synthetic: &[&many], holdout: None };
    let many = &distribution::compared(&sets)[0];
    assert_eq!(many.classes.len(), 15);
    assert_eq!(many.classes[14], Class { label: "17 other levels".into(), is: ClassKind::Others });
    assert!((many.original.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn skewed_numbers_fall_into_intervals_that_grow_with_zero_by_itself() {
    let values: String =
        (1..2000).map(|row| format!("{}\n", (f64::from(row) / 150.0).exp().round())).collect();
    let original = table(&format!("x\n0\n0\n{values}"));
    let synthetic = table(&format!("x\n0\n0\n{values}").replace("\n2\n", "\n24\n"));
    let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
    let x = &distribution::compared(&sets)[0];
    assert!(x.is_log);
    assert_eq!((x.classes[0].label.as_str(), x.classes[0].is), ("0", ClassKind::Value));
    assert_eq!(x.original[0], 2.0 / 2001.0);
    let widths: Vec<f64> = x
        .classes
        .iter()
        .filter_map(
            |class| if let ClassKind::Interval(low, high) = class.is { Some(high / low) } else { None },
        )
        .collect();
    assert!(widths.len() > 8 && widths.iter().all(|ratio| (1.3..=10.0).contains(ratio)), "{widths:?}");
    for shares in [&x.original, &x.synthetic] {
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let numbers = x.numbers.unwrap();
    assert!(
        numbers.synthetic.mean > numbers.original.mean && numbers.original.median == numbers.synthetic.median
    );
}

#[test]
fn the_worst_table_comes_first_with_its_shares_side_by_side() {
    let original = table("a,b,c\nx,p,u\nx,p,v\ny,q,u\ny,q,v\n");
    let synthetic = table("a,b,c\nx,q,u\nx,p,v\ny,p,u\ny,q,v\n");
    let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
    let settings = Settings::default();
    let families: Vec<&dyn measures::Measure> =
        measures::MEASURES.iter().copied().filter(|measure| measure.name() == "tables").collect();
    let findings = evaluate(&sets, &families, &settings).unwrap();
    let evidence = Evidence::against_original(&sets, &settings, &findings).unwrap();
    let internal = evidence.internal.unwrap();
    let worst = &internal.worst_tables[0];
    assert!(internal.worst_tables.windows(2).all(|pair| pair[0].s_pmse >= pair[1].s_pmse));
    assert_eq!(worst.variables, ["a", "b"]);
    assert_eq!(worst.original, [[0.5, 0.0], [0.0, 0.5]]);
    assert_eq!(worst.synthetic, [[0.25, 0.25], [0.25, 0.25]]);
    assert_eq!(worst.difference, [[-0.25, 0.25], [0.25, -0.25]]);
    assert_eq!(internal.tau_curves[0].points.len(), 10);
    // Of the four unique records, two come out as they are; and two of the four synthetic cells of one are original ones.
    assert_eq!(internal.tau_curves[0].points[0], TauPoint { k: 1, tau3: Some(0.5), tau4: Some(0.5) });
}

#[test]
fn the_plane_counts_every_record_under_every_prior() {
    use measures::risk::intruder::{Regions, ReleaseMechanism};
    use statistics::counts::CellDraws;
    let original = table("a\nx\nx\nx\ny\n");
    let synthetic = table("a\nx\nx\ny\ny\n");
    let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
    let mut settings = Settings::default();
    assert_eq!(intruder_plane::intruder_plane(&sets, &settings).unwrap(), None);
    settings.intruder.mechanism =
        Some(ReleaseMechanism::new("dirichlet", CellDraws::prior_in_each_cell(0.5).unwrap()));
    settings.intruder.regions = Some(Regions::parse("[[accept]]\nrr_at_most = 1.0").unwrap());
    let plane = intruder_plane::intruder_plane(&sets, &settings).unwrap().unwrap();
    for prior in &settings.intruder.priors {
        let points = plane.points.iter().filter(|point| point.prior == prior.to_string());
        assert_eq!(points.map(|point| point.records).sum::<u64>(), 4);
    }
    assert!(plane.points.iter().all(|point| point.accepted == Some(point.rr <= 1.0)));
    assert_eq!(plane.regions[0].rr, (0.0, Some(1.0)));
}
