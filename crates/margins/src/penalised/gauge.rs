//! Gauge: effects that can move between terms without changing the model.
//!
//! Terms that share a variable can each hold its main effect, and every term can hold the constant. Where a
//! number is added to one and taken from another, p stays as it is, and only the penalties feel it. So these
//! directions are almost flat beside the others, and targets that contradict each other push far along them:
//! a search in the parameters alone takes thousands of steps. Two remedies, both exact:
//! - such moves get coordinates of their own, each scaled by its own curvature, which is a sum of penalties;
//! - inference is given parameters in which main effects are moved out of the larger terms, so that large
//!   numbers that cancel each other never meet exp().

use super::Term;
use crate::attributes::positions;

/// The moves, and where they act.
#[derive(Debug)]
pub(super) struct Gauge {
    /// The parameters of the terms themselves.
    own: usize,
    moves: Vec<Move>,
    /// Coordinates of all moves together.
    moved: usize,
    /// Main effects that are moved out of terms before inference: (first parameter, class of each cell, first
    /// parameter of the single variable).
    centred: Vec<(usize, Vec<usize>, usize)>,
    /// The classes of each variable.
    sizes: Vec<usize>,
}

/// Adds to one term and takes from another: the main effect of a variable, or the constant alone.
#[derive(Debug)]
struct Move {
    /// The first of its coordinates, after those of the parameters.
    first: usize,
    /// How many it has.
    classes: usize,
    to: Place,
    from: Option<Place>,
}

/// A term, and which coordinate acts on each of its cells.
#[derive(Clone, Debug)]
struct Place {
    first: usize,
    class: Vec<usize>,
}

impl Gauge {
    pub(super) fn new(sizes: &[usize], terms: &[Term]) -> Self {
        let mut firsts = Vec::with_capacity(terms.len());
        let mut own = 0;
        for term in terms {
            firsts.push(own);
            own += term.target.len();
        }
        let place = |term: usize, variable: usize| Place {
            first: firsts[term],
            class: positions(sizes, &terms[term].attributes, &[variable]),
        };
        let mut moves = Vec::new();
        let mut centred = Vec::new();
        let mut moved = 0;
        let mut single = own;
        for (variable, &classes) in sizes.iter().enumerate() {
            let mut holders: Vec<usize> =
                (0..terms.len()).filter(|&term| terms[term].attributes.contains(&variable)).collect();
            holders.sort_by_key(|&term| terms[term].attributes.len());
            for &term in holders.iter().filter(|&&term| terms[term].attributes.len() > 1) {
                let Place { first, class } = place(term, variable);
                centred.push((first, class, single));
            }
            if let Some((&base, others)) = holders.split_first() {
                for &term in others {
                    let (to, from) = (place(term, variable), Some(place(base, variable)));
                    moves.push(Move { first: own + moved, classes, to, from });
                    moved += classes;
                }
            }
            single += classes;
        }
        for (term, &first) in terms.iter().zip(&firsts) {
            let to = Place { first, class: vec![0; term.target.len()] };
            moves.push(Move { first: own + moved, classes: 1, to, from: None });
            moved += 1;
        }
        Self { own, moves, moved, centred, sizes: sizes.to_vec() }
    }

    /// How many coordinates there are: parameters, then moves.
    pub(super) fn coordinates(&self) -> usize {
        self.own + self.moved
    }

    /// How many parameters inference is given: those of the terms, then the main effects of every variable.
    pub(super) fn for_inference(&self) -> usize {
        self.own + self.sizes.iter().sum::<usize>()
    }

    /// Fills in the scales of the moves: the root of one over the penalties that feel them.
    pub(super) fn fill_scales(&self, penalty: &[f64], scale: &mut [f64]) {
        for Move { first, classes, to, from } in &self.moves {
            let mut curvature = vec![0.0; *classes];
            for Place { first, class } in [to].into_iter().chain(from) {
                for (cell, &class) in class.iter().enumerate() {
                    curvature[class] += penalty[first + cell];
                }
            }
            for (scale, curvature) in scale[*first..].iter_mut().zip(curvature) {
                *scale = curvature.sqrt().recip();
            }
        }
    }

    /// The parameters of the terms at these (unscaled) coordinates.
    pub(super) fn parameters(&self, coordinates: &[f64], parameters: &mut [f64]) {
        parameters.copy_from_slice(&coordinates[..self.own]);
        for Move { first, to, from, .. } in &self.moves {
            for (cell, &class) in to.class.iter().enumerate() {
                parameters[to.first + cell] += coordinates[first + class];
            }
            for from in from.iter() {
                for (cell, &class) in from.class.iter().enumerate() {
                    parameters[from.first + cell] -= coordinates[first + class];
                }
            }
        }
    }

    /// The slopes along the coordinates; those of the parameters are in place already.
    pub(super) fn fill_slopes(&self, slopes: &mut [f64]) {
        for Move { first, classes, to, from } in &self.moves {
            let mut sums = vec![0.0; *classes];
            for (cell, &class) in to.class.iter().enumerate() {
                sums[class] += slopes[to.first + cell];
            }
            for from in from.iter() {
                for (cell, &class) in from.class.iter().enumerate() {
                    sums[class] -= slopes[from.first + cell];
                }
            }
            slopes[*first..first + classes].copy_from_slice(&sums);
        }
    }

    /// The same model with main effects moved out of the larger terms, for inference.
    pub(super) fn centre(&self, parameters: &[f64], centred: &mut [f64]) {
        centred[..self.own].copy_from_slice(parameters);
        centred[self.own..].fill(0.0);
        let mut means = Vec::new();
        for (first, class, single) in &self.centred {
            let classes = class.iter().max().map_or(0, |most| most + 1);
            means.clear();
            means.resize(classes, 0.0);
            let share = classes as f64 / class.len() as f64;
            for (cell, &class) in class.iter().enumerate() {
                means[class] += share * centred[first + cell];
            }
            for (cell, &class) in class.iter().enumerate() {
                centred[first + cell] -= means[class];
            }
            for (to, mean) in centred[*single..].iter_mut().zip(&means) {
                *to += mean;
            }
        }
    }
}
