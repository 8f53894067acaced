//! Tables for spreadsheets: comma-separated values (RFC 4180).

use serde::ser::{Serialize, SerializeTuple, Serializer};

use super::summary::{PlayerSummary, Summary};
use crate::results::AnalysisTally;
use crate::tournament::means::FactMeans;
use crate::tournament::move_counts::{ClaimCounts, PonderCounts};

/// A row: one player of one match. The field names are the header, and those of `--json`
/// where they mean the same.
#[derive(serde::Serialize)]
struct Row<'a> {
    #[serde(rename = "match")]
    number: usize,
    rank: usize,
    name: String,
    points: f64,
    percent: Option<f64>,
    games: u64,
    wins: u64,
    ties: u64,
    losses: u64,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    opponents_points: f64,
    points_off: u64,
    first_moves: u64,
    mean_ms: Option<f64>,
    longest_ms: f64,
    faults: u64,
    variant: &'a str,
    format: &'a str,
}

/// Columns after those of [`Row`], if any match has recorded facts.
#[derive(serde::Serialize)]
#[allow(clippy::struct_field_names)] // the names of the columns
struct MeansRow {
    mean_depth: Option<f64>,
    mean_nps: Option<f64>,
    mean_latency_ms: Option<f64>,
    mean_time_left_ms: Option<f64>,
}

/// Columns after those of [`MeansRow`], if claims were checked in any match.
#[derive(serde::Serialize)]
#[allow(clippy::struct_field_names)]
struct ClaimsRow {
    claims_right: Option<u64>,
    claims_wrong: Option<u64>,
    claims_unverified: Option<u64>,
}

/// Columns after those of [`ClaimsRow`], if any player thought in its opponents' time.
#[derive(serde::Serialize)]
#[allow(clippy::struct_field_names)]
struct PonderRow {
    ponder_hits: Option<u64>,
    ponder_misses: Option<u64>,
}

/// Columns after those of [`PonderRow`], if any game is analysed.
#[derive(serde::Serialize)]
struct AnalysisRow {
    analysed_moves: Option<u64>,
    best_moves: Option<u64>,
    mistakes: Option<u64>,
    blunders: Option<u64>,
    given_away: Option<u64>,
    mean_loss: Option<f64>,
}

/// A row with the columns that only some matches have.
struct WideRow<'a> {
    row: Row<'a>,
    means: Option<MeansRow>,
    claims: Option<ClaimsRow>,
    ponder: Option<PonderRow>,
    analysis: Option<AnalysisRow>,
}

impl Serialize for WideRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let optional = [
            self.means.is_some(),
            self.claims.is_some(),
            self.ponder.is_some(),
            self.analysis.is_some(),
        ];
        let length = 1 + optional.into_iter().filter(|is_there| *is_there).count();
        let mut tuple = serializer.serialize_tuple(length)?;
        tuple.serialize_element(&self.row)?;
        if let Some(means) = &self.means {
            tuple.serialize_element(means)?;
        }
        if let Some(claims) = &self.claims {
            tuple.serialize_element(claims)?;
        }
        if let Some(ponder) = &self.ponder {
            tuple.serialize_element(ponder)?;
        }
        if let Some(analysis) = &self.analysis {
            tuple.serialize_element(analysis)?;
        }
        tuple.end()
    }
}

/// The players of all matches, the best player of the first match first. The first line is
/// the header; lines end with CR LF.
pub fn csv<'a>(
    matches: impl IntoIterator<Item = &'a Summary, IntoIter: Clone>,
) -> Result<String, csv::Error> {
    let matches = matches.into_iter();
    let has = |is_there: fn(&PlayerSummary) -> bool| {
        let mut players = matches.clone().flat_map(|summary| &summary.players);
        players.any(is_there)
    };
    let has_means = has(|player| !player.means.is_empty());
    let has_claims = has(|player| player.claims.is_some());
    let has_ponder = has(|player| player.ponder.is_some());
    let has_analysis = has(|player| player.analysis.is_some());
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    for (summary, number) in matches.zip(1..) {
        for player in &summary.players {
            writer.serialize(WideRow {
                row: Row::new(summary, number, player),
                means: has_means.then(|| player.means.into()),
                claims: has_claims.then(|| player.claims.into()),
                ponder: has_ponder.then(|| player.ponder.into()),
                analysis: has_analysis.then(|| player.analysis.as_ref().into()),
            })?;
        }
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl<'a> Row<'a> {
    fn new(summary: &'a Summary, number: usize, player: &PlayerSummary) -> Row<'a> {
        let interval = player.interval();
        Row {
            number,
            rank: player.rank,
            name: safe_name(&player.name),
            points: player.points,
            percent: player.percent().map(|percent| rounded(percent, 2)),
            games: player.games.games(),
            wins: player.games.wins,
            ties: player.games.draws,
            losses: player.games.losses,
            elo: player.elo().map(|elo| rounded(elo, 1)),
            elo_low: interval.map(|[low, _]| rounded(low, 1)),
            elo_high: interval.map(|[_, high]| rounded(high, 1)),
            opponents_points: player.opponents_points,
            points_off: player.points_off,
            first_moves: player.first_moves,
            mean_ms: player.mean_ms.map(|time| rounded(time, 3)),
            longest_ms: rounded(player.longest_ms, 3),
            faults: player.faults.values().sum(),
            variant: summary.variant,
            format: summary.format,
        }
    }
}

impl From<FactMeans> for MeansRow {
    fn from(means: FactMeans) -> MeansRow {
        let rounded = |value: Option<f64>, decimals| value.map(|value| rounded(value, decimals));
        MeansRow {
            mean_depth: rounded(means.mean_depth, 2),
            mean_nps: rounded(means.mean_nps, 0),
            mean_latency_ms: rounded(means.mean_latency_ms, 3),
            mean_time_left_ms: rounded(means.mean_time_left_ms, 3),
        }
    }
}

impl From<Option<ClaimCounts>> for ClaimsRow {
    fn from(claims: Option<ClaimCounts>) -> ClaimsRow {
        ClaimsRow {
            claims_right: claims.map(|claims| claims.right),
            claims_wrong: claims.map(|claims| claims.wrong),
            claims_unverified: claims.map(|claims| claims.unverified),
        }
    }
}

impl From<Option<PonderCounts>> for PonderRow {
    fn from(ponder: Option<PonderCounts>) -> PonderRow {
        PonderRow {
            ponder_hits: ponder.map(|ponder| ponder.hits),
            ponder_misses: ponder.map(|ponder| ponder.misses),
        }
    }
}

impl From<Option<&AnalysisTally>> for AnalysisRow {
    fn from(tally: Option<&AnalysisTally>) -> AnalysisRow {
        AnalysisRow {
            analysed_moves: tally.map(|tally| tally.moves),
            best_moves: tally.map(|tally| tally.best_moves),
            mistakes: tally.map(|tally| tally.mistakes),
            blunders: tally.map(|tally| tally.blunders),
            given_away: tally.map(|tally| tally.given_away),
            mean_loss: tally.and_then(|tally| Some(rounded(tally.mean_loss?, 4))),
        }
    }
}

/// `number` with this number of decimals; never −0.
fn rounded(number: f64, decimals: i32) -> f64 {
    let scale = 10.0_f64.powi(decimals);
    (number * scale).round() / scale + 0.0
}

/// A name that a spreadsheet does not take for a formula: an apostrophe precedes `=`, `+`,
/// `-`, `@`, a tab or a carriage return at its beginning.
fn safe_name(name: &str) -> String {
    if name.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{name}")
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::tests::{game, tournament};

    #[test]
    fn quotes_names_and_rounds_numbers() {
        let names = ["a,b", "say \"so\"", "=1+1"];
        let (header, mut tournament) = tournament(3, 2, |header| {
            for (engine, name) in header.engines.iter_mut().zip(names) {
                engine.name = name.into();
            }
        });
        for (id, result) in (1..).zip(["1-0", "1/2-1/2", "0-1", "1-0", "1/2-1/2", "1-0"]) {
            let record = game(&tournament, id, result);
            tournament.add(record).unwrap();
        }
        let summary = Summary::new(&header, &tournament);
        let text = csv([&summary, &summary]).unwrap();
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(lines.len(), 8, "{text}");
        assert_eq!(
            lines[0],
            "match,rank,name,points,percent,games,wins,ties,losses,elo,elo_low,elo_high,\
             opponents_points,points_off,first_moves,mean_ms,longest_ms,faults,variant,format"
        );
        assert!(
            lines[1].starts_with("1,1,\"say \"\"so\"\"\",3.0,75.0,4,3,0,1,"),
            "{text}"
        );
        assert!(lines[2].starts_with("1,2,'=1+1,2.0,50.0,4,1,2,1,"), "{text}");
        assert!(lines[3].starts_with("1,3,\"a,b\",1.0,25.0,4,0,2,2,-"), "{text}");
        assert!(lines[4].starts_with("2,1,"), "{text}");
        assert!(lines[1].ends_with(",0,magnetic-cave,round-robin"), "{text}");
        assert_eq!(lines[7], "");
    }

    #[test]
    fn recorded_means_are_columns_at_the_end() {
        let (header, mut tournament) = tournament(2, 4, |_| ());
        let mut record = game(&tournament, 1, "1-0");
        record.facts.depth = Some(vec![Some(4), None, Some(5), None, Some(5), None, None, None]);
        tournament.add(record).unwrap();
        let summary = Summary::new(&header, &tournament);
        let text = csv([&summary]).unwrap();
        let lines: Vec<&str> = text.split("\r\n").collect();
        let end = ",variant,format,mean_depth,mean_nps,mean_latency_ms,mean_time_left_ms";
        assert!(lines[0].ends_with(end), "{text}");
        let ends = [lines[1], lines[2]].map(|line| line.split("round-robin").nth(1).unwrap());
        assert!(ends.contains(&",4.67,,,") && ends.contains(&",,,,"), "{text}");
    }

    #[test]
    fn claims_and_ponder_hits_are_columns_at_the_end() {
        use crate::game::PonderOutcome::{Hit, Miss};
        use crate::game::adjudication::ClaimVerdict::{Right, Unverified, Wrong};

        let (header, mut tournament) = tournament(2, 4, |_| ());
        let mut record = game(&tournament, 1, "1-0");
        // After an opening of one move, `b` makes the first move.
        record.ponder = Some(vec![
            None,
            None,
            None,
            Some(Hit),
            None,
            Some(Hit),
            None,
            Some(Miss),
        ]);
        tournament.add(record.clone()).unwrap();
        let ponder_only = csv([&Summary::new(&header, &tournament)]).unwrap();
        let ending = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.rsplit("format").next().unwrap());
            lines
                .map(|line| line.rsplit("round-robin").next().unwrap().to_string())
                .collect()
        };
        assert_eq!(ending(&ponder_only), [",ponder_hits,ponder_misses", ",2,1", ",,"]);

        record.id = 3;
        record.pair = 2;
        record.claims = Some(vec![
            Some(Wrong),
            Some(Right),
            None,
            Some(Right),
            None,
            Some(Unverified),
            None,
            None,
        ]);
        tournament.add(record).unwrap();
        let both = csv([&Summary::new(&header, &tournament)]).unwrap();
        assert_eq!(
            ending(&both),
            [
                ",claims_right,claims_wrong,claims_unverified,ponder_hits,ponder_misses",
                ",2,0,1,4,2",
                ",0,1,0,,",
            ]
        );
    }

    #[test]
    fn missing_numbers_are_empty() {
        let (header, tournament) = tournament(2, 4, |_| ());
        let text = csv([&Summary::new(&header, &tournament)]).unwrap();
        assert!(
            text.contains("\r\n1,1,a,0.0,,0,0,0,0,,,,0.0,0,0,,0.0,0,"),
            "{text}"
        );
    }

    #[test]
    fn names_are_not_formulas() {
        for name in ["=a", "+a", "-a", "@a", "\ta", "\ra"] {
            assert_eq!(safe_name(name), format!("'{name}"));
        }
        assert_eq!(safe_name("a=b"), "a=b");
        assert_eq!(rounded(-0.04, 1).to_string(), "0");
    }
}
