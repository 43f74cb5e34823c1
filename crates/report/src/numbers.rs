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
        _ if size >= 9.995 => minus(exact(value, format!("{value:.1}"))),
        _ if size >= 0.9995 => minus(exact(value, format!("{value:.2}"))),
        _ if size >= 0.000_95 => minus(exact(value, format!("{value:.3}"))),
        _ => minus(format!("{value:.1e}")),
    }
}

/// Without zeros at the end where the number has no more digits: they would pretend to a rounding.
fn exact(value: f64, text: String) -> String {
    let is_all = text.parse::<f64>().is_ok_and(|read| (read - value).abs() <= 1e-9 * value.abs());
    if is_all { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A mean or a median in its own units: years have no commas, so numbers have them from 10,000 on.
pub(crate) fn amount(value: f64) -> String {
    match value.abs() {
        size if (999.5..9_999.5).contains(&size) => minus(format!("{value:.0}")),
        _ => figure(value),
    }
}

/// A mean with its standard deviation: two digits of that, and as many decimals of the mean.
pub(crate) fn with_spread(mean: f64, sd: f64) -> String {
    if !(sd > 0.0 && sd.is_finite() && mean.is_finite()) {
        return format!("{} ± {}", figure(mean), figure(sd));
    }
    let decimals = (1 - sd.log10().floor() as i32).clamp(0, 4) as usize;
    minus(format!("{mean:.decimals$} ± {sd:.decimals$}"))
}

/// A class of a number in words: `[16,25)` is "16 to under 25". What is no class is as it was.
pub(crate) fn class_name(label: &str) -> String {
    let Some((over, low, high, below)) = class_ends(label) else { return label.to_owned() };
    format!("{}{low} to {}{high}", if over { "over " } else { "" }, if below { "under " } else { "" })
}

/// The same, short enough for the head of a column: `[16,25)` is "16 – 25".
pub(crate) fn class_head(label: &str) -> String {
    class_ends(label).map_or_else(|| label.to_owned(), |(_, low, high, _)| format!("{low} – {high}"))
}

/// The ends of a class such as `(0,19.0333333]`, and whether each is left out.
fn class_ends(label: &str) -> Option<(bool, String, String, bool)> {
    let inner = label.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
    let (low, high) = inner.split_once(',').filter(|(_, high)| !high.contains(','))?;
    let is_end = |text: &str| text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    let written =
        |text: &str| text.trim().parse::<f64>().map_or_else(|_| text.trim().to_owned(), four_digits);
    (is_end(low) && is_end(high))
        .then(|| (label.starts_with('('), written(low), written(high), label.ends_with(')')))
}

/// A number to four significant digits, whole numbers as they are.
fn four_digits(value: f64) -> String {
    if value.fract() == 0.0 || value.abs() >= 1000.0 {
        return minus(format!("{value:.0}"));
    }
    let decimals = (3 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    minus(if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text })
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
        assert_eq!(shown, ["0", "1", "0.123", "12.3", "123", "1,235", "−0.5", "1.2e−5"]);
        assert_eq!([figure(999.7), figure(4.26e13)], ["1,000", "4.26e13"]);
        assert_eq!(
            [share(0.0), share(1.0), share(0.123_4), share(1e-5)],
            ["0 %", "100 %", "12.3 %", "1.0e−3 %"]
        );
        assert_eq!([points(0.01), points(-0.01), points(0.0)], ["+1.0", "−1.0", "0.0"]);
        assert_eq!(figure_or_dash(None), "–");
        assert_eq!([figure(1.9003), figure(10.0), figure(0.2)], ["1.90", "10", "0.2"]);
        assert_eq!([amount(1981.3), amount(12_345.0), amount(4.0)], ["1981", "12,345", "4"]);
        assert_eq!(with_spread(64.4, 0.3536), "64.40 ± 0.35");
        assert_eq!(with_spread(16.68, 2.9e-4), "16.6800 ± 0.0003");
        assert_eq!(with_spread(1234.0, 120.0), "1234 ± 120");
    }

    #[test]
    fn classes_are_told_in_words() {
        let told =
            ["[16,25)", "[85,99]", "(0,19.033333333)", "[1952-04-26,1983-04-21)", "-8", "a (b,c)", "(x,y)"];
        let words = [
            "16 to under 25",
            "85 to 99",
            "over 0 to under 19.03",
            "1952-04-26 to under 1983-04-21",
            "-8",
            "a (b,c)",
            "(x,y)",
        ];
        assert_eq!(told.map(class_name), words.map(str::to_owned));
        assert_eq!(class_head("[16,25)"), "16 – 25");
    }
}
