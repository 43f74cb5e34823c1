//! How far the mean of the root of a count falls short of the root of its mean: √(E X) − E √X ≥ 0.
//!
//! The expected Hellinger distance between original and synthetic counts is made of this number. Since
//! √x = (1/(2√π)) ∫₀^∞ (1 − e^(−tx)) t^(−3/2) dt (Williams 1991, 5.1; Schürger 2002),
//!
//! √(E X) − E √X = (1/√π) ∫₀^∞ (E e^(−v²X) − e^(−v² E X)) / v² dv,
//!
//! and the transform E e^(−tX) is known in closed form. The integrand is not negative and is computed without
//! cancellation, so that the shortfall keeps its relative accuracy when X is nearly constant.

use std::sync::LazyLock;

use super::deviance::exp_excess;
use super::law::CountLaw;
use super::unimodal_sum::{POINTS, PointPair, gauss_rule};

static GAUSS_LEGENDRE: LazyLock<[PointPair; POINTS / 2]> = LazyLock::new(|| gauss_rule(f64::INFINITY));

/// An exponent beyond which e⁻ˣ no longer matters: e⁻⁴⁵ < 3e-20.
const GONE: f64 = 45.0;

/// The end of a panel over its start.
const GROWTH: f64 = 3.0;

/// √(E X) − E √X for a count with positive mean; `roughness` is the scale of its tail, E X and above.
pub(super) fn root_shortfall(law: &impl CountLaw, mean: f64, roughness: f64) -> f64 {
    let integrand = |v: f64| {
        let t = v * v;
        let z = -(-t).exp_m1();
        // ln(E e^(−tX) / e^(−t E X)): what the Poisson count and what the mixing variable contribute.
        let transform = law.transform(z);
        let excess = mean * exp_excess(t, z) + transform.mixing_excess;
        transform.ln_laplace.exp() * -(-excess).exp_m1() / t
    };
    // Panels that grow by a constant factor, from where the integrand is a parabola to where both transforms are constant.
    let mut from = 0.0;
    let mut to = 0.5 / (mean + roughness + 1.0).sqrt();
    let mut integral = 0.0;
    loop {
        let (centre, half) = (0.5 * (from + to), 0.5 * (to - from));
        integral += half
            * GAUSS_LEGENDRE
                .iter()
                .map(|p| {
                    p.weight * (integrand(centre - half * p.abscissa) + integrand(centre + half * p.abscissa))
                })
                .sum::<f64>();
        from = to;
        to *= GROWTH;
        let t = from * from;
        let constant = t > GONE && t * mean > GONE;
        // From here on the transform is at most what it is now, and ∫ v^(−2) dv = 1/v.
        let rest = law.transform(-(-t).exp_m1()).ln_laplace.exp() / from;
        if constant || rest <= 1e-17 * integral {
            return (integral + if constant { rest } else { 0.0 }) / std::f64::consts::PI.sqrt();
        }
    }
}
