//! The cells of a key class: how often each target value occurs among its original and synthetic records.
//!
//! Records lie sorted by key class, so that one small tally serves all classes in turn: time in proportion to the records, and
//! no table of keys by target values.

use table::{Codes, with_codes};

use crate::risk::key_classes::{ClassMembers, KeyClasses};

/// A set of keys with the records of both tables sorted into its classes.
pub(super) struct KeyMembers {
    pub(super) classes: KeyClasses,
    pub(super) original: ClassMembers,
    pub(super) synthetic: ClassMembers,
    /// Whether the records of a class count.
    pub(super) counted: Vec<bool>,
}

/// A target value in a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) level: u32,
    /// Original records.
    pub(super) y: u64,
    /// Synthetic records.
    pub(super) s: u64,
}

/// One class with its cells, those of original records first.
pub(super) struct ClassCells<'a> {
    pub(super) class: usize,
    pub(super) cells: &'a [Cell],
    place: &'a [u32],
    /// Original records of the class.
    pub(super) y: u64,
    /// Synthetic records of the class.
    pub(super) s: u64,
}

impl ClassCells<'_> {
    /// The cell of a target value that occurs in the class.
    pub(super) fn of_level(&self, level: u32) -> Cell {
        self.cells[self.place[level as usize] as usize]
    }

    /// Whether all synthetic records of the class have one target value.
    pub(super) fn is_disclosive_in_synthetic(&self) -> bool {
        self.cells.iter().any(|cell| self.is_all_synthetic(cell))
    }

    /// Whether all synthetic records of the class, at least one, have the target value of this cell: WEAP = 1.
    pub(super) fn is_all_synthetic(&self, cell: &Cell) -> bool {
        self.s > 0 && cell.s == self.s
    }

    /// Whether all original records of the class, at least one, have the target value of this cell.
    pub(super) fn is_all_original(&self, cell: &Cell) -> bool {
        self.y > 0 && cell.y == self.y
    }
}

const ABSENT: u32 = u32::MAX;

/// Shows every class with its cells, in the order of classes. Levels are those of the target, `size` in number.
pub(super) fn visit_classes(
    members: &KeyMembers,
    original: &[u32],
    synthetic: &[u32],
    size: usize,
    mut visit: impl FnMut(&ClassCells<'_>),
) {
    let mut place = vec![ABSENT; size];
    let mut cells: Vec<Cell> = Vec::new();
    let cell_of = |place: &mut [u32], cells: &mut Vec<Cell>, level: u32| {
        let at = &mut place[level as usize];
        if *at == ABSENT {
            *at = cells.len() as u32;
            cells.push(Cell { level, y: 0, s: 0 });
        }
        *at as usize
    };
    for class in 0..members.classes.len() {
        let (rows, synthetic_rows) = (members.original.rows(class), members.synthetic.rows(class));
        for row in rows {
            let at = cell_of(&mut place, &mut cells, original[*row as usize]);
            cells[at].y += 1;
        }
        for row in synthetic_rows {
            let at = cell_of(&mut place, &mut cells, synthetic[*row as usize]);
            cells[at].s += 1;
        }
        let (y, s) = (rows.len() as u64, synthetic_rows.len() as u64);
        visit(&ClassCells { class, cells: &cells, place: &place, y, s });
        cells.iter().for_each(|cell| place[cell.level as usize] = ABSENT);
        cells.clear();
    }
}

/// Codes in one width.
pub(super) fn levels(codes: &Codes) -> Vec<u32> {
    fn widen<C: Copy + Into<u32>>(codes: &[C]) -> Vec<u32> {
        codes.iter().map(|code| (*code).into()).collect()
    }
    with_codes!(codes, codes => widen(codes))
}
