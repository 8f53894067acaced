//! Regular expressions with placeholders, to find text in the output of a program.

use std::collections::BTreeSet;
use std::ops::Range;

use lodestone_game::board::{Cell, Move, Side};
use regex_lite::{Captures, Regex, RegexBuilder};

use super::cell_names::{CellNames, check_slot, full_name};
use super::moves::{MOVE_SLOT, MoveParts, MoveWords};

/// The placeholders of every pattern: the number of the program's side and of its
/// opponent's, 1 or 2.
pub const SIDE_SLOTS: [&str; 2] = ["player", "opponent"];

/// The placeholders of a move without a starting cell.
pub const PLACE_SLOTS: [&str; 6] = ["cell", "to", "row", "column", "to_row", "to_column"];

/// The placeholders of the starting cell of a move.
pub const FROM_SLOTS: [&str; 3] = ["from", "from_row", "from_column"];

/// Between the name of a group and its number: a group name must be unique.
const NUMBER_MARK: &str = "__";

/// Maximum size of a compiled pattern, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// The number of a side in the text of a program.
pub const fn number(side: Side) -> &'static str {
    match side {
        Side::First => "1",
        Side::Second => "2",
    }
}

/// A pattern, for the program on either side.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Its key and line, such as "`prompt` of \[move\], line 7".
    pub origin: String,
    /// As it is written in the file.
    pub source: String,
    /// By the program's side.
    regexes: [Regex; 2],
}

impl Pattern {
    /// Compiles a pattern that may contain [`SIDE_SLOTS`].
    pub fn new(source: &str, origin: String) -> Result<Pattern, String> {
        Pattern::compile(source, origin, &SIDE_SLOTS, |_| String::new())
    }

    /// Compiles a pattern with these placeholders; `expand` replaces those that are not
    /// [`SIDE_SLOTS`].
    fn compile(
        source: &str,
        origin: String,
        slots: &[&str],
        mut expand: impl FnMut(&str) -> String,
    ) -> Result<Pattern, String> {
        let mut for_side = |side: Side| {
            let expanded = expanded(source, slots, |slot| match slot {
                "player" => number(side).to_string(),
                "opponent" => number(side.opponent()).to_string(),
                _ => expand(slot),
            })?;
            let mut regex = RegexBuilder::new(&expanded);
            regex
                .multi_line(true)
                .size_limit(MAX_COMPILED)
                .build()
                .map_err(|error| explained(&error))
        };
        let regexes = [for_side(Side::First)?, for_side(Side::Second)?];
        if regexes.iter().any(|regex| regex.is_match("")) {
            return Err("the pattern matches an empty text, so it would match everywhere".into());
        }
        let source = source.to_string();
        Ok(Pattern {
            origin,
            source,
            regexes,
        })
    }

    /// The expression for a program on this side.
    pub const fn regex(&self, side: Side) -> &Regex {
        let [first, second] = &self.regexes;
        match side {
            Side::First => first,
            Side::Second => second,
        }
    }
}

fn explained(error: &regex_lite::Error) -> String {
    format!("the pattern is wrong: {error}")
}

/// Replaces each `{word}`. Numbers in braces and the braces of `\x{…}` belong to the
/// expression.
fn expanded(source: &str, slots: &[&str], mut value: impl FnMut(&str) -> String) -> Result<String, String> {
    let token = Regex::new(r"\\[xuU]?\{|\{([A-Za-z][^}]*)\}").map_err(|error| explained(&error))?;
    for name in token.captures_iter(source).filter_map(|found| found.get(1)) {
        check_slot(name.as_str(), slots)?;
    }
    let expanded = token.replace_all(source, |found: &Captures<'_>| match found.get(1) {
        Some(name) => value(name.as_str()),
        None => found[0].to_string(),
    });
    Ok(expanded.into_owned())
}

/// What a program's answer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A move on the board, legal or not.
    Move(Move),
    /// What the text says of a move of a rules program: not which one it is.
    Parts(MoveParts),
    /// Text that is no move of the board.
    Other(String),
}

/// A pattern for a move in the output of a program.
#[derive(Clone, Debug)]
pub struct MovePattern {
    /// The pattern, with a group for each part of a move.
    pub pattern: Pattern,
    /// `None` for a move of a rules program.
    cells: Option<CellNames>,
    slides: bool,
}

impl MovePattern {
    /// Compiles a pattern that finds a move. `slides`: a move has a starting cell.
    pub fn new(source: &str, origin: String, cells: &CellNames, slides: bool) -> Result<MovePattern, String> {
        let mut count = 0;
        let mut numbered = |name: &str| {
            count += 1;
            format!("{name}{NUMBER_MARK}{count}")
        };
        let pattern = Pattern::compile(source, origin, &slots(slides), |slot| {
            let slot = full_name(slot);
            match slot.split_once('_') {
                Some((_, part)) => cells.slot_regex(part, &numbered(slot)),
                None => cells.regex(|part| numbered(&format!("{slot}_{part}"))),
            }
        })?;
        let groups = pattern.regex(Side::First).capture_names().flatten();
        let groups: BTreeSet<&str> = groups.map(plain_name).collect();
        if !names_cell(&groups, "to") {
            let example = if slides { "{to}" } else { "{cell}" };
            return Err(format!(
                "the pattern does not say where the move is; write `{example}` there"
            ));
        }
        if slides && !names_cell(&groups, "from") {
            return Err("the pattern does not say where the piece comes from; write `{from}` there".into());
        }
        Ok(MovePattern {
            pattern,
            cells: Some(cells.clone()),
            slides,
        })
    }

    /// Compiles a pattern that finds what the text says of a move of a rules program.
    pub fn of_words(source: &str, origin: String, words: &MoveWords) -> Result<MovePattern, String> {
        let mut count = 0;
        let mut numbered = |name: &str| {
            count += 1;
            format!("{name}{NUMBER_MARK}{count}")
        };
        let pattern = Pattern::compile(source, origin, &word_slots(words), |slot| {
            let slot = full_name(slot);
            match (&words.cells, slot.split_once('_')) {
                (Some(cells), Some(("to" | "from", part))) => cells.slot_regex(part, &numbered(slot)),
                (Some(cells), None) if ["to", "from"].contains(&slot) => {
                    cells.regex(|part| numbered(&format!("{slot}_{part}")))
                }
                _ if slot == MOVE_SLOT => format!(r"(?<{}>\S*[^\s.,;:!?)])", numbered(slot)),
                _ => format!(r"(?<{}>[^\s.,;:!?)]+)", numbered(slot)),
            }
        })?;
        let mut groups = pattern.regex(Side::First).capture_names().flatten();
        if groups.next().is_none() {
            return Err(
                "the pattern does not say what the move is; write `{move}` there, or its parts".into(),
            );
        }
        Ok(MovePattern {
            pattern,
            cells: None,
            slides: false,
        })
    }

    /// All moves in a text, each with its place.
    pub fn readings(&self, text: &str, side: Side) -> Vec<(Range<usize>, Reading)> {
        let matches = self.pattern.regex(side).captures_iter(text);
        let readings = matches.filter_map(|captures| {
            let place = captures.get(0)?.range();
            let reading = self.reading(&captures, side);
            // In an alternation, another branch may have matched.
            (reading != Reading::Other(String::new())).then_some((place, reading))
        });
        readings.collect()
    }

    fn reading(&self, captures: &Captures<'_>, side: Side) -> Reading {
        let Some(cells) = &self.cells else {
            let names = self.pattern.regex(side).capture_names().flatten();
            let parts: MoveParts = names
                .filter_map(|name| {
                    Some((
                        plain_name(name).to_string(),
                        captures.name(name)?.as_str().to_string(),
                    ))
                })
                .collect();
            return if parts.is_empty() {
                Reading::Other(String::new())
            } else {
                Reading::Parts(parts)
            };
        };
        let cell = |end| self.cell(cells, captures, side, end);
        let text = |cell: Result<Cell, String>| cell.map_or_else(|text| text, |cell| cells.name(cell));
        match (self.slides.then(|| cell("from")), cell("to")) {
            (None, Ok(to)) => Reading::Move(Move::slide(to, to)),
            (Some(Ok(from)), Ok(to)) => Reading::Move(Move::slide(from, to)),
            (from, to) => Reading::Other(from.map_or(String::new(), text) + &text(to)),
        }
    }

    /// The cell at this end of a move, `from` or `to`; otherwise what stands there.
    fn cell(
        &self,
        cells: &CellNames,
        captures: &Captures<'_>,
        side: Side,
        end: &str,
    ) -> Result<Cell, String> {
        let regex = self.pattern.regex(side);
        let group = |wanted: &str| {
            let mut found = regex
                .capture_names()
                .flatten()
                .filter(|name| plain_name(name) == wanted);
            Some(found.find_map(|name| captures.name(name))?.as_str().trim())
        };
        if let Some(text) = group(end) {
            let names = Regex::new(&format!("^{}$", cells.regex(str::to_string))).ok();
            let parts = names.as_ref().and_then(|names| names.captures(text));
            let cell = parts.and_then(|parts| cells.cell(&parts["column"], &parts["row"]));
            return cell.ok_or_else(|| text.to_string());
        }
        let [column, row] = ["column", "row"].map(|part| group(&format!("{end}_{part}")).unwrap_or_default());
        cells.cell(column, row).ok_or_else(|| format!("{column}{row}"))
    }
}

/// Whether these placeholders or groups name the cell at this end of a move.
pub fn names_cell(names: &BTreeSet<&str>, end: &str) -> bool {
    let has = |part| names.contains(format!("{end}_{part}").as_str());
    names.contains(end) || has("row") && has("column")
}

/// The placeholders of a move, and of every pattern.
pub fn slots(slides: bool) -> Vec<&'static str> {
    let from: &[&str] = if slides { &FROM_SLOTS } else { &[] };
    [from, &PLACE_SLOTS, &SIDE_SLOTS].concat()
}

/// The placeholders of a move of a rules program, and of every pattern.
pub fn word_slots(words: &MoveWords) -> Vec<&str> {
    let cells: &[&[&str]] = match words.cells {
        Some(_) => &[&FROM_SLOTS, &PLACE_SLOTS],
        None => &[],
    };
    let cells = cells.iter().copied().flatten().copied();
    words.slots().into_iter().chain(cells).chain(SIDE_SLOTS).collect()
}

/// The full name of a group, without its number.
fn plain_name(group: &str) -> &str {
    full_name(group.split_once(NUMBER_MARK).map_or(group, |(name, _)| name))
}

#[cfg(test)]
mod tests {
    use lodestone_game::Variant;
    use sentences::{assert_has, expect};

    use super::*;

    fn moves(variant: Variant, source: &str, columns: &str, rows: &str) -> Result<MovePattern, String> {
        let mut cells = CellNames::of_protocol(variant);
        cells.set("columns", columns).unwrap();
        cells.set("rows", rows).unwrap();
        MovePattern::new(source, "`pattern`".into(), &cells, variant.info().slides)
    }

    fn cave(source: &str) -> Result<MovePattern, String> {
        moves(Variant::MagneticCave, source, "ABCDEFGH", "12345678")
    }

    fn grid(source: &str) -> Result<MovePattern, String> {
        moves(Variant::Gridlock, source, "1234567", "abcdefg")
    }

    /// The readings of a text for the second player, in the protocol's notation.
    fn read(pattern: &MovePattern, text: &str) -> Vec<String> {
        let position = if pattern.slides {
            Variant::Gridlock
        } else {
            Variant::MagneticCave
        }
        .startpos();
        let readings = pattern.readings(text, Side::Second).into_iter();
        let texts = readings.map(|(_, reading)| match reading {
            Reading::Move(mv) => position.move_text(mv),
            Reading::Parts(parts) => panic!("{parts:?}"),
            Reading::Other(text) => format!("? {text}"),
        });
        texts.collect()
    }

    /// In each line the game, the moves in a text, the pattern and the text. Row 1 is at the top of the
    /// cave, which is rank 8.
    const READINGS: &str = r"
cave ¦ b8 ¦ chose move: {cell} ¦ Player 2 chose move: B1¶
cave ¦ a1 ¦ Player {player} chose {cell} ¦ Player 1 chose A1, Player 2 chose a8
cave ¦ a8 ¦ Player {opponent} chose {cell} ¦ Player 1 chose A1, Player 2 chose a8
cave ¦ h6 ¦ row {row}, column {column} ¦ row 3, column h
cave ¦ a5 ¦ \({column}\s*,\s*{row}\) ¦ (A,	4)
cave ¦ a8, a7 ¦ plays {cell}|moves to {cell} ¦ moves to a1 plays a2
cave ¦ c6, ? x99 ¦ (?i)I play (?<cell>\w+) ¦ i PLAY c3. I play x99.
cave ¦ a8 ¦ (?<row>\d) (?<column>\w) ¦ 1 a
cave ¦ a8 ¦ x{2}{cell} ¦ xxa1
cave ¦ a8 ¦ \x{41}{cell} ¦ Aa1
cave ¦  ¦ ({cell}|pass) ¦ pass
grid ¦ g4g5 ¦ piece at {from} to {to} ¦ Computer moves the piece at g4 to G5
grid ¦ a1b1 ¦ {from_row},{from_column}-{to_row},{to_column} ¦ a,1-b,1
grid ¦ a1b1 ¦ {from}-{row}{column} ¦ a1-b1
grid ¦ ? a1z9 ¦ (?<from>..) (?<to>..) ¦ a1 z9
";

    #[test]
    fn reads_moves_in_many_forms() {
        let mut count = 0;
        for line in READINGS.lines().filter(|line| !line.is_empty()) {
            let [game, moves, source, text] = line.split(" ¦ ").collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            count += 1;
            let pattern = if game == "cave" {
                cave(source)
            } else {
                grid(source)
            }
            .unwrap();
            assert_eq!(
                read(&pattern, &text.replace('¶', "\n")).join(", "),
                moves,
                "{source}"
            );
        }
        assert_eq!(count, 15);
    }

    #[test]
    fn every_move_survives_a_round_trip() {
        let pattern = grid("from {from} to {to}!").unwrap();
        let position = Variant::Gridlock.startpos();
        for (from, to) in (0..49).flat_map(|from| (0..49).map(move |to| (from, to))) {
            let cell = |index: u8| Cell::new(index / 7, index % 7);
            let mv = Move::slide(cell(from), cell(to));
            let text = format!(
                "from {} to {}!",
                position.cell_text(mv.from()),
                position.cell_text(mv.to())
            );
            assert_eq!(read(&pattern, &text), [position.move_text(mv)]);
        }
    }

    #[test]
    fn rejects_patterns_that_cannot_work() {
        for (result, why) in [
            (
                cave("I play"),
                expect! {"the pattern does not say where the move is; write `{cell}` there"},
            ),
            (
                cave("{row}"),
                expect! {"the pattern does not say where the move is; write `{cell}` there"},
            ),
            (
                grid("to {to}"),
                expect! {"the pattern does not say where the piece comes from; write `{from}` there"},
            ),
            (
                grid("{from}"),
                expect! {"the pattern does not say where the move is; write `{to}` there"},
            ),
            (
                cave("{cell}("),
                expect! {"the pattern is wrong: found open group without closing ')'"},
            ),
            (
                cave("({cell})?"),
                expect! {"the pattern matches an empty text, so it would match everywhere"},
            ),
        ] {
            why.assert_eq(&result.unwrap_err());
        }
        let other = |source: &str| Pattern::new(source, String::new()).unwrap_err();
        for (error, why) in [
            (
                cave("{from} {to}").unwrap_err(),
                expect! {"unknown placeholder `from`"},
            ),
            (other("{cell}"), expect! {"unknown placeholder"}),
            (other("(a{1000}){1000}"), expect! {"the pattern is wrong"}),
        ] {
            assert_has(error, why);
        }
    }
}
