//! What `referee` alone asks, in the order of the course projects: the game,
//! one player or two, which side, pieces and turns, strength. Enter takes the
//! answer in brackets.

use std::time::SystemTime;

use lodestone::board::Side;
use lodestone::game::{Setup, Variant};

use super::commands::PromptCommand;
use super::level::{self, DEFAULT_LEVEL};
use super::prompt::Prompt;
use super::saved_game::SavedGame;
use super::session::{PlayerChoice, SessionPlan};
use crate::config::cli::SetupArgs;
use crate::config::settings::Settings;
use crate::interactive::console::{Console, Leave, Question};

/// Asks for everything that a game needs.
///
/// # Errors
/// Where the person leaves or the terminal fails.
pub fn agree(prompt: &mut Prompt) -> Result<SessionPlan, Leave> {
    let look = prompt.look;
    let console = &mut prompt.console;
    console.print("Lodestone: board games for one person or two.")?;
    console.print("Enter takes the answer in brackets, q leaves at every question.\n")?;
    let (variant, saved_game) = choose_game(console)?;
    let signs = look.signs(variant.startpos().diagram().signs);
    let person = choose_side(console, variant, signs)?;
    let setup = match &saved_game {
        None => choose_setup(console, variant, SetupArgs::default())?,
        Some(_) => Setup::default(),
    };
    let mut choices: [PlayerChoice; 2] = [None, None];
    if let Some(person) = person {
        choices[person.opponent().index()] = Some(choose_level(console, variant)?);
    }
    Ok(SessionPlan {
        variant,
        choices,
        setup,
        seed: seed_of_the_moment(),
        saved_game,
        offers_another_game: true,
    })
}

/// Asks for the game, or for the file of one that goes on.
fn choose_game(console: &mut Console) -> Result<(Variant, Option<SavedGame>), Leave> {
    for (variant, number) in Variant::ALL.iter().zip(1..) {
        let info = variant.info();
        console.print(&format!("  {number}  {:<15}{}", info.title, info.summary))?;
    }
    let words: Vec<String> = Variant::ALL
        .iter()
        .map(|variant| variant.name().to_string())
        .collect();
    let question = Question {
        text: "Which game? Or `load FILE`, a game that was saved. [1]",
        words: &words,
        deadline: None,
    };
    console.ask(&question, |answer| {
        match PromptCommand::parse(answer) {
            Some(Ok(PromptCommand::Load(path))) => {
                let saved_game = SavedGame::load(&path)?;
                return Ok((saved_game.variant, Some(saved_game)));
            }
            Some(Err(why)) => return Err(why),
            // No other command means anything yet.
            _ => {}
        }
        let mut numbered = Variant::ALL.iter().copied().zip(1..);
        let is_meant = |(variant, number): &(Variant, usize)| {
            variant.info().title.eq_ignore_ascii_case(answer)
                || variant.name().eq_ignore_ascii_case(answer)
                || number.to_string() == answer
                || (*number == 1 && answer.is_empty())
        };
        let variant = numbered.find(is_meant).map(|(variant, _)| (variant, None));
        variant.ok_or_else(|| {
            let most = Variant::ALL.len();
            format!("Please answer with a number from 1 to {most} or a name; `{answer}` is neither.")
        })
    })
}

/// Asks whether one person plays or two, and which side one person has; `None`
/// for two.
fn choose_side(console: &mut Console, variant: Variant, signs: [char; 2]) -> Result<Option<Side>, Leave> {
    console.print("  1  Single player   you against the computer")?;
    console.print("  2  Multiplayer     two people")?;
    let players: [MenuOption<'_, u8>; 2] = [
        (&["1", "single", "single player", "one"], 1),
        (&["2", "multi", "multiplayer", "two"], 2),
    ];
    if choose(console, "One player or two?", &players)? == 2 {
        return Ok(None);
    }
    let [first, second] = signs;
    let letters = signs.map(String::from);
    let sides = if let Some([one, other]) = variant.info().colours {
        let text = format!("Your colour: {one} ({first}, moves first) or {other} ({second})?");
        let sides: [MenuOption<'_, Side>; 2] = [
            (&[one, &one[..1], "x", "1", "first", &letters[0]], Side::First),
            (
                &[other, &other[..1], "o", "2", "second", &letters[1]],
                Side::Second,
            ),
        ];
        choose(console, &text, &sides)
    } else {
        let text = format!("Are you player 1 ({first}, moves first) or player 2 ({second})?");
        let sides: [MenuOption<'_, Side>; 2] = [
            (&["1", "player 1", "first", &letters[0]], Side::First),
            (&["2", "player 2", "second", &letters[1]], Side::Second),
        ];
        choose(console, &text, &sides)
    };
    sides.map(Some)
}

/// An answer: the words for it, of which the first is shown, and its meaning.
type MenuOption<'a, T> = (&'a [&'a str], T);

/// Asks for one of several answers; Enter takes the first.
fn choose<T: Copy>(console: &mut Console, text: &str, answers: &[MenuOption<'_, T>]) -> Result<T, Leave> {
    let shown: Vec<&str> = answers
        .iter()
        .filter_map(|(words, _)| words.first().copied())
        .collect();
    let default = shown.first().copied().unwrap_or_default();
    let words: Vec<String> = shown.iter().map(ToString::to_string).collect();
    let text = format!("{text} [{default}]");
    let question = Question {
        text: &text,
        words: &words,
        deadline: None,
    };
    console.ask(&question, |answer| {
        let meant = if answer.is_empty() { default } else { answer }.to_lowercase();
        let found = answers
            .iter()
            .find(|(words, _)| words.iter().any(|word| word.to_lowercase() == meant));
        let value = found.map(|(_, value)| *value);
        value.ok_or_else(|| format!("Please answer {}; `{answer}` is neither.", shown.join(" or ")))
    })
}

/// Asks for pieces and turns where the game has them and the command does not
/// say them.
///
/// # Errors
/// Where the person leaves or the terminal fails.
pub fn choose_setup(console: &mut Console, variant: Variant, said: SetupArgs) -> Result<Setup, Leave> {
    let mut setup = Setup::default();
    if !variant.info().has_setup {
        return Ok(setup);
    }
    let mut choose = |said: Option<u32>, what: &str, most: u32, default: u32| {
        if let Some(number) = said {
            return Ok(number);
        }
        let question = Question {
            text: &format!("{what}, 1 to {most}? [{default}]"),
            ..Question::default()
        };
        console.ask(&question, |answer| {
            let number = if answer.is_empty() {
                Some(default)
            } else {
                answer.parse().ok()
            };
            let number = number.filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| format!("Please give a whole number from 1 to {most}; `{answer}` is none."))
        })
    };
    let pieces = "How many pieces has each side";
    setup.pieces = choose(said.pieces, pieces, Setup::MAX_PIECES, setup.pieces)?;
    let turns = "After how many turns does the game end";
    setup.turns = choose(said.turns, turns, Setup::MAX_TURNS, setup.turns)?;
    Ok(setup)
}

/// Asks how strong the computer is to be.
fn choose_level(console: &mut Console, variant: Variant) -> Result<Settings, Leave> {
    console.print(&level::list())?;
    let words = level::completions(variant);
    let default = DEFAULT_LEVEL.to_string();
    let question = Question {
        text: &format!("How strong is the computer? [{default}]"),
        words: &words,
        deadline: None,
    };
    console.ask(&question, |answer| {
        level::parse(if answer.is_empty() { &default } else { answer }, variant)
    })
}

/// A seed that is short enough to be typed again.
#[must_use]
pub fn seed_of_the_moment() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(1, |now| u64::from(now.subsec_micros()))
}
