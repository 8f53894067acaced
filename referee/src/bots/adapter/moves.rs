//! The moves of a rules program, whose words the adapter does not know, in the notation of a program made for people.

use std::collections::BTreeMap;

use referee_core::game::grid::{Grid, Word};
use referee_core::game::{Position, Ruleset};
use regex_lite::Regex;

use super::cell_names::{CellNames, full_name};

/// The placeholder of the whole word of a move.
pub const MOVE_SLOT: &str = "move";

/// What a move consists of: the placeholders and their values in the program's notation.
pub type MoveParts = BTreeMap<String, String>;

/// How the words of moves are taken apart, and what the program calls the parts.
#[derive(Clone, Debug)]
pub struct MoveWords {
    /// How the rules call the cells of their grid, and an expression for these names; `None` without a grid.
    own: Option<(CellNames, Regex)>,
    /// How the program calls them.
    pub cells: Option<CellNames>,
    /// Words of the rules, and what the program has for them.
    words: Vec<(String, String)>,
    /// An expression whose groups are further placeholders.
    form: Option<Regex>,
}

impl MoveWords {
    /// The names in the game of these rules, which are also those of the program.
    pub fn of_rules(rules: Ruleset) -> MoveWords {
        let start = rules.startpos();
        let own = start.grid().and_then(|grid| own_names(&grid, start.as_ref()));
        MoveWords {
            cells: own.as_ref().map(|(names, _)| names.clone()),
            own,
            words: Vec::new(),
            form: None,
        }
    }

    /// The program has another word for a move.
    pub fn translate(&mut self, word: &str, text: &str) {
        self.words.push((word.to_string(), text.to_string()));
    }

    /// Takes words apart by this expression.
    pub fn take_apart(&mut self, source: &str) -> Result<(), String> {
        let form = Regex::new(&format!("^(?:{source})$"))
            .map_err(|error| format!("the expression is wrong: {error}"))?;
        if form.capture_names().flatten().next().is_none() {
            return Err("the expression has no group with a name, such as `(?<column>[a-h])`".into());
        }
        self.form = Some(form);
        Ok(())
    }

    /// The placeholders of moves in this game.
    pub fn slots(&self) -> Vec<&str> {
        let of_form = self.form.iter().flat_map(|form| form.capture_names().flatten());
        std::iter::once(MOVE_SLOT).chain(of_form).collect()
    }

    /// What the program has for the whole word, if that is special.
    pub fn translation(&self, word: &str) -> Option<&str> {
        let found = self.words.iter().find(|(own, _)| own == word);
        found.map(|(_, text)| text.as_str())
    }

    pub fn parts(&self, word: &str) -> MoveParts {
        let mut parts = MoveParts::new();
        let whole = match (self.translation(word), &self.own, &self.cells) {
            (Some(text), _, _) => text.to_string(),
            (None, Some((own, regex)), Some(cells)) => {
                let found: Vec<(usize, usize)> = regex
                    .captures_iter(word)
                    .filter_map(|captures| own.place(&captures["column"], &captures["row"]))
                    .collect();
                if let [first, .., last] | [first @ last] = found.as_slice() {
                    let ends = [("to", last), ("from", first)];
                    for (end, &place) in ends.into_iter().take(found.len()) {
                        parts.insert(end.into(), cells.name_at(place));
                        for part in ["column", "row"] {
                            parts.insert(format!("{end}_{part}"), cells.part_at(place, part));
                        }
                    }
                }
                for part in ["column", "row"] {
                    if let (true, Some(name)) = (found.is_empty(), same_name(own, cells, part, word)) {
                        parts.insert(format!("to_{part}"), name);
                    }
                }
                let mut places = found.iter();
                let replaced = regex.replace_all(word, |_: &regex_lite::Captures<'_>| {
                    places.next().map_or(String::new(), |&place| cells.name_at(place))
                });
                match (parts.len(), parts.values().next()) {
                    // A column or a row.
                    (1, Some(name)) if found.is_empty() => name.clone(),
                    _ => replaced.into_owned(),
                }
            }
            _ => word.to_string(),
        };
        parts.insert(MOVE_SLOT.into(), whole);
        parts.extend(self.groups(word));
        parts
    }

    /// The groups of the expression. What names a column, a row or a cell is translated.
    fn groups(&self, word: &str) -> Vec<(String, String)> {
        let Some((form, captures)) = self
            .form
            .as_ref()
            .and_then(|form| Some((form, form.captures(word)?)))
        else {
            return Vec::new();
        };
        let groups = form.capture_names().flatten().filter_map(|name| {
            let text = captures.name(name)?.as_str();
            let slot = full_name(name);
            let part = slot.rsplit('_').next().unwrap_or_default();
            let translated = match (&self.own, &self.cells) {
                (Some((own, _)), Some(cells)) => same_name(own, cells, part, text),
                _ => None,
            };
            Some((slot.to_string(), translated.unwrap_or_else(|| text.to_string())))
        });
        groups.collect()
    }

    /// The legal move that agrees with all these parts; an error if there is none, or more than one.
    pub fn find(&self, position: &dyn Position, wanted: &MoveParts) -> Option<String> {
        let mut same = position
            .legal_moves()
            .into_iter()
            .filter(|mv| self.agree(&mv.text, wanted))
            .map(|mv| mv.text);
        same.next().filter(|_| same.next().is_none())
    }

    /// Whether a move has these parts.
    pub fn agree(&self, word: &str, wanted: &MoveParts) -> bool {
        let parts = self.parts(word);
        let has = |(slot, text): (&String, &String)| {
            parts
                .get(slot)
                .is_some_and(|part| part.to_lowercase() == text.trim().to_lowercase())
        };
        wanted.iter().all(has)
    }
}

/// The program's name for the column or row of the rules with this name.
fn same_name(own: &CellNames, cells: &CellNames, part: &str, text: &str) -> Option<String> {
    let names = match part {
        "column" => (&own.columns, &cells.columns),
        "row" => (&own.rows, &cells.rows),
        _ => return None,
    };
    let index = names.0.iter().position(|name| name == text)?;
    names.1.get(index).cloned()
}

/// How the rules call the cells of this grid: as it says, or column and row in the order of the moves of this position.
fn own_names(grid: &Grid, position: &dyn Position) -> Option<(CellNames, Regex)> {
    let is_named = |names: &[Word]| names.iter().all(|name| !name.is_empty());
    if !is_named(&grid.columns) || !is_named(&grid.rows) {
        return None;
    }
    let moves = position.legal_moves();
    let formats = match &grid.format {
        Some(format) => vec![format.as_str()],
        None => vec!["{column}{row}", "{row}{column}"],
    };
    let all = formats.into_iter().filter_map(|format| {
        let names = CellNames::of_grid(grid, format)?;
        let regex = Regex::new(&names.regex(str::to_string)).ok()?;
        let count = moves
            .iter()
            .map(|mv| regex.find_iter(&mv.text).count())
            .sum::<usize>();
        Some((count, (names, regex)))
    });
    // The first of equals.
    all.reduce(|best, other| if other.0 > best.0 { other } else { best })
        .map(|(_, names)| names)
}
