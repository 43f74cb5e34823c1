//! An attack: an intruder who knows the keys and wants to know the target.

use rayon::prelude::*;

use super::class_cells::{Cell, ClassCells, KeyMembers, levels, visit_classes};
use super::{AttributeDisclosure, DisclosureOptions};
use crate::risk::identity::counted_classes;
use crate::risk::key_classes::KeyClasses;
use crate::risk::matching::{matched, names_of, shared_variables};
use crate::{Comparison, MeasureError, SharedTables};

/// The tables of a comparison, coded for the keys and the targets of some attacks.
pub(super) struct Coded {
    keys: SharedTables,
    /// None when targets are coded as the keys are.
    targets: Option<SharedTables>,
}

/// One set of keys with all the targets that it is used against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attacks {
    pub(super) keys: Vec<String>,
    pub(super) targets: Vec<String>,
}

/// One target of one set of keys.
pub(super) struct Attack<'a> {
    pub(super) tables: &'a Coded,
    pub(super) members: &'a KeyMembers,
    pub(super) options: &'a DisclosureOptions,
    pub(super) keys: Vec<String>,
    /// The target's position among the targets' variables.
    pub(super) target: usize,
    pub(super) original: Vec<u32>,
    pub(super) synthetic: Vec<u32>,
    /// Whether a target value counts.
    counted: Vec<bool>,
}

impl Attacks {
    /// What is attacked with what. Without keys, or with an empty set of them, each target is attacked with all other variables but identifiers; without
    /// targets, they are all variables but the keys and identifiers.
    pub(super) fn plan(
        comparison: &Comparison<'_>,
        key_sets: &[Vec<String>],
        targets: &[String],
    ) -> Result<Vec<Self>, MeasureError> {
        let all = shared_variables(comparison);
        let wanted = if targets.is_empty() { &all } else { targets };
        let without = |names: &[String], left_out: &[String]| -> Vec<String> {
            names.iter().filter(|name| !left_out.contains(name)).cloned().collect()
        };
        let with_the_rest = |target: &String| Self {
            keys: without(&all, std::slice::from_ref(target)),
            targets: vec![target.clone()],
        };
        let no_keys = [Vec::new()];
        let key_sets = if key_sets.is_empty() { &no_keys } else { key_sets };
        let against = |keys: &Vec<String>| {
            if keys.is_empty() {
                return Ok(wanted.iter().map(with_the_rest).collect());
            }
            if let Some(target) = targets.iter().find(|target| keys.contains(target)) {
                let message = format!(
                    "it is a target and one of the keys {}; an intruder who knows it has nothing to learn",
                    keys.join(", ")
                );
                return Err(MeasureError::variable(target, message));
            }
            Ok(vec![Self { keys: keys.clone(), targets: without(wanted, keys) }])
        };
        let attacks = key_sets.iter().map(against).collect::<Result<Vec<_>, MeasureError>>()?;
        Ok(attacks.into_iter().flatten().collect())
    }
}

impl Coded {
    pub(super) fn new(
        comparison: &Comparison<'_>,
        attacks: &[Attacks],
        options: &DisclosureOptions,
    ) -> Result<Self, MeasureError> {
        let mut keys: Vec<&String> = attacks.iter().flat_map(|attacks| &attacks.keys).collect();
        let mut targets: Vec<&String> = attacks.iter().flat_map(|attacks| &attacks.targets).collect();
        if let Some(unknown) = options.not_counted.keys().find(|name| !targets.contains(name)) {
            let message =
                "levels of it are not to be counted, but it is no target; name it among the targets";
            return Err(MeasureError::variable(unknown, message));
        }
        if options.key_groups == options.target_groups || keys.is_empty() {
            keys.append(&mut targets);
            return Ok(Self { keys: matched(comparison, &keys, options.target_groups)?, targets: None });
        }
        let of_targets = match targets.is_empty() {
            true => None,
            false => Some(matched(comparison, &targets, options.target_groups)?),
        };
        Ok(Self { keys: matched(comparison, &keys, options.key_groups)?, targets: of_targets })
    }

    pub(super) fn keys(&self) -> &SharedTables {
        &self.keys
    }

    pub(super) fn targets(&self) -> &SharedTables {
        self.targets.as_ref().unwrap_or(&self.keys)
    }

    /// The records sorted by these keys.
    pub(super) fn members(
        &self,
        keys: &[String],
        options: &DisclosureOptions,
    ) -> Result<KeyMembers, MeasureError> {
        let classes = KeyClasses::new(&self.keys, &self.keys.attributes(keys)?)?;
        let (original, synthetic) =
            rayon::join(|| classes.original_members(), || classes.synthetic_members(0));
        let counted = counted_classes(&self.keys, &classes, options);
        Ok(KeyMembers { classes, original, synthetic, counted })
    }

    /// All attacks with one set of keys, in the order of targets.
    pub(super) fn evaluate(
        &self,
        attacks: &Attacks,
        options: &DisclosureOptions,
    ) -> Result<Vec<AttributeDisclosure>, MeasureError> {
        let members = self.members(&attacks.keys, options)?;
        let one = |target: &String| Ok(Attack::new(self, &members, target, options)?.disclosure());
        attacks.targets.par_iter().map(one).collect()
    }
}

impl<'a> Attack<'a> {
    pub(super) fn new(
        tables: &'a Coded,
        members: &'a KeyMembers,
        target: &str,
        options: &'a DisclosureOptions,
    ) -> Result<Self, MeasureError> {
        let position = tables.targets().domain().position_of(target)?;
        let classes = &tables.targets().domain().variables()[position];
        let mut counted = vec![true; classes.size()];
        if let (false, Some(missing)) = (options.count_missing_targets, classes.missing_class()) {
            counted[missing as usize] = false;
        }
        for level in options.not_counted.get(target).into_iter().flatten() {
            let found = (0..classes.size() as u32).find(|class| classes.label(*class) == *level);
            let Some(found) = found else {
                let message = "a level that is not to be counted is not among its levels; \
                               name it as it is written in the tables, a group by its limits";
                return Err(MeasureError::variable(target, message));
            };
            counted[found as usize] = false;
        }
        let column = |side: &table::CodedTable| levels(&side.columns()[position]);
        Ok(Self {
            tables,
            members,
            options,
            keys: names_of(&tables.keys, members.classes.keys()),
            target: position,
            original: column(tables.targets().original()),
            synthetic: column(&tables.targets().synthetic()[0]),
            counted,
        })
    }

    pub(super) fn target_classes(&self) -> &table::Classes {
        &self.tables.targets().domain().variables()[self.target]
    }

    /// Shows every class with its cells.
    pub(super) fn visit(&self, visit: impl FnMut(&ClassCells<'_>)) {
        visit_classes(self.members, &self.original, &self.synthetic, self.counted.len(), visit);
    }

    /// The original records of a cell that count.
    pub(super) fn counted_original(&self, class: usize, cell: &Cell) -> u64 {
        self.counted(class, cell.level, cell.y)
    }

    /// The synthetic records of a cell that count.
    pub(super) fn counted_synthetic(&self, class: usize, cell: &Cell) -> u64 {
        self.counted(class, cell.level, cell.s)
    }

    fn counted(&self, class: usize, level: u32, records: u64) -> u64 {
        let small = self.options.largest_group.is_none_or(|largest| records <= largest);
        if small && self.counted[level as usize] && self.members.counted[class] { records } else { 0 }
    }
}
