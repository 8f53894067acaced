//! The progress of a match in one line.

use std::time::Duration;

use crate::report::table::bounds;
use crate::statistics::format_number;
use crate::tournament::Tournament;

/// The number of leaders shown.
const LEADERS: usize = 3;

/// Progress, remaining time and score. `per_game` is the average time of a game, if
/// known.
pub fn line(tournament: &Tournament, per_game: Option<Duration>) -> String {
    let (played, total) = (tournament.played(), tournament.total());
    let mut parts = vec![format!("{played} of {total} games")];
    if let Some(left) = time_left(tournament, per_game) {
        parts.push(format!("about {} left", rough_time(left)));
    }
    parts.push(if tournament.standings().names().len() == 2 {
        score_of_two(tournament)
    } else {
        leaders(tournament)
    });
    if let Some((sprt, llr)) = tournament.test() {
        parts.push(format!("LLR {llr:.2} {}", bounds(sprt)));
    }
    parts.join(" | ")
}

/// The estimated time of the remaining games. `None` if there are none, or if an SPRT
/// can end the match early.
pub fn time_left(tournament: &Tournament, per_game: Option<Duration>) -> Option<Duration> {
    if tournament.is_finished() || tournament.is_tested() {
        return None;
    }
    let left = tournament.total() - tournament.played();
    Some(per_game?.mul_f64(left as f64))
}

/// The score of two players, with Elo.
fn score_of_two(tournament: &Tournament) -> String {
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

/// The players with the most points.
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

/// A rounded time.
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
    fn rounds_times() {
        let rounded =
            [0, 99, 100, 5999, 6000, 360_000].map(|seconds| rough_time(Duration::from_secs(seconds)));
        assert_eq!(rounded, ["1 s", "99 s", "2 min", "100 min", "2 h", "4 days"]);
    }
}
