//! The questions of `referee` without arguments, in the order of the course projects:
//! game, number of players, side, pieces and turns, level. Enter accepts the answer in
//! brackets.

use std::time::SystemTime;

use lodestone_game::Setup;
use lodestone_game::board::Side;
use referee_core::game::Ruleset;
use referee_core::io::text::ShowPath;
use referee_core::io::text::printable;
use referee_core::io::untrusted::Untrusted;
use referee_core::results::StoredGame;
use referee_core::results::game_file;

use super::commands::PromptCommand;
use super::console::{Console, NoInput};
use super::layout::Row;
use super::prompt::Prompt;
use super::session::{PlayerChoice, SessionPlan};
use crate::by_hand::level::{self, DEFAULT_LEVEL};
use crate::config::cli::SetupArgs;
use crate::config::settings::{HUMAN, Settings};

/// Asks for everything that a session needs.
pub fn plan_session(prompt: &mut Prompt) -> Result<SessionPlan, NoInput> {
    let style = prompt.style;
    let console = &mut prompt.console;
    console.print("Lodestone: board games for one or two players.")?;
    console.print("Enter accepts the answer in brackets, q quits at any question.\n")?;
    let (ruleset, saved_game) = choose_game(console)?;
    let mut setup = Setup::default();
    // Errors were reported when the game was loaded.
    let saved = saved_game
        .as_ref()
        .and_then(|game| saved_players(game, ruleset).ok()?);
    let saved = match saved {
        Some(players) if allows_programs(console, ruleset, &players)? => Some(players),
        _ => None,
    };
    let choices = if let Some(choices) = saved {
        choices
    } else {
        let signs = style.signs(ruleset.info().signs);
        let person = choose_side(console, ruleset, signs)?;
        if saved_game.is_none() {
            setup = choose_setup(console, ruleset, SetupArgs::default())?;
        }
        let mut choices: [PlayerChoice; 2] = [None, None];
        if let Some(person) = person {
            choices[person.opponent().index()] = Some(choose_level(console, ruleset)?);
        }
        choices
    };
    Ok(SessionPlan {
        ruleset,
        choices,
        setup,
        seed: seed_from_time(),
        saved_game,
        offers_another_game: true,
    })
}

/// The players that a saved game names; `None` if it does not name both.
///
/// # Errors
/// A name is no player.
pub(super) fn saved_players(game: &StoredGame, rules: Ruleset) -> Result<Option<[PlayerChoice; 2]>, String> {
    let [Some(first), Some(second)] = &game.seats else {
        return Ok(None);
    };
    let choice = |player: &Untrusted| -> Result<PlayerChoice, String> {
        if player.raw().eq_ignore_ascii_case(HUMAN) {
            return Ok(None);
        }
        level::parse(player.raw(), rules).map(Some)
    };
    Ok(Some([choice(first)?, choice(second)?]))
}

/// Asks about each program among these players: a file of somebody else may name any, so the user decides whether it
/// starts.
pub(super) fn allows_programs(
    console: &mut Console,
    ruleset: Ruleset,
    players: &[PlayerChoice; 2],
) -> Result<bool, NoInput> {
    for settings in players
        .iter()
        .flatten()
        .filter(|settings| !level::is_built_in(settings))
    {
        let command = printable(&level::answer(settings, ruleset), usize::MAX);
        if !console.confirm(&format!("The file names the program `{command}`. Start it?"))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Asks for the game, or for a saved game to continue.
fn choose_game(console: &mut Console) -> Result<(Ruleset, Option<StoredGame>), NoInput> {
    let games = Ruleset::ALL.iter().zip(1..).map(|(ruleset, number)| {
        let info = ruleset.info();
        Row::new(format!("  {number}  {}", info.title), info.summary)
    });
    console.print_table(&games.collect::<Vec<_>>())?;
    let question = "Which game? Or `load FILE` to continue a saved game. [1]";
    console.ask(question, |answer| {
        match PromptCommand::parse(answer) {
            Some(Ok(PromptCommand::Load(path, number))) => {
                let saved_game = game_file::load(&path, number, None)?;
                let wrong = |why| format!("`{}`: {why}", path.shown());
                let rules = saved_game.game.rules().ok_or_else(|| {
                    wrong(format!(
                        "the rules of {} are those of a program; start it with `referee play --rules PROGRAM`",
                        saved_game.game
                    ))
                })?;
                saved_players(&saved_game, rules).map_err(wrong)?;
                return Ok((rules, Some(saved_game)));
            }
            Some(Err(why)) => return Err(why),
            // Other commands have no effect before a game.
            _ => {}
        }
        let mut numbered = Ruleset::ALL.iter().copied().zip(1..);
        let matches = |(ruleset, number): &(Ruleset, usize)| {
            ruleset.info().title.eq_ignore_ascii_case(answer)
                || ruleset.name().eq_ignore_ascii_case(answer)
                || number.to_string() == answer
                || (*number == 1 && answer.is_empty())
        };
        let ruleset = numbered.find(matches).map(|(ruleset, _)| (ruleset, None));
        ruleset.ok_or_else(|| {
            let most = Ruleset::ALL.len();
            format!("Please answer with a number from 1 to {most} or a name; `{answer}` is neither.")
        })
    })
}

/// Asks for the number of people, and for the side of a single person; `None` for two
/// people.
fn choose_side(console: &mut Console, ruleset: Ruleset, signs: [char; 2]) -> Result<Option<Side>, NoInput> {
    console.print_table(&[
        Row::new("  1  Single player", "you against the computer"),
        Row::new("  2  Multiplayer", "two people"),
    ])?;
    let players: [MenuOption<'_, u8>; 2] = [
        (&["1", "single", "single player", "one"], 1),
        (&["2", "multi", "multiplayer", "two"], 2),
    ];
    if choose(console, "One player or two?", &players)? == 2 {
        return Ok(None);
    }
    let [first, second] = signs;
    let letters = signs.map(String::from);
    let (text, [one, other]) = match ruleset.info().colours {
        Some([one, other]) => (
            format!("Your colour: {one} ({first}, moves first) or {other} ({second})?"),
            [
                vec![one, &one[..1], "x", "1", "first", &letters[0]],
                vec![other, &other[..1], "o", "2", "second", &letters[1]],
            ],
        ),
        None => (
            format!("Are you player 1 ({first}, moves first) or player 2 ({second})?"),
            [
                vec!["1", "player 1", "first", &letters[0]],
                vec!["2", "player 2", "second", &letters[1]],
            ],
        ),
    };
    choose(console, &text, &[(&one, Side::First), (&other, Side::Second)]).map(Some)
}

/// The words for an answer, the first of which is shown, and its value.
type MenuOption<'a, T> = (&'a [&'a str], T);

/// Asks for one of several answers. Enter accepts the first.
fn choose<T: Copy>(console: &mut Console, text: &str, answers: &[MenuOption<'_, T>]) -> Result<T, NoInput> {
    let shown: Vec<&str> = answers.iter().map(|(words, _)| words[0]).collect();
    let text = format!("{text} [{}]", shown[0]);
    console.ask(&text, |answer| {
        let answered = if answer.is_empty() { shown[0] } else { answer }.to_lowercase();
        let is_answer = |words: &[&str]| words.iter().any(|word| word.to_lowercase() == answered);
        let found = answers.iter().find(|(words, _)| is_answer(words));
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| format!("Please answer {}; `{answer}` is neither.", shown.join(" or ")))
    })
}

/// Asks for the pieces and turns that are not given, if the game has them.
pub fn choose_setup(console: &mut Console, ruleset: Ruleset, given: SetupArgs) -> Result<Setup, NoInput> {
    let mut setup = Setup::default();
    if !ruleset.info().has_setup {
        return Ok(setup);
    }
    let mut choose = |given: Option<u32>, question: &str, most: u32, default: u32| {
        if let Some(number) = given {
            return Ok(number);
        }
        let question = format!("{question}, 1 to {most}? [{default}]");
        console.ask(&question, |answer| {
            let number = if answer.is_empty() {
                Some(default)
            } else {
                answer.parse().ok()
            };
            let number = number.filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| format!("Please enter a whole number from 1 to {most}, not `{answer}`."))
        })
    };
    let pieces = "How many pieces does each side have";
    setup.pieces = choose(given.pieces(), pieces, Setup::MAX_PIECES, setup.pieces)?;
    let turns = "What is the turn limit";
    setup.turns = choose(given.turns(), turns, Setup::MAX_TURNS, setup.turns)?;
    Ok(setup)
}

/// All levels, a row each, with their numbers.
pub(super) fn level_rows(ruleset: Ruleset) -> Vec<Row> {
    let levels = level::all(ruleset).zip(1..);
    levels
        .map(|((name, about, _), number)| Row::new(format!("  {number}  {name}"), about))
        .collect()
}

/// Asks for the level of the computer.
fn choose_level(console: &mut Console, ruleset: Ruleset) -> Result<Settings, NoInput> {
    console.print_table(&level_rows(ruleset))?;
    console.print(&level::others(ruleset))?;
    let before = level::all(ruleset).take_while(|(name, ..)| *name != DEFAULT_LEVEL);
    let default = (before.count() + 1).to_string();
    let question = format!("How strong is the computer? [{default}]");
    console.ask(&question, |answer| {
        level::parse(if answer.is_empty() { &default } else { answer }, ruleset)
    })
}

/// A seed from the clock, below 1,000,000 so that it is easy to type.
pub fn seed_from_time() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(1, |now| u64::from(now.subsec_micros()))
}
