//! Files that Python finds in place of others: a package of the course with the name of the package for bots, or a
//! student's file with the name of a module of Python.

use std::path::Path;

use referee_core::io::text::ShowPath;

use crate::embedded;

/// The modules of Python whose names students give to files, or that others need.
const LIBRARY: &str = "abc argparse array ast asyncio atexit base64 bisect builtins bz2 calendar cmath code codecs collections \
    concurrent configparser contextlib contextvars copy copyreg csv ctypes curses dataclasses datetime \
    decimal difflib dis email encodings enum errno fcntl fnmatch fractions functools gc getopt glob graphlib \
    gzip hashlib heapq hmac html http importlib inspect io ipaddress itertools json keyword linecache locale \
    logging lzma marshal math mimetypes multiprocessing numbers operator os pathlib pickle pkgutil platform \
    posixpath pprint profile pstats queue random re readline reprlib resource runpy sched secrets select \
    selectors shelve shlex shutil signal site socket sqlite3 ssl stat statistics string struct subprocess \
    symtable sys sysconfig tarfile tempfile textwrap threading time timeit token tokenize trace traceback \
    tracemalloc tty turtle types typing unicodedata unittest uuid warnings weakref xml zipfile zipimport \
    zlib zoneinfo";

/// What to do about a file in the bot's folder that has the name of a module of Python, if the error of a bot shows
/// that another module has found it instead.
pub(crate) fn shadowed(stderr: &[String], folder: Option<&Path>) -> Option<String> {
    let folder = folder?;
    let names = LIBRARY.split(' ').filter_map(|name| {
        let file = folder.join(format!("{name}.py"));
        file.is_file().then_some((name, file))
    });
    let names: Vec<_> = names.collect();
    // A traceback that names the module, or that says something of the package that is not so.
    let quotes = |name: &str| {
        let quoted = [format!("'{name}'"), format!("'{name}.")];
        stderr
            .iter()
            .any(|line| quoted.iter().any(|quoted| line.contains(quoted)))
    };
    let mut lacks = stderr.iter().rev().filter_map(|line| lacking(line));
    let is_of_package = lacks.next().is_some();
    let (name, file) = names
        .into_iter()
        .find(|(name, _)| is_of_package || quotes(name))?;
    Some(format!(
        "`{}` hides Python's module `{name}`, which other modules need; rename the file, and change its imports",
        file.shown()
    ))
}

/// How Python says that a package lacks something: what stands before its name.
const LACKS: [&str; 3] = [
    "cannot import name '",
    "No module named 'referee.",
    "module 'referee' has no attribute '",
];

/// What to do about two packages `referee`, if the standard error of a bot or a rules program shows that Python has
/// found another one than it was to find.
pub(crate) fn clash(stderr: &[String]) -> Option<String> {
    let mut lines = stderr.iter().rev();
    let (name, file) = lines.find_map(|line| lacking(line))?;
    let place = file.map(|file| format!(", {file},")).unwrap_or_default();
    let (_, module) = embedded::PYTHON_MODULE[0];
    let found = if module.contains(&format!("\"{name}\"")) {
        format!(
            "Python found another package `referee`{place} instead of the package for bots, which has \
            `{name}`:"
        )
    } else {
        format!(
            "the package `referee` that Python found{place} has no `{name}`; if a package of the course has it,"
        )
    };
    Some(format!(
        "{found} give the package for bots another name: rename its folder to, for example, `refereebot`, and \
         change the imports in bot.py and game.py (docs/python.md, \"Beside another package `referee`\")"
    ))
}

/// The name that the package lacks, and the file of the package, if Python says it.
fn lacking(line: &str) -> Option<(&str, Option<&str>)> {
    let (sign, (_, rest)) = LACKS
        .iter()
        .find_map(|sign| Some((*sign, line.split_once(sign)?)))?;
    let (name, rest) = rest.split_once('\'')?;
    if sign == LACKS[0] && !rest.contains(" 'referee' ") {
        return None;
    }
    let name = name.split('.').next().unwrap_or(name);
    // Newer versions write more than the path between the brackets.
    let file = rest.split_once('(').map(|(_, rest)| rest.trim_end_matches(')'));
    let quoted = file.and_then(|file| file.split('\'').nth(1));
    Some((name, quoted.or(file)))
}

#[cfg(test)]
mod tests {
    use sentences::{assert_rows, expect};

    use super::*;

    #[test]
    fn names_the_package_that_was_found() {
        let table = expect![[r#"
            ImportError: cannot import name 'Bot' from 'referee' (/a b/referee/__init__.py)
                | Python found another package `referee`, /a b/referee/__init__.py, instead of the package for bots, which has `Bot`:
            ImportError: cannot import name 'Bot' from 'referee' (consider renaming '/a/referee.py' if it has the same name as a library you intended to import)
                | another package `referee`, /a/referee.py, instead of the
            ImportError: cannot import name 'Bot' from 'referee' (unknown location)
                | another package `referee`, unknown location, instead of the
            ModuleNotFoundError: No module named 'referee.rules'; 'referee' is not a package
                | another package `referee` instead of the package for bots, which has `rules`:
            AttributeError: module 'referee' has no attribute 'Bot'
                | another package `referee` instead of the
            ModuleNotFoundError: No module named 'referee.game.board'
                | the package `referee` that Python found has no `game`; if a package of the course has it, give
            ImportError: cannot import name 'play' from 'referee' (/a/referee/__init__.py)
                | the package `referee` that Python found, /a/referee/__init__.py, has no `play`; if
        "#]];
        let clash = |line: &str| clash(&["Traceback".to_string(), line.to_string()]);
        assert_rows(table, |[line]| clash(line).unwrap());
        for line in [
            "ImportError: cannot import name 'Bot' from 'bots' (/a/bots.py)",
            "ModuleNotFoundError: No module named 'numpy.referee'",
            "ModuleNotFoundError: No module named 'referee'",
        ] {
            assert_eq!(clash(line), None, "{line}");
        }
    }

    #[test]
    fn a_file_with_the_name_of_a_module_is_named_if_python_missed_something() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("random.py"), "").unwrap();
        for (line, is_named) in [
            (
                "ImportError: cannot import name 'choice' from 'random' (/a/random.py)",
                true,
            ),
            ("ModuleNotFoundError: No module named 'referee.game'", true),
            ("IndexError: list index out of range", false),
        ] {
            let stderr = ["Traceback", line].map(String::from);
            let advice = shadowed(&stderr, Some(folder.path()));
            let is_file = |advice: String| advice.contains("random.py` hides Python's module `random`");
            assert_eq!(advice.map(is_file), is_named.then_some(true), "{line}");
        }
    }
}
