//! A private recipe carried out: declared schema, budget, size, strata, method, ledger.

use std::sync::Arc;

use num_bigint::BigUint;
use privacy::ledger::{
    Budget, DeltaCost, DomainOrigin, DomainRecord, Event, Mechanism, Particulars, PrivacyLedger,
    RandomnessRecord, ReleaseSize, SoftwareRecord,
};
use privacy::{Charge, Cost, GuardedColumns, GuardedTable, Neighbours, NoiseSource};
use rand::Rng as _;
use table::schema::{Kind, Origin};
use table::{Attributes, CountSource as _, DeclaredSchema, Domain, Remembered, Schema, Source};

use super::domains::{Purchases, Reach};
use super::units::Units;
use super::{Accounting, PrivacySettings, PrivateSynthesizer, Public, Spending, SpendingPlan, coincidence};
use crate::card::Needs;
use crate::class_numbers::ClassNumbers;
use crate::fit::{counting_bytes, refuse_impossible_counts, refuse_violations, the_records};
use crate::fitted::{Drawing, Fitted};
use crate::identifiers::Identifiers;
use crate::strata::{Strata, Stratum};
use crate::{AnyModel, Recipe, Run, StructuralZeros, SynthesisError, registry};

/// Records that a plan is made for where their number is not public.
const ASSUMED_SIZE: u64 = 10_000;

const NOISY_SIZE: &str = "number of records";

/// The most noise on a number of records that is still drawn.
const MOST_NOISE: f64 = 1e6;

/// The schema, if a person declared it public.
pub fn declared(schema: &Schema) -> Result<DeclaredSchema, SynthesisError> {
    schema.clone().reviewed().map_err(|learned| {
        let schema = learned.schema();
        let names = |learned_only: bool| -> Vec<String> {
            let variables = schema.variables().iter();
            variables
                .filter(|variable| !learned_only || variable.origin == Origin::Learned)
                .map(|variable| variable.name.clone())
                .collect()
        };
        let learned = names(true);
        SynthesisError::LearnedSchema { variables: if learned.is_empty() { names(false) } else { learned } }
    })
}

/// Fits a private recipe to a source with a declared schema. Data that break the schema are refused: then nothing is
/// released, and the message is for the data owner alone.
pub(crate) fn fit(
    method: Box<dyn PrivateSynthesizer>,
    source: Source<'_>,
    recipe: &Recipe,
    run: &Run,
) -> Result<Fitted, SynthesisError> {
    let declared = declared(source.schema())?;
    if registry::method(&recipe.method)?.card.needs == Needs::Records {
        the_records(source, &recipe.method)?;
    }
    let asked = Asked::new(&declared, recipe, method.as_ref(), Reach::from(source))?;
    // What cannot work is refused before anything is paid.
    let assumed = asked.purchases.assumed()?;
    let setup = Setup::new(&assumed, recipe, method.as_ref(), &asked)?;
    setup.plan()?;
    run.refuse_checkpoint("it has no meaning in a private run; leave it out")?;
    run.check_room(counting_bytes(source))?;
    refuse_violations(source)?;
    let counted = match source.table() {
        Some(_) => None,
        None => Some(Remembered::new(source.declared_counts(&assumed, recipe.groups as usize)?)),
    };
    let source = match &counted {
        Some(counts) => {
            counts.prefetch(&setup.margins_asked())?;
            refuse_impossible_counts(source, counts, &setup.zeros)?;
            Source::Counts { schema: &assumed, counts }
        }
        None => source,
    };
    let inside = source.table().and_then(coincidence::warning);
    let mut noise = match run.insecure_test_seed {
        Some(seed) => NoiseSource::insecure_test_seed(seed),
        None => NoiseSource::from_operating_system()?,
    };
    if let Some(booking) = &run.booking {
        match run.insecure_test_seed {
            None => booking.debit(&asked.budget, asked.neighbours, declared.schema().unit())?,
            Some(_) => booking.look("noise from an insecure test seed, which can be taken off again")?,
        }
    }
    if let Some(path) = &run.begun {
        let begun = serde_json::json!({
            "meaning": "a private run began and has not ended: take all of this for spent on these data",
            "method": recipe.method,
            "asked": asked.budget.asked(),
            "neighbours": asked.neighbours,
            "unit": declared.schema().unit(),
        });
        table::atomic_file::write_new(path, format!("{begun:#}\n").as_bytes(), true)?;
    }
    let mut ledger = PrivacyLedger::open(asked.budget, asked.neighbours, declared.schema().unit());
    let mut bounded = None;
    if let Some(units) = &asked.units {
        bounded = units.bounded(source, &mut noise)?;
        ledger = ledger.for_units(&units.identifier, units.most);
    }
    let records = bounded.as_ref().or(source.table());
    let known = match records.filter(|_| !asked.purchases.is_empty()) {
        Some(records) => asked.purchases.buy(&mut GuardedColumns::new(records, &mut ledger, &mut noise))?,
        None => assumed.clone(),
    };
    let is_recoded = known.schema() != declared.schema();
    let recoded =
        records.filter(|_| is_recoded).map(|records| records.in_bought_domains(&known)).transpose()?;
    let source = recoded.as_ref().or(bounded.as_ref()).map_or(source, Source::from);
    let schema = known;
    let setup = Setup::new(&schema, recipe, method.as_ref(), &asked)?;
    let mut guard = GuardedTable::new(source, &schema, recipe.groups as usize, &mut ledger, &mut noise)?;
    let (model, size) = setup.carry_out(&mut guard)?;
    drop(guard);
    let records = match &size {
        ReleaseSize::Declared { records, .. } | ReleaseSize::NoisyCount { records, .. } => *records,
    };
    let particulars = Particulars {
        domains: schema.schema().variables().iter().map(|variable| setup.domain_record(variable)).collect(),
        release_size: size,
        randomness: RandomnessRecord::of(&noise),
        software: SoftwareRecord { name: "lookalike".into(), version: env!("CARGO_PKG_VERSION").into() },
    };
    let ledger = ledger.record(particulars);
    ledger.verify()?;
    let seed = noise.rng().next_u64() >> 1;
    let purchases = asked.purchases.remark().into_iter().chain(asked.purchases.equal_remark());
    let remarks: Vec<String> = purchases.chain(setup.identifier_remarks()).collect();
    let fitted = Fitted::new(setup.drawing(model)?, recipe, seed, records, Vec::new())?
        .with_own_remarks(&remarks)
        .with_inside_remarks(inside.into_iter().collect());
    Ok(fitted.with_ledger(Some(ledger)))
}

/// What a private recipe would spend, from the declared schema alone.
pub fn plan(schema: &DeclaredSchema, recipe: &Recipe) -> Result<SpendingPlan, SynthesisError> {
    recipe.check()?;
    let method = (registry::private(&recipe.method)?)(&recipe.method_options())?;
    let asked = Asked::new(schema, recipe, method.as_ref(), Reach::Records)?;
    Setup::new(&asked.purchases.assumed()?, recipe, method.as_ref(), &asked)?.plan()
}

/// What a recipe asks for and a schema declares, before classes are known.
struct Asked<'a> {
    settings: PrivacySettings,
    budget: Budget,
    neighbours: Neighbours,
    units: Option<Units>,
    purchases: Purchases<'a>,
    /// What is left of the budget when the domains have been bought.
    available: Charge,
}

impl<'a> Asked<'a> {
    fn new(
        schema: &'a DeclaredSchema,
        recipe: &Recipe,
        method: &dyn PrivateSynthesizer,
        reach: Reach,
    ) -> Result<Self, SynthesisError> {
        if recipe.seed.is_some() {
            return Err(SynthesisError::SeedInPrivateRun);
        }
        if recipe.after.remove_replicated_uniques {
            let message =
                "it compares with the original records without paying; leave it out of a private run";
            return Err(SynthesisError::option("after.remove_replicated_uniques", message));
        }
        let settings = recipe.privacy.clone().unwrap_or_default();
        // A threshold for levels has a δ of its own, which adds up with others, but not with ρ.
        let buys_levels = schema.schema().variables().iter().any(|variable| variable.bought.levels);
        let accounting = if buys_levels { Accounting::Basic } else { method.accounting() };
        let mut budget = settings.budget(accounting)?;
        if let (Some(epsilon), Some(_), Charge::ZeroConcentrated(rho)) =
            (settings.epsilon, settings.delta, budget.limit())
            && method.prefers_pure(schema, recipe, epsilon, rho.lower())
        {
            budget = settings.budget(Accounting::Basic)?;
        }
        let needed = method.needs_neighbours();
        let neighbours = settings.neighbours.or(needed).unwrap_or(Neighbours::AddRemove);
        if needed.is_some_and(|needed| needed != neighbours) {
            let which = if needed == Some(Neighbours::ReplaceOne) { "replace-one" } else { "add-remove" };
            let message = format!("the argument of `{}` is for {which} neighbours only", recipe.method);
            return Err(SynthesisError::option("neighbours", message));
        }
        let units = Units::of(schema.schema());
        if let Some(units) =
            units.as_ref().filter(|units| neighbours == Neighbours::ReplaceOne && units.most > 1)
        {
            let message = format!(
                "a replaced unit may have fewer or more records, so that their number is not public: with up to {} records a unit say \"add-remove\", or take a method that allows it",
                units.most
            );
            return Err(SynthesisError::option("neighbours", message));
        }
        let purchases = Purchases::of(
            schema,
            recipe.groups as usize,
            budget.limit(),
            settings.domain_share,
            method.number_classes(),
            reach,
        )?;
        let left = budget.cost().saturating_sub(purchases.cost);
        let available = match budget.limit() {
            Charge::Pure(_) => Charge::Pure(left),
            Charge::ZeroConcentrated(_) => Charge::ZeroConcentrated(left),
            Charge::Approximate(_, delta) => {
                Charge::Approximate(left, DeltaCost::from_units(delta.units() - purchases.delta.units()))
            }
        };
        Ok(Self { settings, budget, neighbours, units, purchases, available })
    }
}

/// Everything about a run that is known before the records are.
struct Setup<'a> {
    schema: &'a DeclaredSchema,
    recipe: &'a Recipe,
    method: &'a dyn PrivateSynthesizer,
    asked: &'a Asked<'a>,
    neighbours: Neighbours,
    domain: Domain,
    zeros: StructuralZeros,
    strata: Attributes,
}

impl<'a> Setup<'a> {
    fn new(
        schema: &'a DeclaredSchema,
        recipe: &'a Recipe,
        method: &'a dyn PrivateSynthesizer,
        asked: &'a Asked<'a>,
    ) -> Result<Self, SynthesisError> {
        let domain = Domain::declared(schema, recipe.groups as usize)?;
        let zeros = StructuralZeros::declared(schema, &domain)?;
        let strata = Attributes::named(&domain, recipe.strata.iter().map(String::as_str))
            .map_err(|error| SynthesisError::option("strata", error.to_string()))?;
        if !strata.is_empty() {
            if let Some(message) = method.refuses_strata() {
                return Err(SynthesisError::option("strata", message));
            }
            if asked.neighbours == Neighbours::ReplaceOne {
                let message = "a replaced record may leave one stratum and enter another, so that strata do not share a budget under replace-one neighbours; leave one of them out";
                return Err(SynthesisError::option("strata", message));
            }
            if strata.len() == domain.variables().len() {
                let message = "all variables are strata; leave at least one to be modelled";
                return Err(SynthesisError::option("strata", message));
            }
        }
        if domain.variables().is_empty() {
            let message = "there is no variable to model; identifiers and formulas are not";
            return Err(SynthesisError::option("method", message));
        }
        Ok(Self { schema, recipe, method, asked, neighbours: asked.neighbours, domain, zeros, strata })
    }

    /// The number of records, if a person has said it.
    fn stated_size(&self) -> Option<(u64, &'static str)> {
        let records = self
            .asked
            .settings
            .records
            .map(|records| (records, "stated by the user as public, and disclosed exactly"));
        let rows = self.recipe.rows.filter(|_| self.neighbours == Neighbours::AddRemove);
        records.or(rows.map(|rows| {
            (
                rows,
                "stated by the user; if it is the true number of records, that number is disclosed exactly",
            )
        }))
    }

    /// What goes to the first question, and what is left for the method.
    fn split(&self, share: f64) -> (Cost, Charge) {
        let all = self.asked.available.cost();
        let first = all.share((share * 1e6) as u64, 1_000_000);
        (first, self.charge(all.saturating_sub(first)))
    }

    fn charge(&self, cost: Cost) -> Charge {
        match self.asked.available {
            Charge::Pure(_) => Charge::Pure(cost),
            Charge::ZeroConcentrated(_) => Charge::ZeroConcentrated(cost),
            Charge::Approximate(_, delta) => Charge::Approximate(cost, delta),
        }
    }

    fn public<'b>(
        &'b self,
        domain: &'b Domain,
        zeros: &'b StructuralZeros,
        size: u64,
        charge: Charge,
    ) -> Public<'b> {
        let rows = self.recipe.rows;
        let records = self.asked.units.as_ref().map_or(1, |units| units.most);
        let sensitivities = (
            records * self.neighbours.histogram_l1_sensitivity(),
            records * records * self.neighbours.histogram_l2_sensitivity_squared(),
        );
        let m = self.recipe.m;
        Public { schema: self.schema, domain, zeros, size, rows, m, charge, exact_size: None, sensitivities }
    }

    fn carry_out(&self, guard: &mut GuardedTable<'_>) -> Result<(AnyModel, ReleaseSize), SynthesisError> {
        if !self.strata.is_empty() {
            return self.carry_out_in_strata(guard);
        }
        let stated = self.stated_size();
        let by_definition =
            guard.public_size().map(|size| (size, "replace-one neighbours have one public size"));
        let (size, charge, policy) = match stated.or(by_definition) {
            Some((records, because)) => {
                let policy = ReleaseSize::Declared { records, because: because.into() };
                (records, self.asked.available, policy)
            }
            None => {
                let (price, left) = self.split(self.asked.settings.size_share);
                let records = guard.noisy_size(NOISY_SIZE, self.charge(price))?;
                let records = records.clamp(1, i64::from(u32::MAX)) as u64;
                (records, left, ReleaseSize::NoisyCount { records, event: NOISY_SIZE.into() })
            }
        };
        let exact_size = by_definition.filter(|_| stated.is_none()).map(|(size, _)| size);
        let public = Public { exact_size, ..self.public(&self.domain, &self.zeros, size, charge) };
        let model = self.method.fit(guard, &public)?;
        Ok((model, policy))
    }

    fn carry_out_in_strata(
        &self,
        guard: &mut GuardedTable<'_>,
    ) -> Result<(AnyModel, ReleaseSize), SynthesisError> {
        let by = &self.strata;
        let (price, charge) = self.split(self.asked.settings.strata_share);
        let sizes = guard.noisy_margin(by, self.charge(price))?.counts;
        let (_, rest) = self.domain.without(by)?;
        let possible: Vec<bool> =
            self.strata_cells().iter().map(|cell| self.is_possible_stratum(cell, &rest)).collect();
        // Where noise leaves no stratum with records, all that can occur are alike.
        let is_any = sizes.iter().zip(&possible).any(|(size, is_possible)| *size > 0 && *is_possible);
        let sizes = sizes.into_iter().zip(possible).map(|(size, is_possible)| match is_possible {
            true if is_any => size.max(0) as u64,
            is_possible => u64::from(is_possible),
        });
        let mut sizes = sizes.collect::<Vec<u64>>().into_iter();
        let fitted = guard.in_parts(by, |cell, part| {
            let size = sizes.next().unwrap_or(0);
            if size == 0 {
                return Ok::<_, SynthesisError>(None);
            }
            let zeros = self.zeros.within(by, cell, &self.domain);
            let public = Public { rows: None, ..self.public(&rest, &zeros, size, charge) };
            match self.method.fit(part, &public)? {
                AnyModel::Cells(model) => Ok(Some((size, model))),
                AnyModel::Records(_) => {
                    let message = format!(
                        "`{}` draws records, which are not put together from strata",
                        self.recipe.method
                    );
                    Err(SynthesisError::option("strata", message))
                }
            }
        })?;
        let strata: Vec<Stratum> = fitted
            .into_iter()
            .filter_map(|(cell, stratum)| stratum.map(|(records, model)| Stratum { cell, records, model }))
            .collect();
        if strata.is_empty() {
            let message = "noise left no stratum with records; raise the budget, or use fewer strata";
            let method = registry::method(&self.recipe.method)?.card.name;
            return Err(SynthesisError::Fit { method, message: message.into() });
        }
        let total: u64 = strata.iter().map(|stratum| stratum.records).sum();
        let policy = match self.stated_size() {
            Some((records, because)) => ReleaseSize::Declared { records, because: because.into() },
            None => ReleaseSize::NoisyCount { records: total, event: self.strata_purpose() },
        };
        let model = Strata::private(by.clone(), self.domain.clone(), strata);
        Ok((AnyModel::Cells(Box::new(model)), policy))
    }

    /// The classes of every stratum, the last variable fastest.
    fn strata_cells(&self) -> Vec<Vec<u32>> {
        let sizes = self.domain.sizes(&self.strata);
        let cell = |place: usize| {
            let mut rest = place;
            let mut cell: Vec<u32> = sizes
                .iter()
                .rev()
                .map(|size| {
                    let class = (rest % size) as u32;
                    rest /= size;
                    class
                })
                .collect();
            cell.reverse();
            cell
        };
        (0..sizes.iter().product()).map(cell).collect()
    }

    /// Whether a stratum can hold a record at all.
    fn is_possible_stratum(&self, cell: &[u32], rest: &Domain) -> bool {
        if self.zeros.forbids(&self.strata, cell) {
            return false;
        }
        let zeros = self.zeros.within(&self.strata, cell, &self.domain);
        zeros.all().is_empty() || zeros.possible_cells(rest).map_or(true, |cells| cells > BigUint::ZERO)
    }

    fn strata_purpose(&self) -> String {
        format!("counts of {}", self.domain.describe(&self.strata))
    }

    /// What is counted before anything is paid: what the method may ask for, within strata if there are any, and what shows cells that cannot occur. There is
    /// always something, so that records are compared with their schema first.
    fn margins_asked(&self) -> Vec<Attributes> {
        let zeros = self.zeros.all().iter().map(|zeros| zeros.attributes.clone());
        let mut asked: Vec<Attributes> = zeros.chain([self.strata.clone()]).collect();
        let Ok((rest, domain)) = self.domain.without(&self.strata) else { return asked };
        let public = self.public(&domain, &self.zeros, ASSUMED_SIZE, self.asked.available);
        for of in self.method.margins_asked(&public) {
            let of = Attributes::new(of.positions().iter().map(|position| rest.positions()[*position]));
            asked.push(of.union(&self.strata));
        }
        asked
    }

    fn plan(&self) -> Result<SpendingPlan, SynthesisError> {
        let mut plan = SpendingPlan::new(&self.recipe.method, &self.asked.budget, self.neighbours);
        plan.unit = self.schema.schema().unit().to_owned();
        plan.reason = self.schema.reason().to_owned();
        plan.m = self.recipe.m;
        plan.units = self.asked.units.as_ref().map(|units| (units.identifier.clone(), units.most));
        plan.remarks.extend(self.asked.purchases.remark());
        plan.questions = self.asked.purchases.spending();
        let stated = self.stated_size();
        plan.size = (stated.map_or(ASSUMED_SIZE, |(size, _)| size), stated.is_none());
        let noisy = |purpose: &str, cost: Cost| Spending {
            purpose: purpose.to_owned(),
            mechanism: match self.asked.available {
                Charge::ZeroConcentrated(_) => Mechanism::DiscreteGaussian,
                Charge::Pure(_) | Charge::Approximate(..) => Mechanism::DiscreteLaplace,
            },
            charge: match self.charge(cost) {
                Charge::Approximate(cost, _) => Charge::Pure(cost),
                other => other,
            },
        };
        if !self.strata.is_empty() {
            let (price, charge) = self.split(self.asked.settings.strata_share);
            plan.questions.push(noisy(&self.strata_purpose(), price));
            let parts: usize = self.domain.sizes(&self.strata).iter().product();
            self.refuse_noise_alone(price, parts as f64)?;
            let (_, rest) = self.domain.without(&self.strata)?;
            let cells = self.strata_cells();
            let Some(first) = cells.into_iter().find(|cell| self.is_possible_stratum(cell, &rest)) else {
                let message = "no stratum can hold a record that keeps the schema; use others";
                return Err(SynthesisError::option("strata", message));
            };
            let zeros = self.zeros.within(&self.strata, &first, &self.domain);
            let each = (plan.size.0 / parts as u64).max(1);
            let public = Public { rows: None, ..self.public(&rest, &zeros, each, charge) };
            let questions = self.method.spending(&public)?;
            plan.in_strata = Some((self.domain.describe(&self.strata), parts as u64, questions));
            return Ok(plan);
        }
        let mut charge = self.asked.available;
        if stated.is_none() && self.neighbours == Neighbours::AddRemove {
            let (price, left) = self.split(self.asked.settings.size_share);
            plan.questions.push(noisy(NOISY_SIZE, price));
            self.refuse_noise_alone(price, 1.0)?;
            charge = left;
        }
        let public = self.public(&self.domain, &self.zeros, plan.size.0, charge);
        plan.questions.extend(self.method.spending(&public)?);
        Ok(plan)
    }

    /// Refuses a number of records that would be noise and nothing else, from the budget alone: up to billions of records would be drawn.
    fn refuse_noise_alone(&self, price: Cost, counts: f64) -> Result<(), SynthesisError> {
        let records = self.asked.units.as_ref().map_or(1, |units| units.most) as f64;
        let scale = match self.asked.available {
            Charge::ZeroConcentrated(_) => records / (2.0 * price.upper()).sqrt(),
            Charge::Pure(_) | Charge::Approximate(..) => records / price.upper(),
        };
        if scale * counts <= MOST_NOISE {
            return Ok(());
        }
        let message = format!(
            "the number of records would be counted with noise of about {:.0e}, which is noise and nothing else; raise the budget, or state the number with the option \
             `records` where it is public, or with `rows`",
            scale * counts
        );
        Err(SynthesisError::option("epsilon", message))
    }

    /// The model with what turns its draws into records of the schema that is released.
    fn drawing(&self, model: AnyModel) -> Result<Drawing, SynthesisError> {
        let released = self.method.released_schema(self.schema)?;
        let schema = released.unwrap_or_else(|| self.schema.schema().clone());
        let identifiers = Identifiers::declared(&schema);
        let drawing =
            Drawing::new(model, Arc::new(schema), &self.domain, identifiers, ClassNumbers::default())?;
        Ok(drawing.of_private_run())
    }

    /// What a private run cannot know of identifiers, since it looks at none.
    fn identifier_remarks(&self) -> Vec<String> {
        let variables = self.schema.schema().variables().iter();
        let silent =
            variables.filter(|of| of.kind == Kind::TextId && of.identifier.records_per_value.is_empty());
        let names: Vec<String> = silent.map(|variable| format!("`{}`", variable.name)).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let (names, values) = (names.join(", "), "has a value of its own and none is missing");
        vec![format!(
            "a private run reads no identifier: every record {values} in {names}; declare `records_per_value` where values repeat"
        )]
    }

    fn domain_record(&self, variable: &table::Variable) -> DomainRecord {
        let reason = self.schema.reason();
        let (declared_because, origin) = match variable.origin {
            Origin::Declared if self.asked.purchases.includes(&variable.name) => {
                (format!("bought in part by this run, else: {reason}"), DomainOrigin::Bought)
            }
            Origin::Declared => (reason.to_owned(), DomainOrigin::Declared),
            Origin::Learned | Origin::Synthetic => {
                (format!("drafted from the records, then declared public: {reason}"), DomainOrigin::Drafted)
            }
        };
        DomainRecord { variable: variable.name.clone(), declared_because, origin }
    }
}

impl From<&Event> for Spending {
    fn from(event: &Event) -> Self {
        Self { purpose: event.purpose.clone(), mechanism: event.mechanism, charge: event.charge }
    }
}
