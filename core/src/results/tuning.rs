//! What a result file has of a tuning: how its steps shrink, and its parameters. The values that follow from the
//! games are in [`tuner`](crate::tournament::tuner).

use std::fmt;
use std::str::FromStr;

use lodestone_game::protocol::{OptionKind, OptionSpec};
use serde::{Deserialize, Serialize};

use crate::io::text::printable;
use crate::player::{AnnouncedOptions, spelled};

/// What identifies a tuning, beside its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// The number of iterations, each a pair of games.
    pub iterations: u64,
    /// The number of iterations that begin with the same values.
    pub batch: u64,
    /// How the steps shrink.
    #[serde(flatten)]
    pub gains: Gains,
    /// The options.
    pub parameters: Vec<Parameter>,
}

/// How the steps shrink over the iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gains {
    /// The exponent of the steps: Spall's α.
    pub alpha: f64,
    /// The exponent of the perturbations: Spall's γ.
    pub gamma: f64,
    /// Spall's stability constant A, as a share of the iterations: the larger, the smaller the
    /// first steps.
    pub a_ratio: f64,
}

impl Default for Gains {
    /// The values that Spall recommends.
    fn default() -> Gains {
        Gains {
            alpha: 0.602,
            gamma: 0.101,
            a_ratio: 0.1,
        }
    }
}

/// The default of [`Parameter::r_end`], as in fishtest.
pub(crate) const DEFAULT_R_END: f64 = 0.002;

/// The smallest perturbation of a whole number: with a smaller one, both players of a pair
/// would often have the same value.
const MIN_C_END: f64 = 0.5;

/// A spin option of an engine, with the range and the step sizes of its tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Parameter {
    /// The name of the option.
    pub name: String,
    /// The value before the first iteration.
    pub start: i64,
    /// The smallest value to try.
    pub min: i64,
    /// The largest value to try.
    pub max: i64,
    /// The perturbation at the last iteration, in units of the option.
    pub c_end: f64,
    /// The learning rate at the last iteration, per point of difference.
    pub r_end: f64,
}

impl Parameter {
    /// Checks that the engine announces the option, and that its range includes that of the
    /// parameter. Takes over its spelling.
    pub fn check(&mut self, announced: &AnnouncedOptions) -> Result<(), String> {
        let option = announced.require(&self.name, is_spin)?;
        let OptionKind::Spin { min, max, .. } = &option.kind else {
            return Err(format!(
                "announces `{}`, but not as a spin option; only whole numbers can be tuned",
                printable(&self.name, 60)
            ));
        };
        let takes = |value: i64| spelled(&option.kind, &value.to_string()).is_some();
        if !takes(self.min) || !takes(self.max) {
            let [min, max] = [min, max].map(|bound| match bound.as_str() {
                "" => "…".to_string(),
                bound => printable(bound, 40),
            });
            return Err(format!(
                "announces `{}` from {min} to {max}, but --param has {} to {}",
                printable(&self.name, 60),
                self.min,
                self.max
            ));
        }
        self.name.clone_from(&option.name);
        Ok(())
    }
}

const fn is_spin(option: &OptionSpec) -> bool {
    matches!(option.kind, OptionKind::Spin { .. })
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parameter {
            name,
            start,
            min,
            max,
            c_end,
            r_end,
        } = self;
        write!(f, "{name}={start},{min},{max},{c_end},{r_end}")
    }
}

impl FromStr for Parameter {
    type Err = String;

    fn from_str(text: &str) -> Result<Parameter, String> {
        let form = "expected NAME=START,MIN,MAX,C_END or NAME=START,MIN,MAX,C_END,R_END";
        let (name, numbers) = text.split_once('=').ok_or(form)?;
        let name = name.trim();
        let numbers: Vec<&str> = numbers.split(',').map(str::trim).collect();
        let [start, min, max, c_end, ref rest @ ..] = numbers[..] else {
            return Err(form.into());
        };
        if name.is_empty() || rest.len() > 1 {
            return Err(form.into());
        }
        let r_end = rest
            .first()
            .map_or(Ok(DEFAULT_R_END), |r_end| real("R_END", r_end))?;
        let parameter = Parameter {
            name: name.into(),
            start: whole("START", start)?,
            min: whole("MIN", min)?,
            max: whole("MAX", max)?,
            c_end: real("C_END", c_end)?,
            r_end,
        };
        let Parameter { start, min, max, .. } = parameter;
        if min >= max {
            return Err(format!("MIN ({min}) must be smaller than MAX ({max})"));
        }
        if !(min..=max).contains(&start) {
            return Err(format!(
                "START ({start}) is not between MIN ({min}) and MAX ({max})"
            ));
        }
        if parameter.c_end < MIN_C_END || parameter.c_end > (max as f64 - min as f64) {
            return Err(format!(
                "C_END ({}) must be at least {MIN_C_END} and at most MAX − MIN",
                parameter.c_end
            ));
        }
        if parameter.r_end <= 0.0 {
            return Err(format!("R_END ({}) must be greater than 0", parameter.r_end));
        }
        Ok(parameter)
    }
}

fn whole(what: &str, text: &str) -> Result<i64, String> {
    // A range of 32 bits keeps every sum of values exact.
    let number: Option<i32> = text.parse().ok();
    number
        .map(i64::from)
        .ok_or_else(|| format!("{what} must be a whole number of 32 bits, found `{text}`"))
}

fn real(what: &str, text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| number.is_finite())
        .ok_or_else(|| format!("{what} must be a number, found `{text}`"))
}

impl TryFrom<String> for Parameter {
    type Error = String;

    fn try_from(text: String) -> Result<Parameter, String> {
        text.parse()
    }
}

impl From<Parameter> for String {
    fn from(parameter: Parameter) -> String {
        parameter.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_rows, expect};

    #[test]
    fn reads_what_it_writes() {
        for (text, written) in [
            ("Margin=60,0,300,12.5,0.02", "Margin=60,0,300,12.5,0.02"),
            ("A B = -3, -5, 5, 1", "A B=-3,-5,5,1,0.002"),
        ] {
            let parameter: Parameter = text.parse().unwrap();
            assert_eq!(parameter.to_string(), written);
            assert_eq!(written.parse(), Ok(parameter));
        }
    }

    #[test]
    fn errors_name_the_wrong_number() {
        let table = expect![[r#"
            Margin | expected NAME=START,MIN,MAX,C_END or
            =1,0,9,1 | expected NAME=
            M=1,0,9 | expected NAME=
            M=1,0,9,1,1,1 | expected NAME=
            M=1.5,0,9,1 | START must be a whole number of 32 bits, found `1.5`
            M=1,0,9,x | C_END must be a number, found `x`
            M=1,0,9,1,inf | R_END must be a number, found `inf`
            M=1,9,0,1 | MIN (9) must be smaller than MAX (0)
            M=10,0,9,1 | START (10) is not between MIN (0) and MAX (9)
            M=1,0,9,0.4 | C_END (0.4) must be at least 0.5
            M=1,0,9,10 | C_END (10) must be at least 0.5 and at most MAX − MIN
            M=1,0,9,1,0 | R_END (0) must be greater than 0
        "#]];
        assert_rows(table, |[text]| text.parse::<Parameter>().unwrap_err());
    }

    #[test]
    fn checks_the_announced_range() {
        let announced = AnnouncedOptions::of([
            "option name Clear Hash type button",
            "option name Margin type spin default 0 min 0 max 100",
            "option name Depth type spin default 1 min 1",
            "option name Skill type spin default few",
        ]);
        let check = |text: &str| {
            let mut parameter: Parameter = text.parse().unwrap();
            parameter.check(&announced).map(|()| parameter.name)
        };
        assert_eq!(check("margin=10,0,100,5").as_deref(), Ok("Margin"));
        assert_eq!(check("Depth=10,1,1000,5").as_deref(), Ok("Depth"));
        let table = expect![[r#"
            Margni=10,0,100,5 | announces no option `Margni`; did you mean `Margin`?
            Clear Hash=1,0,9,1 | announces `Clear Hash`, but not as a spin option
            Margin=10,-1,100,5 | announces `Margin` from 0 to 100, but --param has -1 to 100
            Margin=10,0,101,5 | announces `Margin` from 0 to 100, but --param has 0 to 101
            Depth=10,0,101,5 | announces `Depth` from 1 to …, but --param has 0 to 101
            Skill=10,0,100,5
                | announces option `Skill` in an unreadable line: `option name Skill type spin default few`, column
        "#]];
        assert_rows(table, |[text]| check(text).unwrap_err());
    }
}
