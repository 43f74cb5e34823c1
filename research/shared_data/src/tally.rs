/// Counts what is compared and collects what differs.
pub struct Tally {
    tolerance: f64,
    /// How many numbers were compared.
    pub compared: usize,
    /// What differs, in words.
    pub differences: Vec<String>,
}

impl Tally {
    /// Of numbers that may differ by this share of what is expected.
    pub fn within(tolerance: f64) -> Self {
        Self { tolerance, compared: 0, differences: Vec::new() }
    }

    /// Compares two numbers.
    pub fn compare(&mut self, what: &str, found: f64, expected: f64) {
        self.compared += 1;
        if (found - expected).abs() > self.tolerance * expected.abs() {
            self.differences.push(format!("{what}: {found} where {expected} is expected"));
        }
    }

    /// Fails if anything differs, or if fewer numbers than this were compared.
    #[track_caller]
    pub fn finish(&self, of: &str, at_least: usize) {
        println!("{of}: {} numbers compared, {} differ", self.compared, self.differences.len());
        assert!(self.differences.is_empty(), "{:#?}", self.differences);
        assert!(self.compared >= at_least, "only {} numbers compared", self.compared);
    }
}
