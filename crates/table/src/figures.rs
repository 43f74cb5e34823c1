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

/// The bytes of a size such as 2GB, 1.5GiB, 500MB, or a number of bytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|character: char| character.is_alphabetic() || character == ' ');
    let unit = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" => f64::from(1 << 10),
        "mib" => f64::from(1 << 20),
        "gib" => f64::from(1 << 30),
        _ => 0.0,
    };
    match digits.parse::<f64>() {
        Ok(number) if number * unit > 0.0 && number.is_finite() => Ok((number * unit) as u64),
        _ => Err("write it as 2GB, 1.5GiB or 500MB".into()),
    }
}

/// A number of bytes in the largest unit of which there is one: 1.5 GB.
pub fn bytes_text(bytes: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.into_iter().find(|(_, size)| bytes as f64 >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", bytes as f64 / size),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = ["2GB", "1.5 GiB", "500mb", "17"].map(|text| bytes(text).unwrap());
        assert_eq!(sizes, [2_000_000_000, 3 << 29, 500_000_000, 17]);
        assert_eq!([1_500_000_000, 2_000, 17].map(bytes_text), ["1.5 GB", "2.0 kB", "17 bytes"]);
        for wrong in ["", "GB", "-1GB", "2 apples", "infGB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

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
