//! Coverage of nominal 95 % intervals by simulation: `cargo run --release -p inference --example coverage [REPLICATIONS]`.

mod simulation;

use inference::{Rule, Target, Weights};
use simulation::{Quantity, Setting, Synthesis};

fn main() {
    let replications = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(4_000);
    println!(
        "{replications} replications; simulation error of a coverage of 95 %: {:.2} points",
        219.0 / (replications as f64).sqrt() / 10.0
    );
    println!("{:<58} {:>8} {:>12} {:>10}", "setting", "covers", "bias/sd", "T/truth");
    let line = |name: String, setting: Setting| {
        let found = setting.simulate(replications, 7);
        println!(
            "{name:<58} {:>6.1} % {:>12.3} {:>10.3}",
            100.0 * found.coverage,
            found.standardised_bias,
            found.variance_ratio
        );
    };
    let counts = |sigma: f64| Synthesis::Counts { sigma, scale: 1.0 };
    let usual = Setting::default();
    for quantity in [Quantity::Share, Quantity::LogOddsRatio] {
        for target in [Target::Population, Target::Original] {
            for sigma in [0.0, 0.1, 0.5, 2.0] {
                for m in [2, 5, 10] {
                    let setting =
                        Setting { synthesis: counts(sigma), rule: Rule::Tp, m, quantity, target, ..usual };
                    line(format!("T_p, counts, sigma {sigma}, m {m}, {quantity:?}, {target:?}"), setting);
                }
            }
            for m in [1, 5] {
                let setting = Setting { synthesis: counts(0.0), m, quantity, target, ..usual };
                line(format!("T_s, counts, sigma 0, m {m}, {quantity:?}, {target:?}"), setting);
            }
        }
        for sigma in [0.1, 0.5, 2.0] {
            for m in [5, 10] {
                let setting = Setting {
                    synthesis: counts(sigma),
                    rule: Rule::Tp,
                    m,
                    quantity,
                    weights: Weights::NSyn,
                    ..usual
                };
                line(format!("T_p, counts, sigma {sigma}, m {m}, {quantity:?}, weights NSyn"), setting);
            }
        }
        for (sigma, m) in [(0.5, 1), (10.0, 1), (10.0, 5)] {
            line(
                format!("T_s, counts, sigma {sigma}, m {m}, {quantity:?} (not valid)"),
                Setting { synthesis: counts(sigma), m, quantity, ..usual },
            );
        }
    }
    for records in [1000, 4000, 16_000] {
        let synthesis = Synthesis::Multinomial { records };
        line(format!("T_s, multinomial, n_syn {records}, N 4000, m 1"), Setting { synthesis, ..usual });
        line(
            format!("T_p, multinomial, n_syn {records}, N 4000, m 5"),
            Setting { synthesis, rule: Rule::Tp, m: 5, ..usual },
        );
        let synthesis = Synthesis::Posterior { records };
        line(
            format!("proper, posterior draws, n_syn {records}, m 1"),
            Setting { synthesis, rule: Rule::Proper, ..usual },
        );
        line(
            format!("T_s, posterior draws, n_syn {records}, m 1 (not valid)"),
            Setting { synthesis, ..usual },
        );
    }
    line("pooled, multinomial, m 5".into(), Setting { rule: Rule::Pooled, m: 5, ..usual });
    let proper = Synthesis::Posterior { records: 4000 };
    line("T_f, posterior draws, m 20".into(), Setting { synthesis: proper, rule: Rule::Tf, m: 20, ..usual });
    line("T_f, multinomial, m 20 (not valid)".into(), Setting { rule: Rule::Tf, m: 20, ..usual });
    let partial = Setting { synthesis: Synthesis::Partial, rule: Rule::Partial, m: 5, ..usual };
    line("partial, half of the values kept, m 5".into(), partial);
    for (cells, sigma, m) in [(8, 0.5, 10), (8, 0.5, 50), (40, 2.0, 50)] {
        for weights in [Weights::Equal, Weights::NSyn] {
            let setting = Setting {
                synthesis: counts(sigma),
                rule: Rule::Tp,
                m,
                cells,
                weights,
                steepness: 8.0,
                ..usual
            };
            line(format!("T_p, {cells} uneven cells, sigma {sigma}, m {m}, weights {weights:?}"), setting);
        }
    }
}
