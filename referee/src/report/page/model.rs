//! The data of a match on the page beside its games; `data.js` reads it.

use std::collections::BTreeMap;

use referee_core::io::as_text::Text as _;
use referee_core::io::text::printable;
use referee_core::results::facts::FACTS;
use referee_core::results::{EngineEntry, RulesEntry};
use referee_statistics::Trinomial;
use serde::Serialize;
use serde_json::Value;

use super::history::{HistoryPoint, PageMatch};
use super::overview::{elo_points, ends};
use crate::report::cells::{time, whole, with_interval};
use crate::report::summary::{MeetingSummary, PlayerSummary};
use crate::report::table::limits_of;

/// The data of a match without its games and their texts.
#[derive(Serialize)]
pub struct MatchData {
    title: String,
    variant: String,
    game: Value,
    format: &'static str,
    players: Vec<PlayerData>,
    order: Vec<usize>,
    meetings: Vec<MeetingData>,
    /// The names of the recorded facts of a move, and the words for a value `N` of each.
    #[serde(rename = "factWords")]
    fact_words: Vec<[&'static str; 2]>,
    /// The number of games that are not on the page.
    #[serde(rename = "leftOut")]
    left_out: usize,
}

/// A player: its name, and facts as names and values.
#[derive(Serialize)]
struct PlayerData {
    name: String,
    facts: Vec<[String; 2]>,
}

/// The games of two players. Very many pairings have no facts of few games.
#[derive(Serialize)]
struct MeetingData {
    players: [usize; 2],
    score: [u64; 3],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    line: Vec<[i64; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    band: Vec<[i64; 3]>,
}

/// The largest number of pairings that all have facts.
const MAX_FACTS: usize = 2000;

impl MatchData {
    /// The data of this match.
    pub fn new(one: &PageMatch) -> MatchData {
        let header = one.header;
        let summary = one.summary;
        let history = one.history.meetings(None);
        let mut by_number: Vec<Option<&PlayerSummary>> = vec![None; header.engines.len()];
        for player in &summary.players {
            by_number[player.number] = Some(player);
        }
        let engines = header.engines.iter().zip(&by_number).zip(0..);
        let has_all = summary.meetings.len() <= MAX_FACTS;
        let meetings = summary.meetings.iter();
        MatchData {
            title: printable(&one.title(), usize::MAX),
            variant: summary.variant.clone(),
            game: header.game(None).to_json(),
            format: summary.format,
            players: engines
                .map(|((engine, player), number)| player_data(one, engine, *player, number))
                .collect(),
            order: summary.players.iter().map(|player| player.number).collect(),
            meetings: meetings.map(|one| meeting_data(one, &history, has_all)).collect(),
            fact_words: FACTS
                .iter()
                .filter_map(|fact| Some([fact.name, fact.page?]))
                .collect(),
            left_out: one
                .held
                .as_ref()
                .map_or(0, |held| one.history.games().saturating_sub(held.len())),
        }
    }
}

fn player_data(
    one: &PageMatch,
    engine: &EngineEntry,
    player: Option<&PlayerSummary>,
    number: usize,
) -> PlayerData {
    let tally = one.history.tally.players.get(number);
    let seat = |seat: usize| {
        Some(score_text(
            tally.map(|tally| tally.seats[seat]).unwrap_or_default(),
        ))
    };
    let facts = player.map(|player| {
        let time = player.mean_ms.map(|mean| {
            let [mean, longest] = [mean, player.longest_ms].map(time);
            format!("{mean}, longest {longest}")
        });
        let elo = player.elo();
        let facts = given([
            ("Rank", Some(player.place.to_string())),
            ("Points", Some(player.points.to_string())),
            ("Score", Some(score_text(player.games))),
            (
                "Points of byes",
                (player.bye_points > 0).then(|| player.bye_points.to_string()),
            ),
            ("As first player", seat(0)),
            ("As second player", seat(1)),
            (
                "Elo",
                elo.map(|elo| with_interval(&whole(elo), player.interval())),
            ),
            ("Time a move", time),
        ]);
        let means = player.means.iter().filter(|(mean, _)| mean.is_on_page);
        let means = means.map(|(mean, value)| [mean.heading.to_string(), (mean.text)(value)]);
        facts.into_iter().chain(means).collect()
    });
    let unfit = one.summary.unfit.iter().find(|unfit| unfit.name == engine.name);
    let why = given([(
        "Not playing",
        unfit.map(|unfit| format!("{}.", unfit.why.first_line())),
    )]);
    let facts = [facts.unwrap_or_default(), why, engine_settings(engine)].concat();
    PlayerData {
        name: printable(&engine.name, usize::MAX),
        facts,
    }
}

/// The names and values that are given, made safe to show.
fn given<const N: usize>(facts: [(&str, Option<String>); N]) -> Vec<[String; 2]> {
    let facts = facts
        .into_iter()
        .filter_map(|(name, value)| Some([name.to_string(), value?]));
    facts
        .map(|pair| pair.map(|text| printable(&text, usize::MAX)))
        .collect()
}

/// Wins, draws and losses as text.
fn score_text(games: Trinomial) -> String {
    let Trinomial { wins, draws, losses } = games;
    let points = games.points();
    format!(
        "{points} of {}: {wins} won, {draws} drawn, {losses} lost",
        games.games()
    )
}

/// The settings of an engine as names and values. The folder of its program is left out.
fn engine_settings(engine: &EngineEntry) -> Vec<[String; 2]> {
    let settings = &engine.settings;
    let (cmd, options) = (settings.cmd(), settings.options());
    let program = cmd.raw().rsplit(['/', '\\']).next().unwrap_or_default();
    let limits = Some(settings.limits()).filter(|limits| !limits.is_empty());
    let mut settings = given([("Program", Some(program.into())), ("Limits", limits)]);
    for (name, value) in &options {
        settings.extend(given([(
            &*format!("Option {}", name.shown()),
            Some(value.shown().to_string()),
        )]));
    }
    settings
}

fn meeting_data(
    one: &MeetingSummary,
    history: &BTreeMap<[usize; 2], Vec<HistoryPoint>>,
    has_all: bool,
) -> MeetingData {
    let [first, second] = one.numbers;
    let key = [first.min(second), first.max(second)];
    let is_reversed = first > second;
    let points = history.get(&key).map_or(&[][..], Vec::as_slice);
    let line = elo_points(points, is_reversed);
    let round = |value: f64| value.round() as i64;
    let facts = || {
        let elo = one.elo.value().map_or_else(|| "undefined".into(), whole);
        let pairs = one.pentanomial.map(|count| count.to_string()).join(", ");
        let has_pairs = one.pentanomial.iter().any(|&count| count > 0);
        given([
            ("Result", Some(score_text(one.games))),
            ("Elo difference", Some(with_interval(&elo, ends(&one.elo)))),
            (
                "Likelihood of superiority",
                one.los.map(|los| format!("{:.1} %", 100.0 * los)),
            ),
            ("Pairs with 0, ½, 1, 1½, 2 points", has_pairs.then_some(pairs)),
        ])
    };
    let has_facts = has_all || one.elo.interval().is_some();
    MeetingData {
        players: one.numbers,
        score: [one.games.wins, one.games.draws, one.games.losses],
        facts: if has_facts { facts() } else { Vec::new() },
        line: line.points.iter().map(|point| point.map(round)).collect(),
        band: line.band.iter().map(|point| point.map(round)).collect(),
    }
}

/// What a rules program calls itself, and its options.
fn rules_text(rules: &RulesEntry) -> String {
    let mut words = vec![rules.title()];
    let options = rules.options.iter();
    words.extend(options.map(|(name, value)| format!("{} {}", name.shown(), value.shown())));
    words.join(", ")
}

/// The settings of a match as names and values.
pub fn settings(one: &PageMatch) -> Vec<[String; 2]> {
    let (header, summary) = (one.header, one.summary);
    let schedule = &header.schedule;
    let rounds = schedule
        .rounds
        .filter(|_| schedule.format.properties().has_rounds);
    let games = if summary.games == summary.scheduled || one.tournament.is_endless() {
        summary.games.to_string()
    } else {
        format!("{} of {}", summary.games, summary.scheduled)
    };
    let repeated = summary.games.saturating_sub(summary.distinct_games);
    let repeated = (repeated > 0).then(|| format!("{repeated}, which do not count in the statistics"));
    let adjudicated = (summary.adjudicated > 0).then(|| summary.adjudicated.to_string());
    let limits = match limits_of(header).as_slice() {
        [limits] => Some(limits.clone()).filter(|limits| !limits.is_empty()),
        _ => Some("different ones; see the players".into()),
    };
    let sandbox = Some(one.runs.join("; ")).filter(|text| !text.is_empty());
    let openings = schedule.openings_text().unwrap_or_else(|| "none".into());
    let ends = &header.adjudication;
    given([
        (
            "Event",
            header.event.as_ref().map(|event| event.shown().to_string()),
        ),
        ("Site", header.site.as_ref().map(|site| site.shown().to_string())),
        ("Game", Some(header.game(None).title().into())),
        ("Rules", header.rules.as_ref().map(rules_text)),
        ("Format", Some(summary.format.into())),
        ("Rounds", rounds.map(|rounds| rounds.to_string())),
        ("Games", Some(games)),
        ("Repeated games", repeated),
        ("Adjudicated games", adjudicated),
        ("Limits", limits),
        ("Openings", Some(openings)),
        ("Pieces a side", schedule.pieces.map(|pieces| pieces.to_string())),
        ("Turn limit", schedule.turns.map(|turns| turns.to_string())),
        ("Pondering", header.ponder.then(|| "on".into())),
        ("Draw rule", ends.draw.map(|rule| rule.text().to_string())),
        ("Resign rule", ends.resign.map(|rule| rule.text().to_string())),
        ("Prover", ends.prove.map(|rule| rule.text().to_string())),
        ("Test", summary.sprt.as_ref().map(|sprt| sprt.test.clone())),
        ("Sandbox", sandbox),
        ("Seed", Some(header.seed.to_string())),
        ("Fingerprint", Some(summary.fingerprint.clone())),
    ])
}
