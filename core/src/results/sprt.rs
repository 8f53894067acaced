//! The parameters of a sequential test, in result files and on the command line.

use std::fmt;

use crate::io::as_text::Text;
use crate::io::key_values::KeyValues;
use crate::io::text::hint;
use crate::statistics::sprt::{DEFAULT_ERROR_RATE, Model, Sprt};

const KEYS: [&str; 5] = ["elo0", "elo1", "alpha", "beta", "model"];

/// Reads a list such as `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized`, in any order.
/// `elo0` and `elo1` are required; the other values are the defaults.
pub fn read(text: &str) -> Result<Sprt, String> {
    let values = KeyValues::of_text(text, &KEYS)?;
    let example = "elo0=0 elo1=5";
    Sprt::new(
        values.required("elo0", example, number)?,
        values.required("elo1", example, number)?,
        values.optional("alpha", number)?.unwrap_or(DEFAULT_ERROR_RATE),
        values.optional("beta", number)?.unwrap_or(DEFAULT_ERROR_RATE),
        values.optional("model", model)?.unwrap_or_default(),
    )
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("expected a number, found `{text}`"))
}

fn model(text: &str) -> Result<Model, String> {
    let found = Model::ALL.into_iter().find(|model| model.name() == text);
    found.ok_or_else(|| {
        let names = Model::ALL.map(Model::name);
        let hint = hint(text, names);
        format!("expected one of {}, found `{text}`{hint}", names.join(", "))
    })
}

impl Text for Sprt {
    fn text(&self) -> impl fmt::Display {
        self
    }

    fn read(text: &str) -> Result<Sprt, String> {
        read(text).map_err(|why| format!("sprt: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_rows, expect};

    #[test]
    fn reads_what_is_displayed() {
        let sprt = read("elo1=5.5 elo0=-1.75").unwrap();
        assert_eq!(
            sprt,
            Sprt::new(-1.75, 5.5, 0.05, 0.05, Model::Normalized).unwrap()
        );
        let text = "elo0=-1.75 elo1=5.5 alpha=0.01 beta=0.1 model=bayesian";
        assert_eq!(read(text).unwrap().to_string(), text);
    }

    #[test]
    fn errors_explain_invalid_parameters() {
        let table = expect![[r#"
            elo0=0 | `elo1` is missing; example: `elo0=0 elo1=5`
            elo1=5 | `elo0` is missing; example: `elo0=0 elo1=5`
            elo0=5 elo1=5 | `elo0=5` must be less than `elo1=5`
            elo0=0 elo1=2000 | `elo1=2000`: expected Elo from -1000 to 1000
            elo0=x elo1=5 | `elo0=x`: expected a number, found `x`
            elo0=nan elo1=5 | `elo0=nan`: expected a number, found `nan`
            elo0=0 elo0=0 elo1=5 | `elo0` is given twice
            elo0 elo1=5 | expected KEY=VALUE, found `elo0`
            elo0=0 elo1=5 alpha=0 | `alpha=0`: expected a probability between 0 and 1, such as 0.05
            elo0=0 elo1=5 beta=1 | `beta=1`: expected a probability between 0 and 1, such as 0.05
            elo0=0 elo1=5 alpha=0.5 beta=0.5 | the sum of `alpha=0.5` and `beta=0.5` must be less than 1
            elo0=0 elo1=5 model=x | `model=x`: expected one of normalized, logistic, bayesian, found `x`
        "#]];
        assert_rows(table, |[line]| read(line).unwrap_err());
        for (line, meant) in [
            ("elo0=0 elo1=5 aplha=0.1", "alpha"),
            ("elo0=0 elo1=5 model=normalised", "normalized"),
        ] {
            let why = read(line).unwrap_err();
            assert!(why.contains(&format!("; did you mean `{meant}`?")), "{why}");
        }
    }
}
