//! Where the numbers of a column lie: whole numbers in the narrowest width that holds them, all others as they are.

// One arm of the macro has numbers that are wide already.
#![allow(clippy::useless_conversion)]

use std::fmt::Debug;
use std::ops::Range;

/// What a numeric column can hold: whole numbers, real numbers, days.
pub trait Number: Copy + Default + PartialEq + Debug + Send + Sync + 'static {
    /// Where many of them lie.
    type Store: Store<Self>;
}

impl Number for f64 {
    type Store = Vec<Self>;
}

impl Number for i32 {
    type Store = Vec<Self>;
}

impl Number for i64 {
    type Store = Whole;
}

/// Numbers one after the other.
#[allow(clippy::len_without_is_empty)]
pub trait Store<T>: Clone + Debug + PartialEq + Send + Sync {
    /// None yet, with room for so many.
    fn with_capacity(numbers: usize) -> Self;
    /// These.
    fn of(numbers: Vec<T>) -> Self;
    /// All of them.
    fn into_vec(self) -> Vec<T>;
    /// How many there are.
    fn len(&self) -> usize;
    /// How many there is room for.
    fn capacity(&self) -> usize;
    /// The number at a place.
    fn at(&self, place: usize) -> T;
    /// Appends one.
    fn push(&mut self, number: T);
    /// Appends others.
    fn append(&mut self, others: Self);
    /// Makes room for more.
    fn reserve(&mut self, more: usize);
    /// Gives back room that is not used.
    fn shrink(&mut self);
    /// The same in the narrowest width.
    fn narrowed(self) -> Self;
    /// Those at these places, in this order.
    fn take(&self, places: &[u32]) -> Self;
    /// Hands over those of a range with their places, in one loop for the width.
    fn for_each(&self, places: Range<usize>, each: impl FnMut(usize, T));
    /// Size in memory, in bytes.
    fn bytes(&self) -> usize;
}

impl<T: Copy + Debug + PartialEq + Send + Sync> Store<T> for Vec<T> {
    fn with_capacity(numbers: usize) -> Self {
        Self::with_capacity(numbers)
    }

    fn of(numbers: Self) -> Self {
        numbers
    }

    fn into_vec(self) -> Self {
        self
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn capacity(&self) -> usize {
        self.capacity()
    }

    #[inline]
    fn at(&self, place: usize) -> T {
        self[place]
    }

    #[inline]
    fn push(&mut self, number: T) {
        self.push(number);
    }

    fn append(&mut self, mut others: Self) {
        Self::append(self, &mut others);
    }

    fn reserve(&mut self, more: usize) {
        self.reserve(more);
    }

    fn shrink(&mut self) {
        self.shrink_to_fit();
    }

    fn narrowed(self) -> Self {
        self
    }

    fn take(&self, places: &[u32]) -> Self {
        places.iter().map(|place| self[*place as usize]).collect()
    }

    #[inline]
    fn for_each(&self, places: Range<usize>, mut each: impl FnMut(usize, T)) {
        places.clone().zip(&self[places]).for_each(|(place, number)| each(place, *number));
    }

    fn bytes(&self) -> usize {
        size_of::<T>() * self.len()
    }
}

/// Whole numbers, each in as many bytes as the largest needs. They begin wide, so that appending one asks for no look at its size, until they are
/// [narrowed](Store::narrowed); what is narrow widens where a number does not fit.
#[derive(Clone, Debug)]
pub enum Whole {
    /// From 0 to 255.
    U8(Vec<u8>),
    /// Of two bytes with a sign.
    I16(Vec<i16>),
    /// Of four.
    I32(Vec<i32>),
    /// Of eight.
    I64(Vec<i64>),
}

/// Widths from the narrowest to the widest; what fits one fits those after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    U8,
    I16,
    I32,
    I64,
}

macro_rules! with_whole {
    ($whole:expr, $numbers:ident => $body:expr) => {
        match $whole {
            Whole::U8($numbers) => $body,
            Whole::I16($numbers) => $body,
            Whole::I32($numbers) => $body,
            Whole::I64($numbers) => $body,
        }
    };
}

impl Width {
    fn of(low: i64, high: i64) -> Self {
        let within = |least: i64, most: i64| low >= least && high <= most;
        if within(0, u8::MAX.into()) {
            Self::U8
        } else if within(i16::MIN.into(), i16::MAX.into()) {
            Self::I16
        } else if within(i32::MIN.into(), i32::MAX.into()) {
            Self::I32
        } else {
            Self::I64
        }
    }
}

impl Whole {
    fn width(&self) -> Width {
        match self {
            Self::U8(_) => Width::U8,
            Self::I16(_) => Width::I16,
            Self::I32(_) => Width::I32,
            Self::I64(_) => Width::I64,
        }
    }

    /// The same in a width that holds them all, with the room that there was.
    fn in_width(&self, width: Width) -> Self {
        macro_rules! of {
            ($wide:ty, $variant:ident) => {{
                let mut wide: Vec<$wide> = Vec::with_capacity(self.capacity());
                with_whole!(self, numbers => wide.extend(numbers.iter().map(|number| *number as $wide)));
                Self::$variant(wide)
            }};
        }
        match width {
            Width::U8 => of!(u8, U8),
            Width::I16 => of!(i16, I16),
            Width::I32 => of!(i32, I32),
            Width::I64 => of!(i64, I64),
        }
    }

    #[cold]
    fn push_elsewhere(&mut self, number: i64) {
        let width = Width::of(number, number);
        if width > self.width() {
            *self = self.in_width(width);
        }
        match self {
            Self::U8(numbers) => numbers.push(number as u8),
            Self::I16(numbers) => numbers.push(number as i16),
            Self::I32(numbers) => numbers.push(number as i32),
            Self::I64(numbers) => numbers.push(number),
        }
    }
}

impl Store<i64> for Whole {
    fn with_capacity(numbers: usize) -> Self {
        Self::I64(Vec::with_capacity(numbers))
    }

    fn of(numbers: Vec<i64>) -> Self {
        Self::I64(numbers)
    }

    fn into_vec(self) -> Vec<i64> {
        match self {
            Self::I64(numbers) => numbers,
            narrow => with_whole!(narrow, numbers => numbers.into_iter().map(i64::from).collect()),
        }
    }

    fn len(&self) -> usize {
        with_whole!(self, numbers => numbers.len())
    }

    fn capacity(&self) -> usize {
        with_whole!(self, numbers => numbers.capacity())
    }

    #[inline]
    fn at(&self, place: usize) -> i64 {
        with_whole!(self, numbers => i64::from(numbers[place]))
    }

    #[inline]
    fn push(&mut self, number: i64) {
        match self {
            Self::I64(numbers) => numbers.push(number),
            _ => self.push_elsewhere(number),
        }
    }

    fn append(&mut self, others: Self) {
        if self.len() == 0 {
            let room = self.capacity();
            *self = others;
            self.reserve(room.saturating_sub(self.len()));
            return;
        }
        let (width, more) = (self.width(), others.width());
        if more > width {
            *self = self.in_width(more);
        }
        let others = if more < width { others.in_width(width) } else { others };
        match (self, others) {
            (Self::U8(all), Self::U8(mut more)) => all.append(&mut more),
            (Self::I16(all), Self::I16(mut more)) => all.append(&mut more),
            (Self::I32(all), Self::I32(mut more)) => all.append(&mut more),
            (Self::I64(all), Self::I64(mut more)) => all.append(&mut more),
            // Both have the wider width by now.
            (all, more) => more.for_each(0..more.len(), |_, number| all.push(number)),
        }
    }

    fn reserve(&mut self, more: usize) {
        with_whole!(self, numbers => numbers.reserve(more));
    }

    fn shrink(&mut self) {
        with_whole!(self, numbers => numbers.shrink_to_fit());
    }

    fn narrowed(self) -> Self {
        let Self::I64(numbers) = &self else { return self };
        let low = numbers.iter().copied().min().unwrap_or(0);
        let high = numbers.iter().copied().max().unwrap_or(0);
        match Width::of(low, high) {
            Width::I64 => self,
            width => {
                let mut narrow = self.in_width(width);
                narrow.shrink();
                narrow
            }
        }
    }

    fn take(&self, places: &[u32]) -> Self {
        match self {
            Self::U8(numbers) => Self::U8(numbers.take(places)),
            Self::I16(numbers) => Self::I16(numbers.take(places)),
            Self::I32(numbers) => Self::I32(numbers.take(places)),
            Self::I64(numbers) => Self::I64(numbers.take(places)),
        }
    }

    #[inline]
    fn for_each(&self, places: Range<usize>, mut each: impl FnMut(usize, i64)) {
        with_whole!(self, numbers => numbers.for_each(places, |place, number| each(place, i64::from(number))));
    }

    fn bytes(&self) -> usize {
        with_whole!(self, numbers => numbers.bytes())
    }
}

/// The same numbers, in whatever width.
impl PartialEq for Whole {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && (0..self.len()).all(|place| self.at(place) == other.at(place))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers of all widths, their ends among them.
    fn numbers() -> impl Strategy<Value = Vec<i64>> {
        let number = prop_oneof![
            0_i64..256,
            Just(-1),
            Just(i64::from(i16::MIN)),
            Just(i64::from(i16::MAX) + 1),
            Just(i64::from(i32::MAX) + 1),
            Just(i64::MIN),
        ];
        prop::collection::vec(number, 0..20)
    }

    proptest! {
        #[test]
        fn any_width_holds_the_same_numbers(parts in prop::collection::vec((numbers(), any::<bool>()), 0..6), end in numbers()) {
            let mut all: Vec<i64> = Vec::new();
            let mut whole = Whole::with_capacity(0);
            for (part, narrow) in parts {
                all.extend(&part);
                let part = Whole::of(part);
                whole.append(if narrow { part.narrowed() } else { part });
            }
            for number in end {
                all.push(number);
                whole.push(number);
            }
            let mut seen = Vec::new();
            whole.for_each(0..all.len(), |place, number| seen.push((place, number)));
            prop_assert_eq!(seen, all.iter().copied().enumerate().collect::<Vec<_>>());
            prop_assert_eq!(&whole.clone().narrowed(), &Whole::of(all.clone()));
            let places: Vec<u32> = (0..all.len() as u32).rev().collect();
            let turned: Vec<i64> = all.iter().rev().copied().collect();
            prop_assert_eq!(whole.narrowed().take(&places).into_vec(), turned);
        }
    }

    #[test]
    fn the_width_is_the_narrowest() {
        let bytes = |numbers: &[i64]| Whole::of(numbers.to_vec()).narrowed().bytes() / numbers.len();
        assert_eq!((bytes(&[0, 255]), bytes(&[-1, 255]), bytes(&[0, 256])), (1, 2, 2));
        assert_eq!((bytes(&[40_000]), bytes(&[-1 << 31]), bytes(&[1 << 31])), (4, 4, 8));
    }
}
