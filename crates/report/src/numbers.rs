//! Numbers as a report shows them: about three digits that count.

use table::figures::thousands;

/// A number with about three significant digits.
pub(crate) fn figure(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if !value.is_finite() => "∞".to_owned(),
        _ if size == 0.0 => "0".to_owned(),
        _ if (999.5..1e9).contains(&size) => {
            let sign = if value < 0.0 { "−" } else { "" };
            format!("{sign}{}", thousands(size.round() as u64))
        }
        _ if size >= 1e9 => minus(format!("{value:.2e}")),
        _ if size >= 99.95 => minus(format!("{value:.0}")),
        _ if size >= 9.995 => minus(format!("{value:.1}")),
        _ if size >= 0.9995 => minus(format!("{value:.2}")),
        _ if size >= 0.000_95 => minus(format!("{value:.3}")),
        _ => minus(format!("{value:.1e}")),
    }
}

/// A number, or a dash where there is none.
pub(crate) fn figure_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), figure)
}

/// A share as a percentage.
pub(crate) fn share(value: f64) -> String {
    match 100.0 * value {
        0.0 => "0 %".to_owned(),
        percent if percent.abs() < 0.05 => minus(format!("{percent:.1e} %")),
        percent if percent.abs() >= 99.95 => format!("{percent:.0} %"),
        percent => minus(format!("{percent:.1} %")),
    }
}

/// A difference of shares in percentage points, with its sign.
pub(crate) fn points(value: f64) -> String {
    match 100.0 * value {
        none if none.abs() < 0.05 => "0.0".to_owned(),
        more if more > 0.0 => format!("+{more:.1}"),
        less => minus(format!("{less:.1}")),
    }
}

/// The typographic minus.
fn minus(text: String) -> String {
    text.replacen('-', "−", 1).replace("e-", "e−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        let shown = [0.0, 1.0, 0.12345, 12.345, 123.45, 1234.5, -0.5, 0.000_012].map(figure);
        assert_eq!(shown, ["0", "1.00", "0.123", "12.3", "123", "1,235", "−0.500", "1.2e−5"]);
        assert_eq!([figure(999.7), figure(4.26e13)], ["1,000", "4.26e13"]);
        assert_eq!(
            [share(0.0), share(1.0), share(0.123_4), share(1e-5)],
            ["0 %", "100 %", "12.3 %", "1.0e−3 %"]
        );
        assert_eq!([points(0.01), points(-0.01), points(0.0)], ["+1.0", "−1.0", "0.0"]);
        assert_eq!(figure_or_dash(None), "–");
    }
}
