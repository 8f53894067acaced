//! Checks of moves: in many positions, in time, and the memory over many moves.

use std::time::Duration;

use lodestone_game::board::Side;
use lodestone_game::protocol::{Limits, Reply};
use lodestone_game::random::Random;
use referee_core::game::Game;
use referee_core::io::running_clock;
use referee_core::player::verdict::FaultKind;
use referee_core::process::Process;

use super::positions::{self, PositionKind, placed_by, play_randomly, play_text, random_position};
use super::report::{CheckResult, FEN, Finding, LONG_GAME, Trouble};
use super::session::{BotSession, accept_any, need_supervisor, short};

/// The number of random positions, and of moves in the check of the memory.
const POSITIONS: usize = 200;

/// The number of random positions by FEN.
const FENS: usize = 40;

/// The time for each of them, in milliseconds.
const POSITION_TIME: i64 = 30;

/// A check with many positions ends after this time, so that a slow bot does not take minutes.
const BUDGET: Duration = Duration::from_secs(10);

/// How long a bot may take to write a second answer by mistake.
const SECOND_ANSWER: Duration = Duration::from_millis(100);

/// The first move of a game, and only one answer.
pub(super) fn startpos(bot: &mut BotSession) -> CheckResult {
    bot.ask(&bot.starts.first(), 100)?;
    bot.dialogue.settle(SECOND_ANSWER)?;
    let count = bot.dialogue.count("bestmove");
    if count == 1 {
        return Ok(None);
    }
    bot.dialogue.claim_lines();
    bot.failure(
        &format!("wrote {count} lines `bestmove` for one `go`"),
        "one `bestmove` for each `go`",
        "print the answer in one place only; a match takes the second line for the next answer",
    )
}

/// Move lists of growing length, up to the last move of a whole game.
pub(super) fn long_game(bot: &mut BotSession) -> CheckResult {
    for game in positions::long_games(&bot.starts)? {
        follow(bot, &game)?;
    }
    Ok(None)
}

/// Asks about beginnings of a game, up to all of it.
fn follow(bot: &mut BotSession, game: &Game) -> Result<(), Trouble> {
    bot.new_game(None)?;
    let steps = if bot.terms.are_set() { 2 } else { 8 };
    let opening = game.opening_plies();
    let moves = game.moves().len() - opening;
    for step in 1..=steps {
        let placed = positions::prefix(game, opening + moves * step / steps);
        bot.ask(&placed, POSITION_TIME)?;
    }
    Ok(())
}

/// Positions by FEN, with and without moves after it.
pub(super) fn fen(bot: &mut BotSession) -> CheckResult {
    let fens = positions::fens(&bot.starts)?;
    if fens.is_empty() {
        return Err(Trouble::Skipped("the rules give no FEN".into()));
    }
    for fen in fens {
        let mut placed = placed_by(bot.ruleset, &fen);
        let answer = bot.ask(&placed, POSITION_TIME)?;
        play_text(&mut placed, &answer)?;
        if placed.position().outcome().is_none() && !bot.has_failed(LONG_GAME) {
            bot.ask(&placed, POSITION_TIME)?;
        }
    }
    if bot.has_failed(LONG_GAME) {
        return Ok(None);
    }
    for game in positions::other_long_games(&bot.starts)? {
        follow(bot, &game)?;
    }
    let kinds = &[PositionKind::Fen, PositionKind::FenAndMoves];
    in_random_positions(bot, kinds, FENS, BUDGET, |bot, placed| {
        bot.ask(placed, POSITION_TIME).map(|_| ())
    })
}

/// Random positions of games as in the match.
pub(super) fn random_positions(bot: &mut BotSession) -> CheckResult {
    in_random_positions(bot, &[PositionKind::Moves], POSITIONS, BUDGET, |bot, placed| {
        bot.ask(placed, POSITION_TIME).map(|_| ())
    })
}

/// Asks in this number of random positions, until the time is over. Returns a remark then.
fn in_random_positions(
    bot: &mut BotSession,
    kinds: &[PositionKind],
    count: usize,
    time: Duration,
    mut ask: impl FnMut(&mut BotSession, &Game) -> Result<(), Trouble>,
) -> CheckResult {
    let mut random = Random::new(2);
    let (until, seconds) = (running_clock::now() + time, time.as_secs());
    for (number, &kind) in (0..count).zip(kinds.iter().cycle()) {
        if running_clock::now() > until {
            return Ok(Some(format!("only {number} positions in {seconds} s")));
        }
        bot.show_progress(&format!("{number} of {count}"));
        ask(bot, &random_position(&bot.starts, kind, &mut random)?)?;
    }
    Ok(None)
}

/// Positions with a single legal move.
pub(super) fn only_move(bot: &mut BotSession) -> CheckResult {
    for fen in positions::only_moves(&bot.starts)? {
        bot.ask(&placed_by(bot.ruleset, &fen), POSITION_TIME)?;
    }
    Ok(None)
}

/// Answers must come before the next line is sent, whether lines come one by one or together.
pub(super) fn flush(bot: &mut BotSession) -> CheckResult {
    let mut placed = bot.starts.first();
    let limits = bot.terms.question(&placed, 50);
    // One by one.
    bot.prepare(&placed)?;
    let request = bot.request(&placed, &limits);
    let lines: Vec<&str> = request.split_inclusive('\n').collect();
    let answer = bot.ask_with(&lines, &placed, &limits);
    if let Ok(played) = &answer
        && !bot.has_failed(LONG_GAME)
    {
        play_text(&mut placed, played)?;
    }
    accept_any(answer)?;
    // Several in one write.
    let before = bot.dialogue.count("readyok");
    let new_game = bot.new_game_commands(Some(placed.position().side_to_move()));
    let request = format!("{new_game}isready\n{}", bot.request(&placed, &limits));
    accept_any(bot.ask_with(&[&request], &placed, &limits))?;
    if bot.dialogue.count("readyok") == before && !bot.is_never_ready {
        return bot.failure(
            "did not answer `isready` before `position` and `go`",
            "`readyok`, then `bestmove`",
            "answer every line, even if several come at once",
        );
    }
    Ok(None)
}

/// Finished games have no move.
pub(super) fn finished(bot: &mut BotSession) -> CheckResult {
    for placed in positions::finished(&bot.starts)? {
        let is_fen = !placed.line().is_from_startpos();
        if bot.has_failed(if is_fen { FEN } else { LONG_GAME }) {
            continue;
        }
        bot.prepare(&placed)?;
        let request = bot.request(&placed, &bot.terms.question(&placed, POSITION_TIME));
        bot.dialogue.send(&request);
        let mut answer = String::new();
        let patience = bot.terms.patience();
        let came = bot.dialogue.await_line(patience, |line| {
            let Ok(Reply::BestMove { best, .. }) = Reply::parse(line) else {
                return false;
            };
            answer = best;
            true
        })?;
        let expected = "`bestmove 0000`";
        let hint =
            "answer `bestmove 0000` if there is no legal move; a match never asks, but other programs do";
        let mut finding = match came {
            Ok(_) if answer == "0000" => continue,
            Ok(_) => {
                let problem = format!("played `{answer}`, but the game is over");
                bot.finding(&problem, expected, hint)
            }
            Err(why) => bot.missing(&why, "sent no `bestmove`", expected, hint),
        };
        finding.fen = Some(placed.position().fen());
        return Err(finding.into());
    }
    Ok(None)
}

/// The time of a move in the match, in some positions.
pub(super) fn match_time(bot: &mut BotSession) -> CheckResult {
    let Some(time) = bot.terms.of_move() else {
        let why = "the match has no time for each move; `whole-game` is played at its limits";
        return Err(Trouble::Skipped(why.into()));
    };
    // Three seconds are long.
    let positions = if bot.terms.are_set() { 3 } else { 1 };
    movetime(bot, time.as_millis() as i64, positions)
}

/// `go movetime` in some positions.
pub(super) fn movetime(bot: &mut BotSession, milliseconds: i64, positions: usize) -> CheckResult {
    let mut random = Random::new(4);
    let mut placed = bot.starts.first();
    let mut remark = None;
    for _ in 0..positions {
        let late = ask_again(bot, &placed, &short(milliseconds), milliseconds)?;
        remark = remark.or(late);
        play_randomly(&mut placed, 8, &mut random)?;
    }
    Ok(remark)
}

/// Asks again after a late answer: on a busy machine it may not be the bot's fault. The bot
/// fails if all answers are late.
fn ask_again(bot: &mut BotSession, placed: &Game, limits: &Limits, allowed: i64) -> CheckResult {
    /// With six busy processes on two cores, half of the answers of a good bot are late.
    const MOST: u32 = 8;
    /// How long the late answers of a bot are awaited.
    const LONGEST: Duration = Duration::from_secs(8);
    // A bot with a fixed time does not get faster.
    let time = Duration::from_millis(allowed.unsigned_abs());
    let is_advice = bot.terms.are_set() && bot.terms.of_move().is_some_and(|own| own > time);
    let tries = LONGEST.div_duration_f64(time).ceil() as u32;
    let most = if is_advice { 1 } else { tries.clamp(2, MOST) };
    let mut first: Option<Box<Finding>> = None;
    for late in 0..most {
        match (
            accept_any(bot.ask_within(placed, limits, time, bot.terms.margin())),
            &first,
        ) {
            (Ok(()), None) => return Ok(None),
            (Ok(()), Some(finding)) => {
                let answer = if late == 1 { "the second" } else { "a later" };
                return Ok(Some(format!(
                    "{}; {answer} answer came in time",
                    finding.sentence()
                )));
            }
            (Err(Trouble::Failed(finding)), _) if finding.fault == Some(FaultKind::Time) => {
                first.get_or_insert(finding);
            }
            (Err(trouble), _) => return Err(trouble),
        }
    }
    let mut finding = first.unwrap_or_default();
    if most > 1 {
        finding.problem = format!("{}; {} more answers were late, too", finding.problem, most - 1);
    }
    Err(Trouble::Failed(finding))
}

/// Asks with these clocks, where a late bot gets this hint.
fn ask_on_clock(
    bot: &mut BotSession,
    placed: &Game,
    times: [i64; 2],
    increments: [i64; 2],
    hint: &str,
) -> CheckResult {
    let allowed = times[placed.position().side_to_move().index()];
    let limits = Limits {
        wtime: Some(times[0]),
        btime: Some(times[1]),
        winc: Some(increments[0]),
        binc: Some(increments[1]),
        ..Limits::default()
    };
    let is_late = |finding: &Finding| matches!(finding.fault, Some(FaultKind::Time | FaultKind::Stall));
    ask_again(bot, placed, &limits, allowed).map_err(|trouble| {
        trouble.map(|finding| {
            if is_late(finding) {
                finding.hint = hint.into();
            }
        })
    })
}

/// Clocks with increment: the bot's own clock is short, the other one is long, and so is the
/// increment: only what is on the clock counts.
pub(super) fn increment(bot: &mut BotSession) -> CheckResult {
    /// In milliseconds.
    const OWN_CLOCK: i64 = 500;
    let mut placed = bot.starts.first();
    for own in [Side::First, Side::Second] {
        let (mut times, mut increments) = ([60_000; 2], [0; 2]);
        times[own.index()] = OWN_CLOCK;
        increments[own.index()] = 2 * OWN_CLOCK;
        let hint = if bot.spec.protocol.is_bridged() {
            "use the bot's own clock; the increment comes after the move"
        } else {
            "use the clock of the side to move: `wtime` and `winc` are the first player's, `btime` and `binc` the \
             second player's; the increment comes after the move"
        };
        let late = ask_on_clock(bot, &placed, times, increments, hint)?;
        if late.is_some() {
            return Ok(late);
        }
        play_randomly(&mut placed, 1, &mut Random::new(5))?;
    }
    Ok(None)
}

/// A clock that is nearly empty.
pub(super) fn low_clock(bot: &mut BotSession) -> CheckResult {
    let hint =
        "divide the time that is left, without a minimum for a move, and keep some milliseconds in reserve";
    ask_on_clock(bot, &bot.starts.first(), [60; 2], [0; 2], hint)
}

const MEGABYTE: u64 = 1024 * 1024;

/// Resident memory of all processes of the bot over many moves.
pub(super) fn memory(bot: &mut BotSession) -> CheckResult {
    const MOVE_TIME: i64 = 20;
    need_supervisor()?;
    let mut samples = Vec::new();
    bot.restart()?;
    let kinds = &[PositionKind::Moves];
    let slow = in_random_positions(bot, kinds, POSITIONS, Duration::from_secs(6), |bot, placed| {
        bot.ask_any(placed, MOVE_TIME)?;
        samples.extend(bot.dialogue.process.as_ref().and_then(Process::memory));
        Ok(())
    })?;
    if slow.is_some() {
        return Ok(slow);
    }
    judge_memory(&bot.spec.name, &samples)
}

/// Looks for growth in all windows of the second half.
fn judge_memory(name: &str, samples: &[u64]) -> CheckResult {
    /// The windows into which the second half of the moves is divided.
    const WINDOWS: usize = 4;
    /// The growth that is accepted in one of the windows at least, in bytes. A leak grows in all
    /// of them; a table that fills, or a runtime with a garbage collector, does not. On a busy machine an
    /// engine may begin a search with another table, often of 16 MB.
    const ACCEPTED_GROWTH: u64 = 20 * MEGABYTE;
    let megabytes = |bytes: u64| bytes.div_ceil(MEGABYTE);
    let second_half = samples.get(samples.len() / 2..).unwrap_or_default();
    let steps = second_half.len().saturating_sub(1);
    let borders = (0..=WINDOWS).filter_map(|window| second_half.get(steps * window / WINDOWS));
    let borders: Vec<u64> = borders.copied().collect();
    let growths = borders
        .windows(2)
        .map(|window| window[1].saturating_sub(window[0]));
    let growth = growths.min();
    let [first, last] = [borders.first(), borders.last()].map(|border| megabytes(*border.unwrap_or(&0)));
    if growth.unwrap_or(0) <= ACCEPTED_GROWTH {
        return Ok(Some(format!("{last} MB after {} moves", samples.len())));
    }
    let (most, moves) = (megabytes(ACCEPTED_GROWTH), steps / WINDOWS);
    let grew = format!("grew from {first} MB to {last} MB in the last {steps} moves");
    Err(Finding::of(
        name,
        format!("{grew}, and did not stop growing"),
        format!("at most {most} MB more in {moves} moves"),
        "free what belongs to a finished search; give a table a fixed size. A Java program may need \
         a limit such as `-Xmx256m`",
    )
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::expect;

    #[test]
    fn steady_growth_is_a_leak_and_a_table_is_none() {
        let memory = |megabytes: &dyn Fn(u64) -> u64| {
            let samples: Vec<u64> = (0..200).map(|number| megabytes(number) * MEGABYTE).collect();
            judge_memory("bot", &samples)
        };
        let Err(Trouble::Failed(finding)) = memory(&|number| 10 + number) else {
            panic!("1 MB a move");
        };
        expect! {"bot grew from 110 MB to 209 MB in the last 99 moves, and did not stop growing"}
            .assert_eq(&finding.sentence());
        let table = memory(&|number| (number * 3).min(400));
        assert_eq!(table.unwrap().unwrap(), "400 MB after 200 moves");
        assert!(memory(&|number| 10 + number * 7 % 150).is_ok(), "it is collected");
        assert!(
            memory(&|number| if number < 160 { 10 } else { 90 }).is_ok(),
            "a second table"
        );
        assert!(judge_memory("bot", &[]).is_ok());
    }
}
