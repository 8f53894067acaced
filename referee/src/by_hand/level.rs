//! Levels of the computer: by name or number, a player with its seconds per move, or a program with
//! settings.

use lodestone_game::players;
use lodestone_game::players::LEVELS;
use referee_core::game::Ruleset;
use referee_core::game::clock::{TimeControl, parse_seconds};
use referee_core::io::text::{self, hint, printable};
use referee_core::process::SandboxLevel;
use referee_core::system::files::split_words;

use crate::config::roster;
use crate::config::settings::{SEPARATOR, Settings, is_key};

/// A level: its name in lower case, a description in a few words, and the settings of the engine.
type Level = (&'static str, &'static str, String);

/// The levels of a game of a rules program.
const OTHER_LEVELS: [(&str, &str, &str); 6] = [
    ("beginner", "plays at random", "cmd=random st=1"),
    (
        "easy",
        "a tree search of 50 random games",
        "cmd=mcts nodes=50 st=3",
    ),
    (
        "medium",
        "a tree search of 500 random games",
        "cmd=mcts nodes=500 st=3",
    ),
    ("hard", "a tree search, 0.3 seconds per move", "cmd=mcts st=0.3"),
    ("expert", "a tree search, 1 second per move", "cmd=mcts st=1"),
    ("master", "a tree search, 3 seconds per move", "cmd=mcts st=3"),
];

/// The levels of this game.
fn levels(ruleset: Ruleset) -> Vec<Level> {
    let Some(built_in) = ruleset.variant() else {
        let levels = OTHER_LEVELS.into_iter();
        return levels
            .map(|(name, about, settings)| (name, about, settings.to_string()))
            .collect();
    };
    let settings = |level: &players::Level| {
        let (player, depth) = level.player(built_in);
        let depth = depth.map_or(String::new(), |depth| format!(" depth={depth}"));
        let seconds = f64::from(level.milliseconds) / 1000.0;
        format!("cmd={player} st={seconds}{depth}")
    };
    let levels = LEVELS.iter();
    levels
        .map(|level| (level.name, level.about, settings(level)))
        .collect()
}

/// The default level. Every game has it, by the same name in the browser page (`web/page/players.js`).
pub const DEFAULT_LEVEL: &str = "medium";

fn settings_of(settings: &str) -> Settings {
    settings.replace(' ', SEPARATOR).parse().unwrap_or_default()
}

/// The name, the description and the settings of all levels, the weakest first.
pub fn all(ruleset: Ruleset) -> impl Iterator<Item = (&'static str, &'static str, Settings)> {
    let levels = levels(ruleset).into_iter();
    levels.map(|(name, about, settings)| (name, about, settings_of(&settings)))
}

/// What can be entered instead of a level.
pub fn others(ruleset: Ruleset) -> String {
    let player = ruleset.strongest();
    format!(
        "  or a built-in player or a program, and its seconds per move: `{player} 0.5`\n  \
         or a program with settings: `cmd=./bot st=1 sandbox=on`"
    )
}

/// The name and the description of the level with these settings; `None` if there is none.
pub fn find(settings: &Settings, ruleset: Ruleset) -> Option<(&'static str, &'static str)> {
    let found = all(ruleset).find(|(.., level)| level == settings);
    found.map(|(name, about, _)| (name, about))
}

/// The answer that [`parse`] turns into these settings.
pub fn answer(settings: &Settings, ruleset: Ruleset) -> String {
    if let Some((name, _)) = find(settings, ruleset) {
        return name.to_string();
    }
    let player = settings.cmd.as_deref().unwrap_or_default();
    let only_program = Settings {
        time: settings.time,
        ..Settings::of_program(player)
    };
    match settings.time {
        None if *settings == only_program => player.to_string(),
        Some(TimeControl::Move(time)) if *settings == only_program => {
            format!("{player} {}", time.as_secs_f64())
        }
        _ => {
            let words = settings.words();
            text::join(&words.iter().map(String::as_str).collect::<Vec<_>>())
        }
    }
}

/// Parses a level: a number, a name, a player with optional seconds per move, or settings.
pub(crate) fn parse(answer: &str, ruleset: Ruleset) -> Result<Settings, String> {
    for ((name, _, settings), number) in all(ruleset).zip(1..) {
        if name.eq_ignore_ascii_case(answer) || answer == number.to_string() {
            return Ok(settings);
        }
    }
    let settings = if is_settings(answer) {
        let words = split_words(answer).ok_or("a quote is not closed")?;
        words.join(SEPARATOR).parse()?
    } else {
        player_with_time(answer)?
    };
    if settings.is_human() {
        return Err("the computer cannot be `human`: expected a level, a player or a program".to_string());
    }
    // Checks that the program exists.
    let resolved = roster::resolve(std::slice::from_ref(&settings), ruleset);
    let player = settings.cmd.as_deref().unwrap_or_default();
    match resolved {
        Ok(_) => Ok(settings),
        Err(failure) if is_settings(answer) || builtin(player).is_some() || player.contains('/') => {
            Err(failure.to_string())
        }
        Err(_) => {
            let names = levels(ruleset).into_iter().map(|(name, ..)| name);
            let hint = hint(player, names.chain(ruleset.players()));
            let most = LEVELS.len();
            Err(format!(
                "`{answer}` is neither a level (1 to {most}, or its name) nor a player nor a program{hint}"
            ))
        }
    }
}

/// The built-in player of this name, in any letter case.
fn builtin(player: &str) -> Option<&'static str> {
    let mut names = Ruleset::all_players().into_iter();
    names.find(|name| name.eq_ignore_ascii_case(player))
}

/// Reads a player and perhaps its seconds per move.
fn player_with_time(answer: &str) -> Result<Settings, String> {
    let split = answer.rsplit_once(char::is_whitespace);
    let (player, time) = match split.map(|(player, seconds)| (player.trim(), seconds)) {
        Some((player, seconds)) => match parse_seconds(seconds) {
            Ok(time) => (player, Some(TimeControl::Move(time))),
            // The last word may belong to the name of a program, or to no answer at all.
            Err(_) if builtin(player).is_none() && !seconds.starts_with(|c: char| c.is_ascii_digit()) => {
                (answer, None)
            }
            Err(why) => return Err(why),
        },
        None => (answer, None),
    };
    Ok(Settings {
        time,
        ..Settings::of_program(builtin(player).unwrap_or(player))
    })
}

/// Whether these settings name a built-in player and give it nothing but a time and limits of its search.
pub fn is_built_in(settings: &Settings) -> bool {
    let search = Settings {
        cmd: settings.cmd.clone(),
        time: settings.time,
        depth: settings.depth,
        nodes: settings.nodes,
        ..Settings::default()
    };
    settings.cmd.as_deref().is_some_and(|cmd| builtin(cmd).is_some()) && *settings == search
}

/// Whether an answer is the settings of a program, which may have arguments.
fn is_settings(answer: &str) -> bool {
    answer.split_once('=').is_some_and(|(key, _)| is_key(key))
}

/// Describes settings by their level, if there is one, or by player, time and sandbox.
pub fn describe(settings: &Settings, ruleset: Ruleset) -> String {
    if let Some((name, about)) = find(settings, ruleset) {
        return format!("{name}: {about}");
    }
    let player = printable(settings.cmd.as_deref().unwrap_or_default(), usize::MAX);
    let time = match settings.time {
        Some(TimeControl::Move(time)) => format!(", {} seconds per move", time.as_secs_f64()),
        _ => String::new(),
    };
    let sandbox = match settings.sandbox {
        None | Some(SandboxLevel::Off) => String::new(),
        Some(level) => format!(", sandbox={level}"),
    };
    format!("{player}{time}{sandbox}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_rows, expect};

    const CAVE: Ruleset = Ruleset::MAGNETIC_CAVE;

    #[test]
    fn the_levels_of_both_games_are_those_of_the_table() {
        let lines = include_str!("../../../tests/lines/levels.txt").lines();
        let table: Vec<&str> = lines.filter(|line| !line.starts_with('#')).collect();
        let found = all(CAVE)
            .zip(all(Ruleset::GRIDLOCK))
            .map(|((name, about, level), (.., other))| {
                let Some(TimeControl::Move(time)) = level.time else {
                    panic!("{level:?}");
                };
                let [player, other] = [level.cmd, other.cmd].map(Option::unwrap_or_default);
                let depth = level.depth.map_or(String::new(), |depth| format!(" {depth}"));
                format!(
                    "{name} | {about} | {player} {other} | {} |{depth}",
                    time.as_secs_f64()
                )
            });
        assert_eq!(found.collect::<Vec<_>>(), table);
    }

    #[test]
    fn parses_levels_by_name_and_number() {
        for ruleset in Ruleset::ALL {
            for ((name, _, settings), number) in levels(*ruleset).iter().zip(1..) {
                assert!(settings.replace(' ', SEPARATOR).parse::<Settings>().is_ok());
                let settings = settings_of(settings);
                assert_eq!(parse(&name.to_uppercase(), *ruleset), Ok(settings.clone()));
                assert_eq!(parse(&number.to_string(), *ruleset), Ok(settings.clone()));
                assert!(describe(&settings, *ruleset).starts_with(name));
                assert_eq!(answer(&settings, *ruleset), *name);
                assert!(roster::resolve(&[settings], *ruleset).is_ok());
            }
        }
    }

    #[test]
    fn parses_a_player_with_a_time() {
        let settings = parse("Groups  0.5", CAVE).unwrap();
        assert_eq!(settings.cmd.as_deref(), Some("groups"));
        assert_eq!(describe(&settings, CAVE), "groups, 0.5 seconds per move");
        assert_eq!(answer(&settings, CAVE), "groups 0.5");
        assert_eq!(parse("plain", Ruleset::GRIDLOCK).unwrap().time, None);
    }

    #[test]
    fn parses_a_program_with_settings() {
        let program = std::env::current_exe().unwrap();
        let program = program.to_str().unwrap();
        let line = format!("cmd='{program}' args='-c \"exit 3\"' st=1 sandbox=off");
        let settings = parse(&line, CAVE).unwrap();
        assert_eq!(settings.args, Some(["-c", "exit 3"].map(String::from).into()));
        assert_eq!(
            describe(&settings, CAVE),
            format!("{program}, 1 seconds per move")
        );
        let written = answer(&settings, CAVE);
        assert_eq!(parse(&written, CAVE), Ok(settings.clone()), "{written}");
        let sandboxed = Settings {
            sandbox: Some(SandboxLevel::On),
            ..settings
        };
        assert!(describe(&sandboxed, CAVE).ends_with(" per move, sandbox=on"));
        assert!(answer(&sandboxed, CAVE).contains(" sandbox=on"));
    }

    #[test]
    fn a_built_in_player_has_no_settings_but_its_time_and_limits() {
        for (settings, expected) in [
            ("cmd=groups st=1 depth=2 nodes=3", true),
            ("cmd=groups st=1 option.LogFile=a", false),
            ("cmd=groups dir=a", false),
            ("cmd=./groups st=1", false),
        ] {
            assert_eq!(is_built_in(&settings_of(settings)), expected, "{settings}");
        }
    }

    #[test]
    fn errors_say_what_is_expected() {
        let table = expect![[r#"
            0 | `0` is neither a level (1 to 6, or its name) nor a player nor a program
            | `` is neither
            hrad | ; did you mean `hard`?
            what is this | `what is this` is neither a level
            mobility | the built-in `mobility` does not play magnetic-cave
            groups soon | expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `soon`
            ./nowhere | does not exist
            cmd=human | the computer cannot be `human`
            cmd=bot sandbox=yes | sandbox=yes
            cmd=bot args=' | a quote is not closed
        "#]];
        assert_rows(table, |[answer]| parse(answer, CAVE).unwrap_err());
    }
}
