//! All that is said of each column of a player, in one row. CSV, the grade book of a ladder, the tables on the terminal
//! and on a page, and what the page explains of them are made of these rows.

#![allow(clippy::unnecessary_wraps)] // cells have one type

use std::collections::BTreeMap;

use referee_core::player::verdict::FaultKind;
use referee_core::results::facts::{FactMean, means};
use referee_core::results::{AnalysisTally, Submission};
use referee_core::schedule::RankedBy;
use referee_statistics::format_number;

use super::cells::{exact, rounded, safe_name, time};
use super::summary::{PlayerSummary, Summary};

use self::Cell::{Is, MeanOf};

/// A column of a player.
#[derive(Clone, Copy)]
pub struct PlayerColumn {
    /// In CSV, where columns have the order of the rows here.
    pub csv: Option<CsvColumn>,
    /// In the grade book of a ladder.
    pub grades: Option<GradeColumn>,
    /// In tables for people.
    pub table: Option<TableColumn>,
}

/// A column of CSV.
#[derive(Clone, Copy)]
pub struct CsvColumn {
    /// Its name, that of `--json` where it means the same.
    pub name: &'static str,
    /// It is there if this holds for any player.
    pub when: fn(Row<'_>) -> bool,
    pub cell: Cell,
}

/// A column of a grade book. It is always there.
#[derive(Clone, Copy)]
pub struct GradeColumn {
    /// Its number, from 1.
    pub number: u8,
    pub name: &'static str,
    pub cell: fn(Row<'_>) -> Option<String>,
}

/// A column of tables for people.
#[derive(Clone, Copy)]
pub struct TableColumn {
    /// The part of the table in which it is.
    pub part: Part,
    /// Its headings on the terminal and on a page, where it is there.
    pub headings: [Option<&'static str>; 2],
    /// What the page says of it.
    pub help: &'static str,
    /// Whether a narrow page has it.
    pub narrow: Narrow,
    /// It is there if this holds for any player; without it, if any player has a cell.
    when: Option<fn(Row<'_>) -> bool>,
    pub cell: Cell,
}

impl TableColumn {
    /// Whether the table of these players has it.
    pub fn is_for<'a>(&self, mut players: impl Iterator<Item = Row<'a>>) -> bool {
        let is_given = |row| match self.when {
            Some(when) => when(row),
            None => self.cell.text(row).is_some(),
        };
        players.any(is_given)
    }
}

/// The parts of a table for people, in their order. Ratings come first if they rank the players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Points,
    TieBreak,
    Games,
    Ratings,
    Means,
    Times,
    Analysis,
    Faults,
}

/// Whether a narrow page has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    Yes,
    /// If there are no ratings.
    Unrated,
    No,
}

/// The text of a cell; `None` if there is nothing to say.
#[derive(Clone, Copy)]
pub enum Cell {
    Is(fn(Row<'_>) -> Option<String>),
    /// This mean of a recorded fact, in this form.
    MeanOf(&'static FactMean, fn(&FactMean, f64) -> Option<String>),
}

impl Cell {
    pub fn text(self, row: Row<'_>) -> Option<String> {
        match self {
            Is(text) => text(row),
            MeanOf(mean, text) => text(mean, row.player.means.get(mean)?),
        }
    }
}

/// A player of a match.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// The number of the match, from 1.
    pub number: usize,
    pub summary: &'a Summary,
    pub player: &'a PlayerSummary,
    /// What it is in a ladder.
    pub submission: Option<&'a Submission>,
}

impl<'a> Row<'a> {
    pub fn of(number: usize, summary: &'a Summary, player: &'a PlayerSummary) -> Row<'a> {
        Row {
            number,
            summary,
            player,
            submission: None,
        }
    }
}

/// The word whose meaning ends with all kinds of faults.
pub const FAULTS: &str = "Faults";

/// The columns before the means of recorded facts.
static FIRST: [PlayerColumn; 25] = [
    only(always("match", |row| Some(row.number.to_string()))),
    PlayerColumn {
        csv: always("rank", rank),
        grades: grade(1, "rank", rank),
        table: None,
    },
    PlayerColumn {
        csv: always("name", |row| Some(safe_name(&row.player.name))),
        grades: grade(2, "name", |row| {
            let submission = row.submission.map(|submission| &submission.name);
            Some(safe_name(submission.unwrap_or(&row.player.name)))
        }),
        table: None,
    },
    PlayerColumn {
        csv: None,
        grades: grade(3, "version", |row| Some(row.submission?.version.to_string())),
        table: None,
    },
    PlayerColumn {
        csv: always("points", points),
        grades: grade(5, "points", points),
        table: Some(TableColumn {
            part: Part::Points,
            headings: [Some("Points"), Some("Points")],
            help: "",
            narrow: Narrow::Yes,
            when: Some(any),
            cell: Is(|row| Some(format_number(Some(row.player.points), 1))),
        }),
    },
    PlayerColumn {
        csv: always("percent", |row| rounded(row.player.percent(), 2)),
        grades: None,
        table: Some(TableColumn {
            part: Part::Points,
            headings: [Some("Percent"), Some("Percent")],
            help: "",
            narrow: Narrow::No,
            when: Some(any),
            cell: Is(|row| Some(format!("{:.1} %", row.player.percent()?))),
        }),
    },
    PlayerColumn {
        csv: always("games", games),
        grades: grade(4, "games", games),
        table: Some(TableColumn {
            part: Part::Games,
            headings: [Some("Games"), Some("Games")],
            help: "",
            narrow: Narrow::No,
            when: Some(any),
            cell: Is(games),
        }),
    },
    PlayerColumn {
        csv: always("wins", wins),
        grades: None,
        table: Some(TableColumn {
            part: Part::Games,
            headings: [Some("W"), Some("Won")],
            help: "",
            narrow: Narrow::Unrated,
            when: Some(any),
            cell: Is(wins),
        }),
    },
    PlayerColumn {
        csv: always("ties", draws),
        grades: None,
        table: Some(TableColumn {
            part: Part::Games,
            headings: [Some("D"), Some("Drawn")],
            help: "",
            narrow: Narrow::Unrated,
            when: Some(any),
            cell: Is(draws),
        }),
    },
    PlayerColumn {
        csv: always("losses", losses),
        grades: None,
        table: Some(TableColumn {
            part: Part::Games,
            headings: [Some("L"), Some("Lost")],
            help: "",
            narrow: Narrow::Unrated,
            when: Some(any),
            cell: Is(losses),
        }),
    },
    PlayerColumn {
        csv: always("elo", elo),
        grades: grade(6, "rating", elo),
        table: Some(TableColumn {
            part: Part::Ratings,
            headings: [Some("Elo"), Some("Elo")],
            help: "A rating. The difference between two players says how many points the stronger one makes on \
                   average: with 0 Elo half of them, with 100 Elo 64 %, with 200 Elo 76 %, with 400 Elo 91 %.",
            narrow: Narrow::Yes,
            when: Some(is_rated),
            cell: Is(|row| Some(format_number(Some(row.player.elo()?), 0))),
        }),
    },
    PlayerColumn {
        csv: always("elo_low", low),
        grades: grade(7, "low", low),
        table: Some(TableColumn {
            part: Part::Ratings,
            headings: [Some("95 % interval"), Some("95 % interval")],
            help: "What the games can tell: of 100 such ranges, about 95 contain the true value. More games make it \
                   narrower.",
            narrow: Narrow::No,
            when: Some(is_rated),
            cell: Is(interval),
        }),
    },
    PlayerColumn {
        csv: always("elo_high", high),
        grades: grade(8, "high", high),
        table: None,
    },
    PlayerColumn {
        csv: always("opponents_points", |row| Some(exact(row.player.opponents_points))),
        grades: None,
        table: Some(TableColumn {
            part: Part::TieBreak,
            headings: [Some("Buchholz"), Some("Buchholz")],
            help: "The points of all opponents together.",
            narrow: Narrow::No,
            when: Some(|row| row.summary.ranked_by == RankedBy::OpponentsPoints),
            cell: Is(|row| Some(format_number(Some(row.player.opponents_points), 1))),
        }),
    },
    only(always("points_off", |row| {
        Some(row.player.bye_points.to_string())
    })),
    only(always("first_moves", |row| {
        Some(row.player.first_moves.to_string())
    })),
    PlayerColumn {
        csv: always("mean_ms", |row| rounded(row.player.mean_ms, 3)),
        grades: None,
        table: Some(TableColumn {
            part: Part::Times,
            headings: [None, Some("Time a move")],
            help: "The average time of a move.",
            narrow: Narrow::No,
            when: None,
            cell: Is(|row| row.player.mean_ms.map(time)),
        }),
    },
    PlayerColumn {
        csv: always("longest_ms", |row| rounded(Some(row.player.longest_ms), 3)),
        grades: grade(10, "longest_ms", |row| rounded(row.player.longest(), 3)),
        table: Some(TableColumn {
            part: Part::Times,
            headings: [None, Some("Longest")],
            help: "The time of the longest move; ≥ if no answer came at all.",
            narrow: Narrow::No,
            when: Some(|row| row.player.mean_ms.is_some()),
            cell: Is(|row| {
                let at_least = if row.player.is_longest_open { "≥ " } else { "" };
                Some(format!("{at_least}{}", time(row.player.longest()?)))
            }),
        }),
    },
    PlayerColumn {
        csv: always("faults", faults),
        grades: grade(9, "faults", faults),
        table: Some(TableColumn {
            part: Part::Faults,
            headings: [None, Some(FAULTS)],
            help: "Games that a program lost by itself and not on the board:",
            narrow: Narrow::Yes,
            when: None,
            cell: Is(|row| kinds(&row.player.faults)),
        }),
    },
    PlayerColumn {
        csv: None,
        // A player that plays has none.
        grades: grade(11, "problem", |_| None),
        table: None,
    },
    only(always("variant", |row| Some(row.summary.game.clone()))),
    only(always("format", |row| Some(row.summary.format.to_string()))),
    PlayerColumn {
        csv: given("random_moves", |row| replaced(row) > 0, |row| some(replaced(row))),
        grades: grade(12, "random_moves", |row| Some(replaced(row).to_string())),
        table: Some(TableColumn {
            part: Part::Faults,
            headings: [None, Some("Random moves")],
            help: "Moves that were drawn at random in place of an answer with a fault.",
            narrow: Narrow::Yes,
            when: None,
            cell: Is(|row| kinds(&row.player.replaced)),
        }),
    },
    PlayerColumn {
        csv: given(
            "unanswered",
            |row| row.player.unanswered() > 0,
            |row| some(row.player.unanswered()),
        ),
        grades: grade(13, "unanswered", |row| Some(row.player.unanswered().to_string())),
        table: None,
    },
    PlayerColumn {
        csv: given("over_limit", is_over_limit, |row| some(row.player.over_limit)),
        grades: grade(14, "over_limit", over_limit),
        table: Some(TableColumn {
            part: Part::Times,
            headings: [None, Some("Over the limit")],
            help: "Moves that took longer than allowed, but not longer than the margin (timemargin), so they were \
                   played.",
            narrow: Narrow::No,
            when: Some(is_over_limit),
            cell: Is(over_limit),
        }),
    },
];

/// The columns behind them.
static LAST: [PlayerColumn; 8] = [
    only(given("ponder_hits", has_pondered, |row| {
        Some(row.player.ponder?.hits.to_string())
    })),
    only(given("ponder_misses", has_pondered, |row| {
        Some(row.player.ponder?.misses.to_string())
    })),
    only(given("analysed_moves", is_analysed, |row| {
        tallied(row, |tally| tally.moves)
    })),
    only(given("best_moves", is_analysed, |row| {
        tallied(row, |tally| tally.best_moves)
    })),
    PlayerColumn {
        csv: given("mistakes", is_analysed, mistakes),
        grades: None,
        table: Some(TableColumn {
            part: Part::Analysis,
            headings: [None, Some("Mistakes")],
            help: "Moves that lost at least 0.1 points of the expected result, as the analysis sees it, blunders \
                   included.",
            narrow: Narrow::No,
            when: None,
            cell: Is(mistakes),
        }),
    },
    PlayerColumn {
        csv: given("blunders", is_analysed, blunders),
        grades: None,
        table: Some(TableColumn {
            part: Part::Analysis,
            headings: [None, Some("Blunders")],
            help: "Mistakes that lost at least 0.15 points.",
            narrow: Narrow::No,
            when: None,
            cell: Is(blunders),
        }),
    },
    only(given("given_away", is_analysed, |row| {
        tallied(row, |tally| tally.given_away)
    })),
    only(given("mean_loss", is_analysed, |row| {
        rounded(row.player.analysis.as_ref()?.mean_loss, 4)
    })),
];

/// The column of the mean of a recorded fact.
const fn of_mean(mean: &'static FactMean) -> PlayerColumn {
    PlayerColumn {
        csv: Some(CsvColumn {
            name: mean.name,
            when: |row| row.player.means.iter().next().is_some(),
            cell: MeanOf(mean, |mean, value| rounded(Some(value), mean.decimals)),
        }),
        grades: None,
        table: Some(TableColumn {
            part: Part::Means,
            headings: [Some(mean.heading), None],
            help: "",
            narrow: Narrow::No,
            when: None,
            cell: MeanOf(mean, |mean, value| Some((mean.text)(value))),
        }),
    }
}

/// All columns, in the order of CSV.
pub fn columns() -> impl Iterator<Item = PlayerColumn> {
    let first = FIRST.iter().copied();
    first.chain(means().map(of_mean)).chain(LAST.iter().copied())
}

/// The columns of a table for people, in their order there.
pub fn table_columns(ranked_by: RankedBy) -> Vec<TableColumn> {
    let mut columns: Vec<TableColumn> = columns().filter_map(|column| column.table).collect();
    let is_first = |part| part == Part::Ratings && ranked_by == RankedBy::Ratings;
    columns.sort_by_key(|column| (!is_first(column.part), column.part));
    columns
}

/// The columns of the grade book of a ladder, in their order.
pub fn grade_columns() -> Vec<GradeColumn> {
    let mut columns: Vec<GradeColumn> = columns().filter_map(|column| column.grades).collect();
    columns.sort_by_key(|column| column.number);
    columns
}

/// A column of CSV only.
const fn only(csv: Option<CsvColumn>) -> PlayerColumn {
    PlayerColumn {
        csv,
        grades: None,
        table: None,
    }
}

/// A column that every table of CSV has.
const fn always(name: &'static str, cell: fn(Row<'_>) -> Option<String>) -> Option<CsvColumn> {
    given(name, any, cell)
}

const fn given(
    name: &'static str,
    when: fn(Row<'_>) -> bool,
    cell: fn(Row<'_>) -> Option<String>,
) -> Option<CsvColumn> {
    Some(CsvColumn {
        name,
        when,
        cell: Is(cell),
    })
}

const fn grade(number: u8, name: &'static str, cell: fn(Row<'_>) -> Option<String>) -> Option<GradeColumn> {
    Some(GradeColumn { number, name, cell })
}

const fn any(_: Row<'_>) -> bool {
    true
}

fn is_rated(row: Row<'_>) -> bool {
    row.player.elo().is_some()
}

fn is_over_limit(row: Row<'_>) -> bool {
    row.player.over_limit > 0
}

fn has_pondered(row: Row<'_>) -> bool {
    row.player.ponder.is_some()
}

fn is_analysed(row: Row<'_>) -> bool {
    row.player.analysis.is_some()
}

fn rank(row: Row<'_>) -> Option<String> {
    Some(row.player.rank.to_string())
}

fn points(row: Row<'_>) -> Option<String> {
    Some(exact(row.player.points))
}

fn games(row: Row<'_>) -> Option<String> {
    Some(row.player.games.games().to_string())
}

fn wins(row: Row<'_>) -> Option<String> {
    Some(row.player.games.wins.to_string())
}

fn draws(row: Row<'_>) -> Option<String> {
    Some(row.player.games.draws.to_string())
}

fn losses(row: Row<'_>) -> Option<String> {
    Some(row.player.games.losses.to_string())
}

fn elo(row: Row<'_>) -> Option<String> {
    rounded(row.player.elo(), 1)
}

fn low(row: Row<'_>) -> Option<String> {
    rounded(row.player.interval().map(|ends| ends[0]), 1)
}

fn high(row: Row<'_>) -> Option<String> {
    rounded(row.player.interval().map(|ends| ends[1]), 1)
}

fn interval(row: Row<'_>) -> Option<String> {
    let [low, high] = row.player.interval()?;
    if high - low <= 0.0 {
        return Some("fixed".into());
    }
    Some([low, high].map(|end| format_number(Some(end), 0)).join(" to "))
}

/// The number of games that a player lost by faults.
fn faults(row: Row<'_>) -> Option<String> {
    Some(row.player.faults.values().sum::<u64>().to_string())
}

/// The number of random moves after its other faults.
fn replaced(row: Row<'_>) -> u64 {
    row.player.replaced.values().sum()
}

fn over_limit(row: Row<'_>) -> Option<String> {
    Some(row.player.over_limit.to_string())
}

fn mistakes(row: Row<'_>) -> Option<String> {
    tallied(row, |tally| tally.mistakes)
}

fn blunders(row: Row<'_>) -> Option<String> {
    tallied(row, |tally| tally.blunders)
}

/// A count over the analysed moves.
fn tallied(row: Row<'_>, count: fn(&AnalysisTally) -> u64) -> Option<String> {
    Some(count(row.player.analysis.as_ref()?).to_string())
}

/// A count that is not 0.
fn some(count: u64) -> Option<String> {
    (count > 0).then(|| count.to_string())
}

/// The numbers of faults, by kind, if there are any.
fn kinds(faults: &BTreeMap<FaultKind, u64>) -> Option<String> {
    Some(counted_faults(faults)).filter(|text| !text.is_empty())
}

/// The numbers of faults, by kind.
pub fn counted_faults(faults: &BTreeMap<FaultKind, u64>) -> String {
    let faults = faults.iter().map(|(kind, count)| format!("{count} {kind}"));
    faults.collect::<Vec<_>>().join(", ")
}
