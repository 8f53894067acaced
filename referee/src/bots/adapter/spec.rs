//! The file that describes a program made for people.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lodestone_game::board::Side;
use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::text::ShowPath;
use referee_core::io::text::unknown;
use referee_core::process::{
    Purpose, ResourceLimits, Sandbox, SandboxLevel, Submissions, can_be_started, why_not_started,
};
use referee_core::system::files::{is_executable, is_file, look};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::board_reader::BoardReader;
use super::cell_names::{CellNames, TextTemplate, full_name};
use super::moves::{MOVE_SLOT, MoveWords};
use super::pattern::{self, MovePattern, Pattern, SIDE_SLOTS, names_cell};
use crate::toml_file::TomlFile;

/// How long to wait for text of the program, in seconds, unless the file says otherwise.
const DEFAULT_TIMEOUT: u64 = 60;

/// The longest such time, in seconds: a day.
const MAX_TIMEOUT: u64 = 24 * 60 * 60;

const KEYS: [&str; 11] = [
    "variant", "command", "dir", "plays", "timeout", "start", "cells", "words", "move", "answer", "board",
];

/// The placeholders that give the program the position of the pieces.
const PLACEMENT_SLOTS: [&str; 3] = ["fen", "first_cells", "second_cells"];

/// The placeholders of a line that is typed once for each piece.
const PIECE_SLOTS: [&str; 3] = ["cell", "row", "column"];

/// A program made for people, and how to use it.
#[derive(Debug)]
pub(crate) struct AdapterSpec {
    /// The game that it plays.
    pub(super) rules: Ruleset,
    /// The executable.
    pub(super) program: PathBuf,
    /// Whether it was found in the user's PATH.
    is_from_path: bool,
    args: Vec<TextTemplate>,
    /// Its working folder.
    pub(super) dir: PathBuf,
    /// The folder of the file.
    folder: PathBuf,
    /// The sandbox of the program, and its limits there.
    pub(super) confinement: Option<(Sandbox, ResourceLimits)>,
    /// The only side that it can play.
    pub(super) plays: Option<Side>,
    /// How long to wait for any text of it.
    pub(super) timeout: Duration,
    /// What to type at the start, by the side that it plays.
    pub(super) start: [Vec<TypedLine>; 2],
    pub(super) cells: CellNames,
    /// How it writes the moves of a rules program; `None` in a built-in game.
    pub(super) words: Option<MoveWords>,
    pub(super) move_steps: Vec<TypedLine>,
    /// What it prints before it reads a move.
    pub(super) prompt: Option<Pattern>,
    /// What it prints when it rejects a move.
    pub(super) refused: Option<Pattern>,
    /// What it prints when the game is over.
    pub(super) over: Option<Pattern>,
    /// Where its own move is found.
    pub(super) answer: AnswerSource,
    /// What to type after its move.
    pub(super) after_answer: Vec<TypedLine>,
    /// Whether the program can begin with any placement of the pieces.
    pub(super) takes_placement: bool,
}

/// Where a program's own move is found.
#[derive(Debug)]
pub(super) enum AnswerSource {
    /// In a line of text.
    Text(MovePattern),
    /// By comparing boards.
    Board(BoardReader),
}

#[derive(Debug)]
pub(super) struct TypedLine {
    /// What to wait for before it; without a pattern, until the program is silent.
    pub wait: Option<Pattern>,
    pub text: TextTemplate,
    /// Whose pieces get a line each.
    pub each: Option<Each>,
}

/// The pieces that get a line each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Each {
    Side(Side),
    /// Those of both sides in turn, the first player's first.
    InTurn,
}

impl AdapterSpec {
    /// Reads a file. The game is that of these rules, or else the one that the file names.
    pub(crate) fn read(path: &Path, rules: Option<Ruleset>) -> Result<AdapterSpec, Failure> {
        let file = TomlFile::read(path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        AdapterSpec::from_file(&file, folder.unwrap_or(Path::new(".")), rules)
    }

    /// The content of a file in this folder.
    fn from_file(file: &TomlFile<'_>, folder: &Path, rules: Option<Ruleset>) -> Result<AdapterSpec, Failure> {
        let mut fields = TomlTable::of_file(file, &KEYS)?;
        let ruleset = fields.parsed("variant", |text, _| match rules {
            Some(rules) => Err(format!("`--rules` gives the game, {rules}; delete this line")),
            None => Ruleset::from_name(text).ok_or_else(|| unknown("variant", text, &Ruleset::names())),
        })?;
        let rules = rules.or(ruleset).unwrap_or_default();
        let dir = fields.parsed("dir", |text, _| {
            let dir = folder.join(text);
            let is_dir = look(&dir)?.is_some_and(|found| found.is_dir());
            is_dir
                .then(|| dir.clone())
                .ok_or_else(|| format!("`{}` is not a folder", dir.shown()))
        })?;
        let dir = dir.unwrap_or_else(|| folder.to_path_buf());
        let start_slots = start_slots(rules);
        let (program, is_from_path, args) = command(&mut fields, &dir, &start_slots)?;
        let timeout = fields.seconds("timeout", MAX_TIMEOUT)?.unwrap_or(DEFAULT_TIMEOUT);
        let mut cells = CellNames::of_protocol(rules.variant().unwrap_or_default());
        let mut words = rules.variant().is_none().then(|| MoveWords::of_rules(rules));
        let mut names = fields.table("cells", &["columns", "rows", "format"])?;
        for key in ["columns", "rows", "format"] {
            names.parsed(key, |text, _| match &mut words {
                None => cells.set(key, text),
                Some(MoveWords {
                    cells: Some(cells), ..
                }) => cells.set(key, text),
                Some(_) => Err(format!(
                    "{rules} draws no grid (`query grid`), so its cells have no names"
                )),
            })?;
        }
        let plays = fields.parsed("plays", |text, _| match text {
            "first" => Ok(Side::First),
            "second" => Ok(Side::Second),
            _ => Err("expected `first` or `second`, the only side that the program can play".into()),
        })?;
        let start = start(fields.table("start", &["first", "second"])?, &start_slots, plays)?;
        let mut moves = fields.table("move", &["word", "send", "prompt", "refused"])?;
        special_moves(&mut fields, &mut moves, &mut words)?;
        let move_steps = move_steps(&mut moves, rules, words.as_ref())?;
        let mut answer = fields.table("answer", &["pattern", "over", "then"])?;
        let source = answer_source(&mut fields, &mut answer, &cells, words.as_ref(), rules)?;
        let is_placement = |text: &TextTemplate| text.slots().any(|slot| PLACEMENT_SLOTS.contains(&slot));
        let places = |line: &TypedLine| line.each.is_some() || is_placement(&line.text);
        let takes_placement = args.iter().any(is_placement) || start.iter().flatten().any(places);
        Ok(AdapterSpec {
            rules,
            program,
            is_from_path,
            args,
            dir,
            folder: folder.to_path_buf(),
            confinement: None,
            plays,
            timeout: Duration::from_secs(timeout),
            start,
            move_steps,
            prompt: pattern(&mut moves, "prompt", "[move]")?,
            refused: pattern(&mut moves, "refused", "[move]")?,
            over: pattern(&mut answer, "over", "[answer]")?,
            after_answer: steps(&mut answer, "answer", "then", &SIDE_SLOTS)?.unwrap_or_default(),
            cells,
            words,
            answer: source,
            takes_placement,
        })
    }

    /// The arguments for a game; `value` gives the values of placeholders.
    pub(super) fn args(&self, value: impl Fn(&str) -> String) -> Vec<String> {
        self.args.iter().map(|arg| arg.fill(&value)).collect()
    }

    /// Puts the program into a sandbox. There it may read the folder of the file, and the folders in
    /// `readable`, and no program of other [`submissions`](Purpose::submissions).
    pub(crate) fn confine(
        &mut self,
        level: SandboxLevel,
        readable: &[PathBuf],
        limits: ResourceLimits,
        submissions: Submissions<'_>,
    ) -> Result<(), String> {
        let purpose = Purpose {
            name: "the program",
            program: &self.program,
            is_from_path: self.is_from_path,
            is_builtin: false,
            dir: None,
            readable,
            submissions,
        };
        let sandbox = Sandbox::of_adapted(level, purpose, &self.folder, &self.dir)?;
        self.confinement = Some((sandbox, limits));
        Ok(())
    }

    /// Whether the command is the same for every game.
    pub(super) fn has_fixed_command(&self) -> bool {
        self.args.iter().all(|arg| arg.slots().next().is_none())
    }
}

/// The program, whether it was found in PATH, and its arguments.
fn command(
    fields: &mut TomlTable<'_>,
    dir: &Path,
    slots: &[&str],
) -> Result<(PathBuf, bool, Vec<TextTemplate>), Failure> {
    let Some(words) = fields.items("command") else {
        let why = "`command` is missing, for example `command = \"python3 game.py\"`";
        return Err(fields.file.incomplete(why));
    };
    let words = words.into_iter().map(|word| fields.as_text("command", word));
    let words: Vec<PlacedText> = words.collect::<Result<_, _>>()?;
    let place = words.first().map_or(0..0, |(_, place)| place.clone());
    let read = || {
        let words = match &words[..] {
            [(line, _)] => shlex::split(line).ok_or("`command` has a quotation mark without its partner")?,
            words => words.iter().map(|(word, _)| word.clone()).collect(),
        };
        let (program, args) = words.split_first().ok_or("`command` is empty")?;
        let args = args.iter().map(|arg| TextTemplate::parse(arg, slots));
        Ok((
            find(program, dir)?,
            !program.contains('/'),
            args.collect::<Result<_, String>>()?,
        ))
    };
    read().map_err(|why: String| fields.file.wrong(&place, &why))
}

/// The executable with this name: a path in `dir`, or a program in PATH.
fn find(name: &str, dir: &Path) -> Result<PathBuf, String> {
    if name.contains('/') {
        let path = dir.join(name);
        let shown = path.shown();
        if !is_file(&path)? {
            return Err(format!("there is no file `{shown}`"));
        }
        if !can_be_started(&path) {
            return Err(format!("`{shown}` {}", why_not_started(&path)));
        }
        return std::path::absolute(&path).map_err(|error| format!("`{shown}`: {error}"));
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&folders).map(|folder| folder.join(name));
    let program = programs.find(|program| program.is_file() && is_executable(program));
    program.ok_or_else(|| {
        let is_in_dir = dir.join(name).is_file();
        let hint = is_in_dir.then(|| format!("; a program in its own folder is `./{name}`"));
        format!("`{name}` is not a program in PATH{}", hint.unwrap_or_default())
    })
}

/// The placeholders of the command and of lines at the start.
fn start_slots(rules: Ruleset) -> Vec<&'static str> {
    let setup: &[&str] = if rules.info().has_setup {
        &["pieces", "turns"]
    } else {
        &[]
    };
    let placement: &[&str] = match rules.variant() {
        Some(_) => &PLACEMENT_SLOTS,
        None => &PLACEMENT_SLOTS[..1],
    };
    [&SIDE_SLOTS, setup, placement].concat()
}

/// What to type at the start. A program of one side needs no lines for the other one.
fn start(
    mut fields: TomlTable<'_>,
    slots: &[&str],
    plays: Option<Side>,
) -> Result<[Vec<TypedLine>; 2], Failure> {
    let first = steps(&mut fields, "start", "first", slots)?;
    let second = steps(&mut fields, "start", "second", slots)?;
    let missing = match (first, second) {
        (None, None) => return Ok([Vec::new(), Vec::new()]),
        (Some(first), Some(second)) => return Ok([first, second]),
        (first, second) if plays.is_some_and(|side| [&first, &second][side.index()].is_some()) => {
            return Ok([first.unwrap_or_default(), second.unwrap_or_default()]);
        }
        (None, _) => "first",
        (_, None) => "second",
    };
    Err(fields.file.incomplete(&format!(
        "[start] has no `{missing}`: what to type so that the program moves {missing}, or [] for nothing"
    )))
}

/// The lines to type; `None` if the key is missing.
fn steps(
    fields: &mut TomlTable<'_>,
    table: &str,
    key: &str,
    slots: &[&str],
) -> Result<Option<Vec<TypedLine>>, Failure> {
    let Some(items) = fields.items(key) else {
        return Ok(None);
    };
    let file = fields.file;
    let read = |item: Spanned<DeValue<'_>>| {
        let place = item.span();
        let (mut wait, mut each) = (None, None);
        let (text, place) = match item.into_inner() {
            DeValue::Table(step) => {
                let mut step = TomlTable::new(file, step, &["wait", "send", "each"])?;
                wait = pattern(&mut step, "wait", &format!("`{key}` in [{table}]"))?;
                each = step.parsed("each", |text, _| pieces(text, table))?;
                let text = step.text("send")?;
                text.ok_or_else(|| file.wrong(&place, "`send` is missing: the line to type"))?
            }
            text => fields.as_text(key, Spanned::new(place, text))?,
        };
        let piece: &[&str] = if each.is_some() { &PIECE_SLOTS } else { &[] };
        let text = TextTemplate::parse(&text, &[slots, piece].concat());
        let text = text.map_err(|why| file.wrong(&place, &why))?;
        Ok(TypedLine { wait, text, each })
    };
    items.into_iter().map(read).collect::<Result<_, _>>().map(Some)
}

/// The value of `each`.
fn pieces(text: &str, table: &str) -> Result<Each, String> {
    match text {
        _ if table != "start" => Err("`each` belongs in [start]".into()),
        "first" => Ok(Each::Side(Side::First)),
        "second" => Ok(Each::Side(Side::Second)),
        "in turn" => Ok(Each::InTurn),
        other => Err(unknown("value", other, &["first", "second", "in turn"])),
    }
}

/// How a move is typed. By default in one line.
fn move_steps(
    fields: &mut TomlTable<'_>,
    rules: Ruleset,
    words: Option<&MoveWords>,
) -> Result<Vec<TypedLine>, Failure> {
    let slides = rules.info().slides;
    let slots = words.map_or_else(|| pattern::slots(slides), pattern::word_slots);
    let Some(steps) = steps(fields, "move", "send", &slots)? else {
        let slots: &[&str] = match words {
            Some(_) => &[MOVE_SLOT],
            None if slides => &["from", "to"],
            None => &["cell"],
        };
        return Ok(vec![TypedLine {
            wait: None,
            text: TextTemplate::of_slots(slots),
            each: None,
        }]);
    };
    let slots: BTreeSet<&str> = steps
        .iter()
        .flat_map(|step| step.text.slots())
        .map(full_name)
        .collect();
    let why = if words.is_some() {
        return Ok(steps);
    } else if !names_cell(&slots, "to") {
        "where the move goes; write `{cell}`, or `{row}` and `{column}`"
    } else if slides && !names_cell(&slots, "from") {
        "which piece moves; write `{from}`, or `{from_row}` and `{from_column}`"
    } else {
        return Ok(steps);
    };
    Err(fields
        .file
        .incomplete(&format!("`send` of [move] does not say {why}")))
}

/// What the words of moves consist of, and what the program has for some of them.
fn special_moves(
    fields: &mut TomlTable<'_>,
    moves: &mut TomlTable<'_>,
    words: &mut Option<MoveWords>,
) -> Result<(), Failure> {
    let only_rules = || "it is for the games of `--rules`".to_string();
    moves.parsed("word", |text, _| {
        words.as_mut().ok_or_else(only_rules)?.take_apart(text)
    })?;
    for (word, text) in fields.texts("words")? {
        let words = words
            .as_mut()
            .ok_or_else(|| fields.file.incomplete("[words] is for the games of `--rules`"))?;
        words.translate(&word, &text);
    }
    Ok(())
}

fn answer_source(
    fields: &mut TomlTable<'_>,
    answer: &mut TomlTable<'_>,
    cells: &CellNames,
    words: Option<&MoveWords>,
    rules: Ruleset,
) -> Result<AnswerSource, Failure> {
    let board = fields.optional_table("board", &["first", "second", "empty"])?;
    if board.is_some() && words.is_some() {
        return Err(fields.file.incomplete(
            "[board] is for built-in games; with `--rules`, the `pattern` of [answer] finds the program's move",
        ));
    }
    let text = answer.parsed("pattern", |text, line| {
        if board.is_some() {
            return Err("there is a [board] too; only one of them can find the move".into());
        }
        let origin = origin("pattern", "[answer]", line);
        match words {
            Some(words) => MovePattern::of_words(text, origin, words),
            None => MovePattern::new(text, origin, cells, rules.info().slides),
        }
    })?;
    match (text, board) {
        (Some(pattern), _) => Ok(AnswerSource::Text(pattern)),
        (None, None) => Err(fields.file.incomplete(
            "nothing says where the program's move is: give the `pattern` of [answer], or the symbols of \
             its [board]",
        )),
        (None, Some(mut board)) => {
            let mut sign = |key, default: &str| {
                let text = board.parsed(key, |text, _| Ok(text.to_string()));
                text.map(|text| text.unwrap_or_else(|| default.to_string()))
            };
            let signs = [sign("first", "Xx")?, sign("second", "Oo")?, sign("empty", "-._")?];
            let reader = BoardReader::new(signs, cells.clone());
            let wrong = |why| board.file.incomplete(&format!("[board]: {why}"));
            reader.map(AnswerSource::Board).map_err(wrong)
        }
    }
}

/// The pattern of a key that stands in `owner`.
fn pattern(fields: &mut TomlTable<'_>, key: &str, owner: &str) -> Result<Option<Pattern>, Failure> {
    fields.parsed(key, |text, line| Pattern::new(text, origin(key, owner, line)))
}

/// The name of a pattern in messages.
fn origin(key: &str, owner: &str, line: usize) -> String {
    format!("`{key}` of {owner} (line {line})")
}

/// A text and its place in the file.
type PlacedText = (String, Range<usize>);

/// The keys of one table. All of them are known.
#[derive(Debug)]
struct TomlTable<'a> {
    file: &'a TomlFile<'a>,
    table: DeTable<'a>,
}

impl<'a> TomlTable<'a> {
    /// The keys outside all tables of a file.
    fn of_file(file: &'a TomlFile<'a>, known: &[&str]) -> Result<TomlTable<'a>, Failure> {
        TomlTable::new(file, file.table()?, known)
    }

    fn new(file: &'a TomlFile<'a>, table: DeTable<'a>, known: &[&str]) -> Result<TomlTable<'a>, Failure> {
        let keys = table.iter().map(|(key, _)| key);
        let wrong = keys.filter(|key| !known.contains(&key.get_ref().as_ref()));
        match wrong.min_by_key(|key| key.span().start) {
            Some(key) => Err(file.wrong(&key.span(), &unknown("key", key.get_ref(), known))),
            None => Ok(TomlTable { file, table }),
        }
    }

    /// A table in this one; empty if it is missing.
    fn table(&mut self, key: &str, known: &[&str]) -> Result<TomlTable<'a>, Failure> {
        let (file, table) = (self.file, DeTable::new());
        Ok(self
            .optional_table(key, known)?
            .unwrap_or(TomlTable { file, table }))
    }

    /// The texts of a table with any keys.
    fn texts(&mut self, key: &str) -> Result<Vec<(String, String)>, Failure> {
        let Some(value) = self.table.remove(key) else {
            return Ok(Vec::new());
        };
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self
                .file
                .wrong(&value.span(), &format!("expected a table `[{key}]`")));
        };
        let pair = |(name, text): (&Spanned<_>, &Spanned<DeValue<'a>>)| {
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            let (text, _) = self.as_text(name, text.clone())?;
            Ok((name.to_string(), text))
        };
        table.iter().map(pair).collect()
    }

    fn optional_table(&mut self, key: &str, known: &[&str]) -> Result<Option<TomlTable<'a>>, Failure> {
        let Some(value) = self.table.remove(key) else {
            return Ok(None);
        };
        match (value.span(), value.into_inner()) {
            (_, DeValue::Table(table)) => TomlTable::new(self.file, table, known).map(Some),
            (place, _) => Err(self.file.wrong(&place, &format!("expected a table `[{key}]`"))),
        }
    }

    fn text(&mut self, key: &str) -> Result<Option<PlacedText>, Failure> {
        self.table
            .remove(key)
            .map(|value| self.as_text(key, value))
            .transpose()
    }

    /// What `parse` makes of a text and of the number of its line.
    fn parsed<T>(
        &mut self,
        key: &str,
        parse: impl FnOnce(&str, usize) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        let Some((text, place)) = self.text(key)? else {
            return Ok(None);
        };
        let parsed = parse(&text, self.file.line(&place));
        parsed.map(Some).map_err(|why| self.file.wrong(&place, &why))
    }

    fn as_text(&self, key: &str, value: Spanned<DeValue<'a>>) -> Result<PlacedText, Failure> {
        let place = value.span();
        let why = match value.into_inner() {
            DeValue::String(text) => match text.chars().find(|sign| sign.is_control() && *sign != '\t') {
                None => return Ok((text.into_owned(), place)),
                Some(sign) => format!(
                    "`{key}` contains a control character (`{}`), which cannot be used",
                    sign.escape_debug()
                ),
            },
            _ => format!("`{key}` must be a string in quotation marks"),
        };
        Err(self.file.wrong(&place, &why))
    }

    /// A whole number of seconds.
    fn seconds(&mut self, key: &str, most: u64) -> Result<Option<u64>, Failure> {
        let Some(value) = self.table.remove(key) else {
            return Ok(None);
        };
        let number = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        if let Some(number) = number.filter(|number| (1..=most).contains(number)) {
            return Ok(Some(number));
        }
        let why = format!("`{key}` must be a whole number of seconds from 1 to {most}");
        Err(self.file.wrong(&value.span(), &why))
    }

    /// The elements of a list; a single value is a list of one.
    fn items(&mut self, key: &str) -> Option<Vec<Spanned<DeValue<'a>>>> {
        let value = self.table.remove(key)?;
        let place = value.span();
        Some(match value.into_inner() {
            DeValue::Array(items) => items.into_iter().collect(),
            value => vec![Spanned::new(place, value)],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{Expect, assert_rows, expect};

    fn read(text: &str) -> Result<AdapterSpec, String> {
        let file = TomlFile::new(Path::new("a.toml"), text.as_bytes()).unwrap();
        AdapterSpec::from_file(&file, Path::new("."), None).map_err(|failure| failure.to_string())
    }

    #[test]
    fn command_and_answer_are_enough() {
        let spec = read("command = 'sh -c \"exit 3\"'\nanswer.pattern = 'I play {cell}'\n").unwrap();
        assert_eq!(spec.rules, Ruleset::MAGNETIC_CAVE);
        assert_eq!(spec.timeout, Duration::from_mins(1));
        let program = &spec.program;
        assert!(program.ends_with("sh") && program.is_absolute());
        assert_eq!(spec.args(|_| String::new()), ["-c", "exit 3"]);
        assert!(spec.has_fixed_command() && !spec.takes_placement);
        assert_eq!(spec.move_steps[0].text, TextTemplate::of_slots(&["cell"]));
        let spec = read("variant = 'gridlock'\ncommand = ['sh', '{fen}', '{turns}']\n[board]\n").unwrap();
        assert!(!spec.has_fixed_command() && spec.takes_placement);
        assert_eq!(spec.move_steps[0].text, TextTemplate::of_slots(&["from", "to"]));
        assert_eq!(spec.args(|slot| format!("<{slot}>")), ["<fen>", "<turns>"]);
    }

    #[test]
    fn lines_have_patterns_and_pieces() {
        let spec = read(
            "variant = 'gridlock'\ncommand = 'sh'\n[board]\n[start]\nsecond = []\n\
             first = [\"a\", { send = '{row}{pieces}', wait = 'go {player}', each = 'in turn' }]\n",
        )
        .unwrap();
        let [plain, each] = &spec.start[0][..] else {
            panic!("two lines")
        };
        assert!(plain.wait.is_none() && plain.each.is_none());
        assert_eq!(each.each, Some(Each::InTurn));
        let wait = each.wait.as_ref().unwrap();
        assert_eq!(wait.origin, "`wait` of `first` in [start] (line 6)");
        assert!(wait.regex(Side::Second).is_match("go 2"));
        assert!(spec.takes_placement);
        // A program of one side needs no lines for the other one.
        let one_side = "command = 'sh'\n[board]\n[start]\nsecond = ['a']\n";
        let spec = read(&format!("plays = 'second'\n{one_side}")).unwrap();
        assert_eq!(spec.start.map(|lines| lines.len()), [0, 1]);
    }

    /// Each line has a file, with `¶` for line breaks, and its error.
    const ERRORS: Expect = expect![[r#"
        | a.toml: `command` is missing, for example `command = "python3 game.py"`
        command = 'sh' | a.toml: nothing says where the program's move is: give the `pattern` of [answer], or the symbols of its [board]
        command = 'sh'¶[board]¶first = 'O' | a.toml: [board]: the symbol `O` of `second` already has another meaning
        command = '' | a.toml, line 1: `command` is empty
        command = 'sh "' | a.toml, line 1: `command` has a quotation mark without its partner
        command = 'no-such-program-here' | a.toml, line 1: `no-such-program-here` is not a program in PATH
        command = 'sh {pieces}' | a.toml, line 1: unknown placeholder `pieces`; the placeholders are player, opponent, fen, first_cells, second_cells
        {START}timeout = 0 | a.toml, line 3: `timeout` must be a whole number of seconds from 1 to 86400
        {START}timeout = '9' | a.toml, line 3: `timeout` must be a whole number of seconds from 1 to 86400
        {START}start = 1 | a.toml, line 3: expected a table `[start]`
        {START}[start]¶first = [1] | a.toml, line 4: `first` must be a string in quotation marks
        {START}[start]¶first = ['a¶b'] | a.toml, line 5:
        {START}[start]¶first = ["a\nb"] | a.toml, line 4: `first` contains a control character (`\n`), which cannot be used
        {START}[start]¶first = [{wait = 'a'}] | a.toml, line 4: `send` is missing: the line to type
        {START}[start]¶first = [{sent = 'a'}] | a.toml, line 4: unknown key `sent`; did you mean `send`? The keys are wait, send, each
        {START}[start]¶second = [] | a.toml: [start] has no `first`: what to type so that the program moves first, or [] for nothing
        {START}[start]¶first = [{send = 'a', each = 'all'}] | a.toml, line 4: unknown value `all`; the values are first, second, in turn
        {START}[move]¶send = [{send = '{cell}', each = 'first'}] | a.toml, line 4: `each` belongs in [start]
        {START}[move]¶send = 'x' | a.toml: `send` of [move] does not say where the move goes; write `{cell}`, or `{row}` and `{column}`
        {START}[move]¶send = '{cell' | a.toml, line 4: `{cell` has a single brace; `{{` and `}}` stand for braces as they are
        {START}[move]¶prompt = '(' | a.toml, line 4: the pattern is wrong: found open group without closing ')'
        {START}[cells]¶rows = '1234' | a.toml, line 4: `rows` has 4 names, expected 8, from top to bottom
        {START}[board]¶empty = '-' | a.toml, line 2: there is a [board] too; only one of them can find the move
        variant = 'gridlock'¶command = 'sh'¶[board]¶[move]¶send = '{to}' | a.toml: `send` of [move] does not say which piece moves; write `{from}`, or `{from_row}` and `{from_column}`
        dir = 'no-such-folder'¶{START} | a.toml, line 1: `./no-such-folder` is not a folder
    "#]];

    #[test]
    fn errors_name_the_line_and_what_is_right() {
        assert_rows(ERRORS, |[text]| {
            let text = text.replace("{START}", "command = 'sh'¶answer.pattern = '{cell}'¶");
            read(&text.replace('¶', "\n")).unwrap_err()
        });
    }
}
