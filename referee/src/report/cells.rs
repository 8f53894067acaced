//! Numbers and names as cells of tables.

use referee_statistics::format_number;

/// A number without decimals, with a minus sign.
pub fn whole(value: f64) -> String {
    for_people(&format_number(Some(value), 0))
}

/// The text of a number with a minus sign, and a sign for infinity.
pub fn for_people(number: &str) -> String {
    number.replace('-', "−").replace("inf", "∞")
}

/// A number with the decimals that it needs, at most two.
pub fn short(value: f64) -> String {
    let text = format_number(Some(value), 2).replace('-', "−");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// A text about a number, with its interval.
pub fn with_interval(text: &str, ends: Option<[f64; 2]>) -> String {
    match ends.map(|ends| ends.map(whole)) {
        Some([low, high]) => format!("{text}, 95 % interval {low} to {high}"),
        None => format!("{text}, too few games for an interval"),
    }
}

/// A time in milliseconds with its unit.
pub fn time(ms: f64) -> String {
    if ms >= 1000.0 {
        format!("{} s", short(ms / 1000.0))
    } else if ms >= 1.0 {
        format!("{} ms", short(ms))
    } else {
        format!("{ms:.3} ms")
    }
}

/// A number with at least one decimal.
pub fn exact(number: f64) -> String {
    format!("{number:?}")
}

/// A number with at most this number of decimals; never −0.
pub fn rounded(number: Option<f64>, decimals: i32) -> Option<String> {
    let scale = 10.0_f64.powi(decimals);
    Some(exact((number? * scale).round() / scale + 0.0))
}

/// A name that a spreadsheet does not take for a formula: an apostrophe precedes `=`, `+`,
/// `-`, `@`, a tab or a carriage return at its beginning.
pub fn safe_name(name: &str) -> String {
    if name.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']) {
        format!("'{name}")
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(
            [whole(-0.4), whole(-12.6), short(-0.001), short(1.5), short(2.0)],
            ["0", "−13", "0", "1.5", "2"]
        );
        assert_eq!(
            [0.05, 12.3456, 1234.0].map(time),
            ["0.050 ms", "12.35 ms", "1.23 s"]
        );
    }

    #[test]
    fn no_name_is_a_formula() {
        for name in ["=a", "+a", "-a", "@a", "\ta", "\ra", "＝1+1"] {
            assert_eq!(safe_name(name), format!("'{name}"));
        }
        assert_eq!(safe_name("a=b"), "a=b");
        assert_eq!(rounded(Some(-0.04), 1).unwrap(), "0.0");
    }
}
