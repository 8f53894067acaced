//! Checks of moves in many positions.

use std::time::{Duration, Instant};

use lodestone::game::Variant;
use lodestone::protocol::Reply;
use lodestone::random::Random;

use super::commands::short;
use super::dialogue::NoLine;
use super::info::{FEN, LONG_GAME};
use super::positions::{self, Placed, PositionKind, random_position};
use super::report::{CheckResult, Finding, Trouble};
use super::session::{BotSession, PATIENCE, accept_any};

/// The number of random positions.
const POSITIONS: usize = 200;

/// The time for each of them, in milliseconds.
const POSITION_TIME: i64 = 30;

/// A check with many positions ends after this time, so that a slow bot does not take minutes.
const BUDGET: Duration = Duration::from_secs(10);

/// How long a bot may take to write a second answer by mistake.
const SECOND_ANSWER: Duration = Duration::from_millis(100);

/// The first move of a game, and only one answer.
pub fn startpos(session: &mut BotSession) -> CheckResult {
    let placed = Placed::startpos(session.variant());
    session.ask(&placed, &short(100), PATIENCE)?;
    session.dialogue.settle(SECOND_ANSWER).map_err(Trouble::Stopped)?;
    let count = session.dialogue.count("bestmove");
    if count == 1 {
        return Ok(None);
    }
    session.dialogue.claim_lines();
    Err(Finding {
        problem: format!("{} wrote {count} lines `bestmove` for one `go`", session.name()),
        expected: "one `bestmove` for each `go`".into(),
        hint: "print the answer in one place only; a match takes the second line for the next answer".into(),
        ..Finding::default()
    }
    .into())
}

/// Move lists of growing length, up to the last move of a whole game.
pub fn long_game(session: &mut BotSession) -> CheckResult {
    let variant = session.variant();
    for game in positions::long_games(variant) {
        session.new_game()?;
        let length = game.len();
        for step in 1..=8 {
            let placed = positions::prefix(&game, variant, length * step / 8);
            session.ask(&placed, &short(POSITION_TIME), PATIENCE)?;
        }
    }
    Ok(None)
}

/// Positions by FEN, with and without moves after it.
pub fn fen(session: &mut BotSession) -> CheckResult {
    let variant = session.variant();
    for fen in positions::fens(variant) {
        let mut placed = Placed::fen(variant, fen);
        let answer = session.ask(&placed, &short(POSITION_TIME), PATIENCE)?;
        placed.play_text(&answer.text);
        if placed.position().outcome().is_none() && !session.has_failed(LONG_GAME) {
            session.ask(&placed, &short(POSITION_TIME), PATIENCE)?;
        }
    }
    Ok(None)
}

/// Random positions of both kinds of start.
pub fn random_positions(session: &mut BotSession) -> CheckResult {
    let mut random = Random::new(2);
    let kinds = kinds(session);
    if kinds.is_empty() {
        return Err(Trouble::Skipped("`long-game` and `fen` failed".into()));
    }
    let until = Instant::now() + BUDGET;
    for number in 0..POSITIONS {
        if Instant::now() > until {
            let seconds = BUDGET.as_secs();
            return Ok(Some(format!(
                "only {number} positions in {seconds} s, because the bot is slow"
            )));
        }
        session.show_progress(&format!("{number} of {POSITIONS}"));
        let kind = kinds
            .get(number % kinds.len())
            .copied()
            .unwrap_or(PositionKind::Moves);
        let placed = random_position(session.variant(), kind, &mut random);
        session.ask(&placed, &short(POSITION_TIME), PATIENCE)?;
    }
    Ok(None)
}

/// How positions can be given, so that a fault that another check has found is not found
/// again.
pub(super) fn kinds(session: &BotSession) -> Vec<PositionKind> {
    match (session.has_failed(LONG_GAME), session.has_failed(FEN)) {
        (false, false) => vec![
            PositionKind::Moves,
            PositionKind::Fen,
            PositionKind::Moves,
            PositionKind::FenAndMoves,
        ],
        (false, true) => vec![PositionKind::Moves],
        (true, false) => vec![PositionKind::Fen],
        (true, true) => Vec::new(),
    }
}

/// Positions with a single legal move.
pub fn only_move(session: &mut BotSession) -> CheckResult {
    let variant = session.variant();
    for fen in positions::only_moves(variant) {
        session.ask(&Placed::fen(variant, fen), &short(POSITION_TIME), PATIENCE)?;
    }
    Ok(None)
}

/// Answers must come before the next line is sent, whether lines come one by one or together.
pub fn flush(session: &mut BotSession) -> CheckResult {
    let variant = session.variant();
    let mut placed = Placed::startpos(variant);
    let limits = short(50);
    let new_game = format!("{}\n", session.dialect().new_game());
    // One by one.
    session.prepare(&placed)?;
    let request = session.request(&placed, &limits);
    let lines: Vec<&str> = request.split_inclusive('\n').collect();
    let answer = session.ask_with(&lines, &placed, &limits, PATIENCE);
    if let Ok(played) = &answer
        && !session.has_failed(LONG_GAME)
    {
        placed.play_text(&played.text);
    }
    accept_any(answer)?;
    // Several in one write.
    let before = session.dialogue.count("readyok");
    let request = format!("{new_game}isready\n{}", session.request(&placed, &limits));
    accept_any(session.ask_with(&[&request], &placed, &limits, PATIENCE))?;
    if session.dialogue.count("readyok") == before && !session.is_never_ready() {
        return Err(Finding {
            problem: format!(
                "{} did not answer `isready` before `position` and `go`",
                session.name()
            ),
            expected: "`readyok`, then `bestmove`".into(),
            hint: "answer every line, even if several come at once".into(),
            ..Finding::default()
        }
        .into());
    }
    Ok(None)
}

/// Finished games have no move.
pub fn finished(session: &mut BotSession) -> CheckResult {
    for placed in positions::finished(session.variant()) {
        let failed = if placed.command().contains(" fen ") {
            FEN
        } else {
            LONG_GAME
        };
        if session.has_failed(failed) {
            continue;
        }
        session.prepare(&placed)?;
        let request = session.request(&placed, &short(POSITION_TIME));
        session.dialogue.send(&request);
        let mut answer = None;
        let deadline = Instant::now() + PATIENCE;
        let came = session.dialogue.await_line(deadline, |line| {
            let Ok(Reply::BestMove { best, .. }) = Reply::parse(line) else {
                return false;
            };
            answer = Some(best);
            true
        })?;
        let expected = "`bestmove 0000`".to_string();
        let problem = match (came, answer.as_deref()) {
            (Ok(_), Some("0000")) => continue,
            (Err(NoLine::Closed), _) => return Err(session.crashed(&expected).into()),
            (Err(NoLine::Garbage(what)), _) => format!("wrote {what}"),
            (_, Some(other)) => format!("played `{other}`, but the game is over"),
            (_, None) => "gave no `bestmove`".to_string(),
        };
        return Err(Finding {
            problem: format!("{} {problem}", session.name()),
            expected,
            hint:
                "answer `bestmove 0000` if there is no legal move; a match never asks, but other programs do"
                    .into(),
            fen: Some(placed.position().fen()),
            ..Finding::default()
        }
        .into());
    }
    Ok(None)
}

/// Two games of the bot against itself, with a new game between them.
pub fn two_games(session: &mut BotSession) -> CheckResult {
    let variant = session.variant();
    let mut random = Random::new(3);
    let until = Instant::now() + BUDGET;
    for number in 0..2 {
        session.new_game()?;
        let mut placed = start(variant, number, &mut random);
        while placed.position().outcome().is_none() {
            if Instant::now() > until {
                return Ok(Some(format!(
                    "stopped after {} s, because the bot is slow",
                    BUDGET.as_secs()
                )));
            }
            session.show_progress(&format!("game {}, ply {}", number + 1, placed.len() + 1));
            let answer = session.ask(&placed, &short(POSITION_TIME), PATIENCE)?;
            placed.play_text(&answer.text);
        }
    }
    Ok(None)
}

/// The start of a game: `startpos`, then another start if the game has several. A second
/// `startpos` finds a bot that keeps its board.
fn start(variant: Variant, number: usize, random: &mut Random) -> Placed {
    let mut placed = if number == 0 || !variant.info().has_setup {
        Placed::startpos(variant)
    } else {
        Placed::of(variant.random_start(lodestone::game::Setup::default(), random))
    };
    placed.play_randomly(2, random);
    placed
}
