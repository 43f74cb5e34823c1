//! What a budget can measure, from public facts alone.
//!
//! A share β of the budget chooses the parents of every variable but the first, the rest counts the table of every variable with its parents, each the
//! same. A table is useful if its cells hold θ times the mean size of their noise on average (Zhang et al. 2017, section 4.5): parents are added as long as a table has
//! at most n ÷ (θ E|noise|) cells.

use privacy::Cost;
use privacy::ledger::Charge;
use table::Classes;

use super::super::pairwise::possible_record;
use crate::SynthesisError;
use crate::private::Public;

/// β: the share of the budget that chooses parents.
const CHOICES: f64 = 0.3;
/// θ.
const USEFUL: f64 = 4.0;
/// Choices among more dependences than this are not offered; fewer parents are.
const MOST_CANDIDATES: usize = 4_000;
/// The most parents.
const MOST_PARENTS: usize = 3;

/// Which parents variables may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::methods) enum Parents {
    /// None: every variable by itself.
    None,
    /// Those that are chosen, at most so many; by the number of variables where nothing is said.
    Chosen(Option<usize>),
}

/// What is asked at which price, in units.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::methods) struct Plan {
    /// The variables with more than one level, in the order of the schema.
    pub varying: Vec<usize>,
    /// The most parents of a variable.
    pub parents: usize,
    /// The price of each choice of parents.
    pub choice: u64,
    /// The price of each table.
    pub table: u64,
    /// The most cells of a table with parents.
    pub cells: f64,
}

impl Plan {
    pub(in crate::methods) fn new(public: &Public<'_>, parents: Parents) -> Result<Self, SynthesisError> {
        let sizes: Vec<usize> = public.domain.variables().iter().map(Classes::size).collect();
        let varying: Vec<usize> = (0..sizes.len()).filter(|&variable| sizes[variable] > 1).collect();
        if !public.zeros.all().is_empty() {
            possible_record(public.domain, public.zeros)?;
        }
        let most = match parents {
            Parents::None => 0,
            Parents::Chosen(stated) => most_parents(varying.len(), stated),
        };
        let units = public.charge.cost().units();
        let choices = if most == 0 { 0 } else { varying.len().saturating_sub(1) };
        let of = |units: u64, count: usize| units.checked_div(count as u64).unwrap_or(0);
        let choice = of((units as f64 * CHOICES) as u64, choices);
        let table = of(units - choice * choices as u64, varying.len());
        if table == 0 && !varying.is_empty() || choices > 0 && choice == 0 {
            let message = "the budget is too small to be shared among so many variables; raise it, or leave variables out";
            return Err(SynthesisError::option("epsilon", message));
        }
        let (l1, l2_squared) = public.sensitivities;
        let amount = table as f64 / Cost::UNITS_IN_ONE as f64;
        let mean_noise = match public.charge {
            Charge::Pure(_) | Charge::Approximate(..) => l1 as f64 / amount,
            Charge::ZeroConcentrated(_) => {
                (l2_squared as f64 / (2.0 * amount)).sqrt() * std::f64::consts::FRAC_2_PI.sqrt()
            }
        };
        let cells = public.size as f64 / (USEFUL * mean_noise);
        Ok(Self { varying, parents: most, choice, table, cells })
    }

    /// The sets of parents that a variable of so many levels may have among those chosen before: none that could take in another.
    pub(super) fn sets(&self, levels: usize, before: &[usize], sizes: &[usize]) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        self.extend(&mut Vec::new(), 0, levels as f64, before, sizes, &mut found);
        if found.is_empty() {
            found.push(Vec::new());
        }
        found
    }

    fn extend(
        &self,
        set: &mut Vec<usize>,
        from: usize,
        cells: f64,
        before: &[usize],
        sizes: &[usize],
        found: &mut Vec<Vec<usize>>,
    ) {
        let fits = |variable: usize| cells * sizes[variable] as f64 <= self.cells;
        let takes_more = set.len() < self.parents
            && before.iter().any(|variable| !set.contains(variable) && fits(*variable));
        if !takes_more {
            if !set.is_empty() {
                found.push(set.clone());
            }
            return;
        }
        for place in from..before.len() {
            let variable = before[place];
            if fits(variable) {
                set.push(variable);
                self.extend(set, place + 1, cells * sizes[variable] as f64, before, sizes, found);
                set.pop();
            }
        }
    }
}

/// As many parents as are stated, or as many as leave the choices few; at most [`MOST_PARENTS`].
fn most_parents(variables: usize, stated: Option<usize>) -> usize {
    let choose =
        |from: usize, of: usize| (0..of).fold(1_usize, |ways, k| ways * (from - k.min(from)) / (k + 1));
    let is_few = |parents: usize| {
        (1..variables)
            .all(|before| (variables - before) * choose(before, parents.min(before)) <= MOST_CANDIDATES)
    };
    let usual = || (1..=MOST_PARENTS).rev().find(|parents| is_few(*parents)).unwrap_or(1);
    stated.unwrap_or_else(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(parents: usize, cells: f64) -> Plan {
        Plan { varying: vec![0, 1, 2, 3], parents, choice: 1, table: 1, cells }
    }

    #[test]
    fn sets_of_parents_fit_and_could_not_take_in_another() {
        let sizes = [2, 3, 5, 50];
        let sets = |parents, cells| plan(parents, cells).sets(2, &[0, 1, 2, 3], &sizes);
        assert_eq!(sets(1, 10.0), [[0], [1], [2]]);
        // 2 × 2 × 3 = 12 cells fit, 2 × 2 × 5 = 20 do not, and 2 × 3 × 5 = 30 neither.
        assert_eq!(sets(2, 12.0), [vec![0, 1], vec![2]]);
        assert_eq!(sets(3, 1.0), [Vec::<usize>::new()]);
        assert_eq!(sets(3, 60.0), [vec![0, 1, 2]]);
    }

    #[test]
    fn wide_tables_have_fewer_parents() {
        assert_eq!([5, 14, 40, 110, 500].map(|variables| most_parents(variables, None)), [3, 3, 1, 1, 1]);
        assert_eq!(most_parents(110, Some(2)), 2);
    }
}
