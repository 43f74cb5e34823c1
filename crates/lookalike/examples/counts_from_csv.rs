//! Counts from elsewhere: the result of a GROUP BY, as a CSV file, and a declared schema are all that Lookalike needs.
//!
//! ```text
//! cargo run -p lookalike --example counts_from_csv
//! ```
//!
//! The records stay in their database. A type that answers [`CountSource`] stands for them in a plan, a fit, a private run, the measures of
//! tables and a release; what needs the records themselves is refused by name, and the release says what was not measured.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use lookalike::frontier::plan::{Grid, MeanCount, SaturatedMechanism};
use lookalike::prelude::*;
use lookalike::statistics::counts::CountFamily;
use lookalike::table::schema::SchemaFile;
use lookalike::table::{
    Attributes, Classes, Column, ContingencyTable, CountSource, DeclaredSchema, Domain, Margin, TableError,
};

/// What the columns may hold, declared by a person. Invented, like the counts.
const SCHEMA: &str = r#"
[table]
unit = "person"
declared = true
reason = "invented for this example"
[variables.sex]
kind = "categorical"
levels = ["F", "M"]
[variables.age]
kind = "integer"
range = [0, 99]
cuts = [0, 18, 65, 99]
[variables.smokes]
kind = "categorical"
levels = ["no", "yes"]
missing = true
[[impossible]]
where = "age < 18 and smokes = 'yes'"
"#;

/// SELECT sex, age_class, smokes, count(*) … GROUP BY sex, age_class, smokes.
const GROUPED: &str = r#"sex,age,smokes,people
F,"[0,18)",no,90
F,"[18,65)",no,260
F,"[18,65)",yes,61
F,"[18,65)",missing,9
F,"[65,99]",no,97
F,"[65,99]",yes,12
M,"[0,18)",no,95
M,"[18,65)",no,228
M,"[18,65)",yes,88
M,"[18,65)",missing,1
M,"[65,99]",no,70
M,"[65,99]",yes,21
"#;

/// Counts of the cells that occur. A source in a database would answer each question by a GROUP BY of its own.
struct GroupedCounts {
    domain: Domain,
    cells: Vec<(Vec<u32>, u64)>,
}

impl GroupedCounts {
    /// Reads a CSV file with one column of class labels for each variable, and a last one with the count.
    fn read(text: &str, schema: &DeclaredSchema) -> Result<Self, Box<dyn Error>> {
        let domain = Domain::declared(schema, Recipe::new("ipf").groups as usize)?;
        let grouped = read_csv_text(text, &ReadOptions::default())?;
        let Some((Column::Integer(counts), names)) =
            grouped.columns().split_last().map(|(last, _)| (last, domain.variables()))
        else {
            return Err("the last column holds the counts".into());
        };
        let columns =
            names.iter().map(|classes| classes_of(&grouped, classes)).collect::<Result<Vec<_>, _>>()?;
        let cell = |row: usize| columns.iter().map(|column| column[row]).collect();
        let cells = counts.values().enumerate().map(|(row, count)| (cell(row), count.unsigned_abs()));
        Ok(Self { cells: cells.collect(), domain })
    }

    /// The cells over some of the variables; equal ones are added up by whoever takes them.
    fn over(&self, of: &Attributes) -> Vec<(Vec<u32>, u64)> {
        let part = |cell: &[u32]| of.positions().iter().map(|position| cell[*position]).collect();
        self.cells.iter().map(|(cell, count)| (part(cell), *count)).collect()
    }
}

/// The class of every row of a column of labels, such as `[18,65)` or `missing`.
fn classes_of(grouped: &Table, classes: &Classes) -> Result<Vec<u32>, Box<dyn Error>> {
    let labels: Vec<String> = (0..classes.size() as u32).map(|class| classes.label(class)).collect();
    let (column, kind) = (grouped.column(classes.name())?, &grouped.schema().variable(classes.name())?.kind);
    let (Column::Categorical(codes), Some(levels)) = (column, kind.levels()) else {
        return Err(format!("column `{}` holds no labels", classes.name()).into());
    };
    let class = |code: u32| {
        let label = levels.get(code).unwrap_or("missing");
        let class = labels.iter().position(|known| known == label).map(|class| class as u32);
        class.ok_or_else(|| {
            format!("column `{}` holds a label that the schema does not declare", classes.name()).into()
        })
    };
    codes.iter().map(class).collect()
}

impl CountSource for GroupedCounts {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn records(&self) -> u64 {
        self.cells.iter().map(|(_, count)| count).sum()
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        let margin = |of: &Attributes| {
            Margin::checked_cells(&self.domain, of)?;
            self.contingency_table(of)?
                .to_margin()
                .ok_or_else(|| TableError::schema("counts", "too many cells"))
        };
        of.iter().map(margin).collect()
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let cells = self.over(of);
        let cells = cells.iter().map(|(cell, count)| (cell.as_slice(), *count));
        Ok(ContingencyTable::from_cells(of.clone(), &self.domain.sizes(of), cells))
    }
}

/// What the counts go through, line by line; the release is written to a new folder `out`.
pub fn report(out: &Path) -> Result<String, Box<dyn Error>> {
    let watch = Watch::default();
    let schema = SchemaFile::parse(SCHEMA)?.finish()?.reviewed().map_err(|_| "the schema is not declared")?;
    let counts = GroupedCounts::read(GROUPED, &schema)?;
    let mut text =
        format!("{} records in {} cells, none of them here\n", counts.records(), counts.cells.len());
    let people = Data::counts("people", schema, counts);

    let mechanism = SaturatedMechanism::new(CountFamily::from_options("nbi", Some(0.5), None)?);
    let grid = Grid { sigmas: vec![0.5], ms: vec![1], near: vec![(1, 0.5)], mean_count: MeanCount::Exact };
    let planned = PlanRequest::new(people.clone(), mechanism, grid).run(&watch)?;
    let again = 100.0 * planned.catall_replicated_uniques.share_of_uniques;
    writeln!(text, "plan: `catall` would repeat {again:.1} % of the unique records")?;

    let recipe = Recipe { seed: Some(1), ..Recipe::new("ipf") };
    let plain = SynthesiseRequest::new(people.clone(), recipe).run(&watch)?.fitted;
    let synthetic = plain.table(0)?;
    writeln!(text, "fit: {} synthetic records by `ipf`, {}", synthetic.rows(), plain.remarks()[0])?;

    let recipe = Recipe::parse("method = \"ipf\"\n[privacy]\nepsilon = 1.0\n")?;
    // The seed makes the example repeatable and voids the guarantee; leave it out for a release.
    let noise = Noise::InsecureTestSeed(1);
    let request = SynthesiseRequest { noise, ..SynthesiseRequest::new(people.clone(), recipe.clone()) };
    let private = request.run(&watch)?;
    let ledger = private.ledger.ok_or("a private run keeps a ledger")?;
    let questions = ledger.events.len();
    writeln!(text, "private fit: {} paid by {questions} questions", ledger.spent.charge())?;

    let files = [synthetic, private.fitted.table(0)?].map(|table| Data::records("synthetic", table));
    let request = MeasureRequest::new(people.clone(), files.to_vec());
    let only = Questions { only: vec!["tables".into()], ..Questions::default() };
    let found = MeasureRequest { questions: only, ..request.clone() }.run(&watch)?;
    for finding in found.findings.iter().filter(|finding| finding.measure == "tables.mean_s_pmse") {
        let each = &finding.detail["each"];
        writeln!(text, "measure: mean S_pMSE of tables of {} variables: {each}", finding.detail["ways"])?;
    }
    writeln!(text, "refused: {}", request.run(&watch).err().ok_or("some measures need records")?)?;

    let version = Version::OfRecipe(Box::new(recipe));
    let request = ReleaseRequest::new(people, version, "the board of the example", out);
    let released = ReleaseRequest { noise, ..request }.run(&watch)?;
    let verified = VerifyRequest::new(out).run()?;
    writeln!(text, "release: {} findings, verified: {}", released.findings.len(), verified.passed)?;
    released.decision.caveats.iter().try_for_each(|caveat| writeln!(text, "  {caveat}"))?;
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    print!("{}", report(&folder.path().join("release"))?);
    Ok(())
}
