//! Margins over groups of levels under noise, and choices among many of them.
//!
//! **Sensitivity.** Groups partition the levels, so that the cells of groups partition the records: one record more or less changes one cell by one, a replaced one two cells, a unit of k
//! records k times as much, as in any histogram. With y the count of a cell of groups, e what is expected and t a threshold, a candidate's score is w (A + B), A = Σ max(0, y − e − t) and
//! B = Σ max(0, e − y − t), where B may be over other groups of the same variables. A record more changes one cell of each sum by one: A by nothing or up to 1 more, B by nothing or up to 1 less, and their sum
//! by at most 1 either way. So a unit changes the score by at most w times the sum of absolute changes of the cells. Groups, e, t, w and which candidates are open are fixed before a call, from earlier answers and public facts; they
//! are arguments, and the guard gives nothing back by which they could be made from a count that was not paid for.

use table::{Attributes, Margin};

use super::{GuardedTable, NoisyCounts};
use crate::PrivacyError;
use crate::ledger::Charge;

/// Margins of more cells are counted sparsely.
const DENSE_CELLS: usize = 1 << 21;
/// Cells of margins that are held at a time.
const CELLS_AT_A_TIME: usize = 1 << 23;

/// A margin over groups of levels.
#[derive(Clone, Copy, Debug)]
pub struct GroupedMargin<'a> {
    /// Its variables.
    pub of: &'a Attributes,
    /// For each variable the group of each level; groups are numbered from 0.
    pub groups: &'a [&'a [u32]],
}

/// What is expected of a margin without looking.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'a> {
    /// Independence of its variables.
    Independence {
        /// For each variable the expected count of each group.
        sums: &'a [&'a [f64]],
        /// The records that they sum to.
        records: f64,
    },
    /// The counts of records that were made up from earlier answers.
    Made {
        /// The levels of all variables of the domain, record by record.
        levels: &'a [u16],
        /// The number of records that they stand for.
        records: f64,
    },
}

/// A margin over groups, and what is expected of it.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedGroups<'a> {
    /// The margin.
    pub margin: GroupedMargin<'a>,
    /// e.
    pub expected: Expected<'a>,
}

/// A margin over groups that may be measured next. What lies below expectation may be summed over coarser groups: in a table of many cells the few that hold records stand out, and of the many that
/// do not each hides below the threshold, so that a fine table of two variables which nearly tell each other would count half of a coarse one.
#[derive(Clone, Copy, Debug)]
pub struct ScoredGroups<'a> {
    /// The cells over which what lies above expectation is summed: those that would be measured.
    pub above: ExpectedGroups<'a>,
    /// The cells over which what lies below expectation is summed, of the same variables.
    pub below: ExpectedGroups<'a>,
    /// t: what a difference must exceed to count.
    pub threshold: u64,
    /// w: how much the candidate matters.
    pub weight: u32,
}

impl Expected<'_> {
    /// Whether it can be counted in the groups of a margin of so many cells, of a domain with these numbers of levels.
    fn fits(&self, margin: &GroupedMargin<'_>, cells: usize, sizes: &[usize]) -> bool {
        match self {
            Self::Independence { sums, records } => {
                sums.iter().map(|sums| sums.len()).product::<usize>() == cells && *records > 0.0
            }
            Self::Made { levels, records } => {
                let is_row =
                    |row: &[u16]| margin.of.positions().iter().all(|at| (row[*at] as usize) < sizes[*at]);
                *records > 0.0
                    && !levels.is_empty()
                    && levels.len().is_multiple_of(sizes.len())
                    && levels.chunks(sizes.len()).all(is_row)
            }
        }
    }

    /// The expected count of every cell of groups, in whole records; `variables` is the number of variables of the domain.
    fn counts(&self, margin: &GroupedMargin<'_>, variables: usize) -> Vec<i128> {
        let sizes = margin.sizes();
        match self {
            Self::Independence { sums, records } => {
                let count = |place: usize| {
                    let (mut rest, mut expected) = (place, records.powi(1 - sums.len() as i32));
                    for (sums, size) in sums.iter().zip(&sizes).rev() {
                        expected *= sums[rest % size];
                        rest /= size;
                    }
                    expected.round() as i128
                };
                (0..sizes.iter().product()).map(count).collect()
            }
            Self::Made { levels, records } => {
                let mut counts = vec![0_u64; sizes.iter().product()];
                let sides: Vec<(usize, &[u32], usize)> = margin
                    .of
                    .positions()
                    .iter()
                    .zip(margin.groups)
                    .zip(&sizes)
                    .map(|((at, groups), size)| (*at, *groups, *size))
                    .collect();
                for row in levels.chunks(variables) {
                    let cell = sides
                        .iter()
                        .fold(0, |cell, (at, groups, size)| cell * size + groups[row[*at] as usize] as usize);
                    counts[cell] += 1;
                }
                let scale = records / (levels.len() / variables) as f64;
                counts.into_iter().map(|count| (count as f64 * scale).round() as i128).collect()
            }
        }
    }
}

impl GroupedMargin<'_> {
    /// The number of groups of each variable.
    fn sizes(&self) -> Vec<usize> {
        let most = |groups: &&[u32]| groups.iter().max().map_or(0, |group| *group as usize + 1);
        self.groups.iter().map(most).collect()
    }

    fn check(&self, sizes: &[usize]) -> Result<usize, PrivacyError> {
        let is_of_levels = self.groups.len() == sizes.len()
            && self.groups.iter().zip(sizes).all(|(groups, size)| groups.len() == *size);
        if !is_of_levels {
            return Err(PrivacyError::Table("a group is needed for every level of every variable".into()));
        }
        let cells = self.sizes().iter().try_fold(1_usize, |cells, size| cells.checked_mul(*size));
        cells.filter(|cells| *cells <= table::margin::DENSE_LIMIT).ok_or_else(|| {
            PrivacyError::Table("a table of groups has too many cells; use fewer groups".into())
        })
    }
}

/// Exact counts of one margin, however many cells it has.
enum Counted {
    Dense(Margin),
    Sparse(table::ContingencyTable),
}

impl Counted {
    fn in_groups(&self, margin: &GroupedMargin<'_>) -> Vec<u64> {
        let sizes = margin.sizes();
        let mut counts = vec![0; sizes.iter().product()];
        match self {
            Self::Dense(dense) => {
                let levels = dense.sizes();
                if let ([one, other], [_, columns]) = (margin.groups, levels) {
                    for (row, group) in dense.counts().chunks(*columns).zip(*one) {
                        let begin = *group as usize * sizes[1];
                        row.iter()
                            .zip(*other)
                            .for_each(|(count, group)| counts[begin + *group as usize] += count);
                    }
                    return counts;
                }
                for (place, count) in dense.counts().iter().enumerate().filter(|(_, count)| **count > 0) {
                    let (mut rest, mut stride, mut cell) = (place, 1, 0);
                    for ((groups, size), levels) in margin.groups.iter().zip(&sizes).zip(levels).rev() {
                        cell += groups[rest % levels] as usize * stride;
                        stride *= size;
                        rest /= levels;
                    }
                    counts[cell] += count;
                }
            }
            Self::Sparse(sparse) => {
                for (levels, count) in sparse.iter() {
                    let places = margin.groups.iter().zip(&sizes).zip(&levels);
                    let cell = places.fold(0, |cell, ((groups, size), level)| {
                        cell * size + groups[*level as usize] as usize
                    });
                    counts[cell] += count;
                }
            }
        }
        counts
    }
}

impl GuardedTable<'_> {
    /// The counts of a margin over groups of levels under noise.
    pub fn noisy_groups(
        &mut self,
        margin: &GroupedMargin<'_>,
        charge: Charge,
    ) -> Result<NoisyCounts, PrivacyError> {
        margin.check(&self.domain().sizes(margin.of))?;
        let groups: Vec<String> = margin.sizes().iter().map(usize::to_string).collect();
        let purpose =
            format!("counts of {} in {} groups", self.domain().describe(margin.of), groups.join(" × "));
        let (l1, l2_squared) = self.histogram_sensitivities();
        let law = self.pay(&purpose, charge, l1, l2_squared)?;
        let counted = self.counted(std::slice::from_ref(margin.of))?.remove(0).in_groups(margin);
        let rng = self.noise.rng();
        Ok(NoisyCounts {
            counts: counted.into_iter().map(|count| law.add_to(count as i64, rng)).collect(),
            law,
        })
    }

    /// `count` of several margins, one after the other, each with a preference for a large score; every choice costs this charge and is a line
    /// of the ledger. `open` says which candidates can be chosen after those that were. Pure ε: permute-and-flip. ρ: the exponential mechanism.
    ///
    /// All choices are paid before anything is counted, and every candidate is counted once.
    pub fn choose_many(
        &mut self,
        purpose: &str,
        candidates: &[ScoredGroups<'_>],
        count: usize,
        charge: Charge,
        open: &mut dyn FnMut(&[usize]) -> Vec<usize>,
    ) -> Result<Vec<usize>, PrivacyError> {
        let all_sizes = self.domain().sizes(&Attributes::all(self.domain()));
        for candidate in candidates {
            let fits = |side: &ExpectedGroups<'_>| {
                let cells = side.margin.check(&self.domain().sizes(side.margin.of))?;
                Ok::<_, PrivacyError>(side.expected.fits(&side.margin, cells, &all_sizes))
            };
            let are_alike = candidate.above.margin.of == candidate.below.margin.of;
            if !(fits(&candidate.above)? && fits(&candidate.below)? && are_alike && candidate.weight > 0) {
                return Err(PrivacyError::Table("expected counts are not those of the groups".into()));
            }
        }
        let (l1, _) = self.histogram_sensitivities();
        let largest = candidates.iter().map(|candidate| candidate.weight).max().unwrap_or(1);
        let sensitivity = u128::from(l1) * u128::from(largest);
        let mut epsilon = None;
        for number in 1..=count {
            let purpose = format!("{purpose}, choice {number} of {count}");
            epsilon = Some(self.pay_choice(&purpose, charge, sensitivity)?);
        }
        let Some(epsilon) = epsilon else { return Ok(Vec::new()) };
        let scores = self.scores(candidates)?;
        let mut chosen = Vec::with_capacity(count);
        for _ in 0..count {
            let open = open(&chosen);
            let of_open: Vec<i128> = open.iter().filter_map(|at| scores.get(*at).copied()).collect();
            let place = self.draw_choice(charge.notion(), &of_open, sensitivity, epsilon)?;
            chosen.push(open[place]);
        }
        Ok(chosen)
    }

    /// The scores of all candidates, each distinct set of variables counted once.
    fn scores(&self, candidates: &[ScoredGroups<'_>]) -> Result<Vec<i128>, PrivacyError> {
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|at| candidates[*at].above.margin.of);
        let same: Vec<&[usize]> = order
            .chunk_by(|one, other| candidates[*one].above.margin.of == candidates[*other].above.margin.of)
            .collect();
        let mut scores = vec![0; candidates.len()];
        let variables = self.domain().variables().len();
        let cells = |at: usize| {
            Margin::checked_cells(self.domain(), candidates[at].above.margin.of).unwrap_or(DENSE_CELLS)
        };
        let mut begin = 0;
        while begin < same.len() {
            let (mut end, mut held) = (begin, 0);
            while end < same.len() && (end == begin || held + cells(same[end][0]) <= CELLS_AT_A_TIME) {
                held += cells(same[end][0]).min(DENSE_CELLS);
                end += 1;
            }
            let of: Vec<Attributes> =
                same[begin..end].iter().map(|of| candidates[of[0]].above.margin.of.clone()).collect();
            let counted = self.counted(&of)?;
            let found: Vec<Vec<i128>> = counted
                .iter()
                .zip(&same[begin..end])
                .map(|(counted, of)| {
                    of.iter().map(|at| score(counted, &candidates[*at], variables)).collect()
                })
                .collect();
            for (of, found) in same[begin..end].iter().zip(found) {
                of.iter().zip(found).for_each(|(at, score)| scores[*at] = score);
            }
            begin = end;
        }
        Ok(scores)
    }

    fn counted(&self, of: &[Attributes]) -> Result<Vec<Counted>, PrivacyError> {
        let is_dense = |of: &Attributes| {
            Margin::checked_cells(self.domain(), of).is_ok_and(|cells| cells <= DENSE_CELLS)
        };
        let (few, many): (Vec<usize>, Vec<usize>) = (0..of.len()).partition(|at| is_dense(&of[*at]));
        let wanted: Vec<Attributes> = few.iter().map(|at| of[*at].clone()).collect();
        let dense = self.held.counts().margins(&wanted)?.into_iter().map(Counted::Dense);
        let mut all: Vec<(usize, Counted)> = few.into_iter().zip(dense).collect();
        for at in many {
            all.push((at, Counted::Sparse(self.held.counts().contingency_table(&of[at])?)));
        }
        all.sort_by_key(|(at, _)| *at);
        Ok(all.into_iter().map(|(_, counted)| counted).collect())
    }
}

/// w (Σ max(0, y − e − t) + Σ max(0, e − y − t)), each sum over its own groups; `variables` is the number of variables of the domain.
fn score(counted: &Counted, candidate: &ScoredGroups<'_>, variables: usize) -> i128 {
    let threshold = i128::from(candidate.threshold);
    let beyond = |side: &ExpectedGroups<'_>, sign: i128| {
        let expected = side.expected.counts(&side.margin, variables);
        let differences = counted.in_groups(&side.margin).into_iter().zip(expected);
        differences
            .map(|(count, expected)| (sign * (i128::from(count) - expected) - threshold).max(0))
            .sum::<i128>()
    };
    (beyond(&candidate.above, 1) + beyond(&candidate.below, -1)) * i128::from(candidate.weight)
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;
    use table::{Attributes, DeclaredSchema, Table};

    use super::*;
    use crate::audit::{EventTally, Tally, epsilon_lower_bound};
    use crate::ledger::Budget;
    use crate::{Cost, Epsilon, Neighbours, NoiseSource, PrivacyLedger, Rho};

    const SCHEMA: &str = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"code book\"\n\
        [variables.a]\nkind = \"categorical\"\nlevels = [\"0\", \"1\", \"2\"]\n\
        [variables.b]\nkind = \"categorical\"\nlevels = [\"0\", \"1\", \"2\"]\n\
        [variables.c]\nkind = \"categorical\"\nlevels = [\"0\", \"1\"]\n";

    fn read(records: &[&str]) -> (Table, DeclaredSchema) {
        let schema = SchemaFile::parse(SCHEMA).unwrap();
        let declared = schema.clone().finish().unwrap().reviewed().unwrap();
        let text = format!("a,b,c\n{}\n", records.join("\n"));
        let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
        (read_csv_text(&text, &options).unwrap(), declared)
    }

    fn cost(value: f64) -> Cost {
        Cost::rounded_down(value).unwrap()
    }

    fn guarded<T>(
        (table, schema): &(Table, DeclaredSchema),
        ledger: &mut PrivacyLedger,
        seed: u64,
        ask: impl FnOnce(&mut GuardedTable<'_>) -> T,
    ) -> T {
        let mut noise = NoiseSource::insecure_test_seed(seed);
        ask(&mut GuardedTable::new(table, schema, 5, ledger, &mut noise).unwrap())
    }

    fn ledger(epsilon: f64, neighbours: Neighbours) -> PrivacyLedger {
        PrivacyLedger::open(Budget::pure(Epsilon::new(epsilon).unwrap()).unwrap(), neighbours, "person")
    }

    #[test]
    fn groups_hold_the_sums_of_their_levels() {
        let people = read(&["0,0,0", "0,1,1", "1,2,0", "2,2,1", "2,0,0", "2,2,1"]);
        let mut books = ledger(4e6, Neighbours::AddRemove);
        let of = Attributes::new([0, 1]);
        let groups: [&[u32]; 2] = [&[0, 1, 0], &[1, 1, 0]];
        let counts = guarded(&people, &mut books, 1, |guard| {
            let margin = GroupedMargin { of: &of, groups: &groups };
            guard.noisy_groups(&margin, Charge::Pure(cost(1e6))).unwrap().counts
        });
        // Levels 0 and 2 of a with level 2 of b; with levels 0 and 1; level 1 of a likewise.
        assert_eq!(counts, [2, 3, 1, 0]);
        assert!(books.events().all(|event| event.purpose == "counts of a × b in 2 × 2 groups"));
        let three: [&[u32]; 3] = [&[0, 1, 0], &[1, 1, 0], &[0, 1]];
        let all = Attributes::new([0, 1, 2]);
        let counts = guarded(&people, &mut books, 1, |guard| {
            let margin = GroupedMargin { of: &all, groups: &three };
            let short: [&[u32]; 3] = [&[0, 1], &[1, 1, 0], &[0, 1]];
            assert!(
                guard
                    .noisy_groups(&GroupedMargin { of: &all, groups: &short }, Charge::Pure(cost(1.0)))
                    .is_err()
            );
            guard.noisy_groups(&margin, Charge::Pure(cost(1e6))).unwrap().counts
        });
        assert_eq!((counts, books.events().len()), (vec![0, 2, 2, 1, 1, 0, 0, 0], 2));
    }

    #[test]
    fn sparse_and_dense_counts_agree() {
        let people = read(&["0,0,0", "0,1,1", "1,2,0", "2,2,1", "2,0,0", "2,2,1"]);
        let mut books = ledger(1.0, Neighbours::AddRemove);
        guarded(&people, &mut books, 1, |guard| {
            for positions in [vec![0, 1], vec![0, 1, 2], vec![1, 2]] {
                let of = Attributes::new(positions.iter().copied());
                let all: [&[u32]; 3] = [&[0, 1, 0], &[1, 1, 0], &[1, 0]];
                let groups: Vec<&[u32]> = positions.iter().map(|position| all[*position]).collect();
                let margin = GroupedMargin { of: &of, groups: &groups };
                let dense = guard.counted(std::slice::from_ref(&of)).unwrap().remove(0);
                let sparse = Counted::Sparse(guard.held.counts().contingency_table(&of).unwrap());
                assert!(matches!(dense, Counted::Dense(_)));
                assert_eq!(dense.in_groups(&margin), sparse.in_groups(&margin));
            }
        });
    }

    /// All tables of up to four records in four cells, all expectations and thresholds up to 3: one record more changes a score by at most 1, one replaced by at
    /// most 2, and both happen. A cut in the place of the threshold would change it by t + 1.
    #[test]
    fn a_record_changes_a_score_by_no_more_than_is_booked() {
        let of = Attributes::new([0, 1]);
        let groups: [&[u32]; 2] = [&[0, 1], &[0, 1]];
        let whole: [&[u32]; 2] = [&[0, 0], &[0, 1]];
        let score_of = |counts: [u64; 4], expected: [f64; 2], threshold: u64, below: &[&[u32]]| {
            let margin = Counted::Dense(Margin::new(of.clone(), vec![2, 2], counts.to_vec()));
            let (records, sum) = (expected.iter().sum::<f64>(), [expected.iter().sum::<f64>()]);
            let (sums, coarse): ([&[f64]; 2], [&[f64]; 2]) = ([&expected, &expected], [&sum, &expected]);
            let side = |groups, sums| ExpectedGroups {
                margin: GroupedMargin { of: &of, groups },
                expected: Expected::Independence { sums, records },
            };
            let sums_below: &[&[f64]] = if below == groups { &sums } else { &coarse };
            let (above, below) = (side(&groups, &sums), side(below, sums_below));
            score(&margin, &ScoredGroups { above, below, threshold, weight: 3 }, 2)
        };
        let largest = |below: &[&[u32]]| {
            let (mut added, mut replaced) = (0, 0);
            for code in 0..5_u64.pow(4) {
                let counts = [0, 1, 2, 3].map(|place| code / 5_u64.pow(place) % 5);
                for expected in [[1.0, 1.0], [2.0, 1.0], [4.0, 4.0]] {
                    for threshold in 0..4 {
                        let here = score_of(counts, expected, threshold, below);
                        for to in 0..4 {
                            let mut more = counts;
                            more[to] += 1;
                            added = added.max((score_of(more, expected, threshold, below) - here).abs());
                            for from in (0..4).filter(|from| counts[*from] > 0) {
                                let mut other = more;
                                other[from] -= 1;
                                let there = score_of(other, expected, threshold, below);
                                replaced = replaced.max((there - here).abs());
                            }
                        }
                    }
                }
            }
            (added, replaced)
        };
        assert_eq!(largest(&groups), (3, 6), "with a weight of 3");
        assert_eq!(largest(&whole), (3, 6), "and with coarser groups below expectation");
    }

    #[test]
    fn made_records_are_counted_in_groups_and_scaled() {
        let (of, groups): (_, [&[u32]; 2]) = (Attributes::new([0, 2]), [&[0, 1, 0], &[0, 1]]);
        let margin = GroupedMargin { of: &of, groups: &groups };
        let made = Expected::Made { levels: &[0, 9, 0, 1, 9, 1, 2, 9, 0, 2, 9, 1], records: 6.0 };
        // Levels 0 and 2 are one group: two records with the first level of the other variable and one with the second, times 6/4.
        assert_eq!(made.counts(&margin, 3), [3, 2, 0, 2]);
        assert!(made.fits(&margin, 4, &[3, 10, 2]) && !made.fits(&margin, 4, &[2, 10, 2]));
        assert!(!Expected::Made { levels: &[0, 0], records: 6.0 }.fits(&margin, 4, &[3, 10, 2]));
    }

    /// Two tables that differ in a record which makes the first of two candidates better by one.
    struct Case {
        with: (Table, DeclaredSchema),
        without: (Table, DeclaredSchema),
    }

    impl Case {
        fn new() -> Self {
            let others = ["0,0,0"; 12];
            let with: Vec<&str> = others.into_iter().chain(["2,2,1"]).collect();
            Self { with: read(&with), without: read(&others) }
        }

        /// Whether runs prove that more than ε = 1 was lost; `ask` is told whether the canary is there, and gives an event.
        fn disproves_one(&self, ask: impl Fn(&mut GuardedTable<'_>, bool) -> bool) -> bool {
            let runs = 6_000;
            let count = |people: &(Table, DeclaredSchema), is_there: bool| {
                let hits = (0..runs).filter(|seed| {
                    let mut books = ledger(4.0, Neighbours::AddRemove);
                    guarded(people, &mut books, 2 * seed + u64::from(is_there), |guard| ask(guard, is_there))
                });
                Tally { hits: hits.count() as u64, runs }
            };
            let tally = EventTally { with: count(&self.with, true), without: count(&self.without, false) };
            tally.ways().iter().any(|event| epsilon_lower_bound(*event, 0.0, 0.99975).unwrap() > 1.0)
        }
    }

    /// Levels of two variables by themselves, and all in one group.
    const SINGLE: [&[u32]; 2] = [&[0, 1, 2], &[0, 1, 2]];
    const WHOLE: [&[u32]; 2] = [&[0, 0, 0], &[0, 0, 0]];

    /// Whether (a, c), of which everything is known, is chosen at ε = 1 and not (a, b), of which these counts are expected on both sides.
    fn chooses_second(
        guard: &mut GuardedTable<'_>,
        groups: [&[u32]; 2],
        expected: &[f64],
        threshold: u64,
    ) -> bool {
        let of = [Attributes::new([0, 1]), Attributes::new([0, 2])];
        let of_other: [&[u32]; 2] = [&[0, 0, 0], &[0, 0]];
        let (sums, all): ([&[f64]; 2], [&[f64]; 2]) = ([expected, expected], [&[12.0], &[12.0]]);
        let candidate = |at: usize, groups, sums, threshold| {
            let side = ExpectedGroups {
                margin: GroupedMargin { of: &of[at], groups },
                expected: Expected::Independence { sums, records: 12.0 },
            };
            ScoredGroups { above: side, below: side, threshold, weight: 1 }
        };
        let candidates = [candidate(0, &groups, &sums, threshold), candidate(1, &of_other, &all, 1)];
        let chosen = guard.choose_many("pairs", &candidates, 1, Charge::Pure(cost(1.0)), &mut |_| vec![0, 1]);
        chosen.unwrap() == [1]
    }

    #[test]
    fn choices_pass_an_audit_and_planted_faults_do_not() {
        let case = Case::new();
        let (right, even) = ([12.0, 0.0, 0.0], [4.0; 3]);
        assert!(!case.disproves_one(|guard, _| chooses_second(guard, SINGLE, &right, 0)));
        assert!(!case.disproves_one(|guard, _| chooses_second(guard, SINGLE, &even, 9)));
        // A threshold that was made from the exact counts.
        let wrong = |is_there: bool| if is_there { 0 } else { 9 };
        assert!(case.disproves_one(|guard, is_there| chooses_second(guard, SINGLE, &even, wrong(is_there))));
        // Groups that were made from the exact counts: levels are merged where they hold no record.
        assert!(case.disproves_one(|guard, is_there| match is_there {
            true => chooses_second(guard, SINGLE, &even, 0),
            false => chooses_second(guard, WHOLE, &[12.0], 0),
        }));
        // Four choices of which one is paid.
        assert!(case.disproves_one(|guard, _| (0..4).all(|_| chooses_second(guard, SINGLE, &right, 0))));
    }

    #[test]
    fn every_choice_is_a_line_and_none_is_made_that_cannot_be_paid() {
        let people = read(&["0,0,0", "0,1,1", "1,2,0"]);
        let of = [Attributes::new([0, 1]), Attributes::new([0, 2]), Attributes::new([1, 2])];
        let groups: [[&[u32]; 2]; 3] =
            [[&[0, 1, 1], &[0, 1, 1]], [&[0, 1, 1], &[0, 1]], [&[0, 1, 1], &[0, 1]]];
        let sums: [&[f64]; 2] = [&[2.0, 1.0], &[1.0, 2.0]];
        let candidates: Vec<ScoredGroups<'_>> = (0..3)
            .map(|at| {
                let side = ExpectedGroups {
                    margin: GroupedMargin { of: &of[at], groups: &groups[at] },
                    expected: Expected::Independence { sums: &sums, records: 3.0 },
                };
                ScoredGroups { above: side, below: side, threshold: 0, weight: 1 + at as u32 }
            })
            .collect();
        let open = |chosen: &[usize]| (0..3).filter(|at| !chosen.contains(at)).collect::<Vec<usize>>();
        let mut books = ledger(1.0, Neighbours::ReplaceOne);
        let chosen = guarded(&people, &mut books, 1, |guard| {
            guard
                .choose_many("pairs", &candidates, 3, Charge::Pure(cost(0.25)), &mut |chosen| open(chosen))
                .unwrap()
        });
        let mut sorted = chosen;
        sorted.sort_unstable();
        assert_eq!((sorted, books.events().len()), (vec![0, 1, 2], 3));
        // Replaced records and a weight of 3: a score changes by 6.
        assert!(books.events().all(|event| event.sensitivity == crate::Sensitivity::LargestScore(6.0)));
        let refused = guarded(&people, &mut books, 1, |guard| {
            guard.choose_many("pairs", &candidates, 2, Charge::Pure(cost(0.25)), &mut |chosen| open(chosen))
        });
        assert!(matches!(refused, Err(PrivacyError::BudgetExhausted { .. })));
        let rho = Budget::zero_concentrated(Rho::new(1.0).unwrap()).unwrap();
        let mut books = PrivacyLedger::open(rho, Neighbours::AddRemove, "person");
        guarded(&people, &mut books, 1, |guard| {
            let charge = Charge::ZeroConcentrated(cost(0.25));
            guard.choose_many("pairs", &candidates, 3, charge, &mut |chosen| open(chosen)).unwrap();
        });
        assert!(books.spent().cost() <= cost(0.75) && books.events().len() == 3);
    }
}
