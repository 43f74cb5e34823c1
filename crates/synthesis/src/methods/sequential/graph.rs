//! `graph`: Chen's graph bootstrap (Taub et al. 2020, section 2.2).
//!
//! Every pair of variables is scored by its normalised chi-square, χ² over its degrees of freedom (r − 1)(c − 1). Every variable is linked
//! to the two with which it scores highest, so that a variable which is strongest for many has many links. Variables are simulated in an
//! order in which each but the first comes after a variable that it is linked to, and is bootstrapped from the records that agree with
//! it on all of these, "its neighbourhood of fields with edges into it, which have already been simulated"; where no record does, on as
//! many of the strongest as some record does. Numbers are put into classes, and a number is then drawn from the records of its class; or
//! every number is a category. Records are chosen out of more candidates so that pairs are the data's ([`tilt`]); `tilt = false` is the published method.

use serde::Deserialize;
use table::expression::Expression;
use table::{Attributes, CodedTable, CountSource, Grouping, Kind, Table};

use super::auxiliary::{Auxiliary, AuxiliaryValues};
use super::fitted_step;
use super::plan::{Plan, Step, StepWay};
use super::visit_sequence::best;
use crate::card::{MethodCard, Needs, OptionCard, Usual};
use crate::randomness::Seed;
use crate::run::{Estimate, Part};
use crate::synthesizer::RecordSynthesizer;
use crate::tilt::{self, TiltSettings};
use crate::{Making, Model, RecordsCard, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "graph",
    summary: "bootstraps each variable from the records that agree on the variables it depends on most",
    use_when: "records of the data's own values are wanted without a model of any variable; with `tilt = false`, as published, it loses weak pairs",
    needs: Needs::Records,
    options: &[
        OptionCard {
            name: "neighbours",
            meaning: "to how many others each variable is linked by itself; a record must agree on all linked variables that are drawn before",
            default: Usual::Value("2"),
        },
        OptionCard {
            name: "numbers",
            meaning: "`resample`: a class is drawn, then a number of that class; `categories`: every number is a category",
            default: Usual::Value("resample"),
        },
        OptionCard {
            name: "classes",
            meaning: "classes of a number where the schema declares no cuts",
            default: Usual::Value("10"),
        },
        OptionCard { default: Usual::Value("true"), ..tilt::TILT },
        tilt::CANDIDATES,
        tilt::TILT_CLASSES,
        tilt::NO_COPIES,
    ],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[],
    memory: "the data twice, and 12 bytes a record and variable: the donors",
    citation: "Chen in Taub, Elliot, Raab, Charest, Chen, O'Keefe, Pistner Nixon, Snoke & Slavković (2020), Creating the best risk-utility profile: the synthetic data challenge, 2.2",
};

/// The score of a child with its parent, above that of any pair, which is 1 at most: they are always linked.
const NESTED: f64 = 2.0;

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Graph {
    neighbours: usize,
    numbers: Numbers,
    classes: usize,
    #[serde(skip)]
    tilt: Option<TiltSettings>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Numbers {
    Resample,
    Categories,
}

impl Default for Graph {
    fn default() -> Self {
        Self { neighbours: 2, numbers: Numbers::Resample, classes: 10, tilt: None }
    }
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    let mut graph: Graph = registry::options(options, &CARD)?;
    if graph.neighbours == 0 {
        return Err(SynthesisError::option("neighbours", "each variable needs at least one"));
    }
    if graph.classes < 2 {
        return Err(SynthesisError::option("classes", "at least two classes are needed"));
    }
    graph.tilt = TiltSettings::parse(options, true, false)?;
    Ok(Synthesizer::Records(Box::new(graph)))
}

impl RecordSynthesizer for Graph {
    fn records_card(&self) -> RecordsCard {
        let leaves_out = match self.tilt {
            Some(_) => {
                "each variable is drawn given the few that it depends on most, and pairs are put right; what more variables have to do with each other"
            }
            None => {
                "each variable is drawn given the few that it depends on most; what it has to do with others"
            }
        };
        RecordsCard {
            making: Making::PlainDraws,
            cells: None,
            uniform_records: 0.0,
            leaves_out: Some(leaves_out.to_owned()),
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }

    fn fit(&self, records: &Table, part: &Part, seed: Seed) -> Result<Box<dyn Model<Table>>, SynthesisError> {
        let (plan, remark) = self.plan(records)?;
        Ok(Box::new(fitted_step::fit(&plan, records, part, seed, vec![remark])?))
    }

    fn tilt(&self) -> Option<TiltSettings> {
        self.tilt.clone()
    }

    fn fit_is_random(&self, records: &Table) -> bool {
        self.plan(records).is_ok_and(|(plan, _)| fitted_step::is_random(&plan, records))
    }

    fn estimate(&self, records: &Table) -> Result<Estimate, SynthesisError> {
        let (rows, columns) = (records.rows() as f64, records.columns().len() as f64);
        let bytes = 2.0 * records.bytes() as f64 + 24.0 * rows * columns;
        Ok(Estimate { seconds: 1e-6 * rows * columns, bytes: bytes as u64 })
    }
}

impl Graph {
    /// A sequence of samples within parents.
    fn plan(&self, records: &Table) -> Result<(Plan, String), SynthesisError> {
        let schema = records.schema();
        let is_modelled = |at: &usize| {
            let variable = &schema.variables()[*at];
            variable.kind != Kind::TextId && variable.formula.is_none()
        };
        let modelled: Vec<usize> = (0..schema.variables().len()).filter(is_modelled).collect();
        if modelled.is_empty() {
            let message = "there is no variable to model; identifiers and formulas are not";
            return Err(SynthesisError::option("method", message));
        }
        let names: Vec<&str> = modelled.iter().map(|at| schema.variables()[*at].name.as_str()).collect();
        let grouping = match self.numbers {
            Numbers::Resample => Grouping::quantiles(self.classes),
            Numbers::Categories => Grouping::exact(),
        };
        let coded = CodedTable::new(&records.select(&names)?, &grouping)?;
        let mut auxiliary = Vec::new();
        let mut variables = schema.variables().to_vec();
        // For each vertex of the graph the variable that stands for it: itself, or its classes.
        let mut vertex = Vec::with_capacity(modelled.len());
        for (place, at) in modelled.iter().enumerate() {
            let variable = &schema.variables()[*at];
            if self.numbers == Numbers::Categories || variable.kind.levels().is_some() {
                vertex.push(*at);
                continue;
            }
            let name = (0..).map(|n| format!("class of {}{}", variable.name, "'".repeat(n)));
            let name = name.into_iter().find(|name| schema.position_of(name).is_err()).unwrap_or_default();
            let values = AuxiliaryValues::Classes(coded.domain().variables()[place].clone());
            let classes = Auxiliary { name, of: variable.name.clone(), values };
            vertex.push(variables.len());
            variables.push(classes.variable());
            auxiliary.push(classes);
        }
        let mut scores = scores(&coded)?;
        for (child, at) in modelled.iter().enumerate() {
            let parent = schema.variables()[*at].within.as_ref();
            if let Some(parent) = parent.and_then(|parent| names.iter().position(|name| name == parent)) {
                scores[child][parent] = NESTED;
                scores[parent][child] = NESTED;
            }
        }
        let (order, parents) = self.structure(&scores);
        let mut steps = Vec::new();
        let mut links = Vec::new();
        for place in &order {
            let within: Vec<String> =
                parents[*place].iter().map(|parent| variables[vertex[*parent]].name.clone()).collect();
            let of: Vec<&str> = parents[*place].iter().map(|parent| names[*parent]).collect();
            links.push(if of.is_empty() {
                names[*place].to_owned()
            } else {
                format!("{} given {}", names[*place], of.join(" and "))
            });
            steps.push(Step {
                targets: vec![vertex[*place]],
                way: StepWay::Sample { within, smoothed: vec![true] },
            });
            if vertex[*place] != modelled[*place] {
                let within = vec![variables[vertex[*place]].name.clone()];
                steps.push(Step {
                    targets: vec![modelled[*place]],
                    way: StepWay::Sample { within, smoothed: vec![true] },
                });
            }
        }
        add_computed(&mut steps, records)?;
        let remark = format!("simulated: {}", links.join("; "));
        Ok((Plan { variables, auxiliary, steps, proper: false }, remark))
    }

    /// The order of simulation, and the parents of each vertex, the strongest first.
    fn structure(&self, scores: &[Vec<f64>]) -> (Vec<usize>, Vec<Vec<usize>>) {
        let size = scores.len();
        let mut linked = vec![vec![false; size]; size];
        for (vertex, of_vertex) in scores.iter().enumerate() {
            for other in strongest(of_vertex, (0..size).filter(|other| *other != vertex), self.neighbours) {
                linked[vertex][other] = true;
                linked[other][vertex] = true;
            }
        }
        let mut open: Vec<usize> = (0..size).collect();
        let (mut order, mut parents) = (Vec::new(), vec![Vec::new(); size]);
        let mut next = best(&open, |vertex| scores[vertex].iter().sum());
        while let Some(place) = next {
            let vertex = open.remove(place);
            let known = order.iter().copied().filter(|other| linked[vertex][*other]);
            parents[vertex] = strongest(&scores[vertex], known, size);
            order.push(vertex);
            // A vertex without a link to those before it begins a part of the graph of its own.
            next = best(&open, |vertex| {
                let links = order.iter().filter(|other| linked[vertex][**other]);
                links.map(|other| scores[vertex][*other]).fold(-1.0, f64::max)
            });
        }
        (order, parents)
    }
}

/// The few of `among` with the highest scores, the highest first; the first of equals.
fn strongest(scores: &[f64], among: impl Iterator<Item = usize>, few: usize) -> Vec<usize> {
    let mut all: Vec<usize> = among.collect();
    all.sort_by(|left, right| scores[*right].total_cmp(&scores[*left]).then(left.cmp(right)));
    all.truncate(few);
    all
}

/// χ² over its degrees of freedom for every pair, as a share of the largest.
fn scores(coded: &CodedTable) -> Result<Vec<Vec<f64>>, SynthesisError> {
    let size = coded.domain().variables().len();
    let mut scores = vec![vec![0.0; size]; size];
    let pairs = (0..size).flat_map(|left| (left + 1..size).map(move |right| (left, right)));
    for (left, right) in pairs {
        // Sparse: a pair of large variables has few of its cells occupied.
        let cross = coded.contingency_table(&Attributes::new([left, right]))?;
        let mut sums: [std::collections::BTreeMap<u32, f64>; 2] = Default::default();
        for (cell, count) in cross.counts().iter().enumerate() {
            for (place, sum) in sums.iter_mut().enumerate() {
                *sum.entry(cross.class(cell, place)).or_default() += *count as f64;
            }
        }
        let total = cross.total() as f64;
        // χ² = N (Σ n² / (row · column) − 1) over occupied cells.
        let squares = cross.counts().iter().enumerate().map(|(cell, count)| {
            let [row, column] = [0, 1].map(|place| sums[place][&cross.class(cell, place)]);
            (*count as f64).powi(2) / (row * column)
        });
        let chi_square = (total * (squares.sum::<f64>() - 1.0)).max(0.0);
        let freedom = sums.iter().map(|levels| levels.len().saturating_sub(1) as f64).product::<f64>();
        let score = if freedom > 0.0 { chi_square / freedom } else { 0.0 };
        scores[left][right] = score;
        scores[right][left] = score;
    }
    let largest = scores.iter().flatten().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        scores.iter_mut().flatten().for_each(|score| *score /= largest);
    }
    Ok(scores)
}

/// Puts the variables that the schema computes where their inputs are there.
fn add_computed(steps: &mut Vec<Step>, records: &Table) -> Result<(), SynthesisError> {
    let schema = records.schema();
    let mut open: Vec<(usize, &Expression)> = schema
        .variables()
        .iter()
        .enumerate()
        .filter_map(|(at, variable)| variable.formula.as_ref().map(|formula| (at, formula)))
        .collect();
    while !open.is_empty() {
        let is_ready = |(_, formula): &(usize, &Expression)| {
            formula.variables().iter().all(|name| {
                let needed = schema.position_of(name).ok();
                steps.iter().any(|step| step.targets.iter().any(|target| Some(*target) == needed))
            })
        };
        let Some(place) = open.iter().position(is_ready) else { break };
        let (at, formula) = open.remove(place);
        steps.push(Step { targets: vec![at], way: StepWay::Computed(formula.text().to_owned()) });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn the_score_is_chi_square_over_its_degrees_of_freedom() {
        let text = "a,b,c\n0,0,0\n0,0,1\n1,1,0\n1,1,2\n1,0,2\n0,0,0\n";
        let table = read_csv_text(text, &ReadOptions::default()).unwrap();
        let coded = CodedTable::new(&table, &Grouping::exact()).unwrap();
        let scores = scores(&coded).unwrap();
        // R: x <- data.frame(a=c(0,0,1,1,1,0), b=c(0,0,1,1,0,0), c=c(0,1,0,2,2,0)); chisq.test(table(x$a, x$b), correct=FALSE) has
        // 3 on 1 degree of freedom, a by c 3.3333 and b by c 0.75 on 2.
        assert_eq!((scores[0][1], scores[1][0]), (1.0, 1.0), "{scores:?}");
        assert!((scores[0][2] - 3.333_333_333 / 2.0 / 3.0).abs() < 1e-9, "{scores:?}");
        assert!((scores[1][2] - 0.75 / 2.0 / 3.0).abs() < 1e-9, "{scores:?}");
    }

    #[test]
    fn parents_come_first_and_are_the_strongest_links() {
        // 0 - 1 strongly, 1 - 2 less so, 3 with nobody in particular.
        let scores = vec![
            vec![0.0, 0.9, 0.1, 0.02],
            vec![0.9, 0.0, 0.5, 0.01],
            vec![0.1, 0.5, 0.0, 0.03],
            vec![0.02, 0.01, 0.03, 0.0],
        ];
        let (order, parents) = Graph { neighbours: 1, ..Graph::default() }.structure(&scores);
        assert_eq!(order, [1, 0, 2, 3]);
        assert_eq!(parents, [vec![1], vec![], vec![1], vec![2]]);
        let (_, parents) = Graph::default().structure(&scores);
        assert_eq!(parents[2], [1, 0]);
    }

    #[test]
    fn the_neighbourhood_is_not_limited_to_two() {
        // 4 chooses 1 and 0 itself, and is chosen by 2 and 3.
        let mut star = vec![vec![0.01; 5]; 5];
        for (left, right, score) in
            [(0, 1, 0.9), (0, 2, 0.8), (0, 3, 0.7), (1, 4, 0.3), (2, 4, 0.2), (3, 4, 0.1), (0, 4, 0.25)]
        {
            star[left][right] = score;
            star[right][left] = score;
        }
        let (order, parents) = Graph::default().structure(&star);
        assert_eq!(order, [0, 1, 2, 3, 4]);
        assert_eq!(parents[4], [1, 0, 2, 3], "all that are linked to it, the strongest first");
    }
}
