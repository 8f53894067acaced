//! Who won, and of how many games: what a page begins with.

use referee_core::io::text::counted;
use referee_core::schedule::RankedBy;
use referee_statistics::Trinomial;

use super::history::PageMatch;
use super::overview::{ends, test_state};
use crate::report::cells::{short, whole, with_interval};
use crate::report::summary::{MeetingSummary, PlayerSummary};

/// The largest number of winners that are named.
const MAX_WINNERS: usize = 3;

/// Whether it is a match of two players.
pub fn is_pair(one: &PageMatch) -> bool {
    one.header.engines.len() == 2 && one.header.schedule.stages.is_empty()
}

/// The games of a match of two players, from the view of the better one; the second place is that of the other.
fn pair<'a>(one: &PageMatch<'a>) -> Option<(&'a MeetingSummary, [usize; 2])> {
    let meeting = one.summary.meetings.first().filter(|_| is_pair(one))?;
    let Trinomial { wins, losses, .. } = meeting.games;
    Some((meeting, if wins < losses { [1, 0] } else { [0, 1] }))
}

/// Who won, or who leads, as a sentence without its full stop.
pub fn result(one: &PageMatch) -> String {
    let summary = one.summary;
    let is_over = one.tournament.is_finished();
    let verb = if is_over { "won" } else { "leads" };
    if summary.games == 0 {
        return "No games yet".into();
    }
    if let Some((meeting, order)) = pair(one) {
        let points = [meeting.games.points(), meeting.games.reversed().points()];
        let [better, other] = order.map(|place| &meeting.players[place]);
        let [more, fewer] = order.map(|place| short(points[place]));
        return if more == fewer {
            format!("{better} and {other} are even, {more} to {fewer}")
        } else {
            format!("{better} {verb} against {other}, {more} to {fewer}")
        };
    }
    // Reference players take no place.
    let players = || summary.players.iter().filter(|player| !player.is_reference);
    let first = players().map(|player| player.rank).min();
    let winners: Vec<&PlayerSummary> = players()
        .filter(|player| Some(player.rank) == first && player.games.games() > 0)
        .collect();
    let most = players().map(|player| player.points).reduce(f64::max);
    // Places that do not follow from points have none beside them.
    let of = |player: &PlayerSummary| {
        (
            player.points,
            player.games.games() as f64 + player.bye_points as f64,
        )
    };
    let points = winners.first().filter(|winner| Some(winner.points) == most);
    let points = points.filter(|winner| winners.iter().all(|other| of(other) == of(winner)));
    let points = points.map_or_else(String::new, |winner| {
        let (points, all) = of(winner);
        format!(" with {} of {} points", short(points), short(all))
    });
    // A ladder is in the order of its ratings.
    let points = match (summary.ranked_by, winners.first().and_then(|winner| winner.elo())) {
        (RankedBy::Ratings, elo) => elo.map_or_else(String::new, |elo| format!(" with {} Elo", whole(elo))),
        _ => points,
    };
    match winners.as_slice() {
        [] => "No games yet".into(),
        [winner] => format!("{} {verb}{points}", winner.name),
        [others @ .., last] if winners.len() <= MAX_WINNERS => {
            let names: Vec<&str> = others.iter().map(|winner| winner.name.as_str()).collect();
            format!(
                "{} and {} share the first place{points}",
                names.join(", "),
                last.name
            )
        }
        _ => format!("{} players share the first place{points}", winners.len()),
    }
}

/// How sure it is that the first of many players is stronger than the next one.
fn lead(one: &PageMatch) -> Option<String> {
    let mut players = one.summary.players.iter();
    let first = players.find(|player| !player.is_reference)?;
    let next = players.next().filter(|next| next.games.games() > 0)?;
    let share = match 100.0 * first.rating.as_ref()?.stronger_than_next? {
        sure if sure > 99.0 => "more than 99".into(),
        share => whole(share),
    };
    Some(format!(
        "{} is stronger than {} with a probability of {share} %",
        first.name, next.name
    ))
}

/// What else is asked first: games, day, faults; of two players, the difference in strength.
pub fn facts(one: &PageMatch) -> String {
    let summary = one.summary;
    let mut games = counted(summary.games as usize, "game");
    if summary.games < summary.scheduled && !one.tournament.is_finished() && !one.tournament.is_endless() {
        games = format!("{} of {} games", summary.games, summary.scheduled);
    }
    let day = one.history.times.map(|times| {
        // The first part of a time is its day.
        let [first, last] =
            times.map(|time| time.to_string().split('T').next().unwrap_or_default().to_string());
        if first == last {
            first
        } else {
            format!("{first} to {last}")
        }
    });
    let lost = summary
        .players
        .iter()
        .flat_map(|player| player.faults.values())
        .sum::<u64>();
    let lost = (lost > 0).then(|| format!("{lost} lost by a fault"));
    let mut sentences = vec![
        [Some(games), day, lost]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
    ];
    if let Some((meeting, [better, other])) = pair(one) {
        let Trinomial { wins, draws, losses } = match better {
            0 => meeting.games,
            _ => meeting.games.reversed(),
        };
        let [name, opponent] = [better, other].map(|place| &meeting.players[place]);
        sentences.push(format!("{name}: {wins} won, {draws} drawn, {losses} lost"));
        // How sure that is.
        sentences.push(match (meeting.elo.value(), ends(&meeting.elo)) {
            (Some(elo), Some([low, high])) => {
                let (elo, ends) = match better {
                    0 => (elo, [low, high]),
                    _ => (-elo, [-high, -low]),
                };
                let over = format!("{name} over {opponent}");
                if elo.is_finite() {
                    with_interval(&format!("{over}: {} Elo", whole(elo)), Some(ends))
                } else {
                    format!("{over}: at least {} Elo, with 95 % confidence", whole(ends[0]))
                }
            }
            _ => "Too few games to tell who is stronger".into(),
        });
    }
    sentences.extend(lead(one));
    sentences.extend(summary.sprt.as_ref().map(|test| {
        let [low, high] = test.elo.map(short);
        format!("Test of {low} against {high} Elo: {}", test_state(test.accepted))
    }));
    sentences.join(". ") + "."
}

#[cfg(test)]
mod tests {
    use sentences::expect;
    use std::collections::HashMap;

    use super::*;
    use crate::report::Summary;
    use crate::report::page::History;
    use referee_core::samples::{game, tournament};
    use referee_core::tournament::Tournament;

    /// The result and the facts of a match of this number of players after games with these results.
    fn said(players: usize, games: u64, results: &[&str]) -> [String; 2] {
        let (header, _) = tournament(players, games, |_| ());
        let mut tournament = Tournament::new(&header).unwrap();
        let mut history = History::new(&header);
        for (id, result) in (1..).zip(results) {
            let record = game(&tournament, id, result);
            history.add(&record);
            tournament.add(&record).unwrap();
        }
        let summary = Summary::new(&header, &tournament);
        let one = PageMatch {
            header: &header,
            tournament: &tournament,
            summary: &summary,
            history: &history,
            notes: Vec::new(),
            runs: &[],
            held: None,
            transcripts: HashMap::new(),
            boards_time: None,
            rules: None,
            records: Box::new(|_| Ok(())),
        };
        [result(&one), facts(&one)]
    }

    #[test]
    fn a_match_of_two_is_told_from_the_view_of_the_better_one() {
        expect![[r#"
            b won against a, 3.5 to 0.5
            4 games. b: 3 won, 1 drawn, 0 lost. Too few games to tell who is stronger."#]]
        .assert_eq(&said(2, 4, &["0-1", "1-0", "0-1", "1/2-1/2"]).join("\n"));
        expect! {"a and b are even, 1 to 1"}.assert_eq(&said(2, 2, &["1-0", "1-0"])[0]);
        expect![[r#"
            a leads against b, 1 to 0
            1 of 4 games. a: 1 won, 0 drawn, 0 lost. Too few games to tell who is stronger."#]]
        .assert_eq(&said(2, 4, &["1-0"]).join("\n"));
        let [_, facts] = said(2, 40, &["0-1", "1-0", "1-0", "1/2-1/2"].repeat(10));
        expect! {"40 games. b: 20 won, 10 drawn, 10 lost. b over a: 89 Elo, 95 % interval −27 to 229."}
            .assert_eq(&facts);
        let [_, facts] = said(2, 40, &["1-0", "0-1", "0-1", "1/2-1/2"].repeat(10));
        expect! {"40 games. a: 20 won, 10 drawn, 10 lost. a over b: 89 Elo, 95 % interval −27 to 229."}
            .assert_eq(&facts);
        let [_, facts] = said(2, 40, &["0-1", "1-0"].repeat(20));
        expect! {"40 games. b: 40 won, 0 drawn, 0 lost. b over a: at least 317 Elo, with 95 % confidence."}
            .assert_eq(&facts);
    }

    #[test]
    fn the_first_of_many_has_won_or_shares_the_place() {
        let won = ["1-0", "0-1", "1-0", "0-1", "1-0", "0-1"];
        let [result, facts] = said(3, 2, &won);
        assert_eq!(result, "a won with 4 of 4 points");
        assert!(
            facts.contains(" games. a is stronger than b with a probability of "),
            "{facts}"
        );
        let drawn = ["1/2-1/2"; 6];
        expect! {"a, b and c share the first place with 2 of 4 points"}.assert_eq(&said(3, 2, &drawn)[0]);
        expect! {"5 players share the first place with 4 of 8 points"}
            .assert_eq(&said(5, 2, &["1/2-1/2"; 20])[0]);
        assert_eq!(said(3, 2, &[])[0], "No games yet");
    }
}
