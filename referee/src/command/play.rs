//! `referee play`: a game by hand; and `referee` without arguments, the menu.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::clock::TimeControl;
use referee_core::io::interrupt::Interrupt;

use super::install_interrupt;
use crate::config::cli::{PlayArgs, StyleArgs};
use crate::config::explain;
use crate::config::roster;
use crate::config::settings::{HUMAN, Settings, check_readable, is_key};
use crate::interactive::console::Console;
use crate::interactive::menu::{self, choose_setup, seed_from_time};
use crate::interactive::prompt::Prompt;
use crate::interactive::session::{self, PlayerChoice, SessionPlan};

/// Plays one game by hand; on a terminal, offers another one after each game.
pub fn run(args: &PlayArgs) -> Result<(), Failure> {
    args.setup.of(args.game.variant)?;
    let interrupt = install_interrupt()?;
    let mut prompt = Prompt::open(args.style.board_style(), &interrupt)?;
    let plan = plan_session(args, &mut prompt.console);
    play_by_hand(plan, prompt, &interrupt)
}

/// Asks what to play, and plays it.
pub fn menu(style: StyleArgs) -> Result<(), Failure> {
    let interrupt = install_interrupt()?;
    let mut prompt = Prompt::open(style.board_style(), &interrupt)?;
    let plan = menu::plan_session(&mut prompt).map_err(Into::into);
    play_by_hand(plan, prompt, &interrupt)
}

/// Plays the session, unless the person has quit before it.
fn play_by_hand(
    plan: Result<SessionPlan, Failure>,
    prompt: Prompt,
    interrupt: &Arc<Interrupt>,
) -> Result<(), Failure> {
    match plan {
        Ok(plan) => session::run(plan, prompt, interrupt),
        Err(Failure::Stopped(Stop::Quit)) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Asks for the players and the setup that the options do not give.
fn plan_session(args: &PlayArgs, console: &mut Console) -> Result<SessionPlan, Failure> {
    let choices = choose_players(args, console)?;
    let setup = choose_setup(console, args.game.variant, args.setup)?;
    let has_people = choices.iter().any(Option::is_none);
    Ok(SessionPlan {
        ruleset: args.game.variant,
        choices,
        setup,
        seed: args.seed.unwrap_or_else(seed_from_time),
        saved_game: None,
        // A script asks for exactly one game.
        offers_another_game: has_people && io::stdin().is_terminal(),
    })
}

/// Asks for the players that the options do not name.
fn choose_players(args: &PlayArgs, console: &mut Console) -> Result<[PlayerChoice; 2], Failure> {
    let names = args.game.variant.players();
    let listed = names.join(", ");
    let mut choose = |given: &Option<String>, which: &str, default: &str| -> Result<PlayerChoice, Failure> {
        if let Some(who) = given {
            let choice = choice(who, args)?;
            roster::resolve(choice.as_slice(), args.game.variant)?;
            return Ok(choice);
        }
        let text = format!("Who moves {which}: {HUMAN}, {listed} or the path of a program? [{default}]");
        Ok(console.ask(&text, |answer| {
            let choice = choice(if answer.is_empty() { default } else { answer }, args);
            let choice = choice.map_err(|failure| failure.to_string())?;
            let resolved = roster::resolve(choice.as_slice(), args.game.variant);
            resolved.map(|_| choice).map_err(|failure| failure.to_string())
        })?)
    };
    let first = choose(&args.first, "first", HUMAN)?;
    let partner = if first.is_none() {
        args.game.variant.strongest()
    } else {
        HUMAN
    };
    let second = choose(&args.second, "second", partner)?;
    let engines: Vec<Settings> = [&first, &second].into_iter().flatten().cloned().collect();
    check_readable(&args.sandbox.sandbox_read, &engines)?;
    Ok([first, second])
}

/// A player: a name, a path, or the settings of a program.
fn choice(who: &str, args: &PlayArgs) -> Result<PlayerChoice, Failure> {
    if who.eq_ignore_ascii_case(HUMAN) {
        return Ok(None);
    }
    let has_settings = who.split_once('=').is_some_and(|(key, _)| is_key(key));
    let mut engine = if has_settings {
        who.parse().map_err(|why: String| {
            let tip = explain::tip_on("engine", &why);
            Failure::Usage(why + &tip.map_or(String::new(), |tip| format!("; {tip}")))
        })?
    } else {
        Settings::of_program(who)
    };
    if engine.is_human() {
        return Ok(None);
    }
    engine.time.get_or_insert(TimeControl::Move(args.st));
    Ok(Some(engine.sandboxed(
        args.sandbox.level_alone(),
        &args.sandbox.sandbox_read,
    )))
}
