//! The file that describes a program made for people.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lodestone::board::Side;
use lodestone::game::Variant;

use super::board_reader::BoardReader;
use super::cell_names::CellNames;
use super::pattern::{self, MovePattern, Pattern, SIDE_SLOTS};
use super::program::{Confinement, ProgramCommand};
use super::template::TextTemplate;
use super::toml_table::{ListItem, Located, TomlTable};
use crate::io::failure::Failure;
use crate::io::suggest::unknown;
use crate::io::toml_file::TomlFile;
use crate::process::{Limits, Purpose, Sandbox, SandboxLevel, can_be_started, why_not_started};
use crate::system::files::is_executable;

/// How long to wait for text of the program, in seconds, unless the file says otherwise.
const DEFAULT_TIMEOUT: u64 = 60;

/// The longest such time, in seconds: a day.
const MAX_TIMEOUT: u64 = 24 * 60 * 60;

const KEYS: [&str; 9] = [
    "variant", "command", "dir", "timeout", "start", "cells", "move", "answer", "board",
];
const START_KEYS: [&str; 2] = ["first", "second"];
const CELLS_KEYS: [&str; 3] = ["columns", "rows", "format"];
const MOVE_KEYS: [&str; 3] = ["send", "prompt", "refused"];
const ANSWER_KEYS: [&str; 3] = ["pattern", "over", "then"];
const BOARD_KEYS: [&str; 3] = ["first", "second", "empty"];
const STEP_KEYS: [&str; 3] = ["wait", "send", "each"];

/// The placeholders that give the program the position of the pieces.
const PLACEMENT_SLOTS: [&str; 3] = ["fen", "first_cells", "second_cells"];

/// The placeholders for the setup of a game, where the game has one.
const SETUP_SLOTS: [&str; 2] = ["pieces", "turns"];

/// The placeholders of a line that is typed once for each piece.
const PIECE_SLOTS: [&str; 3] = ["cell", "row", "column"];

/// A program made for people, and how to use it.
#[derive(Debug)]
pub struct AdapterSpec {
    /// The game that it plays.
    pub variant: Variant,
    command: DescribedCommand,
    /// Its working folder.
    pub dir: PathBuf,
    /// The folder of the file.
    folder: PathBuf,
    /// How it is restricted.
    confinement: Option<Confinement>,
    /// How long to wait for any text of it.
    pub timeout: Duration,
    /// What to type at the start, by the side that it plays.
    pub start: [Vec<TypedLine>; 2],
    /// How it names cells.
    pub cells: CellNames,
    /// How to type a move.
    pub move_steps: Vec<TypedLine>,
    /// What it prints before it reads a move.
    pub prompt: Option<Pattern>,
    /// What it prints when it rejects a move.
    pub refused: Option<Pattern>,
    /// What it prints when the game is over.
    pub over: Option<Pattern>,
    /// Where its own move is found.
    pub answer: AnswerSource,
    /// What to type after its move.
    pub after_answer: Vec<TypedLine>,
    /// Whether the program can begin with any placement of the pieces.
    pub takes_placement: bool,
}

/// The key `command`.
#[derive(Debug)]
struct DescribedCommand {
    /// The executable.
    program: PathBuf,
    /// Whether it was found in the user's PATH.
    is_from_path: bool,
    args: Vec<TextTemplate>,
}

/// Where a program's own move is found.
#[derive(Debug)]
pub enum AnswerSource {
    /// In a line of text.
    Text(MovePattern),
    /// By comparing boards.
    Board(BoardReader),
}

#[derive(Debug)]
pub struct TypedLine {
    /// What to wait for before it; without a pattern, until the program is silent.
    pub wait: Option<Pattern>,
    pub text: TextTemplate,
    /// Whose pieces get a line each.
    pub each: Option<Each>,
}

/// The pieces that get a line each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// Those of one side.
    Side(Side),
    /// Those of both sides in turn, the first player's first.
    InTurn,
}

impl AdapterSpec {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<AdapterSpec, Failure> {
        let file = TomlFile::read(path, "adapt")?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        AdapterSpec::from_file(&file, folder.unwrap_or(Path::new(".")))
    }

    /// The content of a file in this folder.
    pub fn from_file(file: &TomlFile<'_>, folder: &Path) -> Result<AdapterSpec, Failure> {
        let mut fields = TomlTable::of_file(file, &KEYS)?;
        let variant = variant(&mut fields)?;
        let dir = dir(&mut fields, folder)?;
        let command = command(&mut fields, &dir, variant)?;
        let timeout = fields.seconds("timeout", MAX_TIMEOUT)?.unwrap_or(DEFAULT_TIMEOUT);
        let cells = cells(fields.table("cells", &CELLS_KEYS)?, variant)?;
        let start = start(fields.table("start", &START_KEYS)?, variant)?;
        let mut moves = fields.table("move", &MOVE_KEYS)?;
        let move_steps = move_steps(&mut moves, variant)?;
        let mut answer = fields.table("answer", &ANSWER_KEYS)?;
        let source = answer_source(&mut fields, &mut answer, &cells, variant)?;
        let used = command
            .args
            .iter()
            .chain(start.iter().flatten().map(|step| &step.text));
        let takes_placement = used
            .flat_map(TextTemplate::slots)
            .any(|slot| PLACEMENT_SLOTS.contains(&slot))
            || start.iter().flatten().any(|step| step.each.is_some());
        Ok(AdapterSpec {
            variant,
            command,
            dir,
            folder: folder.to_path_buf(),
            confinement: None,
            timeout: Duration::from_secs(timeout),
            start,
            move_steps,
            prompt: side_pattern(&mut moves, "move", "prompt")?,
            refused: side_pattern(&mut moves, "move", "refused")?,
            over: side_pattern(&mut answer, "answer", "over")?,
            after_answer: steps(&mut answer, "answer", "then", &SIDE_SLOTS)?.unwrap_or_default(),
            cells,
            answer: source,
            takes_placement,
        })
    }

    /// The command for a game; `value` gives the values of placeholders.
    pub fn command(&self, value: impl Fn(&str) -> String) -> ProgramCommand {
        ProgramCommand {
            program: self.command.program.clone(),
            args: self.command.args.iter().map(|arg| arg.fill(&value)).collect(),
            confinement: self.confinement.clone(),
        }
    }

    /// Puts the program into a sandbox. There it may read the folder of the file, and the folders in
    /// `readable`.
    pub fn confine(
        &mut self,
        level: SandboxLevel,
        readable: &[PathBuf],
        limits: Limits,
    ) -> Result<(), String> {
        let purpose = Purpose {
            name: "the program",
            program: &self.command.program,
            is_from_path: self.command.is_from_path,
            is_builtin: false,
            dir: None,
            readable,
        };
        let sandbox = Sandbox::of_adapted(level, purpose, &self.folder, &self.dir)?;
        self.confinement = Some(Confinement { sandbox, limits });
        Ok(())
    }

    /// Whether the command is the same for every game.
    pub fn has_fixed_command(&self) -> bool {
        self.command.args.iter().all(|arg| arg.slots().next().is_none())
    }
}

fn variant(fields: &mut TomlTable<'_>) -> Result<Variant, Failure> {
    let Some(Located { value, place }) = fields.text("variant")? else {
        return Ok(Variant::default());
    };
    let names: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
    Variant::from_name(&value).ok_or_else(|| fields.wrong(&place, &unknown("variant", &value, &names)))
}

/// The folder in which the program runs.
fn dir(fields: &mut TomlTable<'_>, folder: &Path) -> Result<PathBuf, Failure> {
    let Some(Located { value, place }) = fields.text("dir")? else {
        return Ok(folder.to_path_buf());
    };
    let dir = folder.join(value);
    if dir.is_dir() {
        Ok(dir)
    } else {
        Err(fields.wrong(&place, &format!("`{}` is not a folder", dir.display())))
    }
}

/// The program and its arguments.
fn command(fields: &mut TomlTable<'_>, dir: &Path, variant: Variant) -> Result<DescribedCommand, Failure> {
    let Some(words) = fields.texts("command")? else {
        let why = "`command` is missing, for example `command = \"python3 game.py\"`";
        return Err(fields.incomplete(why));
    };
    let place = words.first().map_or(0..0, |word| word.place.clone());
    let words: Vec<String> = match &words[..] {
        [line] => shlex::split(&line.value)
            .ok_or_else(|| fields.wrong(&place, "`command` has a quotation mark without its partner"))?,
        words => words.iter().map(|word| word.value.clone()).collect(),
    };
    let Some((program, args)) = words.split_first() else {
        return Err(fields.wrong(&place, "`command` is empty"));
    };
    let is_from_path = !program.contains('/');
    let program = find(program, dir).map_err(|why| fields.wrong(&place, &why))?;
    let slots = start_slots(variant);
    let args = args.iter().map(|arg| TextTemplate::parse(arg, &slots));
    let args = args
        .collect::<Result<_, _>>()
        .map_err(|why| fields.wrong(&place, &why))?;
    Ok(DescribedCommand {
        program,
        is_from_path,
        args,
    })
}

/// The executable with this name: a path in `dir`, or a program in PATH.
fn find(name: &str, dir: &Path) -> Result<PathBuf, String> {
    if name.contains('/') {
        let path = dir.join(name);
        if !path.is_file() {
            return Err(format!("there is no file `{}`", path.display()));
        }
        if !can_be_started(&path) {
            return Err(format!("`{}` {}", path.display(), why_not_started(&path)));
        }
        return std::path::absolute(&path).map_err(|error| format!("`{}`: {error}", path.display()));
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&folders).map(|folder| folder.join(name));
    let program = programs.find(|program| program.is_file() && is_executable(program));
    program.ok_or_else(|| {
        let hint = if dir.join(name).is_file() {
            format!("; a program in its own folder is `./{name}`")
        } else {
            String::new()
        };
        format!("`{name}` is not a program in PATH{hint}")
    })
}

/// Changes a part of the names of cells.
type Setter = fn(&mut CellNames, &str) -> Result<(), String>;

fn cells(mut fields: TomlTable<'_>, variant: Variant) -> Result<CellNames, Failure> {
    let mut cells = CellNames::of_protocol(variant);
    let setters: [(&str, Setter); 3] = [
        ("columns", CellNames::set_columns),
        ("rows", CellNames::set_rows),
        ("format", CellNames::set_format),
    ];
    for (key, set) in setters {
        if let Some(Located { value, place }) = fields.text(key)? {
            set(&mut cells, &value).map_err(|why| fields.wrong(&place, &why))?;
        }
    }
    Ok(cells)
}

/// The placeholders of the command and of lines at the start.
fn start_slots(variant: Variant) -> Vec<&'static str> {
    let setup: &[&str] = if variant.info().has_setup {
        &SETUP_SLOTS
    } else {
        &[]
    };
    [&SIDE_SLOTS, setup, &PLACEMENT_SLOTS].concat()
}

fn start(mut fields: TomlTable<'_>, variant: Variant) -> Result<[Vec<TypedLine>; 2], Failure> {
    let slots = start_slots(variant);
    let first = steps(&mut fields, "start", "first", &slots)?;
    let second = steps(&mut fields, "start", "second", &slots)?;
    match (first, second) {
        (None, None) => Ok([Vec::new(), Vec::new()]),
        (Some(first), Some(second)) => Ok([first, second]),
        (first, _) => {
            let (missing, order) = match first {
                None => ("first", "first"),
                Some(_) => ("second", "second"),
            };
            Err(fields.incomplete(&format!(
                "[start] has no `{missing}`: what to type so that the program moves {order}, or [] for nothing"
            )))
        }
    }
}

/// The lines to type; `None` if the key is missing.
fn steps(
    fields: &mut TomlTable<'_>,
    table: &str,
    key: &str,
    slots: &[&str],
) -> Result<Option<Vec<TypedLine>>, Failure> {
    let Some(entries) = fields.entries(key, &STEP_KEYS)? else {
        return Ok(None);
    };
    let mut steps = Vec::new();
    for entry in entries {
        let (wait, text, each) = match entry {
            ListItem::Text(text) => (None, text, None),
            ListItem::Table(mut step, place) => {
                let Some(text) = step.text("send")? else {
                    return Err(step.wrong(&place, "`send` is missing: the line to type"));
                };
                let each = each(&mut step, table)?;
                (side_pattern_of(&mut step, table, key, "wait")?, text, each)
            }
        };
        let slots = if each.is_some() {
            [slots, &PIECE_SLOTS].concat()
        } else {
            slots.to_vec()
        };
        let template = TextTemplate::parse(&text.value, &slots);
        let text = template.map_err(|why| fields.wrong(&text.place, &why))?;
        steps.push(TypedLine { wait, text, each });
    }
    Ok(Some(steps))
}

fn each(step: &mut TomlTable<'_>, table: &str) -> Result<Option<Each>, Failure> {
    let Some(Located { value, place }) = step.text("each")? else {
        return Ok(None);
    };
    if table != "start" {
        return Err(step.wrong(&place, "`each` belongs into [start]"));
    }
    let names = ["first", "second", "in turn"];
    match value.as_str() {
        "first" => Ok(Some(Each::Side(Side::First))),
        "second" => Ok(Some(Each::Side(Side::Second))),
        "in turn" => Ok(Some(Each::InTurn)),
        other => Err(step.wrong(&place, &unknown("value", other, &names))),
    }
}

/// How a move is typed. By default in one line.
fn move_steps(fields: &mut TomlTable<'_>, variant: Variant) -> Result<Vec<TypedLine>, Failure> {
    let slides = variant.info().slides;
    let slots = pattern::slots(slides);
    if let Some(steps) = steps(fields, "move", "send", &slots)? {
        let has = |name: &str| steps.iter().any(|step| step.text.has(name));
        let has_parts = |row: &str, column: &str| has(row) && has(column);
        let has_to =
            has("cell") || has("to") || has_parts("row", "column") || has_parts("to_row", "to_column");
        if !has_to {
            let why = "`send` of [move] does not say where the move goes; write `{cell}`, or `{row}` and `{column}`";
            return Err(fields.incomplete(why));
        }
        if slides && !(has("from") || has_parts("from_row", "from_column")) {
            let why = "`send` of [move] does not say which piece moves; write `{from}`, or `{from_row}` and `{from_column}`";
            return Err(fields.incomplete(why));
        }
        return Ok(steps);
    }
    let text = if slides {
        TextTemplate::of_slots(["from", "to"])
    } else {
        TextTemplate::of_slots(["cell"])
    };
    Ok(vec![TypedLine {
        wait: None,
        text,
        each: None,
    }])
}

fn answer_source(
    fields: &mut TomlTable<'_>,
    answer: &mut TomlTable<'_>,
    cells: &CellNames,
    variant: Variant,
) -> Result<AnswerSource, Failure> {
    let text = answer.text("pattern")?;
    let board = fields.optional_table("board", &BOARD_KEYS)?;
    match (text, board) {
        (None, None) => Err(fields.incomplete(
            "nothing says where the program's move is: give the `pattern` of [answer], or the signs of its [board]",
        )),
        (Some(Located { place, .. }), Some(_)) => {
            Err(fields.wrong(&place, "there is a [board] too; only one of them can find the move"))
        }
        (Some(Located { value, place }), None) => {
            let origin = origin("pattern", "answer", answer.line(&place));
            let pattern = MovePattern::new(&value, origin, cells, variant.info().slides);
            pattern.map(AnswerSource::Text).map_err(|why| answer.wrong(&place, &why))
        }
        (None, Some(mut board)) => {
            let mut sign = |key: &str, default: &str| {
                let text = board.text(key)?;
                Ok::<_, Failure>(text.map_or_else(|| default.to_string(), |text| text.value))
            };
            let signs = [sign("first", "Xx")?, sign("second", "Oo")?, sign("empty", "-._")?];
            let reader = BoardReader::new(signs, cells.clone());
            reader.map(AnswerSource::Board).map_err(|why| board.incomplete(&format!("[board]: {why}")))
        }
    }
}

fn side_pattern(fields: &mut TomlTable<'_>, table: &str, key: &str) -> Result<Option<Pattern>, Failure> {
    let Some(Located { value, place }) = fields.text(key)? else {
        return Ok(None);
    };
    let origin = origin(key, table, fields.line(&place));
    let pattern = Pattern::new(&value, origin);
    pattern.map(Some).map_err(|why| fields.wrong(&place, &why))
}

/// The pattern of a step in a list of steps.
fn side_pattern_of(
    step: &mut TomlTable<'_>,
    table: &str,
    list: &str,
    key: &str,
) -> Result<Option<Pattern>, Failure> {
    let mut pattern = side_pattern(step, table, key)?;
    if let Some(pattern) = &mut pattern {
        pattern.origin = pattern.origin.replacen(" of", &format!(" of `{list}` in"), 1);
    }
    Ok(pattern)
}

/// The name of a pattern in messages.
fn origin(key: &str, table: &str, line: usize) -> String {
    format!("`{key}` of [{table}] (line {line})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<AdapterSpec, String> {
        let file = TomlFile::new(Path::new("a.toml"), text.as_bytes()).unwrap();
        AdapterSpec::from_file(&file, Path::new(".")).map_err(|failure| failure.to_string())
    }

    #[test]
    fn command_and_answer_are_enough() {
        let spec = read("command = 'sh -c \"exit 3\"'\nanswer.pattern = 'I play {cell}'\n").unwrap();
        assert_eq!(spec.variant, Variant::MagneticCave);
        assert_eq!(spec.timeout, Duration::from_mins(1));
        let program = &spec.command.program;
        assert!(program.ends_with("sh") && program.is_absolute());
        assert_eq!(spec.command(|_| String::new()).args, ["-c", "exit 3"]);
        assert!(spec.has_fixed_command() && !spec.takes_placement);
        assert_eq!(spec.move_steps[0].text, TextTemplate::of_slots(["cell"]));
        let spec = read("variant = 'gridlock'\ncommand = ['sh', '{fen}', '{turns}']\n[board]\n").unwrap();
        assert!(!spec.has_fixed_command() && spec.takes_placement);
        assert_eq!(spec.move_steps[0].text, TextTemplate::of_slots(["from", "to"]));
        assert_eq!(
            spec.command(|slot| format!("<{slot}>")).args,
            ["<fen>", "<turns>"]
        );
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
    }

    #[test]
    fn errors_name_the_line_and_what_is_right() {
        const START: &str = "command = 'sh'\nanswer.pattern = '{cell}'\n";
        for (text, why) in [
            (
                "",
                "a.toml: `command` is missing, for example `command = \"python3 game.py\"`",
            ),
            (
                "command = 'sh'",
                "a.toml: nothing says where the program's move is: give the `pattern` of [answer], or the signs of its [board]",
            ),
            (
                "command = 'sh'\n[board]\nfirst = 'O'",
                "a.toml: [board]: the sign `O` of `second` has another meaning already",
            ),
            ("command = ''", "a.toml, line 1: `command` is empty"),
            (
                "command = 'sh \"'",
                "a.toml, line 1: `command` has a quotation mark without its partner",
            ),
            (
                "command = 'no-such-program-here'",
                "a.toml, line 1: `no-such-program-here` is not a program in PATH",
            ),
            (
                "command = 'sh {pieces}'",
                "a.toml, line 1: unknown placeholder `pieces`; the placeholders are player, opponent, fen, first_cells, second_cells",
            ),
            (
                "{START}timeout = 0",
                "a.toml, line 3: `timeout` must be a whole number of seconds from 1 to 86400",
            ),
            (
                "{START}timeout = '9'",
                "a.toml, line 3: `timeout` must be a whole number of seconds from 1 to 86400",
            ),
            ("{START}start = 1", "a.toml, line 3: expected a table `[start]`"),
            (
                "{START}[start]\nfirst = [1]",
                "a.toml, line 4: `first` must be a text in quotation marks",
            ),
            ("{START}[start]\nfirst = ['a\nb']", "a.toml, line 5: "),
            (
                "{START}[start]\nfirst = [\"a\\nb\"]",
                "a.toml, line 4: `first` holds a control character (`\\n`), which cannot be used",
            ),
            (
                "{START}[start]\nfirst = [{wait = 'a'}]",
                "a.toml, line 4: `send` is missing: the line to type",
            ),
            (
                "{START}[start]\nfirst = [{sent = 'a'}]",
                "a.toml, line 4: unknown key `sent`; did you mean `send`? The keys are wait, send, each",
            ),
            (
                "{START}[start]\nsecond = []",
                "a.toml: [start] has no `first`: what to type so that the program moves first, or [] for nothing",
            ),
            (
                "{START}[start]\nfirst = [{send = 'a', each = 'all'}]",
                "a.toml, line 4: unknown value `all`; the values are first, second, in turn",
            ),
            (
                "{START}[move]\nsend = [{send = '{cell}', each = 'first'}]",
                "a.toml, line 4: `each` belongs into [start]",
            ),
            (
                "{START}[move]\nsend = 'x'",
                "a.toml: `send` of [move] does not say where the move goes; write `{cell}`, or `{row}` and `{column}`",
            ),
            (
                "{START}[move]\nsend = '{cell'",
                "a.toml, line 4: `{cell` has a single brace; `{{` and `}}` stand for braces as they are",
            ),
            (
                "{START}[move]\nprompt = '('",
                "a.toml, line 4: the pattern is wrong: unclosed group",
            ),
            (
                "{START}[cells]\nrows = '1234'",
                "a.toml, line 4: `rows` has 4 names, expected 8, from top to bottom",
            ),
            (
                "{START}[board]\nempty = '-'",
                "a.toml, line 2: there is a [board] too; only one of them can find the move",
            ),
            (
                "variant = 'gridlock'\ncommand = 'sh'\n[board]\n[move]\nsend = '{to}'",
                "a.toml: `send` of [move] does not say which piece moves; write `{from}`, or `{from_row}` and `{from_column}`",
            ),
            (
                "dir = 'no-such-folder'\n{START}",
                "a.toml, line 1: `./no-such-folder` is not a folder",
            ),
        ] {
            let error = read(&text.replace("{START}", START)).unwrap_err();
            assert!(error.starts_with(why), "{text}\n{error}\n{why}");
        }
    }
}
