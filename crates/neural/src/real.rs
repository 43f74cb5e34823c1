//! Single precision for training, double for checks.

use faer::traits::RealField;

/// A floating-point number in which a net is computed.
pub trait Real: RealField + Copy + Send + Sync + std::iter::Sum + 'static {
    /// The nearest number of this precision.
    fn of(number: f64) -> Self;
    /// The same number in double precision.
    fn double(self) -> f64;
    /// eˣ.
    fn exponential(self) -> Self;
    /// The natural logarithm.
    fn logarithm(self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// The hyperbolic tangent.
    fn tangent(self) -> Self;
    /// The larger of two.
    fn larger(self, other: Self) -> Self {
        if self < other { other } else { self }
    }
}

impl Real for f64 {
    fn of(number: f64) -> Self {
        number
    }
    fn double(self) -> f64 {
        self
    }
    fn exponential(self) -> Self {
        self.exp()
    }
    fn logarithm(self) -> Self {
        self.ln()
    }
    fn root(self) -> Self {
        self.sqrt()
    }
    fn tangent(self) -> Self {
        self.tanh()
    }
}

impl Real for f32 {
    fn of(number: f64) -> Self {
        number as f32
    }
    fn double(self) -> f64 {
        f64::from(self)
    }
    #[inline]
    fn exponential(self) -> Self {
        exponential(self)
    }
    #[inline]
    fn logarithm(self) -> Self {
        logarithm(self)
    }
    fn root(self) -> Self {
        self.sqrt()
    }
    fn tangent(self) -> Self {
        self.tanh()
    }
}

/// eˣ to 2·10⁻⁷ of itself, in operations that compilers carry out for several numbers at once (Moshier's Cephes): 2ⁿ times a polynomial of the rest. Below −80 it is zero, so that no
/// product of probabilities becomes a denormal number, and above 88 it stays finite no longer.
#[inline]
fn exponential(x: f32) -> f32 {
    const TOO_LARGE: f32 = 88.0;
    const TOO_SMALL: f32 = -80.0;
    // Adding 1.5 · 2²³ leaves whole numbers.
    const WHOLE: f32 = 12_582_912.0;
    let held = x.clamp(TOO_SMALL, TOO_LARGE);
    let power = held * std::f32::consts::LOG2_E + WHOLE - WHOLE;
    let rest = held - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let polynomial = ((((1.987_569_2e-4 * rest + 1.398_2e-3) * rest + 8.333_452e-3) * rest + 4.166_579_6e-2)
        * rest
        + 1.666_666_5e-1)
        * rest
        + 0.5;
    let value = polynomial * rest * rest + rest + 1.0;
    let scaled = value * f32::from_bits(((power as i32 + 127) << 23) as u32);
    let bounded = if x < TOO_SMALL { 0.0 } else { scaled };
    if x > TOO_LARGE {
        f32::INFINITY
    } else if x.is_nan() {
        x
    } else {
        bounded
    }
}

/// ln x to 10⁻⁷ of 1 or of itself (Cephes), for numbers above zero that are not denormal.
#[inline]
fn logarithm(x: f32) -> f32 {
    if !(x >= f32::MIN_POSITIVE && x.is_finite()) {
        return x.ln();
    }
    let bits = x.to_bits();
    let mut power = (bits >> 23) as i32 - 126;
    let mut mantissa = f32::from_bits((bits & 0x007f_ffff) | 0x3f00_0000);
    if mantissa < std::f32::consts::FRAC_1_SQRT_2 {
        power -= 1;
        mantissa += mantissa;
    }
    let rest = mantissa - 1.0;
    let square = rest * rest;
    let polynomial = ((((((((7.037_683_6e-2 * rest - 1.151_461e-1) * rest + 1.167_699_9e-1) * rest
        - 1.242_014_1e-1)
        * rest
        + 1.424_932_3e-1)
        * rest
        - 1.666_805_7e-1)
        * rest
        + 2.000_071_5e-1)
        * rest
        - 2.499_999_4e-1)
        * rest
        + 3.333_333e-1)
        * rest
        * square;
    let power = power as f32;
    polynomial - 2.121_944_4e-4 * power - 0.5 * square + rest + 0.693_359_4 * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_and_logarithms_are_those_of_the_library() {
        for step in -80_000..88_000 {
            let x = step as f32 / 1_000.0;
            let expected = f64::from(x).exp();
            assert!((f64::from(exponential(x)) / expected - 1.0).abs() < 4e-7, "{x}");
        }
        assert_eq!((exponential(-81.0), exponential(f32::NEG_INFINITY), exponential(0.0)), (0.0, 0.0, 1.0));
        assert!(exponential(100.0).is_infinite() && exponential(f32::NAN).is_nan());
        let mut x = 1e-37_f32;
        while x < 1e37 {
            let expected = f64::from(x).ln();
            assert!((f64::from(logarithm(x)) - expected).abs() < 3e-7 * expected.abs().max(1.0), "{x}");
            x *= 1.000_7;
        }
        assert!(logarithm(-1.0).is_nan() && logarithm(0.0).is_infinite() && logarithm(1.0) == 0.0);
    }
}
