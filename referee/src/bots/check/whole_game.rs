//! The check that plays games as a match does: with its process, its clock and its verdicts.

use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::random::Random;
use referee_core::arbiter::adjudicator::Adjudicator;
use referee_core::arbiter::{self, Finished, Seat};
use referee_core::failure::Stop;
use referee_core::game::adjudication::Rules;
use referee_core::game::clock::{Control, TimeControl};
use referee_core::game::{Game, Observer, Thought};
use referee_core::io::running_clock;
use referee_core::io::text::counted;
use referee_core::player::verdict::{Fault, FaultKind, Verdict};
use referee_core::player::{Answer, Engine, NoMove, Player, Turn};

use super::report::{CheckResult, Finding, Trouble, Undecided};
use super::session::{BotSession, of_fault};
use crate::terminal::progress::Task;

/// The number of games. The bot is first player in one, second player in the next one, and its process stays.
const GAMES: usize = 4;

/// A game without an end is left after this number of moves. Few games are as long.
const MAX_PLIES: u64 = 400;

/// The time of a move where the match has no set limits.
const MOVE_TIME: Duration = Duration::from_millis(100);

/// Without set limits, no game begins after this time: a bot that takes three seconds for each move would take minutes.
const BUDGET: Duration = Duration::from_mins(1);

/// Plays random legal moves.
struct RandomPlayer(Random);

impl Player for RandomPlayer {
    fn name(&self) -> &'static str {
        "random"
    }

    fn think(&mut self, game: &Game, _: &mut Turn<'_>) -> Result<Answer, NoMove> {
        let moves = game.position().legal_moves();
        // A game without a legal move is over.
        let mv = self.0.choose(&moves).cloned().ok_or(NoMove::Resigned)?;
        Ok(Answer {
            mv,
            thought: Thought::default(),
            expected: None,
            own_pass: None,
        })
    }

    fn is_restartable(&self) -> bool {
        true
    }
}

/// Shows how far a game is.
struct Progress {
    task: Rc<Task>,
    number: usize,
}

impl Observer for Progress {
    fn moved(&mut self, game: &Game) -> io::Result<()> {
        let (number, moves) = (self.number, game.moves().len());
        self.task.set_detail(format!(
            "whole-game: game {number} of {GAMES}, {}",
            counted(moves, "move")
        ));
        Ok(())
    }
}

/// The bot and its opponent in the games of the check.
struct Table<'a> {
    bot: &'a mut BotSession,
    /// The bot as a player of a match.
    engine: Engine,
    opponent: RandomPlayer,
    /// The first note about the bot that does not cost a game.
    note: Option<String>,
    /// Whether it made a move in a game.
    has_moved: bool,
}

/// Games against random moves from the starts of the match: one as each player, and again in the same process.
///
/// The first two have the limits of the match. In the others, which are about the process, a bot may be quick.
pub(super) fn whole_game(bot: &mut BotSession) -> CheckResult {
    if let Some(why) = bot.options.refusal(&bot.starts.far, bot.ruleset) {
        let hint = "check it with these openings, and play its matches so";
        return bot.failure(&why, "it plays from the starts of the match", hint);
    }
    bot.end();
    let engine = Engine::new(bot.spec.clone(), bot.ruleset, Arc::clone(bot.interrupt()));
    let mut table = Table {
        engine: engine.unheard(),
        opponent: RandomPlayer(Random::new(3)),
        bot,
        note: None,
        has_moved: false,
    };
    let result = table.play_games();
    // What it wrote to stderr is in the finding.
    let _ = Engine::dismiss([table.engine]);
    let note = table.note.map(|note| format!("; {note}")).unwrap_or_default();
    result.map(|remark| Some(remark + &note))
}

impl Table<'_> {
    /// Plays the games, and says how they ended.
    fn play_games(&mut self) -> Result<String, Trouble> {
        let until = running_clock::now() + BUDGET;
        let (mut won, mut drawn, mut lost) = (0, 0, 0);
        let mut rest = String::new();
        for number in 0..GAMES {
            let terms = &self.bot.terms;
            if !terms.are_set() && running_clock::now() > until {
                rest = format!("; only {number} games in {} s", BUDGET.as_secs());
                break;
            }
            let control = if number < 2 {
                terms.judged(MOVE_TIME)
            } else {
                terms.quick(MOVE_TIME)
            };
            let own = self
                .bot
                .options
                .only_side()
                .unwrap_or([Side::First, Side::Second][number % 2]);
            match self.play_game(&control, number, own)? {
                GameResult::Draw => drawn += 1,
                GameResult::Win(side) if side == own => won += 1,
                GameResult::Win(_) => lost += 1,
            }
        }
        if !self.has_moved {
            let hint = "a bot may resign, but it must have answered with a move before";
            return self
                .bot
                .failure("resigned all games without a move", "a legal move", hint);
        }
        Ok(format!(
            "against random moves, it won {won}, drew {drawn} and lost {lost}{rest}"
        ))
    }

    /// Plays a game with this number, from 0; again if an answer was late, which a busy machine
    /// may have caused, or if memory or a disk was used up. The opponent then draws the same random moves, so that a
    /// bot that is late in a long game does not pass because of a short one.
    fn play_game(&mut self, control: &Control, number: usize, own: Side) -> Result<GameResult, Trouble> {
        /// How often a game is played with a late answer.
        const MOST: u32 = 3;
        let opponent = self.opponent.0.clone();
        for tries in 1.. {
            self.opponent.0 = opponent.clone();
            let finished = match self.play(control, number, own, tries < MOST) {
                Ok(finished) => finished,
                Err(Stop::Starved(_)) => {
                    // Nothing of it belongs to the next try.
                    self.engine.end_game();
                    continue;
                }
                // The whole check is repeated.
                Err(Stop::Standstill) => break,
                Err(stop) => return Err(stop.into()),
            };
            let is_again = match &finished.verdict {
                Verdict::Fault { fault, .. } if fault.is_starved() => {
                    return Err(Trouble::Undecided(Undecided::Short));
                }
                Verdict::Fault { fault, .. } if fault.kind() != FaultKind::Time || tries == MOST => {
                    return Err(self.finding(&finished, fault, number, own).into());
                }
                verdict => matches!(verdict, Verdict::Fault { .. }),
            };
            let notes = self.engine.end_game();
            self.note = self.note.take().or_else(|| notes.warning(self.engine.name()));
            if !is_again {
                let start = self.bot.starts.get(number as u64 / 2).moves().len();
                self.has_moved |= finished.game.movers().skip(start).any(|side| side == own);
                return Ok(finished.verdict.result());
            }
        }
        Ok(GameResult::Draw)
    }

    /// Plays a game once.
    fn play(
        &mut self,
        control: &Control,
        number: usize,
        own: Side,
        may_repeat: bool,
    ) -> Result<Finished, Stop> {
        let start = self.bot.starts.get(number as u64 / 2);
        let mut progress = Progress {
            task: Rc::clone(&self.bot.task),
            number: number + 1,
        };
        let rules = Rules {
            max_plies: Some(MAX_PLIES),
            ..Rules::default()
        };
        let mut adjudicator = Adjudicator::new(rules, None, self.bot.ruleset, self.bot.interrupt());
        let unlimited = Control {
            time: TimeControl::Unlimited,
            ..Control::default()
        };
        let players: [(&mut dyn Player, &Control); 2] =
            [(&mut self.engine, control), (&mut self.opponent, &unlimited)];
        let mut seats = players.map(|(player, control)| Seat {
            player,
            control,
            replacement: None,
        });
        if own == Side::Second {
            seats.reverse();
        }
        arbiter::play(
            &start,
            &mut seats,
            &mut progress,
            Some(&mut adjudicator),
            may_repeat,
        )
    }

    /// The finding about a game that the bot has lost by a fault.
    fn finding(&mut self, finished: &Finished, fault: &Fault, number: usize, own: Side) -> Finding {
        let game = &finished.game;
        let player = match own {
            Side::First => "first",
            Side::Second => "second",
        };
        let (number, ply) = (number + 1, game.moves().len() + 1);
        let mut finding = of_fault(self.bot, fault, game.position());
        let place = format!("game {number}, as the {player} player, at move {ply}: ");
        finding.problem = format!("{place}{}", finding.sentence());
        finding.who.clear();
        finding.plain = finding.plain.map(|plain| place + &plain);
        if let Some(transcript) = self.engine.transcript() {
            finding.evidence = self.bot.dialogue.events_of(transcript.lines);
        }
        self.bot.has_played(game, number as u32);
        finding
    }
}
