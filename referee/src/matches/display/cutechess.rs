//! The lines that cutechess-cli prints, for scripts that read them (`--output cutechess`).

use std::fmt::Write as _;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use referee_core::io::text::printable;
use referee_core::player::verdict::{OtherEnd, Reason};
use referee_core::results::{Accepted, Record};
use referee_core::tournament::Tournament;
use referee_statistics::Trinomial;

/// The quantile of a 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// The line before a game.
pub fn started(id: u64, games: u64, names: [&str; 2]) -> String {
    format!("Started game {id} of {games} ({} vs {})", names[0], names[1])
}

/// The line after a game.
pub fn finished(record: &Record) -> String {
    format!(
        "Finished game {} ({} vs {}): {} {{{}}}",
        record.id,
        record.first,
        record.second,
        record.result,
        description(record)
    )
}

/// The description of a result, in cutechess's words where it has them.
fn description(record: &Record) -> String {
    let name = |side: Side| ["White", "Black"][side.index()];
    let reason = Reason::of(record.reason.raw());
    let detail = printable(&record.detail.raw().replace(['{', '}', '\n'], " "), usize::MAX);
    let GameResult::Win(winner) = record.result else {
        return match reason {
            Reason::Other(OtherEnd::Adjudicated) => "Draw by adjudication".into(),
            _ => format!("Draw: {detail}"),
        };
    };
    let (winner, loser) = (name(winner), name(winner.opponent()));
    match reason {
        Reason::Fault(kind) => (kind.about().in_cutechess)(winner, loser, &detail),
        Reason::Other(OtherEnd::Adjudicated) => format!("{winner} wins by adjudication"),
        Reason::Other(OtherEnd::Resign) => format!("{loser} resigns"),
        Reason::Other(OtherEnd::Limit | OtherEnd::Repetition) | Reason::Rules => {
            format!("{winner} wins: {detail}")
        }
    }
}

/// The line with the score of two players; `None` for more players, and without games.
pub fn score(tournament: &Tournament) -> Option<String> {
    let [one, other] = &tournament.standings.names[..] else {
        return None;
    };
    let games = tournament.standings.meeting(0, 1).games;
    let Trinomial { wins, draws, losses } = games;
    let (count, share) = (games.games(), Elo::new(games).score);
    (count > 0)
        .then(|| format!("Score of {one} vs {other}: {wins} - {losses} - {draws}  [{share:.3}] {count}"))
}

/// The Elo difference of two players or the table of more, and the state of a sequential
/// test.
pub fn ranking(tournament: &Tournament) -> String {
    let standings = &tournament.standings;
    let mut text = String::new();
    if standings.names.len() == 2 {
        let games = standings.meeting(0, 1).games;
        let elo = Elo::new(games);
        let _ = writeln!(
            text,
            "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %",
            fixed(elo.difference(), 1),
            fixed(elo.margin(), 1),
            fixed(elo.superiority(), 1),
            fixed(100.0 * elo.draws, 1),
        );
    } else {
        text += "Rank Name                          Elo     +/-   Games   Score    Draw \n";
        for (place, rank) in tournament.ranking().into_iter().zip(1..) {
            let (Some(name), Some(player)) = (
                standings.names.get(place.player),
                standings.players.get(place.player),
            ) else {
                continue;
            };
            let elo = Elo::new(player.games);
            let _ = writeln!(
                text,
                "{rank:>4} {name:<25} {:>7} {:>7} {:>7} {:>6}% {:>6}% ",
                fixed(elo.difference(), 0),
                fixed(elo.margin(), 0),
                player.games.games(),
                fixed(100.0 * elo.score, 1),
                fixed(100.0 * elo.draws, 1),
            );
        }
    }
    if let Some((sprt, llr)) = tournament.test() {
        let bounds = sprt.bounds();
        let share = 100.0 * llr / bounds.high;
        let accepted = match tournament.verdict().map(|verdict| verdict.accepted) {
            Some(Accepted::H0) => " - H0 was accepted",
            Some(Accepted::H1) => " - H1 was accepted",
            Some(Accepted::Inconclusive) | None => "",
        };
        let _ = writeln!(
            text,
            "SPRT: llr {} ({}%), lbound {}, ubound {}{accepted}",
            significant(llr),
            fixed(share, 1),
            significant(bounds.low),
            significant(bounds.high)
        );
    }
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// Elo from wins, draws and losses alone, as cutechess counts it: games are taken as
/// independent, and the score as normally distributed.
#[derive(Clone, Copy, Debug)]
struct Elo {
    games: Trinomial,
    /// Points per game.
    score: f64,
    /// The standard error of the score.
    error: f64,
    /// The share of draws.
    draws: f64,
}

impl Elo {
    /// Without games, no number is defined.
    fn new(games: Trinomial) -> Elo {
        let number = games.games() as f64;
        let score = games.points() / number;
        let shares = [(games.wins, 1.0), (games.draws, 0.5), (games.losses, 0.0)];
        let variance: f64 = shares
            .iter()
            .map(|&(count, points)| count as f64 / number * (points - score).powi(2))
            .sum();
        Elo {
            games,
            score,
            error: (variance / number).sqrt(),
            draws: games.draws as f64 / number,
        }
    }

    /// The logistic Elo difference.
    fn difference(self) -> f64 {
        elo(self.score)
    }

    /// Half of the 95 % interval.
    fn margin(self) -> f64 {
        (elo(self.score + Z * self.error) - elo(self.score - Z * self.error)) / 2.0
    }

    /// The likelihood of superiority in per cent, from the decided games.
    fn superiority(self) -> f64 {
        let (wins, losses) = (self.games.wins as f64, self.games.losses as f64);
        100.0 * (0.5 + 0.5 * libm::erf((wins - losses) / (2.0 * (wins + losses)).sqrt()))
    }
}

/// The Elo difference of a score per game; infinite for 0 and 1, undefined beyond.
fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// A number with this number of decimals; `inf`, `-inf` and `nan` as in C.
fn fixed(number: f64, decimals: usize) -> String {
    if number.is_nan() {
        return "nan".into();
    }
    // No −0.
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|digit| "0.".contains(digit)) => rest.to_string(),
        _ => text,
    }
}

/// A number with three significant digits, without trailing zeros.
fn significant(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return fixed(number, 0);
    }
    let magnitude = number.abs().log10().floor() as i32;
    let decimals = (2 - magnitude).clamp(0, 9) as usize;
    let text = fixed(number, decimals);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::samples::record;
    use referee_core::samples::{play, tournament};

    #[test]
    fn lines_of_a_game() {
        assert_eq!(started(3, 10, ["a", "b"]), "Started game 3 of 10 (a vs b)");
        let mut game = record(3, "a", "b");
        assert_eq!(
            finished(&game),
            "Finished game 3 (a vs b): 1-0 {White wins: x has five in line, a5 to a1}"
        );
        for (reason, description) in [
            ("time", "Black loses on time"),
            ("stall", "Black's connection stalls"),
            ("crash", "Black disconnects"),
            ("adjudicated", "White wins by adjudication"),
            ("resign", "Black resigns"),
        ] {
            game.reason = reason.into();
            assert_eq!(
                finished(&game),
                format!("Finished game 3 (a vs b): 1-0 {{{description}}}")
            );
        }
        game.result = GameResult::Draw;
        game.reason = "full".into();
        game.detail = "the board {is}\nfull".into();
        assert_eq!(
            finished(&game),
            "Finished game 3 (a vs b): 1/2-1/2 {Draw: the board  is  full}"
        );
    }

    #[test]
    fn score_and_elo_of_two_players() {
        let (_, mut one) = tournament(2, 10, |_| ());
        assert_eq!(score(&one), None);
        assert_eq!(
            ranking(&one),
            "Elo difference: nan +/- nan, LOS: nan %, DrawRatio: nan %"
        );
        // Colours are swapped after each game: a wins 3, draws 1, loses 1.
        play(&mut one, &["1-0", "0-1", "1-0", "1/2-1/2", "0-1"]);
        assert_eq!(score(&one).unwrap(), "Score of a vs b: 3 - 1 - 1  [0.700] 5");
        // By hand: score 0.7, variance 0.16, error 0.178885, interval from 0.349387 to beyond 1.
        assert_eq!(
            ranking(&one),
            "Elo difference: 147.2 +/- nan, LOS: 84.1 %, DrawRatio: 20.0 %"
        );
    }

    #[test]
    fn margin_of_an_even_match() {
        let elo = Elo::new(Trinomial {
            wins: 30,
            draws: 40,
            losses: 30,
        });
        assert_eq!(fixed(elo.difference(), 1), "0.0");
        // Variance 0.15, error 0.0387298; elo(0.5 + 1.96 * 0.0387298) = 53.16.
        assert_eq!(fixed(elo.margin(), 1), "53.2");
        assert_eq!(fixed(elo.superiority(), 1), "50.0");
    }

    #[test]
    fn three_significant_digits() {
        for (number, text) in [
            (0.0, "0"),
            (2.944, "2.94"),
            (-2.944, "-2.94"),
            (0.012_34, "0.0123"),
            (1.5, "1.5"),
            (123.4, "123"),
            (2.0, "2"),
        ] {
            assert_eq!(significant(number), text);
        }
    }
}
