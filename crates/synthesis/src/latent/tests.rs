use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{CodedTable, Table};

use super::*;

const CUTS: &str = "range = [-12, 14]\ncuts = [-12, -0.8, -0.25, 0.25, 0.8, 14]\n";

/// y = 0.6 x − 0.4 (sex = m) + e, x normal and sometimes missing; the sets of classes are of five classes with wide ends.
fn people(rows: usize, seed: u64) -> (Table, Cells) {
    let mut rng = Seed::new(seed).stream(0);
    let mut text = String::from("x,sex,y\n");
    for row in 0..rows {
        let x: f64 = StandardNormal.sample(&mut rng);
        let noise: f64 = StandardNormal.sample(&mut rng);
        let is_m = rng.random_bool(0.5);
        let y = 0.6 * x - 0.4 * f64::from(u8::from(is_m)) + 0.7 * noise;
        let x = if row % 20 == 7 { String::new() } else { format!("{x:.4}") };
        text += &format!("{x},{},{y:.4}\n", if is_m { "m" } else { "f" });
    }
    let schema = format!(
        "[table]\ndeclared = true\nreason = \"invented\"\n[variables.x]\nkind = \"real\"\nmissing = true\n{CUTS}\
         [variables.sex]\nkind = \"categorical\"\nlevels = [\"f\", \"m\"]\n[variables.y]\nkind = \"real\"\n{CUTS}"
    );
    let options = ReadOptions { schema: Some(SchemaFile::parse(&schema).unwrap()), ..ReadOptions::default() };
    let table = read_csv_text(&text, &options).unwrap();
    let declared = table.schema().clone().reviewed().unwrap();
    let domain = Domain::declared(&declared, 5).unwrap();
    let coded = CodedTable::in_domain(&table, &domain).unwrap();
    let mut cells = Cells::with_capacity(&domain, rows);
    let columns = (0..3).map(|at| coded.columns()[at].iter().collect::<Vec<u32>>());
    cells.append(&columns.collect());
    (table, cells)
}

/// The coefficients of y on x and sex by least squares, and the standard deviation of x.
fn slopes(records: &[(f64, f64, f64)]) -> [f64; 3] {
    let n = records.len() as f64;
    let mean = |of: fn(&(f64, f64, f64)) -> f64| records.iter().map(of).sum::<f64>() / n;
    let (x, s, y) = (mean(|r| r.0), mean(|r| r.1), mean(|r| r.2));
    let product = |of: &dyn Fn(f64, f64, f64) -> f64| {
        records.iter().map(|r| of(r.0 - x, r.1 - s, r.2 - y)).sum::<f64>() / n
    };
    let (xx, ss, xs) = (product(&|x, _, _| x * x), product(&|_, s, _| s * s), product(&|x, s, _| x * s));
    let (xy, sy) = (product(&|x, _, y| x * y), product(&|_, s, y| s * y));
    let determinant = xx * ss - xs * xs;
    [(xy * ss - sy * xs) / determinant, (sy * xx - xy * xs) / determinant, xx.sqrt()]
}

/// Five classes of each number, known exactly: slopes are those of the records, within five standard errors of 0.008 and a bias of 0.01. Drawn evenly within classes the slope on x is a quarter of that.
#[test]
fn slopes_on_numbers_come_back_from_their_classes() {
    let (_, cells) = people(20_000, 3);
    let domain = domain();
    let latent = Latent::learn(&cells, &domain, Seed::new(1)).unwrap();
    let mut rng = Seed::new(2).stream(0);
    let mut records = Vec::new();
    for row in 0..cells.rows() {
        let class = |variable: usize| cells.columns()[variable].get(row);
        let places = latent.draw(class, &mut rng);
        assert_eq!(places[1], None, "levels have no place");
        assert_eq!(places[0].is_none(), class(0) == 5, "nor has a missing value");
        let y = places[2].unwrap();
        let of = domain.variables()[2].partition();
        assert_eq!(of.class_of(y.number), Some(class(2)));
        if let Some(x) = places[0] {
            assert_eq!(domain.variables()[0].partition().class_of(x.number), Some(class(0)));
            records.push((x.number, f64::from(class(1)), y.number));
        }
    }
    let [x, sex, deviation] = slopes(&records);
    assert!((x - 0.6).abs() < 0.05 && (sex + 0.4).abs() < 0.06, "{x} {sex}");
    assert!((deviation - 1.0).abs() < 0.04, "{deviation}");
}

fn domain() -> Domain {
    let (table, _) = people(60, 1);
    Domain::declared(&table.schema().clone().reviewed().unwrap(), 5).unwrap()
}

#[test]
fn few_records_and_levels_alone_have_no_places() {
    let (_, cells) = people(40, 1);
    assert!(Latent::learn(&cells, &domain(), Seed::new(1)).is_none());
    let levels = Domain::new(vec![Classes::of_size("a", 4), Classes::of_size("b", 9)]).unwrap();
    assert!(!Latent::is_of_use(&levels));
}
