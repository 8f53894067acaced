//! What students read, from facts: the same words in the feedback of a ladder, of grades and of collected submissions,
//! and in reports.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use lodestone_game::Variant;
use referee_core::io::text::{ShowPath, printable, wrap};
use referee_core::settings::Purpose;
use referee_core::system::files::{is_left_out, quote};

use crate::config::cli::GameArgs;
use crate::config::own_files::MAX_DEPTH;
use crate::config::settings::Settings;
use crate::config::with_keys::BookOption;

/// The width of the text.
pub(crate) const WIDTH: usize = 80;

/// How the line of a command begins.
pub(crate) const COMMAND: &str = "  referee ";

/// The command that checks a submission on the student's machine by the rules and with the limits of the course.
pub(crate) fn check_command(
    game: &GameArgs,
    openings: Option<&BookOption>,
    each: Option<&Settings>,
    wrapper: Option<&Path>,
) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "_./=:,+-".contains(sign);
    let word = |word: &str| {
        if word.chars().all(is_plain) {
            word.to_string()
        } else {
            quote(word).unwrap_or_default()
        }
    };
    let mut text = String::from("referee check");
    if let Some(rules) = &game.rules.settings {
        text += " --rules";
        for one in &rules.words {
            let _ = write!(text, " {}", word(one));
        }
    } else if game.variant != Variant::default().into() {
        let _ = write!(text, " --variant {}", game.variant.name());
    }
    if let Some(BookOption { source, selection }) = openings {
        let _ = write!(text, " --openings {}", word(&source.to_string()));
        if !selection.is_default() {
            let _ = write!(text, " {selection}");
        }
    }
    if let Some(wrapper) = wrapper {
        let _ = write!(text, " --wrapper {}", word(&wrapper.to_string_lossy()));
    }
    // What restricts a bot is a matter of the course's machine.
    let each = each
        .map(|each| each.words_for(Purpose::Check))
        .unwrap_or_default();
    let each: Vec<String> = each.iter().map(|one| word(one)).collect();
    if !each.is_empty() {
        let _ = write!(text, " --each {}", each.join(" "));
    }
    // What follows a bot is passed to it.
    text + " FOLDER"
}

/// Whether a bot in this folder is made with the Python package: then its author does not know the protocol.
pub(crate) fn is_of_package(folder: &Path) -> bool {
    folder.join("referee/bot.py").is_file() || folder.join("refereebot/bot.py").is_file()
}

/// The text about a submission that cannot play: why, and what its author can do.
pub(crate) fn not_playing(title: &str, why: &str, command: &str) -> String {
    // A sentence about a copy may begin with the submission.
    let why = why
        .strip_prefix("your ")
        .map_or_else(|| why.to_string(), |rest| format!("Your {rest}"));
    let why: Vec<String> = why.lines().map(|line| printable(line, usize::MAX)).collect();
    let text = format!(
        "{}\n\nIt will be tried again when its files change. To try it on your machine, run this command with the \
         files of the course:",
        why.join("\n")
    );
    // On one line, to be copied.
    format!("{title}\n\n{}\n\n  {command}\n", wrap(&text, WIDTH))
}

/// The text for a student whose submission is not collected: why, and what to do, as sentences.
pub(crate) fn not_collected(
    name: &str,
    sent: &[PathBuf],
    (why, advice): (&str, &str),
    has_earlier: bool,
) -> String {
    let names: Vec<String> = sent
        .iter()
        .filter_map(|path| path.file_name())
        .map(ShowPath::shown)
        .collect();
    let why = sent.iter().fold(why.to_string(), |why, path| of_copy(&why, path));
    let earlier = if has_earlier {
        "\n\nUntil you submit again, your earlier submission counts."
    } else {
        ""
    };
    let text = format!(
        "{}: not collected\n\nYour submission {} cannot be used: {}. {advice}",
        printable(name, usize::MAX),
        names.join(", "),
        printable(&why, usize::MAX)
    );
    wrap(&(text.trim_end().to_string() + earlier), WIDTH) + "\n"
}

/// A text about the copy of a submission as one about the submission.
pub(crate) fn of_copy(text: &str, folder: &Path) -> String {
    let mut text = text.to_string();
    let mut places: Vec<PathBuf> = vec![folder.to_path_buf()];
    // The longer one first: the other is a part of it.
    places.extend(folder.canonicalize());
    places.sort_by_key(|place| std::cmp::Reverse(place.as_os_str().len()));
    for place in places.iter().map(|place| place.shown()) {
        // As the target of a command, it is the folder itself.
        let word = quote(&place).unwrap_or_default();
        text = text
            .replace(&format!("{word}/`"), "./`")
            .replace(&format!("{place}/"), "")
            .replace(&place, "your submission");
    }
    text
}

/// The names of files that are used for feedback.
#[derive(Default)]
pub(crate) struct FileNames(HashSet<String>);

impl FileNames {
    /// The most characters of a name, without its ending.
    const MOST: usize = 60;

    /// The name of a file that no other submission has.
    pub fn of(&mut self, name: &str) -> String {
        let short: String = printable(name, usize::MAX).chars().take(Self::MOST).collect();
        let short = short.replace('/', "_");
        let numbered = (2..).map(|number| format!("{short}-{number}"));
        let mut names = std::iter::once(short.clone()).chain(numbered);
        let free = names.find(|name| self.0.insert(name.clone()));
        format!("{}.txt", free.unwrap_or_default())
    }
}

/// The last lines of an error message, and what a file that it misses has to do with those of the submission.
pub(crate) fn error_text(stderr: &[String], folder: &Path) -> String {
    let shown = error_lines(stderr);
    let is_own = |line: &String| names(line, folder);
    // The place in the submission, if a library failed that it called.
    let own = stderr.iter().rposition(is_own);
    let own = own.filter(|_| !shown.iter().any(|line| is_own(line)));
    let own = own.map_or(&[][..], |at| &stderr[at..stderr.len().min(at + 2)]);
    let gap = Some("  ...".to_string()).filter(|_| !own.is_empty());
    let advice = of_files(stderr, folder);
    let lines = own.iter().chain(&gap).chain(shown).chain(&advice);
    lines.fold(String::new(), |text, line| {
        text + "  " + &printable(&line.replace('\t', "    "), usize::MAX) + "\n"
    })
}

/// Whether a line has the path of a file in this folder.
fn names(line: &str, folder: &Path) -> bool {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    [real.shown(), folder.shown()]
        .iter()
        .any(|place| line.contains(&format!("{place}/")))
}

/// How languages say that a file or, last, a module is missing: what stands before its name.
const MISSING: [&str; 6] = [
    "No such file or directory: '",
    "can't open file '",
    "no such file or directory, open '",
    "Cannot find module '",
    "Unable to access jarfile ",
    "No module named '",
];

/// The first of them that is about a module, whose file has an ending.
const FIRST_MODULE: usize = 5;

/// The most files of a submission that a text names, and that are looked at.
const MOST_FILES: [usize; 2] = [8, 200];

/// What a missing file has to do with the files of the submission.
fn of_files(stderr: &[String], folder: &Path) -> Option<String> {
    let signs = || MISSING.iter().enumerate();
    let (name, is_module) = error_lines(stderr).into_iter().rev().find_map(|line| {
        let (place, rest) = signs().find_map(|(place, sign)| Some((place, line.split_once(sign)?.1)))?;
        let end = rest
            .find(|sign: char| sign == '\'' || sign.is_whitespace())
            .unwrap_or(rest.len());
        Some((&rest[..end], place >= FIRST_MODULE))
    })?;
    let wanted = if is_module {
        name.split('.').next().unwrap_or_default()
    } else {
        name.rsplit(['/', '\\']).next().unwrap_or_default()
    };
    let mut files = Vec::new();
    list(folder, Path::new(""), &mut files);
    let is_called_so = |file: &&PathBuf| {
        let found = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        let rest = found.strip_prefix(&wanted.to_lowercase());
        rest.is_some_and(|rest| rest.starts_with('.') || rest.is_empty() && !is_module)
    };
    let quoted = |files: &mut dyn Iterator<Item = &PathBuf>| {
        let names: Vec<String> = files
            .take(MOST_FILES[0] + 1)
            .map(|file| format!("`{}`", file.shown()))
            .collect();
        let more = if names.len() > MOST_FILES[0] {
            " and others"
        } else {
            ""
        };
        names[..names.len().min(MOST_FILES[0])].join(", ") + more
    };
    let similar = quoted(&mut files.iter().filter(is_called_so));
    // The last file in a traceback is the one that fails.
    let asker = stderr
        .iter()
        .rev()
        .find(|line| line.trim_start().starts_with("File \""));
    let is_own = asker.is_some_and(|line| names(line, folder));
    Some(match (similar.is_empty(), is_module) {
        _ if wanted.is_empty() => return None,
        (false, true) => format!(
            "nothing is found under the name `{wanted}`; your submission has {similar}: rename it, or move it up"
        ),
        (false, false) => format!(
            "your submission has {similar}: open it by its place beside your source file, such as \
             `os.path.join(os.path.dirname(__file__), ...)` in Python, and not by the folder in which a program starts"
        ),
        (true, true) if is_own => {
            format!("`{wanted}` is neither a file of your submission nor installed on this machine")
        }
        (true, false) if name.starts_with('/') || name.contains('\\') => {
            format!(
                "no file of your submission is called `{wanted}`, and other machines do not have your folders"
            )
        }
        (true, _) if files.is_empty() => "your submission has no file".into(),
        (true, _) => format!(
            "your submission has no `{wanted}`; its files are {}",
            quoted(&mut files.iter())
        ),
    })
}

/// Adds the files below a folder, those in it first.
fn list(folder: &Path, below: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder.join(below))
        .into_iter()
        .flatten()
        .flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name())
        .filter(|name| !is_left_out(name))
        .collect();
    names.sort();
    let is_folder = |path: &PathBuf| {
        folder
            .join(path)
            .symlink_metadata()
            .is_ok_and(|found| found.is_dir())
    };
    let (folders, found): (Vec<PathBuf>, Vec<PathBuf>) =
        names.iter().map(|name| below.join(name)).partition(is_folder);
    files.extend(found);
    for inner in folders {
        if files.len() < MOST_FILES[1] && inner.components().count() < MAX_DEPTH {
            list(folder, &inner, files);
        }
    }
}

/// The last lines of an error message, without those that only mark a place in the line before.
pub(crate) fn error_lines(stderr: &[String]) -> Vec<&String> {
    const MOST: usize = 7;
    let is_text = |line: &&String| line.contains(|sign| !" ^~".contains(sign));
    let lines: Vec<&String> = stderr.iter().filter(is_text).collect();
    let first = lines.len().saturating_sub(MOST);
    lines[first..].to_vec()
}

#[cfg(test)]
mod tests {
    use referee_core::results::transcripts::PlayerLines;
    use sentences::{assert_rows, expect};

    use super::*;

    #[test]
    fn shows_what_a_program_was_given_and_its_answer() {
        let said = "  1  < ann: info string > input.txt | 1\n  2  > ann: go movetime 10\n  3  < ann: info string > \
                    input.txt | 2\n  3  < ben: info string > input.txt | 3\n  4  < ann: info depth 3\n  5  < ann: \
                    info string < output.txt | PASS\nLast lines of ann on stderr:\n  a\n    ^^\n";
        let own = PlayerLines::of(said, "ann");
        assert_eq!(own.notes(), ["> input.txt | 2", "< output.txt | PASS"]);
        assert_eq!(error_lines(&own.stderr), ["a"]);
    }

    #[test]
    fn shows_what_was_said_since_the_last_question() {
        let line = |at: usize, text: &str| format!("{:>9.3}  {text}\n", at as f64);
        let given = |count: usize| -> String {
            (0..count)
                .map(|number| line(2, &format!("< ann: info string {number}")))
                .collect()
        };
        let before = line(0, "> ann: go movetime 10") + &given(3) + &line(1, "< ann: bestmove a1");
        let asked = line(2, "> ben: go movetime 9") + &line(2, "> ann: go movetime 10");
        let own = |count| PlayerLines::of(&(before.clone() + &asked + &given(count)), "ann");
        assert_eq!(own(20).last().len(), 21);
        assert_eq!(own(20).last()[0], "> go movetime 10");
        // Where little was said, it begins before.
        assert_eq!(own(2).last().len(), 8);
    }

    #[test]
    fn a_missing_file_is_compared_with_those_of_the_submission() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("src/data")).unwrap();
        for file in ["c", "a", "My_Agent.py", "b", "src/agent.py", "src/data/w.txt"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        let own = format!("  File \"{}/My_Agent.py\", line 1, in <module>", root.shown());
        let course = "  File \"/srv/wrapper/bot.py\", line 6, in <module>";
        for (asker, error, expected) in [
            (
                course,
                "ModuleNotFoundError: No module named 'agent'",
                "your submission has `src/agent.py`: rename it",
            ),
            (
                course,
                "ModuleNotFoundError: No module named 'my_agent'",
                "your submission has `My_Agent.py`: rename it",
            ),
            (
                course,
                "ModuleNotFoundError: No module named 'bot'",
                "its files are `My_Agent.py`, `a`, `b`, `c`, `src/agent.py`, `src/data/w.txt`",
            ),
            (
                &own,
                "ModuleNotFoundError: No module named 'numpy.linalg'",
                "`numpy` is neither a file of your",
            ),
            (
                &own,
                "FileNotFoundError: [Errno 2] No such file or directory: 'w.txt'",
                "has `src/data/w.txt`: open it",
            ),
            (
                &own,
                "FileNotFoundError: [Errno 2] No such file or directory: '/home/a/v.txt'",
                "no file of your submission is called `v.txt`",
            ),
        ] {
            let text = error_text(&[asker.to_string(), error.to_string()], root);
            assert!(text.contains(error) && text.contains(expected), "{text}");
        }
        let mut deep = vec![own.clone(), "    import x".into()];
        deep.extend((0..9).map(|line| format!("  File \"/usr/lib/x.py\", line {line}")));
        let text = error_text(&deep, root);
        assert!(
            text.starts_with(&format!("  {own}\n      import x\n    ...\n")),
            "{text}"
        );
        let other = ["IndexError: list index out of range".to_string()];
        assert_eq!(
            error_text(&other, root),
            "  IndexError: list index out of range\n"
        );
    }

    #[test]
    fn names_of_files_differ() {
        let mut names = FileNames::default();
        assert_eq!(names.of("a/b"), "a_b.txt");
        assert_eq!(names.of("a_b"), "a_b-2.txt");
    }

    #[test]
    fn a_bot_of_the_python_package_may_have_it_under_its_other_name() {
        let folder = tempfile::tempdir().unwrap();
        let bot = |name: &str| folder.path().join(name);
        for file in ["ann/referee/bot.py", "ben/refereebot/bot.py", "eve/bot.py"] {
            std::fs::create_dir_all(bot(file).parent().unwrap()).unwrap();
            std::fs::write(bot(file), "").unwrap();
        }
        let found = ["ann", "ben", "eve"].map(|name| is_of_package(&bot(name)));
        assert_eq!(found, [true, true, false]);
    }

    #[test]
    fn a_command_about_the_copy_is_one_about_the_submission() {
        let table = expect![[r#"
            g/ann/copy | move it up: `mv g/ann/copy/src/* g/ann/copy/` | move it up: `mv src/* ./`
            g/ann b/copy | `g/ann b/copy` has no file: `mv 'g/ann b/copy/src'/* 'g/ann b/copy'/`
                | `your submission` has no file: `mv 'src'/* ./`
        "#]];
        assert_rows(table, |[folder, text]| of_copy(text, Path::new(folder)));
    }
}
