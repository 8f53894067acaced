//! Output of an engine that is asked for a move, and the verdict of the arbiter.

use std::time::{Duration, Instant};

use lodestone_game::AnyPosition;
use referee_core::arbiter::{Seat, next_move};
use referee_core::game::clock::Control;
use referee_core::game::{Game, MoveSequence, NoObserver, Ruleset};
use referee_core::io::lines::LONGEST_LINE;
use referee_core::player::verdict::Fault;
use referee_core::player::{
    Answer, Gauge, NoAnswer, NoMove, Player, TranscriptBuffer, Turn, Wait, await_answer,
};
use referee_core::process::{MAX_OUTPUT, Process};

use super::support::{channel_of, of_each, one_line, stretched};

/// Number of letters for a `~`.
const LETTERS: usize = 50_000;

/// The output of an engine for one move, after which it ends. The arbiter plays the
/// move or loses the game for the reason that the table of faults gives. A `~` stands
/// for many letters.
pub fn answer(input: &[u8]) -> String {
    let output = stretched(input, LETTERS, MAX_OUTPUT + 4 * LONGEST_LINE);
    of_each(|variant| {
        let start = variant.startpos();
        let expected = expected(&output, start.as_ref());
        let rules = Ruleset::from(variant);
        let opening = MoveSequence::new(rules, rules.startpos());
        let control = Control::default();
        let mut game = Game::new(&opening, [control.time; 2]);
        let mut players = [Playback::of(&output), Playback::of(b"")];
        let mut seats = players.each_mut().map(|player| Seat {
            player,
            control: &control,
            replacement: None,
        });
        let verdict = next_move(&mut game, &mut seats, &mut NoObserver, false)
            .expect("the playback causes no error of the referee");
        let Some(verdict) = verdict else {
            let played = Expected::Move(game.moves()[0].clone());
            assert!(expected == Expected::Open || expected == played, "{expected:?}");
            return "a move".into();
        };
        let detail = one_line(verdict.detail(["first", "second"]));
        assert!(detail.len() < 800, "{detail}");
        match expected {
            Expected::Fault(reasons) => assert!(reasons.contains(&verdict.reason().as_str()), "{detail}"),
            Expected::Open => {}
            Expected::Move(text) => panic!("{text} can be played, but {detail}"),
        }
        detail
    })
}

/// The expected verdict.
#[derive(Debug, PartialEq, Eq)]
enum Expected {
    /// This move is played; lower case.
    Move(String),
    /// The game is lost for one of these reasons, which may be a resignation.
    Fault(&'static [&'static str]),
    /// Any verdict: the answer is near the output limit, and the sizes of reads decide
    /// whether it counts.
    Open,
}

/// The verdict on the whole output at once.
fn expected(output: &[u8], position: &dyn AnyPosition) -> Expected {
    let mut end = 0;
    for line in output.split(|&byte| byte == b'\n') {
        end += line.len() + 1;
        if line.len() > LONGEST_LINE {
            return Expected::Fault(&["garbage"]);
        }
        if end > MAX_OUTPUT + 4 * LONGEST_LINE {
            return Expected::Fault(&["garbage"]);
        }
        let line = String::from_utf8_lossy(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let expected = match words[..] {
            ["bestmove"] => Expected::Fault(&["garbage"]),
            ["bestmove", text, ..] => expected_of_move(text, position),
            _ => continue,
        };
        // Without a line end, the program may have ended in the middle of its answer.
        let is_cut =
            end > output.len() && matches!(expected, Expected::Fault(reasons) if reasons != ["resign"]);
        let expected = if is_cut {
            Expected::Fault(&["crash"])
        } else {
            expected
        };
        return if end > MAX_OUTPUT {
            Expected::Open
        } else {
            expected
        };
    }
    if output.len() > MAX_OUTPUT {
        Expected::Fault(&["garbage", "crash"])
    } else {
        Expected::Fault(&["crash"])
    }
}

fn expected_of_move(text: &str, position: &dyn AnyPosition) -> Expected {
    let text = text.to_ascii_lowercase();
    let legal = position.legal_moves();
    if legal.iter().any(|&mv| position.move_text(mv) == text) {
        return Expected::Move(text);
    }
    if text == "resign" {
        return Expected::Fault(&["resign"]);
    }
    // Well-formed: each character is a column or row label where the sample move has one.
    let info = position.info();
    let is_same_kind = |(character, sample): (char, char)| {
        let mut labels = [info.columns, info.rows].into_iter();
        labels.any(|labels| labels.contains(sample) && labels.contains(character))
    };
    let is_move = text.chars().count() == info.sample_move.chars().count()
        && text.chars().zip(info.sample_move.chars()).all(is_same_kind);
    Expected::Fault(if is_move { &["illegal"] } else { &["garbage"] })
}

/// A player whose whole output is written in advance.
struct Playback {
    process: Process,
}

impl Playback {
    fn of(output: &[u8]) -> Playback {
        Playback {
            process: Process::ended(channel_of(output)),
        }
    }
}

impl Player for Playback {
    fn name(&self) -> &'static str {
        "playback"
    }

    fn think(&mut self, game: &Game, turn: &mut Turn<'_>) -> Result<Answer, NoMove> {
        let wait = Wait {
            asked: Instant::now(),
            allowed: Duration::from_mins(1),
            margin: Duration::ZERO,
            cpu: None,
            is_clock: false,
        };
        let gauge = Gauge::new(wait.asked, wait.allowed, None);
        let answer = await_answer(
            &mut self.process,
            &wait,
            gauge,
            game.position(),
            &mut turn.opponent,
            &mut TranscriptBuffer::default(),
            None,
        );
        answer.map_err(|why| match why {
            NoAnswer::Fault(fault) => NoMove::fault(fault),
            NoAnswer::Closed(hint) => NoMove::fault(Fault::Crash {
                how: "closed its output".into(),
                stderr: Vec::new(),
                hint,
            }),
            NoAnswer::Resigned => NoMove::Resigned,
            NoAnswer::Stopped(_) => panic!("no signal is sent"),
        })
    }
}
