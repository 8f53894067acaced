//! Values of command-line arguments, and what is wrong with them.

use lodestone_game::text::quoted;

/// A whole number from `min` to `max`.
pub fn number<T: std::str::FromStr + PartialOrd + std::fmt::Display>(
    name: &str,
    value: &str,
    (min, max): (T, T),
) -> Result<T, String> {
    match value.parse() {
        Ok(number) if min <= number && number <= max => Ok(number),
        _ => Err(format!(
            "{name}: expected a whole number from {min} to {max}, found {}",
            quoted(value)
        )),
    }
}

/// A part K of N, written `K/N`, with K from 0 to N - 1 and N from 1 to `max`.
pub fn shard(value: &str, max: u32) -> Result<(u32, u32), String> {
    let parts = value.split_once('/');
    let numbers = parts.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    numbers
        .filter(|&(index, count)| index < count && (1..=max).contains(&count))
        .ok_or_else(|| {
            format!(
                "--shard: expected K/N with K from 0 to N - 1 and N from 1 to {max}, found {}",
                quoted(value)
            )
        })
}
