//! A choice among dependences of one variable on others.
//!
//! **Sensitivity.** The score of a child X with parents Π is S = Σ |n c(x, π) − c(x) c(π)| over all cells, 2n² times the R of Zhang et al. (2017, section
//! 4.3), with n the number of records, which is public where neighbours replace one another. With n held fixed, one record more on top of m < n changes one
//! c(x, π) by one, which is n, and the products by at most Σ c(π) + Σ c(x) + 1 = 2m + 1 in sum: together at most n + 2(n − 1) + 1 = 3n − 1. Likewise one record less. A
//! unit that is replaced is taken away and another put in, so that a unit with a histogram sensitivity l₁ changes S by at most l₁ (3n − 1).

use table::{Attributes, Margin};

use super::GuardedTable;
use crate::PrivacyError;
use crate::ledger::Charge;

/// Cells of margins that are held at a time.
const CELLS_AT_A_TIME: usize = 1 << 23;

/// A variable that may be made to depend on others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The variable and its parents.
    pub of: Attributes,
    /// The variable.
    pub child: usize,
}

impl GuardedTable<'_> {
    /// One of several dependences, with a preference for a strong one. Pure ε: permute-and-flip. ρ: the exponential mechanism with ε = √(8ρ). For
    /// replace-one neighbours only.
    pub fn choose_dependence(
        &mut self,
        purpose: &str,
        candidates: &[Dependence],
        charge: Charge,
    ) -> Result<usize, PrivacyError> {
        let records = self.fixed_size("how strongly variables depend on each other")?;
        let mut cells = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            if !candidate.of.positions().contains(&candidate.child) {
                return Err(PrivacyError::Table("a variable is missing in its own dependence".into()));
            }
            cells.push(Margin::checked_cells(self.domain(), &candidate.of)?);
        }
        let (l1, _) = self.histogram_sensitivities();
        let sensitivity = u128::from(l1) * (3 * u128::from(records)).saturating_sub(1).max(1);
        let epsilon = self.pay_choice(purpose, charge, sensitivity)?;
        let mut scores = Vec::with_capacity(candidates.len());
        while scores.len() < candidates.len() {
            let begin = scores.len();
            let mut held = 0;
            let here = cells[begin..].iter().take_while(|cells| {
                held += **cells;
                held <= CELLS_AT_A_TIME
            });
            let end = begin + here.count().max(1);
            let wanted: Vec<Attributes> =
                candidates[begin..end].iter().map(|candidate| candidate.of.clone()).collect();
            let margins = self.held.counts().margins(&wanted)?;
            let found = margins.iter().zip(&candidates[begin..end]);
            scores.extend(found.map(|(margin, candidate)| dependence(margin, candidate.child, records)));
        }
        self.draw_choice(charge.notion(), &scores, sensitivity, epsilon)
    }
}

/// Σ |n c(x, π) − c(x) c(π)|.
fn dependence(margin: &Margin, child: usize, records: u64) -> i128 {
    let place = margin.attributes().positions().iter().position(|position| *position == child).unwrap_or(0);
    let levels = margin.sizes()[place];
    let inner: usize = margin.sizes()[place + 1..].iter().product();
    let mut of_child = vec![0_i128; levels];
    let mut of_parents = vec![0_i128; margin.counts().len() / levels.max(1)];
    let split = |cell: usize| (cell / inner % levels, cell / (inner * levels) * inner + cell % inner);
    for (cell, count) in margin.counts().iter().enumerate() {
        let (level, parents) = split(cell);
        of_child[level] += i128::from(*count);
        of_parents[parents] += i128::from(*count);
    }
    let apart = |(cell, count): (usize, &u64)| {
        let (level, parents) = split(cell);
        (i128::from(records) * i128::from(*count) - of_child[level] * of_parents[parents]).abs()
    };
    margin.counts().iter().enumerate().map(apart).sum()
}

#[cfg(test)]
mod tests {
    use table::Domain;
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;
    use crate::ledger::Budget;
    use crate::{Cost, Epsilon, Neighbours, NoiseSource, PrivacyLedger};

    const SCHEMA: &str = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"code book\"\n\
        [variables.a]\nkind = \"categorical\"\nlevels = [\"0\", \"1\", \"2\"]\n\
        [variables.b]\nkind = \"categorical\"\nlevels = [\"0\", \"1\"]\n\
        [variables.c]\nkind = \"categorical\"\nlevels = [\"0\", \"1\"]\n";

    fn counted(records: &[[u32; 3]], of: &[usize]) -> Margin {
        let sizes: Vec<usize> = of.iter().map(|position| [3, 2, 2][*position]).collect();
        let mut counts = vec![0; sizes.iter().product()];
        for record in records {
            let cell = of.iter().zip(&sizes).fold(0, |cell, (at, size)| cell * size + record[*at] as usize);
            counts[cell] += 1;
        }
        Margin::new(Attributes::new(of.iter().copied()), sizes, counts)
    }

    #[test]
    fn the_score_is_that_of_the_formula() {
        let records = [[0, 0, 0], [0, 1, 0], [1, 1, 1], [2, 1, 1], [2, 0, 1]];
        let margin = counted(&records, &[0, 1, 2]);
        for child in 0..3 {
            let parents: Vec<usize> = (0..3).filter(|at| *at != child).collect();
            let mut sum = 0_i64;
            for x in 0..[3, 2, 2][child] {
                for one in 0..[3, 2, 2][parents[0]] {
                    for other in 0..[3, 2, 2][parents[1]] {
                        let has = |record: &&[u32; 3], at: usize, level: u32| record[at] == level;
                        let of_child = records.iter().filter(|r| has(r, child, x)).count() as i64;
                        let of_parents: Vec<&[u32; 3]> = records
                            .iter()
                            .filter(|r| has(r, parents[0], one) && has(r, parents[1], other))
                            .collect();
                        let both = of_parents.iter().filter(|r| has(r, child, x)).count() as i64;
                        sum += (5 * both - of_child * of_parents.len() as i64).abs();
                    }
                }
            }
            assert_eq!(dependence(&margin, child, 5), i128::from(sum), "{child}");
        }
    }

    /// All tables of four records in three variables, and all that replace one of them: no score moves by more than is paid for.
    #[test]
    fn no_replaced_record_changes_a_score_by_more_than_the_sensitivity() {
        let kinds: Vec<[u32; 3]> = (0..12).map(|kind| [kind % 3, kind / 3 % 2, kind / 6]).collect();
        let mut widest = 0;
        for first in 0..12_usize.pow(3) {
            let base = [first % 12, first / 12 % 12, first / 144].map(|kind| kinds[kind]);
            for (one, other) in (0..12).flat_map(|one| (one + 1..12).map(move |other| (one, other))) {
                let with = |kind: usize| [base[0], base[1], base[2], kinds[kind]];
                for of in [&[0, 1][..], &[0, 1, 2]] {
                    let score = |kind: usize| dependence(&counted(&with(kind), of), 0, 4);
                    widest = widest.max((score(one) - score(other)).abs());
                }
            }
        }
        assert!(widest <= 2 * (3 * 4 - 1), "{widest}");
        // The bound is of the right size.
        assert!(widest >= 12, "{widest}");
    }

    #[test]
    fn the_stronger_dependence_is_chosen_and_only_where_the_number_of_records_is_public() {
        let schema = SchemaFile::parse(SCHEMA).unwrap();
        let declared = schema.clone().finish().unwrap().reviewed().unwrap();
        let rows: Vec<String> =
            (0..400).map(|row| format!("{},{},{}", row % 3, row % 2, row / 2 % 2)).collect();
        let rows: Vec<String> = rows
            .iter()
            .enumerate()
            .map(|(row, text)| format!("{}{}", &text[..4], (row + row / 7) % 2))
            .collect();
        let text = format!("a,b,c\n{}\n", rows.join("\n"));
        let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
        let table = read_csv_text(&text, &options).unwrap();
        let candidates: Vec<Dependence> =
            [[0, 1], [0, 2], [1, 2]].map(|of| Dependence { of: Attributes::new(of), child: of[0] }).into();
        let ask = |neighbours: Neighbours, seed: u64| {
            let budget = Budget::pure(Epsilon::new(50.0).unwrap()).unwrap();
            let mut ledger = PrivacyLedger::open(budget, neighbours, "person");
            let mut noise = NoiseSource::insecure_test_seed(seed);
            let mut guard = GuardedTable::new(&table, &declared, 5, &mut ledger, &mut noise).unwrap();
            guard.choose_dependence("parents", &candidates, Charge::Pure(Cost::rounded_down(40.0).unwrap()))
        };
        let exact: Vec<i128> = {
            let coded =
                table::CodedTable::in_domain(&table, &Domain::declared(&declared, 5).unwrap()).unwrap();
            let margins = table::CountSource::margins(
                &coded,
                &candidates.iter().map(|one| one.of.clone()).collect::<Vec<_>>(),
            )
            .unwrap();
            margins.iter().zip(&candidates).map(|(margin, one)| dependence(margin, one.child, 400)).collect()
        };
        let strongest = (0..3).max_by_key(|at| exact[*at]).unwrap();
        assert!((0..5).all(|seed| ask(Neighbours::ReplaceOne, seed).unwrap() == strongest), "{exact:?}");
        assert!(ask(Neighbours::AddRemove, 1).is_err());
    }
}
