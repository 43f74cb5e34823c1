//! Numbers as people read them.

/// A whole number with a comma every three digits: 147,000.
pub fn thousands(digits: impl ToString) -> String {
    let digits = digits.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share as a percentage with `decimals` decimals; never rounded up to 100 or down to 0 unless it is that.
pub fn percent(share: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", 100.0 * share);
    let least = 10_f64.powi(-(decimals as i32));
    if text.parse() == Ok(100.0) && share < 1.0 {
        format!("over {:.decimals$} %", 100.0 - least)
    } else if text.parse() == Ok(0.0) && share > 0.0 {
        format!("under {least:.decimals$} %")
    } else {
        format!("{text} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well_and_do_not_overstate() {
        assert_eq!(
            [thousands(7), thousands(1234), thousands("1606938044258990275541962")],
            ["7", "1,234", "1,606,938,044,258,990,275,541,962"]
        );
        assert_eq!(percent(0.3584, 2), "35.84 %");
        assert_eq!(percent(0.999_999_9, 2), "over 99.99 %");
        assert_eq!(percent(1e-9, 1), "under 0.1 %");
        assert_eq!((percent(1.0, 0), percent(0.0, 1)), ("100 %".into(), "0.0 %".into()));
    }
}
