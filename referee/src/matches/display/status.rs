//! The progress of a match in one line.

use std::time::{Duration, Instant};

use referee_core::io::text::counted;
use referee_core::tournament::Tournament;
use referee_core::tournament::standings::Place;
use referee_statistics::{Estimate, format_number};

use crate::report::table::bounds;
use crate::terminal::progress::{View, first_that_fits, rough_time};

/// The number of leaders shown.
const LEADERS: usize = 3;

/// The number of games for each game in play after which the duration of the match is announced.
const FORECAST_GAMES: u64 = 4;

/// The progress of a match: games, remaining time, score, Elo, and the state of the SPRT.
#[derive(Clone, Debug)]
pub struct Status {
    played: u64,
    /// `None` for a ladder that goes on.
    total: Option<u64>,
    /// The remaining time, after `about` or `at most`.
    left: Option<(&'static str, String)>,
    score: Score,
    /// The log-likelihood ratio and its bounds.
    llr: Option<[String; 2]>,
}

#[derive(Clone, Debug)]
enum Score {
    OfTwo {
        names: [String; 2],
        points: [f64; 2],
        elo: String,
    },
    /// The players with the most points, best first; or other values, the most important
    /// first.
    Leaders(Vec<String>),
}

/// The first players, found again only now and then: to rate thousands takes a part of the time of a game.
#[derive(Debug, Default)]
pub struct Leaders {
    names: Vec<String>,
    /// When they are found again.
    next: Option<Instant>,
}

/// The time of a ranking up to which the leaders are found after each game.
const QUICK: Duration = Duration::from_millis(1);

/// The shortest time between two slower rankings.
const RANKING_INTERVAL: Duration = Duration::from_secs(1);

/// A slower ranking is made again after this many times as long as it took: 5 % of a core.
const RANKING_REST: u32 = 20;

impl Leaders {
    /// The first players after the games so far, or a moment ago.
    fn of(&mut self, tournament: &Tournament) -> Vec<String> {
        let now = Instant::now();
        if self.next.is_none_or(|next| now >= next) {
            self.names = leaders(tournament);
            let took = now.elapsed();
            let rest = (took * RANKING_REST).max(RANKING_INTERVAL);
            self.next = Some(now + if took > QUICK { rest } else { Duration::ZERO });
        }
        self.names.clone()
    }
}

/// What a line shows if there is room, the least important part first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// `12 of 600 games` instead of `12/600`, and `about 3 min left` instead of `3 min left`.
    Words,
    Names,
    ThirdLeader,
    SecondLeader,
    TimeLeft,
    Points,
    Bounds,
    /// ` | ` instead of two spaces.
    Separators,
    Llr,
    FirstLeader,
    Rating,
    Games,
}

impl Part {
    const ALL: [Part; 12] = [
        Part::Words,
        Part::Names,
        Part::ThirdLeader,
        Part::SecondLeader,
        Part::TimeLeft,
        Part::Points,
        Part::Bounds,
        Part::Separators,
        Part::Llr,
        Part::FirstLeader,
        Part::Rating,
        Part::Games,
    ];
}

impl Status {
    /// The progress so far. `per_game` is the average time of a game, if known. The `values`, if there are any,
    /// are shown instead of the score.
    pub fn new(
        tournament: &Tournament,
        per_game: Option<Duration>,
        values: &[String],
        first: &mut Leaders,
    ) -> Status {
        let estimate = if tournament.is_tested() {
            "at most"
        } else {
            "about"
        };
        let left = rest(tournament, per_game).map(|left| (estimate, rough_time(left)));
        Status {
            played: tournament.played(),
            total: (!tournament.is_endless()).then(|| tournament.total()),
            left,
            score: match &tournament.standings.names[..] {
                _ if !values.is_empty() => Score::Leaders(values.to_vec()),
                [one, other] => score_of_two(tournament, [one, other]),
                _ => Score::Leaders(first.of(tournament)),
            },
            llr: tournament
                .test()
                .map(|(sprt, llr)| [format!("LLR {llr:.2}"), bounds(sprt)]),
        }
    }

    /// The line with the part `least` and all that are more important.
    fn line_from(&self, least: Part) -> String {
        let has = |part: Part| part >= least;
        let Status { played, total, .. } = self;
        let mut parts = vec![match total {
            Some(total) if has(Part::Words) => format!("{played} of {}", counted(*total as usize, "game")),
            Some(total) => format!("{played}/{total}"),
            None => counted(*played as usize, "game"),
        }];
        if let Some((estimate, left)) = self.left.as_ref().filter(|_| has(Part::TimeLeft)) {
            parts.push(if has(Part::Words) || *estimate != "about" {
                format!("{estimate} {left} left")
            } else {
                format!("{left} left")
            });
        }
        match &self.score {
            Score::OfTwo { names, points, elo } => {
                let [one, other] = points;
                if has(Part::Names) {
                    parts.push(format!("{} {one} - {other} {}", names[0], names[1]));
                } else if has(Part::Points) {
                    parts.push(format!("{one} - {other}"));
                }
                if has(Part::Rating) {
                    parts.push(elo.clone());
                }
            }
            Score::Leaders(leaders) => {
                let places = [Part::FirstLeader, Part::SecondLeader, Part::ThirdLeader];
                let shown = leaders.iter().zip(places).filter(|&(_, place)| has(place));
                let shown: Vec<&str> = shown.map(|(leader, _)| leader.as_str()).collect();
                if !shown.is_empty() {
                    parts.push(shown.join(", "));
                }
            }
        }
        if let Some([llr, bounds]) = self.llr.as_ref().filter(|_| has(Part::Llr)) {
            parts.push(if has(Part::Bounds) {
                format!("{llr} {bounds}")
            } else {
                llr.clone()
            });
        }
        parts.join(if has(Part::Separators) { " | " } else { "  " })
    }
}

impl View for Status {
    /// The least important parts are left out; no number is cut.
    fn line(&self, width: usize) -> String {
        first_that_fits(Part::ALL.map(|least| self.line_from(least)), width)
    }
}

/// The games that ended in this run of the match.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Their number.
    pub games: u64,
    /// The time since the run began.
    pub elapsed: Duration,
    /// The number of games that are still in play.
    pub in_play: u64,
}

impl Pace {
    /// The average time of a game, if one has ended.
    pub fn per_game(self) -> Option<Duration> {
        (self.games > 0).then(|| self.elapsed.div_f64(self.games as f64))
    }
}

/// The expected duration of the match in a line, once enough games have ended, and if at least as
/// many are left.
pub fn forecast(tournament: &Tournament, pace: Pace) -> Option<String> {
    let left = tournament.total() - tournament.played();
    // The games in play have taken time, too, so few ended games look slow.
    if !(FORECAST_GAMES * (pace.in_play + 1)..=left).contains(&pace.games) {
        return None;
    }
    let (games, all) = (pace.games, pace.games + left);
    let [time, elapsed] = [rest(tournament, pace.per_game())?, pace.elapsed].map(rough_time);
    let end = if tournament.is_tested() {
        "; the SPRT may end the match earlier"
    } else {
        ""
    };
    Some(format!(
        "about {time} to go: {games} of {all} games in {elapsed}{end}"
    ))
}

/// The estimated time of the remaining games. `None` if there are none, or if an SPRT
/// can end the match early.
pub fn time_left(tournament: &Tournament, per_game: Option<Duration>) -> Option<Duration> {
    rest(tournament, per_game).filter(|_| !tournament.is_tested())
}

/// The estimated time until the end of the schedule.
fn rest(tournament: &Tournament, per_game: Option<Duration>) -> Option<Duration> {
    if tournament.is_finished() || tournament.is_endless() {
        return None;
    }
    let left = tournament.total() - tournament.played();
    Some(per_game?.mul_f64(left as f64))
}

/// The score of two players, with Elo.
fn score_of_two(tournament: &Tournament, names: [&String; 2]) -> Score {
    let meeting = tournament.standings.meeting(0, 1);
    let (points, games) = (meeting.games.points(), meeting.games.games());
    Score::OfTwo {
        names: names.map(String::clone),
        points: [points, games as f64 - points],
        elo: elo(meeting.comparison().elo),
    }
}

/// The Elo difference with its error, unless too few games determine it.
fn elo(elo: Estimate) -> String {
    match elo {
        Estimate::Known { .. } => format!("Elo {elo:.1}"),
        Estimate::Undefined | Estimate::TooFewGames { .. } => "too few games for Elo".into(),
    }
}

/// The players with the most points.
fn leaders(tournament: &Tournament) -> Vec<String> {
    let ranking = tournament.ranking();
    let leaders = ranking.iter().take(LEADERS).map(|&Place { player, rank, .. }| {
        let name = tournament.standings.names.get(player).map_or("", String::as_str);
        format!(
            "{rank}. {name} {}",
            format_number(Some(tournament.points(player)), 1)
        )
    });
    leaders.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::io::text::columns;
    use referee_core::results::Header;
    use referee_core::samples::{header, play, tournament};
    use referee_statistics::Interval;

    fn status(elo: &str, llr: Option<[&str; 2]>) -> Status {
        Status {
            played: 120,
            total: Some(50_000),
            left: Some(("about", "12 min".into())),
            score: Score::OfTwo {
                names: ["lodestone".into(), "squares".into()],
                points: [70.5, 49.5],
                elo: elo.into(),
            },
            llr: llr.map(|parts| parts.map(String::from)),
        }
    }

    #[test]
    fn narrow_lines_keep_the_most_important_parts() {
        let one = status("Elo 12.3 +/- 45.6", Some(["LLR 1.23", "(-2.94, 2.94)"]));
        for (width, line) in [
            (
                199,
                "120 of 50000 games | about 12 min left | lodestone 70.5 - 49.5 squares | Elo 12.3 +/- 45.6 | \
                 LLR 1.23 (-2.94, 2.94)",
            ),
            (
                100,
                "120/50000 | 12 min left | lodestone 70.5 - 49.5 squares | Elo 12.3 +/- 45.6 | LLR 1.23 (-2.94, 2.94)",
            ),
            (
                79,
                "120/50000 | 70.5 - 49.5 | Elo 12.3 +/- 45.6 | LLR 1.23 (-2.94, 2.94)",
            ),
            (59, "120/50000 | Elo 12.3 +/- 45.6 | LLR 1.23 (-2.94, 2.94)"),
            (39, "120/50000  Elo 12.3 +/- 45.6  LLR 1.23"),
            (30, "120/50000  Elo 12.3 +/- 45.6"),
            (9, "120/50000"),
            (8, ""),
        ] {
            assert_eq!(one.line(width), line);
        }
        let one = status("Elo 12.3 +/- 45.6", None);
        assert_eq!(one.line(39), "120/50000 | Elo 12.3 +/- 45.6");
        assert_eq!(
            one.line(59),
            "120/50000 | 12 min left | 70.5 - 49.5 | Elo 12.3 +/- 45.6"
        );
        let (_, mut tournament) = tournament(4, 2, |_| ());
        play(&mut tournament, &["1-0", "1/2-1/2"]);
        let one = Status {
            score: Score::Leaders(Leaders::default().of(&tournament)),
            ..one
        };
        assert!(
            one.line(60).ends_with(" | 1. a 1.0, 2. b 0.5, 2. c 0.5"),
            "{}",
            one.line(60)
        );
    }

    #[test]
    fn fits_every_width_and_cuts_no_part() {
        let leaders = |count: usize| Status {
            score: Score::Leaders(
                ["1. a long name 12.5", "2. squares 11.0", "3. 磁石 9.0"][..count]
                    .iter()
                    .map(|leader| (*leader).into())
                    .collect(),
            ),
            ..status("", None)
        };
        for one in [
            status("Elo -730.4 [-inf, -540.4]", Some(["LLR -1.23", "(-2.94, 2.94)"])),
            status("too few games for Elo", None),
            leaders(3),
            leaders(1),
        ] {
            let whole = one.line(usize::MAX);
            let numbers = |line: &str| -> Vec<String> {
                let words = line.split([' ', '/', ',']).map(String::from);
                words
                    .filter(|word| word.contains(|sign: char| sign.is_ascii_digit()))
                    .collect()
            };
            let whole_numbers = numbers(&whole);
            let mut longest = 0;
            for width in 0..200 {
                let line = one.line(width);
                assert!(columns(&line) <= width);
                assert!(columns(&line) >= longest, "a wider line shows no less: {line}");
                longest = columns(&line);
                for number in numbers(&line) {
                    assert!(whole_numbers.contains(&number), "{number} in {line}");
                }
            }
            assert!(numbers(&one.line(39)).len() >= 2, "{}", one.line(39));
        }
        let line = "120/50000 | 12 min left | 1. a long name 12.5";
        assert_eq!(leaders(2).line(60), line);
        assert_eq!(leaders(2).line(9), "120/50000");
    }

    #[test]
    fn the_duration_is_forecast_from_the_first_games() {
        let mut header = header();
        header.schedule.games = 780;
        let forecast = |header: &Header, games, in_play, seconds| {
            let elapsed = Duration::from_secs(seconds);
            let pace = Pace {
                games,
                elapsed,
                in_play,
            };
            forecast(&Tournament::new(header).unwrap(), pace)
        };
        let line = "about 2 h to go: 32 of 812 games in 5 min";
        assert_eq!(forecast(&header, 32, 7, 300).as_deref(), Some(line));
        assert_eq!(forecast(&header, 31, 7, 300), None, "too early");
        assert_eq!(forecast(&header, 781, 0, 300), None, "too late");
        header.schedule.sprt = Some(referee_core::results::sprt::read("elo0=0 elo1=5").unwrap());
        let line = format!("{line}; the SPRT may end the match earlier");
        assert_eq!(forecast(&header, 32, 7, 300), Some(line));
    }

    #[test]
    fn too_few_games_have_no_elo() {
        let known = |value, low, high| Estimate::Known {
            value,
            interval: Interval { low, high },
        };
        let infinity = f64::INFINITY;
        for (estimate, text) in [
            (Estimate::Undefined, "too few games for Elo"),
            (Estimate::TooFewGames { value: 0.0 }, "too few games for Elo"),
            (known(infinity, 182.7, infinity), "Elo inf [182.7, inf]"),
            (known(10.0, -20.0, 40.0), "Elo 10.0 +/- 30.0"),
            (known(190.0, -20.0, infinity), "Elo 190.0 [-20.0, inf]"),
        ] {
            assert_eq!(elo(estimate), text);
        }
    }
}
