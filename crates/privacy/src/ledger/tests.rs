//! The laws of the books.

use proptest::prelude::*;

use super::*;
use crate::{Cost, Delta, Epsilon, Guarantee, NoiseSource, Rho};

fn cost(value: f64) -> Cost {
    Cost::rounded_down(value).unwrap()
}

fn pure(epsilon: f64) -> PrivacyLedger {
    let budget = Budget::pure(Epsilon::new(epsilon).unwrap()).unwrap();
    PrivacyLedger::open(budget, Neighbours::AddRemove, "person")
}

fn laplace(purpose: &str, epsilon: f64) -> Event {
    Event::discrete_laplace(purpose, cost(epsilon), 1).unwrap()
}

fn particulars(source: &NoiseSource) -> Particulars {
    Particulars {
        domains: vec![DomainRecord {
            variable: "sex".into(),
            declared_because: "codebook".into(),
            origin: Default::default(),
        }],
        release_size: ReleaseSize::Declared { records: 5000, because: "published".into() },
        randomness: RandomnessRecord::of(source),
        software: SoftwareRecord { name: "lookalike".into(), version: "0.1.0".into() },
    }
}

#[test]
fn the_budget_can_be_spent_to_the_last_unit_and_no_further() {
    let mut ledger = pure(0.3);
    for _ in 0..3 {
        let third = ledger.budget().cost().share(1, 3);
        ledger.spend(Event::discrete_laplace("a third", third, 1).unwrap()).unwrap();
    }
    let Charge::Pure(left) = ledger.left() else { panic!("a pure budget") };
    assert!(left < Cost::from_units(3));
    let refusal = ledger.spend(laplace("margin sex × age", 0.1)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "margin sex × age would cost ε = 0.1, and ε = 0 is left; raise the budget or measure fewer margins"
    );
    assert_eq!(ledger.events().len(), 3);
}

#[test]
fn of_disjoint_parts_the_largest_counts() {
    let mut ledger = pure(1.0);
    let regions = ledger.parallel("regions").unwrap();
    for (region, epsilon) in [("north", 0.25), ("south", 0.5), ("north", 0.125), ("south", 0.25)] {
        ledger.enter(regions, region).unwrap();
        ledger.spend(laplace("sex", epsilon)).unwrap();
        ledger.leave();
    }
    assert_eq!(ledger.spent(), Charge::Pure(cost(0.75)));
    assert_eq!(ledger.left(), Charge::Pure(cost(0.25)));
    ledger.enter(regions, "north").unwrap();
    assert_eq!(ledger.left(), Charge::Pure(cost(0.625)));
    assert!(ledger.enter(regions, "south").is_err(), "a part within a part");
    ledger.spend(laplace("age", 0.625)).unwrap();
    ledger.leave();
    assert_eq!(ledger.left(), Charge::Pure(Cost::ZERO));
    // A second group is another look at the same records: it adds up.
    let ages = ledger.parallel("ages").unwrap();
    ledger.enter(ages, "young").unwrap();
    assert!(ledger.spend(laplace("sex", 0.1)).is_err());
}

#[test]
fn a_replaced_record_may_change_parts() {
    let budget = Budget::pure(Epsilon::new(1.0).unwrap()).unwrap();
    let mut ledger = PrivacyLedger::open(budget, Neighbours::ReplaceOne, "person");
    assert!(matches!(ledger.parallel("regions"), Err(PrivacyError::ParallelReplaceOne { .. })));
}

#[test]
fn notions_that_cannot_be_added_are_refused() {
    let gaussian = || Event::discrete_gaussian("margin", cost(0.01), 1).unwrap();
    let thresholded = Event {
        charge: Charge::Approximate(cost(0.1), DeltaCost::rounded_up(Delta::new(1e-9).unwrap())),
        mechanism: Mechanism::ThresholdedHistogram,
        ..laplace("histogram", 0.1)
    };
    let mut ledger = pure(1.0);
    assert_eq!(
        ledger.spend(gaussian()).unwrap_err().to_string(),
        "margin costs ρ = 0.01, which cannot be stated in the budget's notion (pure ε); \
         state the budget in ρ, or in ε and δ by way of ρ"
    );
    let (epsilon, delta) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
    let mut basic =
        PrivacyLedger::open(Budget::approximate(epsilon, delta).unwrap(), Neighbours::AddRemove, "person");
    assert!(matches!(basic.spend(gaussian()), Err(PrivacyError::CannotBeAdded { .. })));
    basic.spend(laplace("sex", 0.5)).unwrap();
    basic.spend(thresholded.clone()).unwrap();
    assert!(
        basic
            .spend(Event {
                charge: Charge::Approximate(cost(0.1), DeltaCost::rounded_up(delta)),
                ..thresholded.clone()
            })
            .is_err()
    );
    let mut by_rho = PrivacyLedger::open(
        Budget::approximate_via_zcdp(epsilon, delta).unwrap(),
        Neighbours::AddRemove,
        "person",
    );
    by_rho.spend(gaussian()).unwrap();
    by_rho.spend(laplace("sex", 0.1)).unwrap();
    assert!(by_rho.spend(thresholded).is_err());
    assert_eq!(
        by_rho.spent(),
        Charge::ZeroConcentrated(Cost::from_units(cost(0.01).units() + cost(0.005).units() + 1))
    );
}

#[test]
fn totals_are_stated_in_every_notion() {
    let mut ledger = pure(2.0);
    ledger.spend(laplace("one", 1.0)).unwrap();
    ledger.spend(laplace("two", 0.5)).unwrap();
    let totals = ledger.totals();
    // The limit is what holds for every run, not the 1.5 that this one happened to spend.
    assert_eq!(totals.pure.unwrap().value, 2.0);
    assert_eq!(totals.zero_concentrated.unwrap().value, 2.0);
    // At δ = 1e-6 the limit itself is the smaller of the two.
    assert!(
        totals.approximate.iter().all(|total| total.epsilon.value == 2.0 && total.by == "basic composition")
    );

    let budget = Budget::zero_concentrated(Rho::new(0.02).unwrap()).unwrap();
    let mut ledger = PrivacyLedger::open(budget, Neighbours::AddRemove, "person");
    ledger.spend(Event::discrete_gaussian("margin", budget.cost(), 1).unwrap()).unwrap();
    let totals = ledger.totals();
    assert!(totals.pure.is_none());
    assert!((totals.approximate[0].epsilon.value - 0.8999).abs() < 1e-3);
    assert!((totals.approximate[1].epsilon.value - 1.1633).abs() < 1e-3);
}

#[test]
fn a_budget_by_way_of_rho_keeps_its_epsilon() {
    let (epsilon, delta) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
    let budget = Budget::approximate_via_zcdp(epsilon, delta).unwrap();
    let mut ledger = PrivacyLedger::open(budget, Neighbours::AddRemove, "person");
    ledger.spend(Event::discrete_gaussian("margin", budget.cost(), 1).unwrap()).unwrap();
    let total = &ledger.totals().approximate[0];
    assert!(total.epsilon.value <= 1.0 && total.epsilon.value > 0.999_999);
    assert_eq!(total.delta, 1e-6);
}

#[test]
fn a_record_says_all_and_adds_up() {
    let mut ledger = pure(1.0);
    ledger.spend(laplace("sex × age", 0.25)).unwrap();
    let regions = ledger.parallel("regions").unwrap();
    ledger.enter(regions, "north").unwrap();
    ledger.spend(Event::permute_and_flip("best pair", cost(0.5), 1.0).unwrap()).unwrap();
    ledger.leave();
    let record = ledger.record(particulars(&NoiseSource::from_operating_system().unwrap()));
    record.verify().unwrap();
    assert!(record.warning.is_none());
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<LedgerRecord>(&text).unwrap(), record);
    assert!(text.contains(r#""asked":{"notion":"pure","epsilon":1.0},"limit":{"notion":"pure","epsilon":{"units":1099511627776,"value":1.0}}"#));
    assert!(text.contains(r#""part":{"group":0,"by":"regions","name":"north"}"#));

    // What an honest mistake or a dishonest hand could change.
    let broken: [fn(&mut LedgerRecord); 9] = [
        |record| record.events[0].scale = Some(2.0),
        |record| record.events.truncate(1),
        |record| record.events.push(record.events[0].clone()),
        |record| record.spent = record.events[0].cost,
        |record| record.totals.zero_concentrated = None,
        |record| record.asked = Guarantee::Pure(Epsilon::new(0.5).unwrap()),
        |record| record.neighbours = Neighbours::ReplaceOne,
        |record| record.randomness.secure = false,
        |record| record.limit = ChargeRecord::Pure { epsilon: CostRecord { units: 1 << 40, value: 0.5 } },
    ];
    for (index, fault) in broken.iter().enumerate() {
        let mut record = record.clone();
        fault(&mut record);
        assert!(matches!(record.verify(), Err(PrivacyError::DoesNotAddUp { .. })), "fault {index}");
    }
}

#[test]
fn books_for_one_relation_of_neighbours_do_not_pass_for_the_other() {
    for event in [laplace("sex × age", 0.25), Event::permute_and_flip("best pair", cost(0.5), 1.0).unwrap()]
    {
        let mut ledger = pure(1.0);
        ledger.spend(event).unwrap();
        let mut record = ledger.record(particulars(&NoiseSource::from_operating_system().unwrap()));
        record.verify().unwrap();
        record.neighbours = Neighbours::ReplaceOne;
        assert!(record.verify().is_err(), "a replaced record changes counts twice");
    }
}

/// A choice in ρ costs ε²/8 for the ε of its scale: a smaller scale is not paid for.
#[test]
fn a_choice_in_rho_with_too_little_noise_does_not_add_up() {
    let budget = Budget::zero_concentrated(crate::Rho::new(1.0).unwrap()).unwrap();
    let mut ledger = PrivacyLedger::open(budget, Neighbours::AddRemove, "person");
    ledger.spend(Event::exponential_mechanism_in_rho("best pair", cost(0.5), 1.0).unwrap()).unwrap();
    let mut record = ledger.record(particulars(&NoiseSource::from_operating_system().unwrap()));
    record.verify().unwrap();
    for scale in [record.events[0].scale.map(|scale| scale / 1.01), None] {
        record.events[0].scale = scale;
        assert!(matches!(record.verify(), Err(PrivacyError::DoesNotAddUp { .. })), "{scale:?}");
    }
}

#[test]
fn the_schema_of_the_file_knows_every_key() {
    let schema = serde_json::to_value(schemars::schema_for!(LedgerRecord)).unwrap();
    let mut ledger = pure(1.0);
    ledger.spend(laplace("sex", 1.0)).unwrap();
    let record = ledger.record(particulars(&NoiseSource::insecure_test_seed(1)));
    let record = serde_json::to_value(record).unwrap();
    for key in record.as_object().unwrap().keys() {
        assert!(schema["properties"].get(key).is_some_and(|property| !property.is_null()), "{key}");
    }
    for key in record["events"][0].as_object().unwrap().keys() {
        assert!(schema["$defs"]["EventRecord"]["properties"].get(key).is_some(), "{key}");
    }
}

#[test]
fn insecure_noise_is_shouted() {
    let mut ledger = pure(1.0);
    ledger.spend(laplace("sex", 1.0)).unwrap();
    let record = ledger.record(particulars(&NoiseSource::insecure_test_seed(1)));
    record.verify().unwrap();
    assert!(
        serde_json::to_string(&record)
            .unwrap()
            .starts_with(r#"{"warning":"GUARANTEE VOID: drawn with an insecure test seed""#)
    );
}

/// Kind and size of an event, and the group and part where it takes place, if any.
type Spend = (u8, u64, Option<(bool, u8)>);

/// Events of random kinds and sizes, on all records or on one of three parts of two groups.
fn spends() -> impl Strategy<Value = Vec<Spend>> {
    let place = prop::option::of((any::<bool>(), 0..3_u8));
    prop::collection::vec((0..4_u8, 1..1_u64 << 39, place), 0..60)
}

proptest! {
    #[test]
    fn totals_never_exceed_the_budget(kind in 0..4_u8, epsilon in 0.01..4.0_f64, spends in spends()) {
        let (epsilon, delta) = (Epsilon::new(epsilon).unwrap(), Delta::new(1e-6).unwrap());
        let budget = match kind {
            0 => Budget::pure(epsilon),
            1 => Budget::zero_concentrated(Rho::new(epsilon.value() / 4.0).unwrap()),
            2 => Budget::approximate(epsilon, delta),
            _ => Budget::approximate_via_zcdp(epsilon, delta),
        }.unwrap();
        let mut ledger = PrivacyLedger::open(budget, Neighbours::AddRemove, "person");
        let groups = [ledger.parallel("a").unwrap(), ledger.parallel("b").unwrap()];
        for (kind, units, place) in spends {
            if let Some((group, part)) = place {
                ledger.enter(groups[usize::from(group)], part.to_string()).unwrap();
            }
            let (cost, before) = (Cost::from_units(units), (ledger.spent(), ledger.events().len()));
            let event = match kind {
                0 => Event::discrete_laplace("laplace", cost, 1).unwrap(),
                1 => Event::discrete_gaussian("gaussian", cost, 2).unwrap(),
                2 => Event::exponential_mechanism_in_rho("choice", cost, 1.0).unwrap(),
                _ => Event {
                    mechanism: Mechanism::ThresholdedHistogram,
                    charge: Charge::Approximate(cost, DeltaCost::from_units(units << 4)),
                    ..Event::discrete_laplace("thresholded", cost, 1).unwrap()
                },
            };
            let (charge, left) = (event.charge, ledger.left());
            let affordable = charge.in_notion(budget.notion()).is_some_and(|amount| {
                amount.is_within(Amount { cost: left.cost(), delta: left.delta() })
            });
            let paid = ledger.spend(event).is_ok();
            prop_assert_eq!(paid, affordable, "what is left says what can be paid");
            prop_assert!(paid || before == (ledger.spent(), ledger.events().len()), "a refusal leaves no trace");
            ledger.leave();
            prop_assert!(ledger.spent().cost() <= budget.cost());
            prop_assert!(ledger.spent().delta() <= budget.limit().delta());
        }
        let record = ledger.record(particulars(&NoiseSource::insecure_test_seed(1)));
        let read: LedgerRecord = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
        prop_assert!(record.verify().is_ok() && read.verify().is_ok());
        if let Guarantee::Approximate(..) = budget.asked() {
            prop_assert!(record.totals.approximate[0].epsilon.units <= epsilon.budget().unwrap().units());
        }
    }
}

/// The record of one look under these particulars.
fn record_of(asked: Budget, units: Option<u64>, change: impl FnOnce(&mut Particulars)) -> LedgerRecord {
    let mut ledger = PrivacyLedger::open(asked, Neighbours::AddRemove, "person");
    if let Some(most) = units {
        ledger = ledger.for_units("person_id", most);
    }
    let event = match ledger.budget().limit() {
        Charge::ZeroConcentrated(_) => {
            let squared = ledger.unit_l2_sensitivity_squared();
            Event::discrete_gaussian("sex", cost(0.01), squared).unwrap()
        }
        _ => Event::discrete_laplace("sex", cost(0.1), ledger.unit_l1_sensitivity()).unwrap(),
    };
    ledger.spend(event).unwrap();
    let source = NoiseSource::from_operating_system().unwrap();
    let mut particulars = particulars(&source);
    change(&mut particulars);
    let record = ledger.record(particulars);
    record.verify().unwrap();
    record
}

#[test]
fn a_ledger_for_units_is_refused_if_its_noise_is_that_for_records() {
    let asked = || Budget::pure(Epsilon::new(1.0).unwrap()).unwrap();
    let honest = record_of(asked(), Some(3), |_| {});
    assert!(LedgerRecord { records_per_unit: 2, ..honest.clone() }.verify().is_err());
    assert!(LedgerRecord { records_per_unit: 6, ..honest.clone() }.verify().is_err());
    assert!(LedgerRecord { unit_id: None, ..honest.clone() }.verify().is_err());
    let text = serde_json::to_string(&honest).unwrap();
    assert_eq!(serde_json::from_str::<LedgerRecord>(&text).unwrap(), honest);
    let plain = serde_json::to_string(&record_of(asked(), None, |_| {})).unwrap();
    assert!(!plain.contains("records_per_unit") && !plain.contains("unit_id") && !plain.contains("origin"));
}

/// Each caveat is there when its fact is, and gone when it is not.
#[test]
fn the_sentence_has_the_caveats_that_apply_and_no_others() {
    let epsilon = |value: f64| Epsilon::new(value).unwrap();
    let approximate = |delta: f64| Budget::approximate(epsilon(1.0), Delta::new(delta).unwrap()).unwrap();
    let sentence = |record: &LedgerRecord| record.guarantee_sentence();
    let plain = sentence(&record_of(Budget::pure(epsilon(10.0)).unwrap(), Some(1), |_| {}));
    assert!(plain.contains("with or without any one unit (one record each, by `person_id`)"), "{plain}");
    assert!(!plain.contains("protects little") && !plain.contains("δ") && !plain.contains("drafted"));
    assert!(!plain.contains("several records"));
    let weak = sentence(&record_of(Budget::pure(epsilon(10.5)).unwrap(), Some(1), |_| {}));
    assert!(weak.contains("so weak that it protects little by itself"), "{weak}");
    let units = sentence(&record_of(Budget::pure(epsilon(1.0)).unwrap(), Some(4), |_| {}));
    assert!(units.contains("any one unit (up to 4 records, by `person_id`)"), "{units}");
    let records = sentence(&record_of(Budget::pure(epsilon(1.0)).unwrap(), None, |_| {}));
    assert!(records.contains("any one record") && records.contains("several records is protected less"));
    // The particulars say 5,000 records.
    let loose = sentence(&record_of(approximate(2.1e-4), Some(1), |_| {}));
    assert!(
        loose.contains("δ is not below one over the number of records") && !loose.contains("5000"),
        "{loose}"
    );
    assert!(!sentence(&record_of(approximate(1.9e-4), Some(1), |_| {})).contains("not below"));
    let drafted = sentence(&record_of(Budget::pure(epsilon(1.0)).unwrap(), Some(1), |particulars| {
        particulars.domains[0].origin = DomainOrigin::Drafted;
    }));
    assert!(drafted.contains("1 of the domains were drafted from the records"), "{drafted}");
    let rho = Budget::zero_concentrated(Rho::new(3.5).unwrap()).unwrap();
    assert!(sentence(&record_of(rho, Some(1), |_| {})).contains("ρ above 3"));
}
