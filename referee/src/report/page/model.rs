//! The data of the page: one JSON object, `data.js` reads it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::charts::{time, whole};
use super::history::HistoryPoint;
use super::overview::elo_points;
use super::page_match::PageMatch;
use super::tally::time_steps;
use crate::io::text::{printable, speed};
use crate::report::summary::MeetingSummary;
use crate::results::EngineEntry;
use crate::schedule::Format;
use crate::statistics::Trinomial;

/// The data of a match without its games and their texts.
pub fn match_data(one: &PageMatch) -> Value {
    let header = one.header;
    let summary = one.summary;
    let history = one.history.meetings(None);
    let players: Vec<Value> = header
        .engines
        .iter()
        .zip(0..)
        .map(|(engine, number)| player(one, engine, number))
        .collect();
    let order: Vec<usize> = summary.players.iter().map(|player| player.number).collect();
    json!({
        "title": printable(&one.title(), usize::MAX),
        "variant": summary.variant,
        "format": summary.format,
        "players": players,
        "order": order,
        "meetings": summary.meetings.iter().map(|one| meeting(one, &history)).collect::<Vec<_>>(),
    })
}

/// A player: its name, facts as names and values, and its moves by their time.
fn player(one: &PageMatch, engine: &EngineEntry, number: usize) -> Value {
    let mut facts: Vec<[String; 2]> = Vec::new();
    let mut add = |name: &str, value: String| facts.push([name.into(), value]);
    let tally = one.history.tally().players.get(number);
    if let Some(player) = one.summary.player(number) {
        add("Rank", player.place.to_string());
        add("Points", player.points.to_string());
        add("Games", score_text(player.games));
        if player.points_off > 0 {
            add("Points of byes", player.points_off.to_string());
        }
        for (seat, name) in ["As first player", "As second player"].into_iter().enumerate() {
            let [wins, draws, losses] = tally.map_or([0; 3], |tally| tally.seats[seat]);
            add(name, score_text(Trinomial { wins, draws, losses }));
        }
        if let Some(elo) = player.elo() {
            add("Elo", elo_text(Some(elo), player.interval()));
        }
        if let Some(mean) = player.mean_ms {
            let [mean, longest] = [mean, player.longest_ms].map(time);
            add("Time a move", format!("{mean}, longest {longest}"));
        }
        if let Some(depth) = player.means.mean_depth {
            add("Depth", format!("{depth:.1}"));
        }
        if let Some(nps) = player.means.mean_nps {
            add("Speed", speed(nps.round() as u64));
        }
        if let Some(claims) = player.claims {
            add(
                "Claims",
                format!(
                    "{} right, {} wrong, {} unverified",
                    claims.right, claims.wrong, claims.unverified
                ),
            );
        }
    }
    let steps: Vec<Value> = tally
        .map(|tally| time_steps(&tally.times))
        .unwrap_or_default()
        .into_iter()
        .map(|(from, count)| json!([time(from), count]))
        .collect();
    facts.extend(engine_settings(engine));
    json!({"name": printable(&engine.name, usize::MAX), "facts": facts, "steps": steps})
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

/// An Elo number with its interval as text.
fn elo_text(value: Option<f64>, interval: Option<[f64; 2]>) -> String {
    let value = value.map_or_else(|| "undefined".into(), whole);
    match interval {
        Some([low, high]) => format!("{value}, 95 % interval {} to {}", whole(low), whole(high)),
        None => format!("{value}, too few games for an interval"),
    }
}

/// The settings of an engine as names and values. The folder of its program is left out.
fn engine_settings(engine: &EngineEntry) -> Vec<[String; 2]> {
    let program = engine.cmd.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut settings = vec![["Program".to_string(), program.to_string()]];
    let limits = engine.limits();
    if !limits.is_empty() {
        settings.push(["Limits".into(), limits]);
    }
    for (name, value) in &engine.options {
        settings.push([format!("Option {name}"), value.clone()]);
    }
    settings.map_printable()
}

/// Makes texts safe to show.
trait MapPrintable {
    fn map_printable(self) -> Self;
}

impl MapPrintable for Vec<[String; 2]> {
    fn map_printable(self) -> Self {
        self.into_iter()
            .map(|pair| pair.map(|text| printable(&text, usize::MAX)))
            .collect()
    }
}

fn meeting(one: &MeetingSummary, history: &BTreeMap<[usize; 2], Vec<HistoryPoint>>) -> Value {
    let [first, second] = one.numbers;
    let key = [first.min(second), first.max(second)];
    let is_reversed = first > second;
    let points = history.get(&key).map_or(&[][..], Vec::as_slice);
    let line = elo_points(points, is_reversed);
    let round = |points: &[f64]| {
        points
            .iter()
            .map(|value| value.round() as i64)
            .collect::<Vec<_>>()
    };
    let interval = one.elo.low.0.zip(one.elo.high.0).map(|(low, high)| [low, high]);
    let mut facts = vec![
        ["Result".to_string(), score_text(one.games)],
        ["Elo difference".into(), elo_text(one.elo.value.0, interval)],
    ];
    if let Some(los) = one.los {
        facts.push([
            "Likelihood of superiority".into(),
            format!("{:.1} %", 100.0 * los),
        ]);
    }
    if one.pentanomial.iter().sum::<u64>() > 0 {
        let pairs = one.pentanomial.map(|count| count.to_string());
        facts.push(["Pairs with 0, ½, 1, 1½, 2 points".into(), pairs.join(", ")]);
    }
    json!({
        "players": one.numbers,
        "score": [one.games.wins, one.games.draws, one.games.losses],
        "facts": facts,
        "line": line.points.iter().map(|point| round(point)).collect::<Vec<_>>(),
        "band": line.band.iter().map(|point| round(point)).collect::<Vec<_>>(),
    })
}

/// The settings of a match as names and values.
pub fn settings(one: &PageMatch) -> Vec<[String; 2]> {
    let (header, summary) = (one.header, one.summary);
    let schedule = &header.schedule;
    let mut settings: Vec<[String; 2]> = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            settings.push([name.into(), value]);
        }
    };
    add("Event", header.event.clone());
    add("Site", header.site.clone());
    add("Game", Some(header.variant.info().title.into()));
    add("Format", Some(summary.format.into()));
    add(
        "Rounds",
        schedule
            .rounds
            .filter(|_| schedule.format == Format::Swiss)
            .map(|rounds| rounds.to_string()),
    );
    let games = if summary.games == summary.scheduled {
        summary.games.to_string()
    } else {
        format!("{} of {}", summary.games, summary.scheduled)
    };
    add("Games", Some(games));
    let repeated = summary.games.saturating_sub(summary.distinct_games);
    add(
        "Repeated games",
        (repeated > 0).then(|| format!("{repeated}, which do not count in the statistics")),
    );
    add(
        "Adjudicated games",
        (summary.adjudicated > 0).then(|| summary.adjudicated.to_string()),
    );
    let mut limits: Vec<String> = header.engines.iter().map(EngineEntry::limits).collect();
    limits.dedup();
    add(
        "Limits",
        match limits.as_slice() {
            [limits] if !limits.is_empty() => Some(limits.clone()),
            [_] => None,
            _ => Some("different ones; see the players".into()),
        },
    );
    add(
        "Openings",
        Some(match (&schedule.openings, &schedule.selection) {
            (Some(openings), Some(selection)) => format!("{openings} {selection}"),
            (Some(openings), None) => openings.to_string(),
            (None, _) => "none".into(),
        }),
    );
    add("Pieces a side", schedule.pieces.map(|pieces| pieces.to_string()));
    add("Turn limit", schedule.turns.map(|turns| turns.to_string()));
    add(
        "Memory",
        header.memory.map(|memory| format!("{memory} MB for each engine")),
    );
    add(
        "Processes",
        header
            .max_processes
            .map(|count| format!("{count} for each engine")),
    );
    add("Pondering", header.ponder.then(|| "on".into()));
    add("Draw rule", header.draw.as_ref().map(ToString::to_string));
    add("Resign rule", header.resign.as_ref().map(ToString::to_string));
    add("Prover", header.prove.as_ref().map(ToString::to_string));
    add("Test", summary.sprt.as_ref().map(|sprt| sprt.test.clone()));
    add("Seed", Some(header.seed.to_string()));
    add("Fingerprint", Some(summary.fingerprint.clone()));
    settings.map_printable()
}
