//! How records are written for a net.

/// One variable, or several that are drawn together: a choice among levels, of which the last ones are components with a position within.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// How many choices there are.
    pub levels: usize,
    /// Choices from here on have a position; as many as there are levels if none has.
    pub first_component: usize,
    /// Whether a generator may be conditioned on it.
    pub is_condition: bool,
}

/// Where every span lies in the output of a net: its choices one after the other, then the cell of its position, if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spans {
    spans: Vec<Span>,
    starts: Vec<usize>,
    width: usize,
}

impl Span {
    /// Whether some of its choices have a position.
    pub fn has_position(&self) -> bool {
        self.first_component < self.levels
    }

    /// How many cells it takes.
    pub fn width(&self) -> usize {
        self.levels + usize::from(self.has_position())
    }
}

impl Spans {
    /// These spans, one after the other.
    ///
    /// # Panics
    /// If a span has no level, or its components begin behind its last.
    pub fn new(spans: Vec<Span>) -> Self {
        assert!(
            spans.iter().all(|span| span.levels > 0 && span.first_component <= span.levels),
            "spans have levels"
        );
        let mut width = 0;
        let mut starts = Vec::with_capacity(spans.len());
        for span in &spans {
            starts.push(width);
            width += span.width();
        }
        Self { spans, starts, width }
    }

    /// The spans.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Each span with where it begins.
    pub(crate) fn placed(&self) -> impl Iterator<Item = (&Span, usize)> {
        self.spans.iter().zip(self.starts.iter().copied())
    }

    /// How many spans there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// How many cells there are in all.
    pub fn width(&self) -> usize {
        self.width
    }
}

/// Records, sparse: row by row the choice of each span and the position within it, 0 where it has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// Row by row, one choice a span.
    pub choices: Vec<u32>,
    /// Row by row, one position a span.
    pub positions: Vec<f32>,
}

impl Records {
    /// The records at these rows.
    pub fn take(&self, rows: &[u32], spans: usize) -> Self {
        let mut taken = Self {
            choices: Vec::with_capacity(rows.len() * spans),
            positions: Vec::with_capacity(rows.len() * spans),
        };
        for row in rows {
            let range = *row as usize * spans..(*row as usize + 1) * spans;
            taken.choices.extend_from_slice(&self.choices[range.clone()]);
            taken.positions.extend_from_slice(&self.positions[range]);
        }
        taken
    }

    /// The cells of a record that are not zero, with what stands there.
    pub(crate) fn cells<'a>(
        &'a self,
        spans: &'a Spans,
        row: usize,
    ) -> impl Iterator<Item = (usize, f32)> + 'a {
        let from = row * spans.len();
        spans.placed().enumerate().flat_map(move |(at, (span, start))| {
            let choice = self.choices[from + at] as usize;
            let position =
                (choice >= span.first_component).then(|| (start + span.levels, self.positions[from + at]));
            std::iter::once((start + choice, 1.0)).chain(position)
        })
    }
}
