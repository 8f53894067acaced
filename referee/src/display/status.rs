//! How far a match is, in a line.

use std::time::Duration;

use crate::report::table::bounds;
use crate::statistics::format_number;
use crate::tournament::Tournament;

/// So many leaders are named.
const LEADERS: usize = 3;

/// How far the match is and how it stands; `per_game` is how long a game takes,
/// where that is known.
pub fn line(tournament: &Tournament, per_game: Option<Duration>) -> String {
    let (played, total) = (tournament.played(), tournament.total());
    let mut parts = vec![format!("{played} of {total} games")];
    if let Some(left) = time_left(tournament, per_game) {
        parts.push(format!("about {} left", rough_time(left)));
    }
    parts.push(if tournament.standings().names().len() == 2 {
        duel(tournament)
    } else {
        leaders(tournament)
    });
    if let Some((sprt, llr)) = tournament.test() {
        parts.push(format!("LLR {llr:.2} {}", bounds(sprt)));
    }
    parts.join(" | ")
}

/// How long the games that are left take, if they are like the others; `None`
/// where a test may end the match at any time, or nothing is left.
pub fn time_left(tournament: &Tournament, per_game: Option<Duration>) -> Option<Duration> {
    if tournament.is_finished() || tournament.is_tested() {
        return None;
    }
    let left = tournament.total() - tournament.played();
    Some(per_game?.mul_f64(left as f64))
}

/// The score of two players, and what it says in Elo.
fn duel(tournament: &Tournament) -> String {
    let standings = tournament.standings();
    let meeting = standings.meeting(0, 1);
    let points = meeting.games.points();
    let games = meeting.games.games() as f64;
    let elo = meeting.comparison().elo;
    let names = standings.names();
    format!(
        "{} {points} - {} {} | Elo {elo:.1}",
        names.first().map_or("", String::as_str),
        games - points,
        names.get(1).map_or("", String::as_str),
    )
}

/// Who has the most points.
fn leaders(tournament: &Tournament) -> String {
    let ranking = tournament.ranking();
    let leaders = ranking.iter().zip(1..).take(LEADERS).map(|(&player, place)| {
        let name = tournament
            .standings()
            .names()
            .get(player)
            .map_or("", String::as_str);
        format!(
            "{place}. {name} {}",
            format_number(Some(tournament.points(player)), 1)
        )
    });
    leaders.collect::<Vec<_>>().join(", ")
}

/// A time as one would say it.
fn rough_time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..100 => format!("{} s", seconds.max(1)),
        100..6000 => format!("{} min", (seconds + 30) / 60),
        6000..360_000 => format!("{} h", (seconds + 1800) / 3600),
        _ => format!("{} days", (seconds + 43_200) / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_roughly() {
        let said = [0, 99, 100, 5999, 6000, 360_000].map(|seconds| rough_time(Duration::from_secs(seconds)));
        assert_eq!(said, ["1 s", "99 s", "2 min", "100 min", "2 h", "4 days"]);
    }
}
