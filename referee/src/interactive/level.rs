//! How strong the computer is: by name, or by player and time.

use std::fmt::Write as _;
use std::time::Duration;

use lodestone::game::Variant;
use lodestone::personality;

use crate::config::roster;
use crate::config::settings::Settings;
use crate::io::nearest::nearest;
use crate::player::clock::{TimeControl, parse_seconds};

/// A strength with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its name.
    pub name: &'static str,
    /// Who plays, and how well, in a few words.
    pub about: &'static str,
    /// The built-in player; `None` for the course project of the game.
    player: Option<&'static str>,
    /// Thousandths of a second for a move.
    milliseconds: u64,
    /// Plies that are looked at, where that is what makes it weak.
    depth: Option<u32>,
}

/// The levels, the weakest first; people count them from 1.
pub const LEVELS: [Level; 6] = [
    Level {
        name: "beginner",
        about: "plays at random",
        player: Some(personality::RANDOM),
        milliseconds: 1000,
        depth: None,
    },
    Level {
        name: "easy",
        about: "looks one move ahead",
        player: Some(personality::DEFAULT),
        milliseconds: 1000,
        depth: Some(1),
    },
    Level {
        name: "medium",
        about: "a course project, looks four moves ahead",
        player: None,
        milliseconds: 3000,
        depth: None,
    },
    Level {
        name: "hard",
        about: "the engine, a tenth of a second a move",
        player: Some(personality::DEFAULT),
        milliseconds: 100,
        depth: None,
    },
    Level {
        name: "expert",
        about: "the engine, one second a move",
        player: Some(personality::DEFAULT),
        milliseconds: 1000,
        depth: None,
    },
    Level {
        name: "master",
        about: "the engine, three seconds a move as in the tournament",
        player: Some(personality::DEFAULT),
        milliseconds: 3000,
        depth: None,
    },
];

/// The number of the level that Enter takes, from 1.
pub const DEFAULT_LEVEL: usize = 3;

impl Level {
    /// The engine of this strength.
    #[must_use]
    pub fn settings(&self, variant: Variant) -> Settings {
        Settings {
            cmd: Some(self.player.unwrap_or(variant.info().default_opponent).to_string()),
            time: Some(TimeControl::Move(Duration::from_millis(self.milliseconds))),
            depth: self.depth,
            ..Settings::default()
        }
    }
}

/// All levels, a line each.
#[must_use]
pub fn list() -> String {
    let mut lines = String::new();
    for (level, number) in LEVELS.iter().zip(1..) {
        let _ = writeln!(lines, "  {number}  {:<10}{}", level.name, level.about);
    }
    lines + "  or a built-in player or program, and its seconds a move: `lodestone 0.5`"
}

/// The answers that name a level or a player.
pub fn completions(variant: Variant) -> Vec<String> {
    let levels = LEVELS.iter().map(|level| level.name);
    let players = variant.personalities().into_iter();
    levels.chain(players).map(String::from).collect()
}

/// The strength that an answer names: the number or name of a level, or a
/// player, perhaps with its seconds for a move.
///
/// # Errors
/// A sentence that says what would be right.
pub fn parse(answer: &str, variant: Variant) -> Result<Settings, String> {
    let named = LEVELS
        .iter()
        .zip(1..)
        .find(|(level, number)| level.name.eq_ignore_ascii_case(answer) || answer == format!("{number}"));
    if let Some((level, _)) = named {
        return Ok(level.settings(variant));
    }
    let (player, time) = match answer.rsplit_once(char::is_whitespace) {
        Some((player, seconds)) => (player.trim(), Some(parse_seconds(seconds)?)),
        None => (answer, None),
    };
    let spelled = personality::all_names()
        .into_iter()
        .find(|name| name.eq_ignore_ascii_case(player));
    let settings = Settings {
        time: time.map(TimeControl::Move),
        ..Settings::of_program(spelled.unwrap_or(player))
    };
    if settings.is_human() {
        return Err("the computer is a level, a player or a program, no person".to_string());
    }
    // Only what is there can be started.
    match roster::resolve(std::slice::from_ref(&settings), variant) {
        Ok(_) => Ok(settings),
        Err(_) if spelled.is_none() && !player.contains('/') => {
            let words = completions(variant);
            let meant = nearest(player, words.iter().map(String::as_str));
            let meant = meant.map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
            let most = LEVELS.len();
            Err(format!(
                "`{answer}` is neither a level (1 to {most}, or its name) nor a player nor a program{meant}"
            ))
        }
        Err(failure) => Err(failure.to_string()),
    }
}

/// What a strength is called: by its level if it is one.
#[must_use]
pub fn describe(settings: &Settings, variant: Variant) -> String {
    let level = LEVELS.iter().find(|level| level.settings(variant) == *settings);
    if let Some(level) = level {
        return format!("{}: {}", level.name, level.about);
    }
    let player = settings.cmd.as_deref().unwrap_or_default();
    match settings.time {
        Some(TimeControl::Move(time)) => format!("{player}, {} seconds a move", time.as_secs_f64()),
        _ => player.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names_and_numbers() {
        for variant in Variant::ALL {
            for (level, number) in LEVELS.iter().zip(1..) {
                let settings = level.settings(*variant);
                assert_eq!(parse(&level.name.to_uppercase(), *variant), Ok(settings.clone()));
                assert_eq!(parse(&number.to_string(), *variant), Ok(settings.clone()));
                assert!(describe(&settings, *variant).starts_with(level.name));
                assert!(roster::resolve(&[settings], *variant).is_ok());
            }
        }
    }

    #[test]
    fn players_have_times() {
        let settings = parse("Groups  0.5", Variant::MagneticCave).unwrap();
        assert_eq!(settings.cmd.as_deref(), Some("groups"));
        assert_eq!(
            describe(&settings, Variant::MagneticCave),
            "groups, 0.5 seconds a move"
        );
        assert_eq!(parse("plain", Variant::Gridlock).unwrap().time, None);
    }

    #[test]
    fn errors_say_what_would_be_right() {
        let error = |answer: &str| parse(answer, Variant::MagneticCave).unwrap_err();
        assert_eq!(
            error("0"),
            "`0` is neither a level (1 to 6, or its name) nor a player nor a program"
        );
        assert!(error("").starts_with("`` is neither"));
        assert!(error("hrad").ends_with("; did you mean `hard`?"));
        assert!(error("mobility").starts_with("the built-in `mobility` does not play magnetic-cave"));
        assert!(
            error("groups soon")
                .starts_with("expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `soon`")
        );
        assert!(error("./nowhere").contains("No such file"));
    }
}
