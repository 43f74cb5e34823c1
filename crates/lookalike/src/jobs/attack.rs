//! Whether single records can be found in what a method would release.

use frontier::attack::{AttackFinding, AttackPlan, attack};
use synthesis::Recipe;
use table::watch::Watch;

use crate::{Books, Data, Error, Request};

/// Asks how well an intruder who knows a record and the method can tell from a release whether the record was in the data.
///
/// ```
/// use lookalike::{AttackRequest, Data, Watch};
/// use lookalike::table::read::{ReadOptions, read_csv_text};
///
/// let rows: String = (0..80).map(|at| format!("{},{}\n", ["F", "M"][at % 2], at * 7 % 23)).collect();
/// let people = read_csv_text(&format!("sex,age\n{rows}"), &ReadOptions::default())?;
/// let mut request = AttackRequest::new(Data::records("people", people), lookalike::synthesis::Recipe::new("sequential"));
/// (request.plan.targets, request.plan.runs) = (4, 20);
/// let found = request.run(&Watch::default())?;
/// assert_eq!(found.targets.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AttackRequest {
    /// The table.
    pub data: Data,
    /// The method with its options.
    pub recipe: Recipe,
    /// How many records are attacked, and how often the method is fitted.
    pub plan: AttackPlan,
    /// The ledger over all runs on these data; without one that of the environment, where it names one.
    pub books: Option<Books>,
}

impl AttackRequest {
    /// Attacks twenty records by a hundred fits.
    pub fn new(data: Data, recipe: Recipe) -> Self {
        Self { data, recipe, plan: AttackPlan::default(), books: None }
    }

    /// Reads the table, fits the method many times and attacks what it draws.
    pub fn run(&self, watch: &Watch) -> Result<AttackFinding, Error> {
        Books::look(
            self.books.as_ref(),
            "attack",
            "a method is fitted many times with noise that can be replayed",
        )?;
        let table = self.data.read(watch)?;
        Ok(attack(&table, &self.recipe, &self.plan, watch)?)
    }
}

impl Request for AttackRequest {
    type Outcome = AttackFinding;

    fn inputs(&self) -> Vec<std::path::PathBuf> {
        self.data.inputs()
    }

    fn outputs(&self) -> Vec<std::path::PathBuf> {
        Books::inputs(self.books.as_ref()).into_iter().collect()
    }

    fn perform(&self, watch: &Watch) -> Result<AttackFinding, Error> {
        self.run(watch)
    }

    fn text(&self, found: &AttackFinding) -> String {
        report::attack_text(found)
    }

    fn json(&self, found: &AttackFinding) -> serde_json::Value {
        serde_json::json!(found)
    }
}
