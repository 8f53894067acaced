//! The machines that played the games of a match: their speed and their use of time.
//!
//! The files of shards name the machine of each run. Machines differ enough to matter if the games
//! show, with 95 % confidence, that one of them is more than 10 % faster or slower than the
//! others. `docs/reports.md` has the formulas.

use std::collections::BTreeMap;

use serde::Serialize;

use super::text_table::{Column, TextTable};
use crate::io::text::{printable, speed};
use crate::results::Header;
use crate::statistics::elo::MIN_OBSERVATIONS;
use crate::statistics::{Moments, difference_of_means};
use crate::tournament::counted_game::CountedGame;
use crate::tournament::means::FactSums;

/// The largest ratio of two speeds, or of two times, that does not matter.
const TOLERANCE: f64 = 1.1;

/// The probability of a false warning about a match.
const ERROR_RATE: f64 = 0.05;

/// The most warnings about a match.
const MAX_WARNINGS: usize = 5;

/// The machines of a match.
#[derive(Clone, Debug)]
pub struct Hosts {
    names: Vec<String>,
    /// By the name of the machine.
    counts: BTreeMap<String, HostCounts>,
    /// The part that is read, and the machine of its run.
    current: Option<(usize, String)>,
}

/// What is counted for a machine.
#[derive(Clone, Debug)]
struct HostCounts {
    games: u64,
    /// By the number of the player.
    players: Vec<PlayerCounts>,
}

/// What is counted for a player on a machine.
#[derive(Clone, Copy, Debug, Default)]
struct PlayerCounts {
    moves: u64,
    milliseconds: f64,
    facts: FactSums,
    /// The logarithm of the nodes per second, game by game.
    nps: Moments,
    /// The logarithm of the mean time of a move, game by game.
    time: Moments,
}

/// The numbers of a machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostSummary {
    /// Its name.
    pub host: String,
    /// The number of its games.
    pub games: u64,
    /// The players that moved on it.
    pub players: Vec<HostPlayer>,
}

/// The numbers of a player on a machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostPlayer {
    /// The player's name.
    pub name: String,
    /// The number of its moves, without openings.
    pub moves: u64,
    /// The total time of these moves in seconds.
    pub seconds: f64,
    /// The average time of a move in milliseconds.
    pub mean_ms: f64,
    /// Nodes per second, if they are recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_nps: Option<f64>,
}

/// One of the moments of a player on a machine.
type Measure = fn(&PlayerCounts) -> Moments;

impl Hosts {
    /// The machines of a match, before its first game.
    #[must_use]
    pub fn new(header: &Header) -> Hosts {
        Hosts {
            names: header.names(),
            counts: BTreeMap::new(),
            current: None,
        }
    }

    /// Begins the games of a run on this machine, in this part of the files.
    pub fn begin_run(&mut self, host: String, part: usize) {
        self.current = Some((part, host));
    }

    /// Counts a game of this part.
    pub fn add(&mut self, game: &CountedGame, part: usize) {
        let Some((_, host)) = self.current.as_ref().filter(|(current, _)| *current == part) else {
            return;
        };
        if !self.counts.contains_key(host) {
            let counts = HostCounts {
                games: 0,
                players: vec![PlayerCounts::default(); self.names.len()],
            };
            self.counts.insert(host.clone(), counts);
        }
        let Some(counts) = self.counts.get_mut(host) else {
            return;
        };
        counts.games += 1;
        for (name, side) in game.names.iter().zip(&game.sides) {
            let number = self.names.iter().position(|known| known == name);
            let Some(player) = number.and_then(|number| counts.players.get_mut(number)) else {
                continue;
            };
            player.moves += side.moves;
            player.milliseconds += side.milliseconds;
            player.facts.merge(&side.facts);
            if let Some(nps) = side.facts.means().mean_nps.filter(|nps| *nps > 0.0) {
                player.nps.add(nps.ln());
            }
            if side.moves > 0 && side.milliseconds > 0.0 {
                player.time.add((side.milliseconds / side.moves as f64).ln());
            }
        }
    }

    /// The numbers of all machines, by name.
    #[must_use]
    pub fn summary(&self) -> Vec<HostSummary> {
        let of_player = |(name, counts): (&String, &PlayerCounts)| {
            (counts.moves > 0).then(|| HostPlayer {
                name: name.clone(),
                moves: counts.moves,
                seconds: counts.milliseconds / 1000.0,
                mean_ms: counts.milliseconds / counts.moves as f64,
                mean_nps: counts.facts.means().mean_nps,
            })
        };
        let hosts = self.counts.iter();
        hosts
            .map(|(host, counts)| HostSummary {
                host: host.clone(),
                games: counts.games,
                players: self
                    .names
                    .iter()
                    .zip(&counts.players)
                    .filter_map(of_player)
                    .collect(),
            })
            .collect()
    }

    /// A sentence for each machine, and for each player on it, that differs from the others enough
    /// to matter.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let measures: [(&str, Measure); 2] = [
            ("nodes per second", |counts| counts.nps),
            ("time for a move", |counts| counts.time),
        ];
        let mut comparisons = Vec::new();
        for (number, name) in self.names.iter().enumerate() {
            for (measure, of) in measures {
                let all = self.counts.iter().filter_map(|(host, counts)| {
                    let moments = of(counts.players.get(number)?);
                    (moments.count() >= MIN_OBSERVATIONS).then_some((host, moments))
                });
                let all: Vec<(&String, Moments)> = all.collect();
                let total = all
                    .iter()
                    .fold(Moments::default(), |sum, (_, one)| sum.merged(one));
                if all.len() > 1 {
                    comparisons.extend(
                        all.into_iter()
                            .map(|(host, one)| (host, name, measure, one, total)),
                    );
                }
            }
        }
        // Bonferroni's correction: all intervals together hold with 95 %.
        let rate = ERROR_RATE / comparisons.len().max(1) as f64;
        let mut warnings = Vec::new();
        for (host, name, measure, one, total) in comparisons {
            let difference = difference_of_means(&one, &total.without(&one), rate);
            let limit = TOLERANCE.ln();
            if difference.low <= limit && difference.high >= -limit {
                continue;
            }
            let [low, high] = [difference.low, difference.high].map(|end| (end.exp() - 1.0) * 100.0);
            warnings.push(format!(
                "host {} differs: {} has {low:+.0} % to {high:+.0} % {measure} than on the other hosts",
                printable(host, usize::MAX),
                printable(name, usize::MAX),
            ));
        }
        let more = warnings.len().saturating_sub(MAX_WARNINGS);
        warnings.truncate(MAX_WARNINGS);
        if more > 0 {
            warnings.push(format!("{more} more such differences between hosts"));
        }
        warnings
    }
}

/// A line for each player on each machine.
#[must_use]
pub fn table(hosts: &[HostSummary], width: Option<usize>) -> String {
    let rows: Vec<(&HostSummary, &HostPlayer)> = hosts
        .iter()
        .flat_map(|host| host.players.iter().map(move |player| (host, player)))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let column = |heading: &str, cell: &dyn Fn(&HostSummary, &HostPlayer) -> String| {
        Column::new(heading, rows.iter().map(|(host, player)| cell(host, player)))
    };
    let mut measures = vec![column("ms a move", &|_, player| format!("{:.3}", player.mean_ms))];
    if rows.iter().any(|(_, player)| player.mean_nps.is_some()) {
        measures.push(column("Speed", &|_, player| {
            player
                .mean_nps
                .map_or_else(|| "-".into(), |nps| speed(nps as u64))
        }));
    }
    let table = TextTable {
        numbers: column("Games", &|host, _| host.games.to_string()),
        names: column("Host", &|host, _| host.host.clone()),
        groups: vec![
            vec![column("Player", &|_, player| player.name.clone())],
            vec![column("Moves", &|_, player| player.moves.to_string())],
            vec![column("Seconds", &|_, player| format!("{:.1}", player.seconds))],
            measures,
        ],
    };
    table.fit(width.unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use lodestone::random::Random;

    use super::*;
    use crate::results::header_tests::header;
    use crate::results::tests::record;

    /// A match on these machines: the nodes per second on each, their spread, and the games on each.
    fn hosts(speeds: &[f64], spread: f64, games: u64) -> Hosts {
        let mut random = Random::new(5);
        let mut hosts = Hosts::new(&header());
        let mut id = 0;
        for (part, &mean) in speeds.iter().enumerate() {
            hosts.begin_run(format!("node{part}"), part);
            for _ in 0..games {
                id += 1;
                let mut game = record(id, "a", "b");
                let mut value = |mean: f64| mean * (1.0 + spread * (random.below(1001) as f64 / 500.0 - 1.0));
                let nps: Vec<f64> = game.ms.iter().map(|_| value(mean)).collect();
                game.ms = game.ms.iter().map(|_| value(100.0)).collect();
                game.facts.nps = Some(nps.into_iter().map(|nps| Some(nps as u64)).collect());
                hosts.add(&CountedGame::from(&game), part);
            }
        }
        hosts
    }

    #[test]
    fn equal_hosts_cause_no_warning() {
        let hosts = hosts(&[1e6, 1.02e6, 0.98e6, 1e6], 0.5, 40);
        assert_eq!(hosts.warnings(), Vec::<String>::new());
        let summary = hosts.summary();
        assert_eq!(summary.len(), 4);
        assert_eq!((summary[2].host.as_str(), summary[2].games), ("node2", 40));
        assert_eq!(summary[2].players[0].moves, 160);
        let nps = summary[2].players[1].mean_nps.unwrap();
        assert!((0.9e6..1.1e6).contains(&nps), "{nps}");
    }

    #[test]
    fn slow_host_causes_a_warning_for_each_player() {
        let hosts = hosts(&[1e6, 0.7e6, 1e6], 0.1, 40);
        let warnings = hosts.warnings();
        let slow: Vec<&String> = warnings
            .iter()
            .filter(|text| text.starts_with("host node1 "))
            .collect();
        assert_eq!(slow.len(), 2, "{warnings:?}");
        assert!(
            slow[0].starts_with("host node1 differs: a has -3")
                && slow[0].ends_with(" than on the other hosts"),
            "{slow:?}"
        );
        assert!(!warnings.iter().any(|text| text.contains("time")), "{warnings:?}");
    }

    #[test]
    fn too_few_games_cause_no_warning() {
        assert!(hosts(&[1e6, 0.5e6], 0.01, 9).warnings().is_empty());
        assert!(!hosts(&[1e6, 0.5e6], 0.01, 10).warnings().is_empty());
    }

    #[test]
    fn games_without_a_host_are_left_out() {
        let mut hosts = Hosts::new(&header());
        let game = CountedGame::from(&record(1, "a", "b"));
        hosts.add(&game, 0);
        hosts.begin_run("x".into(), 0);
        hosts.add(&game, 1);
        assert!(hosts.summary().is_empty());
        hosts.add(&game, 0);
        assert_eq!(hosts.summary()[0].games, 1);
        let text = table(&hosts.summary(), None);
        assert_eq!(
            text,
            "Games Host Player Moves Seconds ms a move\n    1 x         a     4     0.0     1.000\n    1 x         b     4     0.0     1.688"
        );
    }
}
