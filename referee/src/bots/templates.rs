//! The example bots of `examples/bots/`, as templates for new bots.

use std::path::{Path, PathBuf};

use referee_core::io::text;
use referee_core::system::files::{CC, CXX, PYTHON, STARTS_SCRIPTS, is_executable, program_names};

use crate::embedded::{self, ExampleBot};

/// A bot to start from, in one programming language.
#[derive(Debug)]
pub struct Template {
    /// Its files. The name is that of the language on the command line.
    pub bot: ExampleBot,
    /// Other names that are accepted.
    aliases: &'static [&'static str],
    /// The programs that compile and run the bot.
    tools: &'static [&'static str],
    /// What the bot needs, for a person.
    pub requirement: &'static str,
    /// What the compiler makes on Windows, and its command there.
    compiled: Option<[&'static str; 2]>,
    /// The command that starts the bot on Windows.
    start: &'static str,
}

/// All templates, in the order of their names.
pub static TEMPLATES: [Template; 6] = [
    Template {
        bot: embedded::C,
        aliases: &[],
        tools: &[CC],
        requirement: "a C compiler, such as gcc or clang",
        compiled: Some(["bot.exe", "gcc -std=c11 -O2 -o bot.exe bot.c"]),
        start: "bot.exe",
    },
    Template {
        bot: embedded::CPP,
        aliases: &["c++", "cxx"],
        tools: &[CXX],
        requirement: "a C++17 compiler, such as g++ or clang++",
        compiled: Some(["bot.exe", "g++ -std=c++17 -O2 -static -o bot.exe bot.cpp"]),
        start: "bot.exe",
    },
    Template {
        bot: embedded::JAVA,
        aliases: &[],
        tools: &["javac", "java"],
        requirement: "a Java development kit, version 17 or later",
        compiled: Some(["classes", "javac -XDstringConcat=inline -d classes Bot.java"]),
        start: "java -XX:+UseSerialGC -cp classes Bot",
    },
    Template {
        bot: embedded::JAVASCRIPT,
        aliases: &["js", "node"],
        tools: &["node"],
        requirement: "Node.js, version 16 or later",
        compiled: None,
        start: "node bot.js",
    },
    Template {
        bot: embedded::PYTHON,
        aliases: &["py", "python3"],
        tools: &[PYTHON],
        requirement: "Python 3.9 or later",
        compiled: None,
        start: "python bot.py",
    },
    Template {
        bot: embedded::RUST,
        aliases: &["rs"],
        tools: &["rustc"],
        requirement: "the Rust compiler, version 1.75 or later",
        compiled: Some(["bot.exe", "rustc --edition 2021 -O -o bot.exe bot.rs"]),
        start: "bot.exe",
    },
];

impl Template {
    /// The template for a language, in any letter case.
    pub(crate) fn read(language: &str) -> Result<&'static Template, String> {
        let wanted = language.to_lowercase();
        let is_meant =
            |template: &&Template| template.bot.name == wanted || template.aliases.contains(&wanted.as_str());
        TEMPLATES
            .iter()
            .find(is_meant)
            .ok_or_else(|| text::unknown("language", language, &Template::names()))
    }

    /// The name and the text of the script that starts the bot on this system.
    pub(crate) fn script(&self) -> (&'static str, String) {
        if STARTS_SCRIPTS {
            ("run", self.bot.run.to_string())
        } else {
            ("run.cmd", self.batch())
        }
    }

    /// The script for Windows.
    fn batch(&self) -> String {
        let compile = self.compiled.map(|[made, command]| {
            let when = format!(", and compiles it first if {made} is missing: delete {made} after a change");
            (when, format!("@if not exist {made} {command}\r\n"))
        });
        let (when, compile) = compile.unwrap_or_default();
        let start = self.start;
        format!("@rem Starts the bot{when}.\r\n@cd /d \"%~dp0\"\r\n{compile}@{start}\r\n")
    }

    /// The names of all languages.
    pub(crate) fn names() -> Vec<&'static str> {
        TEMPLATES.iter().map(|template| template.bot.name).collect()
    }

    /// The tools that none of these folders has.
    pub(crate) fn missing_tools(&self, folders: &[PathBuf]) -> Vec<&'static str> {
        let is_in = |folder: &Path, tool: &str| {
            let mut names = program_names(&folder.join(tool)).into_iter();
            names.any(|name| is_executable(&name))
        };
        let is_missing = |tool: &&&str| !folders.iter().any(|folder| is_in(folder, tool));
        self.tools.iter().filter(is_missing).copied().collect()
    }
}

/// A programming language of `referee new-rules`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesLanguage {
    /// Python, with its package.
    Python,
    /// Rust, with a file that is its library.
    Rust,
}

impl RulesLanguage {
    /// The names of the languages.
    pub(crate) const NAMES: [&'static str; 2] = ["python", "rust"];

    /// The language of this name, as [`Template::read`] reads it.
    pub(crate) fn read(language: &str) -> Result<RulesLanguage, String> {
        match Template::read(language).map(|template| template.bot.name) {
            Ok("python") => Ok(RulesLanguage::Python),
            Ok("rust") => Ok(RulesLanguage::Rust),
            _ => Err(text::unknown("language", language, &RulesLanguage::NAMES)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::expect;

    /// The most lines of an example bot.
    const MAX_LINES: usize = 150;

    #[test]
    fn bots_are_short_and_name_the_places_to_improve() {
        for template in &TEMPLATES {
            let lines = template.bot.source.lines().count();
            assert!(lines <= MAX_LINES, "{}: {lines} lines", template.bot.file);
            let beginning: Vec<&str> = template.bot.source.lines().take(3).collect();
            let beginning = beginning.join("\n");
            for place in ["`evaluate`", "`search`"] {
                assert!(beginning.contains(place), "{}: {place}", template.bot.file);
            }
            let any_game = template.bot.any_game;
            assert!(any_game.lines().count() <= 50, "{}", template.bot.file);
            assert!(
                any_game.contains("your ideas into `choose`"),
                "{}",
                template.bot.file
            );
            assert!(
                template.bot.run.starts_with("#!/bin/sh\n"),
                "{}",
                template.bot.name
            );
            assert!(
                template.bot.run.contains("cd \"$(dirname \"$0\")\""),
                "{}",
                template.bot.name
            );
            let batch = template.batch();
            let lines: Vec<&str> = batch.split_terminator("\r\n").collect();
            assert!(lines.iter().all(|line| line.starts_with('@')), "{lines:?}");
            assert!(lines.contains(&"@cd /d \"%~dp0\""), "{lines:?}");
        }
    }

    #[test]
    fn no_file_has_long_or_ragged_lines() {
        for template in &TEMPLATES {
            let texts = [template.bot.source, template.bot.any_game, template.bot.run];
            for line in texts.into_iter().flat_map(str::lines) {
                assert!(line.chars().count() <= 110, "{}: {line}", template.bot.name);
                assert_eq!(line, line.trim_end(), "{}", template.bot.name);
                assert!(!line.contains('\t'), "{}: {line}", template.bot.name);
            }
        }
    }

    #[test]
    fn languages_have_several_names() {
        for (name, language) in [
            ("c", "c"),
            ("C", "c"),
            ("c++", "cpp"),
            ("cpp", "cpp"),
            ("js", "javascript"),
            ("JavaScript", "javascript"),
            ("py", "python"),
            ("Python", "python"),
            ("java", "java"),
            ("rust", "rust"),
        ] {
            assert_eq!(Template::read(name).unwrap().bot.name, language);
        }
        expect! {"unknown language `pyton`; did you mean `python`? The languages are c, cpp, java, javascript, python, rust"}.assert_eq(&Template::read("pyton").unwrap_err());
        assert!(
            Template::read("cobol")
                .unwrap_err()
                .contains("; the languages are c, ")
        );
    }

    #[test]
    fn names_the_tools_that_are_missing() {
        let java = Template::read("java").unwrap();
        let folder = tempfile::TempDir::new().unwrap();
        let folders = [PathBuf::from("/nowhere"), folder.path().to_path_buf()];
        assert_eq!(java.missing_tools(&folders), ["javac", "java"]);
        let tool = program_names(&folder.path().join("java")).pop().unwrap();
        std::fs::write(&tool, "").unwrap();
        referee_core::system::files::make_executable(&tool).unwrap();
        assert_eq!(java.missing_tools(&folders), ["javac"]);
    }
}
