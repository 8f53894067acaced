//! The example bots of `examples/bots/`, as templates for new bots.

use std::path::{Path, PathBuf};

use crate::embedded::{self, ExampleBot};

use crate::io::text;
use crate::system::files::{CC, CXX, PYTHON, STARTS_SCRIPTS, is_executable, program_names};

/// A bot to start from, in one programming language.
#[derive(Debug, PartialEq, Eq)]
pub struct Template {
    /// The name of the language on the command line.
    pub name: &'static str,
    /// Other names that are accepted.
    pub aliases: &'static [&'static str],
    /// What the bot needs, for a person.
    pub requirement: &'static str,
    /// The programs that compile and run the bot.
    pub tools: &'static [&'static str],
    /// The name of the source file.
    pub file: &'static str,
    pub source: &'static str,
    /// The source of a bot for any game: the protocol, and a place for the choice of the move.
    pub any_game: &'static str,
    /// The script `run`, which starts the bot.
    pub run: &'static str,
    /// The script `run.cmd`, which starts the bot on Windows.
    pub batch: &'static str,
}

/// A template from an example bot.
const fn template(
    bot: &ExampleBot,
    aliases: &'static [&'static str],
    tools: &'static [&'static str],
    requirement: &'static str,
    batch: &'static str,
) -> Template {
    Template {
        name: bot.name,
        aliases,
        requirement,
        tools,
        file: bot.file,
        source: bot.source,
        any_game: bot.any_game,
        run: bot.run,
        batch,
    }
}

/// All templates, in the order of their names.
pub static TEMPLATES: [Template; 6] = [
    template(
        &embedded::C,
        &[],
        &[CC],
        "a C compiler, such as gcc or clang",
        "@rem Starts the bot, and compiles it first if bot.exe is missing: delete bot.exe after a change.\r\n\
         @cd /d \"%~dp0\"\r\n\
         @if not exist bot.exe gcc -std=c11 -O2 -o bot.exe bot.c\r\n\
         @bot.exe\r\n",
    ),
    template(
        &embedded::CPP,
        &["c++", "cxx"],
        &[CXX],
        "a C++17 compiler, such as g++ or clang++",
        "@rem Starts the bot, and compiles it first if bot.exe is missing: delete bot.exe after a change.\r\n\
         @cd /d \"%~dp0\"\r\n\
         @if not exist bot.exe g++ -std=c++17 -O2 -static -o bot.exe bot.cpp\r\n\
         @bot.exe\r\n",
    ),
    template(
        &embedded::JAVA,
        &[],
        &["javac", "java"],
        "a Java development kit, version 17 or later",
        "@rem Starts the bot, and compiles it first if classes is missing: delete classes after a change.\r\n\
         @cd /d \"%~dp0\"\r\n\
         @if not exist classes javac -XDstringConcat=inline -d classes Bot.java\r\n\
         @java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp classes Bot\r\n",
    ),
    template(
        &embedded::JAVASCRIPT,
        &["js", "node"],
        &["node"],
        "Node.js, version 16 or later",
        "@rem Starts the bot.\r\n\
         @cd /d \"%~dp0\"\r\n\
         @node bot.js\r\n",
    ),
    template(
        &embedded::PYTHON,
        &["py", "python3"],
        &[PYTHON],
        "Python 3.9 or later (3.10 with --single-file)",
        "@rem Starts the bot.\r\n\
         @cd /d \"%~dp0\"\r\n\
         @python bot.py\r\n",
    ),
    template(
        &embedded::RUST,
        &["rs"],
        &["rustc"],
        "the Rust compiler, version 1.75 or later",
        "@rem Starts the bot, and compiles it first if bot.exe is missing: delete bot.exe after a change.\r\n\
         @cd /d \"%~dp0\"\r\n\
         @if not exist bot.exe rustc --edition 2021 -O -o bot.exe bot.rs\r\n\
         @bot.exe\r\n",
    ),
];

impl Template {
    /// The template for a language, in any letter case.
    pub(crate) fn read(language: &str) -> Result<&'static Template, String> {
        let wanted = language.to_lowercase();
        let is_meant =
            |template: &&Template| template.name == wanted || template.aliases.contains(&wanted.as_str());
        TEMPLATES
            .iter()
            .find(is_meant)
            .ok_or_else(|| text::unknown("language", language, &Template::names()))
    }

    /// The name and the text of the script that starts the bot on this system.
    pub(crate) const fn script(&self) -> (&'static str, &'static str) {
        if STARTS_SCRIPTS {
            ("run", self.run)
        } else {
            ("run.cmd", self.batch)
        }
    }

    /// The names of all languages.
    pub(crate) fn names() -> Vec<&'static str> {
        TEMPLATES.iter().map(|template| template.name).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The most lines of an example bot.
    const MAX_LINES: usize = 150;

    #[test]
    fn bots_are_short_and_name_the_places_to_improve() {
        for template in &TEMPLATES {
            let lines = template.source.lines().count();
            assert!(lines <= MAX_LINES, "{}: {lines} lines", template.file);
            let beginning: Vec<&str> = template.source.lines().take(3).collect();
            let beginning = beginning.join("\n");
            for place in ["`evaluate`", "`search`"] {
                assert!(beginning.contains(place), "{}: {place}", template.file);
            }
            let any_game = template.any_game;
            assert!(any_game.lines().count() <= 50, "{}", template.file);
            assert!(any_game.contains("your ideas into `choose`"), "{}", template.file);
            assert!(template.run.starts_with("#!/bin/sh\n"), "{}", template.name);
            assert!(
                template.run.contains("cd \"$(dirname \"$0\")\""),
                "{}",
                template.name
            );
            let lines: Vec<&str> = template.batch.split_terminator("\r\n").collect();
            assert!(lines.iter().all(|line| line.starts_with('@')), "{lines:?}");
            assert!(lines.contains(&"@cd /d \"%~dp0\""), "{lines:?}");
        }
    }

    #[test]
    fn no_file_has_long_or_ragged_lines() {
        for template in &TEMPLATES {
            let texts = [template.source, template.any_game, template.run];
            for line in texts.into_iter().flat_map(str::lines) {
                assert!(line.chars().count() <= 110, "{}: {line}", template.name);
                assert_eq!(line, line.trim_end(), "{}", template.name);
                assert!(!line.contains('\t'), "{}: {line}", template.name);
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
            assert_eq!(Template::read(name).unwrap().name, language);
        }
        assert_eq!(
            Template::read("pyton").unwrap_err(),
            "unknown language `pyton`; did you mean `python`? The languages are c, cpp, java, javascript, \
             python, rust"
        );
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
        crate::system::files::make_executable(&tool).unwrap();
        assert_eq!(java.missing_tools(&folders), ["javac"]);
    }
}
