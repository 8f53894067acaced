//! A course may have a package of the name of the module for Python.

use crate::embedded;

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
    use super::*;

    #[test]
    fn names_the_package_that_was_found() {
        let clash = |line: &str| clash(&["Traceback".to_string(), line.to_string()]).unwrap_or_default();
        let other = "Python found another package `referee`";
        for (line, expected) in [
            (
                "ImportError: cannot import name 'Bot' from 'referee' (/a b/referee/__init__.py)",
                format!("{other}, /a b/referee/__init__.py, instead of the package for bots, which has `Bot`: "),
            ),
            (
                "ImportError: cannot import name 'Bot' from 'referee' (consider renaming '/a/referee.py' if it has the \
                 same name as a library you intended to import)",
                format!("{other}, /a/referee.py, instead of the"),
            ),
            (
                "ImportError: cannot import name 'Bot' from 'referee' (unknown location)",
                format!("{other}, unknown location, instead of the"),
            ),
            (
                "ModuleNotFoundError: No module named 'referee.rules'; 'referee' is not a package",
                format!("{other} instead of the package for bots, which has `rules`: "),
            ),
            (
                "AttributeError: module 'referee' has no attribute 'Bot'",
                format!("{other} instead of the"),
            ),
            (
                "ModuleNotFoundError: No module named 'referee.game.board'",
                "the package `referee` that Python found has no `game`; if a package of the course has it, give ".into(),
            ),
            (
                "ImportError: cannot import name 'play' from 'referee' (/a/referee/__init__.py)",
                "the package `referee` that Python found, /a/referee/__init__.py, has no `play`; if".into(),
            ),
            ("ImportError: cannot import name 'Bot' from 'bots' (/a/bots.py)", String::new()),
            ("ModuleNotFoundError: No module named 'numpy.referee'", String::new()),
            ("ModuleNotFoundError: No module named 'referee'", String::new()),
        ] {
            let found = clash(line);
            assert!(found.starts_with(&expected) && found.is_empty() == expected.is_empty(), "{line}: {found}");
        }
    }
}
