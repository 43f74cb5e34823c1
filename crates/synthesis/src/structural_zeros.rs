//! Cells that cannot occur: what the schema calls impossible, what its rules forbid, and children under foreign parents.
//!
//! A cell is a structural zero only if every record in it would break the schema; a rule on `age < 16` says nothing of the
//! class [10,20). Zeros are kept as tables over the few variables that a rule names, never over all K cells.

use fixedbitset::FixedBitSet;
use num_bigint::BigUint;
use table::expression::{Condition, Region, Span};
use table::{Attributes, CountSource, DeclaredSchema, Domain, Schema, TableError};

use crate::SynthesisError;
use crate::stored::{StateReader, StateWriter, damaged, ensure};

/// A condition over more cells than this is not worked out.
const MOST_CELLS: usize = 1 << 22;

/// The structural zeros of a domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructuralZeros(Vec<Zeros>);

/// Combinations of some variables that cannot occur, in whatever company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zeros {
    /// The variables, as positions in the domain.
    pub attributes: Attributes,
    /// One bit for each cell over them, the last variable fastest; set where impossible.
    pub cells: FixedBitSet,
    sizes: Vec<usize>,
}

impl StructuralZeros {
    /// The zeros that the schema declares; parents of nested variables are read off the counts where they are not declared.
    pub fn of(schema: &Schema, counts: &dyn CountSource) -> Result<Self, TableError> {
        Self::with_nesting(schema, counts.domain(), |_, child, parent| {
            Zeros::nesting_in_counts(counts, child, parent)
        })
    }

    /// The zeros of a declared schema, without a look at the records: parents of nested variables must be declared too.
    pub fn declared(schema: &DeclaredSchema, domain: &Domain) -> Result<Self, TableError> {
        Self::with_nesting(schema.schema(), domain, |name, _, _| {
            let message = "it is nested, and the schema does not say which parent each level has; declare \
                           `parents = { level = \"parent\", … }`, which `lookalike describe DATA --schema S --write-schema NEW` drafts";
            Err(TableError::variable(name, message))
        })
    }

    fn with_nesting(
        schema: &Schema,
        domain: &Domain,
        undeclared: impl Fn(&str, usize, usize) -> Result<Zeros, TableError>,
    ) -> Result<Self, TableError> {
        let mut zeros = Vec::new();
        let variables = schema.variables();
        for impossible in schema.impossible() {
            let condition = impossible.condition(variables)?;
            zeros.extend(Zeros::where_(
                schema,
                domain,
                &impossible.variables(),
                impossible.text(),
                |cell| condition.outcomes(cell).always_true(),
            )?);
        }
        for rule in schema.rules() {
            let (when, then) = (rule.when.condition(variables)?, rule.then.condition(variables)?);
            let names = rule.when.variables().into_iter().chain(rule.then.variables()).collect();
            zeros.extend(Zeros::where_(schema, domain, &names, rule.when.text(), |cell| {
                broken(&when, &then, cell)
            })?);
        }
        for (position, classes) in domain.variables().iter().enumerate() {
            let child = schema.position_of(classes.name())?;
            let parent = variables[child].within.as_deref();
            if let Some(parent) = parent.and_then(|parent| domain.position_of(parent).ok()) {
                zeros.push(match schema.declared_parents(child) {
                    Some(parents) => {
                        Zeros::nesting(domain, position, parent, |_, level, above| parents[level] == above)
                    }
                    None => undeclared(classes.name(), position, parent)?,
                });
            }
        }
        Ok(Self(zeros.into_iter().filter(|zeros| !zeros.cells.is_clear()).collect()))
    }

    /// Writes the zeros to a model file.
    pub fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let attributes: Vec<&[usize]> = self.0.iter().map(|zeros| zeros.attributes.positions()).collect();
        into.settings("zeros", &attributes)?;
        self.0.iter().try_for_each(|zeros| {
            let words = zeros.cells.as_slice();
            into.numbers("impossible cells", words.len(), words.iter().map(|word| *word as u64))
        })
    }

    /// The zeros of a domain from a model file.
    pub fn load(from: &mut StateReader<'_>, domain: &Domain) -> Result<Self, SynthesisError> {
        let all: Vec<Vec<usize>> = from.settings("zeros")?;
        let load = |positions: Vec<usize>| {
            let attributes = Attributes::new(positions.iter().copied());
            let is_of_domain = attributes.positions() == positions
                && positions.last().is_some_and(|last| *last < domain.variables().len());
            ensure(is_of_domain, "impossible cells are of variables that are not there")?;
            let sizes = domain.sizes(&attributes);
            let words: Vec<u64> = from.array("impossible cells")?;
            let count = sizes.iter().try_fold(1_usize, |cells, size| cells.checked_mul(*size));
            let Some(count) = count.filter(|count| count.div_ceil(64) == words.len()) else {
                return Err(damaged("impossible cells are not those of their variables"));
            };
            let mut cells = FixedBitSet::with_capacity(count);
            let is_set = |cell: &usize| words[cell / 64] >> (cell % 64) & 1 == 1;
            (0..count).filter(is_set).for_each(|cell| cells.insert(cell));
            Ok(Zeros { attributes, cells, sizes })
        };
        Ok(Self(all.into_iter().map(load).collect::<Result<_, SynthesisError>>()?))
    }

    /// The zeros, one table for each rule.
    pub fn all(&self) -> &[Zeros] {
        &self.0
    }

    /// Whether a cell over all variables of the domain cannot occur.
    pub fn contains(&self, cell: &[u32]) -> bool {
        self.0.iter().any(|zeros| zeros.contains(cell))
    }

    /// Whether a record whose variables are known up to this position cannot occur because of what is known from there on. Classes of later variables are not looked at.
    pub(crate) fn forbids_up_to(&self, position: usize, record: &[u32]) -> bool {
        let ends_here = |zeros: &&Zeros| zeros.attributes.positions().last() == Some(&position);
        self.0.iter().filter(ends_here).any(|zeros| zeros.contains(record))
    }

    /// Whether a cell over some of the variables cannot occur, in whatever company.
    pub(crate) fn forbids(&self, of: &Attributes, cell: &[u32]) -> bool {
        let mut whole = vec![0; of.positions().last().map_or(0, |last| last + 1)];
        of.positions().iter().zip(cell).for_each(|(position, class)| whole[*position] = *class);
        let is_about = |zeros: &&Zeros| of.places_of(&zeros.attributes).is_some();
        self.0.iter().filter(is_about).any(|zeros| zeros.contains(&whole))
    }

    /// Refuses counts of records in cells that cannot occur, by the variables of the rule that they break.
    pub(crate) fn refuse_records(&self, counts: &dyn CountSource) -> Result<(), TableError> {
        let of: Vec<Attributes> = self.0.iter().map(|zeros| zeros.attributes.clone()).collect();
        for (zeros, margin) in self.0.iter().zip(counts.margins(&of)?) {
            if zeros.cells.ones().any(|cell| margin.counts()[cell] > 0) {
                let place = format!("counts of {}", counts.domain().describe(&zeros.attributes));
                let message = "some records lie in cells that the schema's rules, impossible cells or parents exclude; mend the data \
                               or the schema";
                return Err(TableError::schema(place, message));
            }
        }
        Ok(())
    }

    /// The zeros of the other variables once those of a stratum are fixed; positions are those of the remaining domain.
    pub fn within(&self, by: &Attributes, stratum: &[u32], domain: &Domain) -> Self {
        let rest = Attributes::all(domain).without(by);
        let fixed = |position: usize| {
            by.positions().iter().position(|other| *other == position).map(|at| stratum[at])
        };
        let zeros = self.0.iter().map(|zeros| {
            let free: Vec<usize> = zeros
                .attributes
                .positions()
                .iter()
                .copied()
                .filter(|position| fixed(*position).is_none())
                .collect();
            let sizes: Vec<usize> =
                free.iter().map(|position| domain.variables()[*position].size()).collect();
            let mut cells = FixedBitSet::with_capacity(sizes.iter().product());
            for_each_cell(&sizes, |index, cell| {
                let classes = zeros.attributes.positions().iter().map(|position| {
                    fixed(*position)
                        .unwrap_or_else(|| cell[free.iter().position(|other| other == position).unwrap_or(0)])
                });
                let whole = zeros
                    .sizes
                    .iter()
                    .zip(classes)
                    .fold(0, |index, (size, class)| index * size + class as usize);
                cells.set(index, zeros.cells.contains(whole));
            });
            let places = free
                .iter()
                .filter_map(|position| rest.positions().iter().position(|other| other == position));
            Zeros { attributes: Attributes::new(places), cells, sizes }
        });
        Self(zeros.filter(|zeros| !zeros.cells.is_clear()).collect())
    }

    /// How many cells over all variables can occur, exactly: the product over groups of variables that rules tie together.
    pub fn possible_cells(&self, domain: &Domain) -> Result<BigUint, TableError> {
        let mut free = Attributes::all(domain);
        let mut cells = BigUint::from(1_u8);
        for (variables, zeros) in self.groups() {
            cells *= BigUint::from(eliminate(&zeros, domain, &Attributes::new([]))?[0]);
            free = free.without(&variables);
        }
        Ok(cells * domain.cells(&free))
    }

    /// For each cell of the margin over `of`: in how many ways the variables that rules tie to it can go with it. All other
    /// variables multiply every cell alike and are not counted.
    pub fn possible_margin(&self, domain: &Domain, of: &Attributes) -> Result<Vec<u128>, TableError> {
        let touches = |(variables, _): &(Attributes, Vec<&Zeros>)| variables.shares_with(of);
        let zeros: Vec<&Zeros> =
            self.groups().into_iter().filter(touches).flat_map(|(_, zeros)| zeros).collect();
        eliminate(&zeros, domain, of)
    }

    /// Zeros in groups that share no variable, with the variables of each group.
    fn groups(&self) -> Vec<(Attributes, Vec<&Zeros>)> {
        let mut groups: Vec<(Attributes, Vec<&Zeros>)> = Vec::new();
        for zeros in &self.0 {
            let (tied, mut apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|(variables, _)| variables.shares_with(&zeros.attributes));
            let mut merged = (zeros.attributes.clone(), vec![zeros]);
            for (variables, members) in tied {
                merged.0 = merged.0.union(&variables);
                merged.1.extend(members);
            }
            apart.push(merged);
            groups = apart;
        }
        groups
    }
}

/// Counts possibilities for each cell of `of` by eliminating all other variables that the zeros name, one after the other.
fn eliminate(zeros: &[&Zeros], domain: &Domain, of: &Attributes) -> Result<Vec<u128>, TableError> {
    let mut factors: Vec<Factor> = zeros.iter().map(|zeros| Factor::of_zeros(zeros)).collect();
    factors.extend(of.positions().iter().map(|position| Factor::ones(domain, *position)));
    let named = factors.iter().fold(Attributes::new([]), |all, factor| all.union(&factor.attributes));
    let mut open: Vec<usize> = named.without(of).positions().to_vec();
    while let Some(at) = cheapest(&factors, &open, domain) {
        let position = open.swap_remove(at);
        let (touched, rest): (Vec<Factor>, Vec<Factor>) =
            factors.into_iter().partition(|factor| factor.attributes.positions().contains(&position));
        factors = rest;
        factors.push(multiply(&touched, domain)?.summed_out(position)?);
    }
    Ok(multiply(&factors, domain)?.counts)
}

/// The variable whose removal makes the smallest table.
fn cheapest(factors: &[Factor], open: &[usize], domain: &Domain) -> Option<usize> {
    let cost = |position: usize| {
        let touched = factors.iter().filter(|factor| factor.attributes.positions().contains(&position));
        let union = touched.fold(Attributes::new([]), |all, factor| all.union(&factor.attributes));
        domain.sizes(&union).iter().map(|size| *size as f64).product::<f64>()
    };
    (0..open.len()).min_by(|left, right| cost(open[*left]).total_cmp(&cost(open[*right])))
}

fn broken(when: &Condition, then: &Condition, cell: &CellRegion<'_>) -> bool {
    when.outcomes(cell).always_true() && then.outcomes(cell).always_false()
}

/// A cell of a few variables of the domain as a region of records.
struct CellRegion<'a> {
    schema: &'a Schema,
    domain: &'a Domain,
    attributes: &'a Attributes,
    cell: &'a [u32],
}

impl Region for CellRegion<'_> {
    fn span(&self, variable: usize) -> Span {
        let name = &self.schema.variables()[variable].name;
        let place =
            self.attributes.positions().iter().position(|at| self.domain.variables()[*at].name() == name);
        match place {
            Some(place) => self.domain.variables()[self.attributes.positions()[place]].span(self.cell[place]),
            None => Span::Anything,
        }
    }
}

impl Zeros {
    fn where_(
        schema: &Schema,
        domain: &Domain,
        names: &std::collections::BTreeSet<&str>,
        text: &str,
        impossible: impl Fn(&CellRegion<'_>) -> bool,
    ) -> Result<Option<Self>, TableError> {
        let attributes = Attributes::new(names.iter().filter_map(|name| domain.position_of(name).ok()));
        let sizes = domain.sizes(&attributes);
        let cells = sizes
            .iter()
            .try_fold(1_usize, |cells, size| cells.checked_mul(*size))
            .filter(|cells| *cells <= MOST_CELLS);
        let Some(count) = cells else {
            let message = format!(
                "its variables span more than {MOST_CELLS} cells; use coarser classes, or fewer variables"
            );
            return Err(TableError::Expression { expression: text.to_owned(), message });
        };
        let mut cells = FixedBitSet::with_capacity(count);
        for_each_cell(&sizes, |index, cell| {
            cells.set(index, impossible(&CellRegion { schema, domain, attributes: &attributes, cell }));
        });
        Ok((!attributes.is_empty()).then_some(Self { attributes, cells, sizes }))
    }

    /// A level under any parent but those it may lie under. A missing child may have any parent.
    fn nesting(
        domain: &Domain,
        child: usize,
        parent: usize,
        may_lie: impl Fn(usize, usize, u32) -> bool,
    ) -> Self {
        let attributes = Attributes::new([child, parent]);
        let sizes = domain.sizes(&attributes);
        let missing = domain.variables()[child].missing_class();
        let mut cells = FixedBitSet::with_capacity(sizes.iter().product());
        for_each_cell(&sizes, |index, cell| {
            let (class, above) = if child < parent { (cell[0], cell[1]) } else { (cell[1], cell[0]) };
            cells.set(index, Some(class) != missing && !may_lie(index, class as usize, above));
        });
        Self { attributes, cells, sizes }
    }

    /// The same, with the parents that each level occurs under.
    fn nesting_in_counts(counts: &dyn CountSource, child: usize, parent: usize) -> Result<Self, TableError> {
        let margin = counts.margins(&[Attributes::new([child, parent])])?.remove(0);
        Ok(Self::nesting(counts.domain(), child, parent, |index, _, _| margin.counts()[index] > 0))
    }

    fn contains(&self, cell: &[u32]) -> bool {
        let classes = self.attributes.positions().iter().map(|position| cell[*position] as usize);
        self.cells
            .contains(self.sizes.iter().zip(classes).fold(0, |index, (size, class)| index * size + class))
    }
}

/// Visits every cell, the last variable fastest.
fn for_each_cell(sizes: &[usize], mut visit: impl FnMut(usize, &[u32])) {
    let mut cell = vec![0_u32; sizes.len()];
    for index in 0..sizes.iter().product() {
        visit(index, &cell);
        for place in (0..sizes.len()).rev() {
            cell[place] += 1;
            if (cell[place] as usize) < sizes[place] {
                break;
            }
            cell[place] = 0;
        }
    }
}

/// A table of numbers of possibilities, for counting by elimination.
struct Factor {
    attributes: Attributes,
    sizes: Vec<usize>,
    counts: Vec<u128>,
}

impl Factor {
    fn of_zeros(zeros: &Zeros) -> Self {
        let counts =
            (0..zeros.sizes.iter().product()).map(|index| u128::from(!zeros.cells.contains(index))).collect();
        Self { attributes: zeros.attributes.clone(), sizes: zeros.sizes.clone(), counts }
    }

    fn ones(domain: &Domain, position: usize) -> Self {
        let size = domain.variables()[position].size();
        Self { attributes: Attributes::new([position]), sizes: vec![size], counts: vec![1; size] }
    }

    fn summed_out(self, position: usize) -> Result<Self, TableError> {
        let Some(place) = self.attributes.positions().iter().position(|other| *other == position) else {
            return Ok(self);
        };
        let inner: usize = self.sizes[place + 1..].iter().product();
        let size = self.sizes[place];
        let outer = self.counts.len() / (size * inner);
        let sum = |at: usize| {
            let mut counts =
                (0..size).map(|class| self.counts[(at / inner * size + class) * inner + at % inner]);
            counts.try_fold(0_u128, u128::checked_add).ok_or_else(too_many)
        };
        let counts = (0..outer * inner).map(sum).collect::<Result<_, _>>()?;
        let mut sizes = self.sizes.clone();
        sizes.remove(place);
        Ok(Self { attributes: self.attributes.without(&Attributes::new([position])), sizes, counts })
    }
}

fn too_many() -> TableError {
    TableError::schema(
        "rules",
        "they tie so many variables together that combinations cannot be counted in 128 bits",
    )
}

fn multiply(factors: &[Factor], domain: &Domain) -> Result<Factor, TableError> {
    let attributes = factors.iter().fold(Attributes::new([]), |all, factor| all.union(&factor.attributes));
    let sizes = domain.sizes(&attributes);
    if sizes.iter().map(|size| *size as f64).product::<f64>() > (4 * MOST_CELLS) as f64 {
        let message =
            format!("the rules tie {} together, too many cells to count", domain.describe(&attributes));
        return Err(TableError::schema("rules", message));
    }
    let places: Vec<Vec<usize>> =
        factors.iter().map(|factor| attributes.places_of(&factor.attributes).unwrap_or_default()).collect();
    let mut counts = vec![1_u128; sizes.iter().product()];
    let mut overflow = false;
    for_each_cell(&sizes, |index, cell| {
        for (factor, places) in factors.iter().zip(&places) {
            let at = factor
                .sizes
                .iter()
                .zip(places)
                .fold(0, |at, (size, place)| at * size + cell[*place] as usize);
            match counts[index].checked_mul(factor.counts[at]) {
                Some(count) => counts[index] = count,
                None => overflow = true,
            }
        }
    });
    if overflow {
        return Err(too_many());
    }
    Ok(Factor { attributes, sizes, counts })
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;
    use table::{CodedTable, Grouping};

    use super::*;

    const SCHEMA: &str = r#"
[variables.age]
kind = "integer"
range = [0, 99]
cuts = [0, 16, 40, 99]
[variables.marital]
kind = "categorical"
levels = ["SINGLE", "MARRIED"]
[variables.since]
kind = "integer"
range = [1950, 2020]
cuts = [1950, 2000, 2020]
missing = true
[variables.occ1]
kind = "categorical"
levels = ["a", "b"]
[variables.occ2]
kind = "categorical"
levels = ["a1", "a2", "b1", "never"]
within = "occ1"
[variables.free]
kind = "categorical"
levels = ["x", "y", "z"]
[[rules]]
when = "marital = 'SINGLE'"
then = "since is missing"
[[impossible]]
where = "age < 16 and marital = 'MARRIED'"
[[impossible]]
where = "age < 30 and since < 2000"
"#;

    fn town() -> (Schema, CodedTable) {
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
        let text =
            "age,marital,since,occ1,occ2,free\n50,MARRIED,1980,a,a1,x\n20,SINGLE,,a,a2,y\n5,SINGLE,,b,b1,z\n";
        let table = read_csv_text(text, &options).unwrap();
        (table.schema().clone(), CodedTable::new(&table, &Grouping::default()).unwrap())
    }

    #[test]
    fn zeros_are_the_cells_in_which_every_record_breaks_a_rule() {
        let (schema, counts) = town();
        let zeros = StructuralZeros::of(&schema, &counts).unwrap();
        // age [0,16) [16,40) [40,99], marital, since [1950,2000) [2000,2020] missing, occ1, occ2, free
        assert!(zeros.contains(&[0, 1, 2, 0, 0, 0]), "married child");
        assert!(zeros.contains(&[2, 0, 0, 0, 0, 0]), "single with a year of marriage");
        assert!(!zeros.contains(&[1, 1, 0, 0, 0, 0]), "16 to 39 is not all below 30");
        assert!(zeros.contains(&[0, 0, 0, 0, 0, 0]), "a child who married before 2000");
        assert!(zeros.contains(&[2, 1, 0, 1, 0, 0]), "a1 under b");
        assert!(zeros.contains(&[2, 1, 0, 0, 3, 0]), "a level that never occurs has no parent");
        assert!(!zeros.contains(&[2, 1, 0, 1, 2, 0]));
    }

    #[test]
    fn declared_parents_need_no_look_at_the_records() {
        let text = format!("[table]\ndeclared = true\nreason = \"code book\"\n{SCHEMA}");
        let declared = |text: &str| SchemaFile::parse(text).unwrap().finish().unwrap().reviewed().unwrap();
        let domain = Domain::declared(&declared(&text), 5).unwrap();
        let refused = StructuralZeros::declared(&declared(&text), &domain).unwrap_err().to_string();
        assert!(refused.contains("occ2") && refused.contains("parents"), "{refused}");
        let parents = "within = \"occ1\"\nparents = { a1 = \"a\", a2 = \"a\", b1 = \"b\", never = \"b\" }";
        let schema = declared(&text.replace("within = \"occ1\"", parents));
        let zeros = StructuralZeros::declared(&schema, &domain).unwrap();
        assert!(zeros.contains(&[2, 1, 0, 1, 0, 0]), "a1 under b");
        assert!(!zeros.contains(&[2, 1, 0, 1, 3, 0]), "a level that never occurs has its declared parent");
        assert!(zeros.contains(&[2, 1, 0, 0, 3, 0]));
    }

    #[test]
    fn possible_cells_are_counted_as_enumeration_counts_them() {
        let (schema, counts) = town();
        let zeros = StructuralZeros::of(&schema, &counts).unwrap();
        let sizes = counts.domain().sizes(&Attributes::all(counts.domain()));
        let mut possible = 0_u32;
        let mut by_marital = [0_u128; 2];
        for_each_cell(&sizes, |_, cell| {
            if !zeros.contains(cell) {
                possible += 1;
                by_marital[cell[1] as usize] += 1;
            }
        });
        assert_eq!(zeros.possible_cells(counts.domain()).unwrap(), BigUint::from(possible));
        // The margin leaves out what multiplies every cell alike: the occupations' 3 pairs and the 3 classes of `free`.
        let margin = zeros.possible_margin(counts.domain(), &Attributes::new([1])).unwrap();
        assert_eq!(margin.iter().map(|count| count * 9).collect::<Vec<_>>(), by_marital);
    }

    #[test]
    fn a_stratum_keeps_the_zeros_of_its_own_cells() {
        let (schema, counts) = town();
        let zeros = StructuralZeros::of(&schema, &counts).unwrap();
        let by = Attributes::new([1, 3]);
        let within = zeros.within(&by, &[1, 0], counts.domain());
        for age in 0..3 {
            for since in 0..3 {
                for occ2 in 0..4 {
                    assert_eq!(
                        within.contains(&[age, since, occ2, 0]),
                        zeros.contains(&[age, 1, since, 0, occ2, 0])
                    );
                }
            }
        }
    }
}
