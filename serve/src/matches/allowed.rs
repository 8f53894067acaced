//! The options that a page may add to a command, and the values that they may have. No value is a path or
//! the name of a program.

/// What a value may be. The command line checks its range.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Number,
    Decimal,
    Truth,
    /// A time control, such as `40/60+0.5`.
    Control,
    /// A time of the day.
    Hour,
    /// Words in lower case, with commas between them.
    Names,
    /// Numbers of cores.
    Cores,
    /// `random:PLIES`.
    Random,
    /// The value of an engine's option.
    Setting,
}

/// A key of a list.
pub type Key = (&'static str, Value);

/// What follows an option.
#[derive(Clone, Copy, Debug)]
pub enum Follows {
    Nothing,
    One(Value),
    /// A value after an equals sign, or nothing.
    Maybe(Value),
    /// A word, then a list.
    Keyed(Value, &'static [Key]),
    List(&'static [Key]),
}

use Follows::{Keyed, List, Maybe, Nothing, One};
use Value::{Control, Cores, Decimal, Hour, Names, Number, Random, Setting, Truth};

/// The key that stands for all `option.NAME`.
pub const OPTION: &str = "option.";

/// The options.
pub const ALLOWED: [(&str, Follows); 27] = [
    ("--games", One(Number)),
    ("--format", Keyed(Names, &[("seeds", Number), ("rounds", Number)])),
    ("--openings", One(Random)),
    ("--seed", One(Number)),
    (
        "--draw",
        List(&[("movenumber", Number), ("movecount", Number), ("score", Number)]),
    ),
    (
        "--resign",
        List(&[("movecount", Number), ("score", Number), ("twosided", Truth)]),
    ),
    (
        "--prove",
        List(&[
            ("empty", Number),
            ("nodes", Number),
            ("st", Decimal),
            ("result", Names),
        ]),
    ),
    ("--max-plies", One(Number)),
    ("--repetition", One(Number)),
    ("--finish-games", Nothing),
    ("--strict", Nothing),
    ("--concurrency", One(Number)),
    ("--affinity", Maybe(Cores)),
    ("--record", One(Names)),
    ("--pieces", One(Number)),
    ("--turns", One(Number)),
    ("--no-swap", Nothing),
    ("--reverse", Nothing),
    (
        "--sprt",
        List(&[
            ("elo0", Decimal),
            ("elo1", Decimal),
            ("alpha", Decimal),
            ("beta", Decimal),
            ("model", Names),
        ]),
    ),
    ("--forfeit-after", One(Number)),
    ("--check-claims", Nothing),
    ("--skip-broken", Nothing),
    ("--ponder", Nothing),
    (
        "--each",
        List(&[
            ("st", Decimal),
            ("tc", Control),
            ("depth", Number),
            ("nodes", Number),
            ("timemargin", Number),
            ("starttime", Decimal),
            ("restart", Names),
            ("cpu-time", Number),
            ("memory", Number),
            ("max-processes", Number),
            (OPTION, Setting),
        ]),
    ),
    ("--hours", One(Decimal)),
    ("--until", One(Hour)),
    ("--settle", One(Number)),
];

/// A key in a message.
pub fn shown_key(key: &str) -> String {
    if key == OPTION {
        "option.NAME".into()
    } else {
        key.into()
    }
}

/// Whether an option of an engine may have this name.
pub fn is_option_name(name: &str) -> bool {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_- ".contains(sign);
    !name.is_empty() && name.chars().all(is_plain)
}

impl Value {
    /// The text, if it is such a value.
    ///
    /// # Errors
    /// A sentence about the option in `place`.
    pub fn check<'a>(self, place: &str, text: &'a str) -> Result<&'a str, String> {
        let is_made_of = |signs: &str, also: fn(char) -> bool| {
            !text.is_empty() && text.chars().all(|sign| also(sign) || signs.contains(sign))
        };
        let is_digit: fn(char) -> bool = |sign| sign.is_ascii_digit();
        let fits = match self {
            Number => is_made_of("", is_digit),
            Decimal => is_made_of("+-.", is_digit),
            Truth => ["true", "false"].contains(&text),
            Control => is_made_of("/+.", is_digit),
            Hour => is_made_of(":", is_digit),
            Names => is_made_of("-,", |sign| sign.is_ascii_lowercase()),
            Cores => is_made_of("-,", is_digit) || text == "true",
            Random => text.strip_prefix("random:").is_some_and(is_number),
            Setting => text == "true" || text == "false" || text.parse::<f64>().is_ok_and(f64::is_finite),
        };
        if fits {
            Ok(text)
        } else {
            Err(format!("{place}: expected {}, found `{text}`", self.expected()))
        }
    }

    const fn expected(self) -> &'static str {
        match self {
            Number => "a whole number",
            Decimal => "a number",
            Truth => "`true` or `false`",
            Control => "a time control such as 60+0.5",
            Hour => "a time such as 06:00",
            Names => "words in lower case",
            Cores => "numbers of cores such as 3,5,7-11",
            Random => "`random:PLIES`; only the command line may name a file",
            Setting => "a number, `true` or `false`; only the command line may set a text",
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
