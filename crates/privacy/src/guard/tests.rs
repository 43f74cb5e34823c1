use std::collections::BTreeMap;

use num_bigint::BigUint;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Attributes, DeclaredSchema, Source, SparseSource, Table};

use super::*;
use crate::ledger::{Budget, DeltaCost, Sensitivity};
use crate::{Delta, Epsilon, Rho};

const SCHEMA: &str = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"code book\"\n\
    [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
    [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\"]\n\
    [variables.age]\nkind = \"integer\"\nrange = [0, 100]\ncuts = [0, 50, 100]\n";

const PEOPLE: &str = "sex,town,age\nF,a,20\nF,a,30\nM,b,40\nM,b,60\nM,b,70\nF,c,80\nF,a,25\nF,a,35\n";

fn people() -> (Table, DeclaredSchema) {
    read(SCHEMA, PEOPLE)
}

fn read(schema: &str, text: &str) -> (Table, DeclaredSchema) {
    let schema = SchemaFile::parse(schema).unwrap();
    let declared = schema.clone().finish().unwrap().reviewed().unwrap();
    let table = read_csv_text(text, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap();
    (table, declared)
}

fn pure(epsilon: f64) -> Budget {
    Budget::pure(Epsilon::new(epsilon).unwrap()).unwrap()
}

fn epsilon(value: f64) -> Cost {
    Cost::rounded_down(value).unwrap()
}

/// Asks questions of the table under a budget.
fn guarded<T>(
    (table, schema): &(Table, DeclaredSchema),
    budget: Budget,
    neighbours: Neighbours,
    seed: u64,
    ask: impl FnOnce(&mut GuardedTable<'_>) -> T,
) -> (T, PrivacyLedger) {
    let mut ledger = PrivacyLedger::open(budget, neighbours, "person");
    let mut noise = NoiseSource::insecure_test_seed(seed);
    let answer = ask(&mut GuardedTable::new(table, schema, 5, &mut ledger, &mut noise).unwrap());
    (answer, ledger)
}

#[test]
fn a_look_that_cannot_be_paid_is_refused_and_not_booked() {
    let people = people();
    let all = Attributes::new([0, 1]);
    let (answer, ledger) = guarded(&people, pure(1.0), Neighbours::AddRemove, 1, |guard| {
        guard.noisy_margin(&all, Charge::Pure(epsilon(0.75))).unwrap();
        guard.noisy_margin(&all, Charge::Pure(epsilon(0.5)))
    });
    assert!(matches!(answer, Err(PrivacyError::BudgetExhausted { .. })));
    assert_eq!((ledger.events().len(), ledger.spent().to_string()), (1, "ε = 0.75".to_owned()));
    let (refused, ledger) = guarded(&people, pure(1.0), Neighbours::AddRemove, 1, |guard| {
        guard.noisy_margin(&all, Charge::Pure(Cost::ZERO))
    });
    assert!(matches!(refused, Err(PrivacyError::FreeLook)));
    assert_eq!(ledger.events().len(), 0);
}

#[test]
fn a_table_read_under_another_schema_is_refused() {
    let (table, _) = people();
    let other = SCHEMA.replace("\"c\"]", "\"c\", \"d\"]");
    let other = SchemaFile::parse(&other).unwrap().finish().unwrap().reviewed().unwrap();
    let mut ledger = PrivacyLedger::open(pure(1.0), Neighbours::AddRemove, "person");
    let mut noise = NoiseSource::insecure_test_seed(1);
    assert!(GuardedTable::new(&table, &other, 5, &mut ledger, &mut noise).is_err());
}

#[test]
fn noise_is_wider_where_a_record_is_replaced() {
    let people = people();
    let scale = |neighbours| {
        let ((), ledger) = guarded(&people, pure(1.0), neighbours, 1, |guard| {
            guard.noisy_margin(&Attributes::new([0]), Charge::Pure(epsilon(1.0))).unwrap();
        });
        ledger.events().next().unwrap().scale.unwrap()
    };
    assert_eq!((scale(Neighbours::AddRemove), scale(Neighbours::ReplaceOne)), (1.0, 2.0));
}

/// Shares of each cell among draws from many noisy tables.
fn drawn(lazily: bool, rounds: u64) -> BTreeMap<Vec<u32>, u64> {
    // Enough records that the noisy counts are never all zero.
    let people = read(SCHEMA, &format!("{PEOPLE}{}", "F,a,20\nM,b,40\n".repeat(12)));
    let mut shares = BTreeMap::new();
    for seed in 0..rounds {
        let (cells, _) = guarded(&people, pure(0.7), Neighbours::AddRemove, 1_000 + seed, |guard| {
            guard.noisy_cells_as(epsilon(0.7), lazily).unwrap()
        });
        let mut noise = NoiseSource::insecure_test_seed(500_000 + seed);
        let cell = match cells {
            NoisyCells::Dense { sizes, counts } => {
                let total: u64 = counts.iter().sum();
                let mut unit = crate::noise::uniform_below_u64(noise.rng(), total);
                let at = counts.iter().position(|count| {
                    let here = unit < *count;
                    unit = unit.saturating_sub(*count);
                    here
                });
                noisy_cells::cell_at(&BigUint::from(at.unwrap()), &sizes)
            }
            NoisyCells::Lazy(lazy) => lazy.draw(noise.rng(), &|_| true).unwrap(),
        };
        *shares.entry(cell).or_insert(0) += 1;
    }
    shares
}

#[test]
fn lazy_and_dense_noise_on_all_cells_agree_in_distribution() {
    let (dense, lazy) = (drawn(false, 20_000), drawn(true, 20_000));
    let cells: std::collections::BTreeSet<&Vec<u32>> = dense.keys().chain(lazy.keys()).collect();
    assert_eq!(cells.len(), 12);
    let count = |of: &BTreeMap<Vec<u32>, u64>, cell: &Vec<u32>| of.get(cell).copied().unwrap_or(0) as f64;
    let totals = (dense.values().sum::<u64>() as f64, lazy.values().sum::<u64>() as f64);
    let chi_square: f64 = cells
        .iter()
        .map(|cell| {
            let (one, other) = (count(&dense, cell), count(&lazy, cell));
            let share = (one + other) / (totals.0 + totals.1);
            (one - share * totals.0).powi(2) / (share * totals.0)
                + (other - share * totals.1).powi(2) / (share * totals.1)
        })
        .sum();
    // The 1 − 10⁻⁶ quantile of chi-square on 11 degrees of freedom.
    assert!(chi_square < 48.8, "{chi_square}");
}

#[test]
fn a_lazy_table_keeps_the_noise_of_a_cell() {
    let people = people();
    let (cells, _) = guarded(&people, pure(1.0), Neighbours::AddRemove, 3, |guard| {
        guard.noisy_cells_as(epsilon(1.0), true).unwrap()
    });
    let NoisyCells::Lazy(lazy) = cells else { panic!("lazy") };
    // Twelve cells: the set of cells ever drawn is that of positive noisy counts, the same in both halves.
    let mut noise = NoiseSource::insecure_test_seed(9);
    let mut half = || -> std::collections::BTreeSet<Vec<u32>> {
        (0..3_000).map(|_| lazy.draw(noise.rng(), &|_| true).unwrap()).collect()
    };
    let (first, second) = (half(), half());
    assert_eq!(first, second);
    assert!(first.len() < 12, "some noisy count is not positive");
}

#[test]
fn ten_to_the_fifteen_cells_are_drawn_from() {
    let names: Vec<String> = (0..15).map(|i| format!("v{i}")).collect();
    let mut schema = String::from("[table]\ndeclared = true\nreason = \"made up\"\n");
    let levels: Vec<String> = (0..10).map(|level| format!("\"{level}\"")).collect();
    for name in &names {
        schema += &format!("[variables.{name}]\nkind = \"categorical\"\nlevels = [{}]\n", levels.join(", "));
    }
    let row = vec!["7"; 15].join(",");
    let text = format!("{}\n{}", names.join(","), format!("{row}\n").repeat(50));
    let wide = read(&schema, &text);
    let (cells, _) =
        guarded(&wide, pure(1.0), Neighbours::AddRemove, 3, |guard| guard.noisy_cells(epsilon(1.0)).unwrap());
    let NoisyCells::Lazy(lazy) = cells else { panic!("too many cells to hold") };
    let mut noise = NoiseSource::insecure_test_seed(9);
    let drawn: Vec<Vec<u32>> = (0..200).map(|_| lazy.draw(noise.rng(), &|_| true).unwrap()).collect();
    // Fifty records against 4·10¹⁴ units of noise: what is drawn is noise, evenly over the cells.
    let sevens = drawn.iter().flatten().filter(|class| **class == 7).count();
    assert!((sevens as f64 - 300.0).abs() < 5.0 * (3_000.0_f64 * 0.09).sqrt(), "{sevens}");
}

#[test]
fn a_unique_cell_passes_the_threshold_as_rarely_as_delta_says() {
    let alone = read(SCHEMA, "sex,town,age\nF,a,20\n");
    let delta = Delta::new(0.05).unwrap();
    let budget = Budget::approximate(Epsilon::new(1.0).unwrap(), delta).unwrap();
    let passed = (0..20_000)
        .filter(|seed| {
            let (cells, _) = guarded(&alone, budget, Neighbours::AddRemove, *seed, |guard| {
                guard.thresholded_cells(epsilon(1.0), DeltaCost::rounded_down(delta)).unwrap()
            });
            !cells.is_empty()
        })
        .count() as f64;
    // τ = 4: e⁻³/(1 + e⁻¹) = 0.0364 is the largest such probability below 0.05.
    let expected: f64 = 20_000.0 * (-3.0_f64).exp() / (1.0 + (-1.0_f64).exp());
    assert!((passed - expected).abs() < 5.0 * expected.sqrt(), "{passed} against {expected}");
}

/// All ways to put `n` things into `cells` cells.
fn compositions(n: u32, cells: usize) -> Vec<Vec<u32>> {
    if cells == 1 {
        return vec![vec![n]];
    }
    (0..=n)
        .flat_map(|first| {
            compositions(n - first, cells - 1).into_iter().map(move |mut rest| {
                rest.insert(0, first);
                rest
            })
        })
        .collect()
}

#[test]
fn the_worst_case_of_predictive_draws_is_exactly_epsilon() {
    for (cells, records, rows) in [(2, 1, 1), (2, 3, 4), (3, 2, 3), (3, 4, 2), (4, 3, 3)] {
        for target in [0.01, 0.5, 2.0, 10.0] {
            let weight = PriorWeight::for_cost(epsilon(target), u64::from(rows)).unwrap().value();
            let log_probability = |counts: &[u32], outcome: &[u32]| -> f64 {
                let total = f64::from(records) + cells as f64 * weight;
                let each = counts.iter().zip(outcome);
                each.map(|(y, s)| f64::from(*s) * ((f64::from(*y) + weight) / total).ln()).sum()
            };
            let mut worst = 0.0_f64;
            for counts in compositions(records, cells) {
                for (from, to) in (0..cells).flat_map(|from| (0..cells).map(move |to| (from, to))) {
                    if from == to || counts[from] == 0 {
                        continue;
                    }
                    let mut neighbour = counts.clone();
                    neighbour[from] -= 1;
                    neighbour[to] += 1;
                    for outcome in compositions(rows, cells) {
                        let ratio =
                            log_probability(&counts, &outcome) - log_probability(&neighbour, &outcome);
                        worst = worst.max(ratio.abs());
                    }
                }
            }
            assert!(worst <= target + 1e-12 && worst > target - 1e-9, "{cells} {records} {rows}: {worst}");
        }
    }
}

#[test]
fn predictive_draws_follow_counts_plus_prior() {
    let people = people();
    let mut of_town_a = 0_u32;
    const ROUNDS: u64 = 4_000;
    for seed in 0..ROUNDS {
        let (draws, _) = guarded(&people, pure(3.0), Neighbours::ReplaceOne, seed, |guard| {
            guard
                .predictive_draws("a data set", 2, epsilon(3.0), &|cell: &[u32]| cell[1] != 2 || cell[0] == 0)
                .unwrap()
        });
        of_town_a += draws.iter().filter(|cell| cell[1] == 0).count() as u32;
    }
    // a = 1/(e^1.5 − 1); 4 of the 10 cells that are possible and 4 of the 8 records are of town a.
    let weight = 1.0 / 1.5_f64.exp_m1();
    let share = (4.0 + 4.0 * weight) / (8.0 + 10.0 * weight);
    let (n, found) = (2.0 * ROUNDS as f64, f64::from(of_town_a));
    assert!(
        (found - n * share).abs() < 5.0 * (n * share * (1.0 - share)).sqrt(),
        "{found} against {}",
        n * share
    );
    let (refused, _) = guarded(&people, pure(3.0), Neighbours::AddRemove, 1, |guard| {
        guard.predictive_draws("a data set", 2, epsilon(3.0), &|_| true)
    });
    assert!(matches!(refused, Err(PrivacyError::NeedsReplaceOne { .. })));
}

#[test]
fn parts_cost_what_the_dearest_costs_and_cover_all_classes() {
    let people = people();
    let (sizes, ledger) = guarded(&people, pure(1.0), Neighbours::AddRemove, 5, |guard| {
        guard.in_parts(&Attributes::new([1]), |cell, part| {
            assert_eq!(part.domain().variables().len(), 2);
            let charge = Charge::Pure(epsilon(1.0));
            Ok::<_, PrivacyError>((
                cell.to_vec(),
                part.noisy_margin(&Attributes::new([0, 1]), charge)?.counts.len(),
            ))
        })
    });
    assert_eq!(sizes.unwrap().len(), 3);
    assert_eq!((ledger.events().len(), ledger.spent().to_string()), (3, "ε = 1".to_owned()));
}

#[test]
fn sums_are_of_clamped_values_on_the_grid() {
    let people = people();
    let (sums, _) = guarded(&people, pure(4_000_000.0), Neighbours::AddRemove, 5, |guard| {
        let age = guard.scaled("age").unwrap();
        assert_eq!((age.to_grid(-5.0), age.to_grid(50.0), age.to_grid(1e9)), (-16_384, 0, 16_384));
        let charge = Charge::Pure(epsilon(2_000_000.0));
        let one = guard.noisy_sum(&[&age], charge).unwrap();
        (age.number_at(one as f64 / 8.0), guard.noisy_sum(&[&age, &age], charge).unwrap())
    });
    // Ages sum to 360; noise at this ε has scale 0.008 and, for squares, 134.
    assert!((sums.0 - 45.0).abs() < 0.01, "{}", sums.0);
    let squares: f64 = [20.0, 30.0, 40.0, 60.0, 70.0, 80.0, 25.0, 35.0]
        .iter()
        .map(|x: &f64| ((x - 50.0) / 50.0).powi(2))
        .sum();
    assert!((sums.1 as f64 / 16_384.0_f64.powi(2) - squares).abs() < 1e-3);
    let (refused, _) =
        guarded(&people, pure(1.0), Neighbours::AddRemove, 5, |guard| guard.scaled("sex").unwrap_err());
    assert!(refused.to_string().contains("`sex`"));
}

#[test]
fn draws_around_a_mean_are_as_many_as_rho_pays_for() {
    let people = people();
    let rho = Rho::new(0.5).unwrap();
    let budget = Budget::zero_concentrated(rho).unwrap();
    let (found, ledger) = guarded(&people, budget, Neighbours::ReplaceOne, 5, |guard| {
        let age = guard.scaled("age").unwrap();
        // ⌊2·0.5·50²·8²/100²⌋ = 16: exactly what the floor allows and the ceiling would exceed.
        let records = guard.normal_records(&age, 50.0, epsilon(0.5)).unwrap();
        let draws = guard.normal_sample("ages", &age, 50.0, records).unwrap();
        assert!(guard.normal_sample("one more", &age, 50.0, 1).is_err());
        (records, draws)
    });
    assert_eq!(found.0, 16);
    assert_eq!(found.1.len(), 16);
    let mean = found.1.iter().sum::<f64>() / 16.0;
    assert!((mean - 45.0).abs() < 5.0 * 12.5, "{mean}");
    assert!(ledger.spent().cost() <= epsilon(0.5));
}

/// Records in the order of their cells and counts of them give the same answers from the same noise, strata and draws included; sums need
/// the records, and are refused before they are paid for.
#[test]
fn counts_answer_like_the_records_that_they_count() {
    let (table, schema) =
        read(SCHEMA, "sex,town,age\nF,a,20\nF,a,25\nF,a,60\nF,c,80\nM,b,40\nM,b,60\nM,b,70\n");
    let source = Source::from(&table).counts(5).unwrap();
    let cross = source.contingency_table(&Attributes::all(source.domain())).unwrap();
    let counts = SparseSource::new(source.domain().clone(), cross);
    let ask = |source: Source<'_>, neighbours: Neighbours| {
        let mut ledger = PrivacyLedger::open(pure(20.0), neighbours, "person");
        let mut noise = NoiseSource::insecure_test_seed(9);
        let mut guard = GuardedTable::new(source, &schema, 5, &mut ledger, &mut noise).unwrap();
        let mut answers = vec![guard.noisy_size("size", Charge::Pure(epsilon(0.5))).unwrap()];
        let mut margin = |guard: &mut GuardedTable<'_>, of: &[usize]| {
            let of = Attributes::new(of.iter().copied());
            answers.extend(guard.noisy_margin(&of, Charge::Pure(epsilon(0.5))).unwrap().counts);
        };
        margin(&mut guard, &[0, 2]);
        if neighbours == Neighbours::ReplaceOne {
            let drawn = guard.predictive_draws("a data set", 50, epsilon(1.0), &|cell: &[u32]| cell[1] != 2);
            answers.extend(drawn.unwrap().into_iter().flatten().map(i64::from));
        } else {
            let parts = guard.in_parts(&Attributes::new([1]), |_, part| {
                margin(part, &[0, 1]);
                part.noisy_size("size of a part", Charge::Pure(epsilon(0.5)))
            });
            answers.extend(parts.unwrap().into_iter().map(|(_, size)| size));
        }
        let age = guard.scaled("age").unwrap();
        let sum = guard.noisy_sum(&[&age], Charge::Pure(epsilon(0.5))).map(|_| ());
        drop(guard);
        (answers, ledger.events().count(), sum)
    };
    for (neighbours, questions) in [(Neighbours::ReplaceOne, 3), (Neighbours::AddRemove, 8)] {
        let (of_records, all, sum) = ask(Source::Records(&table), neighbours);
        assert_eq!((all, sum), (questions + 1, Ok(())));
        let (of_counts, paid, refused) = ask(Source::Counts { schema: &schema, counts: &counts }, neighbours);
        assert_eq!((of_records, questions), (of_counts, paid));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("needs the records themselves"), "{refused}");
    }
}

/// One person's three records become one: the number of records is not public, and what rests on it is refused.
#[test]
fn a_replaced_unit_of_several_records_has_no_public_size() {
    let people = people();
    let sizes = [1_u64, 3].map(|k| {
        let mut ledger = PrivacyLedger::open(pure(2.0), Neighbours::ReplaceOne, "person").for_units("id", k);
        let mut noise = NoiseSource::insecure_test_seed(1);
        let mut guard = GuardedTable::new(&people.0, &people.1, 5, &mut ledger, &mut noise).unwrap();
        let drawn = guard.predictive_draws("a data set", 2, epsilon(1.0), &|_| true);
        (guard.public_size(), drawn.is_ok())
    });
    assert_eq!(sizes, [(Some(people.0.rows() as u64), true), (None, false)]);
}

/// A unit of k records, all in one cell, changes a count by k: the noise must make that as likely as ε or ρ says, and the ledger must say so.
#[test]
fn noise_is_scaled_to_a_unit_of_several_records() {
    let people = people();
    let ask = |budget: Budget, k: u64, charge: Charge| {
        let mut ledger = PrivacyLedger::open(budget, Neighbours::AddRemove, "person").for_units("id", k);
        let mut noise = NoiseSource::insecure_test_seed(1);
        let mut guard = GuardedTable::new(&people.0, &people.1, 5, &mut ledger, &mut noise).unwrap();
        let margin = guard.noisy_margin(&Attributes::new([0]), charge).unwrap();
        guard.noisy_size("number of records", charge).unwrap();
        let law = margin.law;
        drop(guard);
        (law, ledger)
    };
    for k in [1_u64, 2, 3] {
        let (law, ledger) = ask(pure(2.0), k, Charge::Pure(epsilon(0.75)));
        let NoiseLaw::Laplace(law) = law else { panic!("Laplace") };
        // P(x)/P(x − k) = e^(k/scale) is e^ε exactly.
        assert!((k as f64 / law.scale() - 0.75).abs() < 1e-9);
        assert!(ledger.events().all(|event| event.sensitivity == Sensitivity::L1(k as f64)));
        let budget = Budget::zero_concentrated(Rho::new(1.0).unwrap()).unwrap();
        let (law, _) = ask(budget, k, Charge::ZeroConcentrated(epsilon(0.25)));
        let NoiseLaw::Gaussian(law) = law else { panic!("Gaussian") };
        // A shift by k costs k²/(2σ²) = ρ.
        assert!((k as f64 * k as f64 / (2.0 * law.sigma() * law.sigma()) - 0.25).abs() < 1e-9);
    }
}
