//! Starts rules programs, and describes them in the headers of result files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::Ruleset;
use referee_core::io::files;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::{ShowPath, hint, printable};
use referee_core::io::untrusted::{Untrusted, untrusted_pairs, untrusted_path};
use referee_core::player::EngineSpec;
use referee_core::results::RulesEntry;
use referee_core::rules::external::{ExternalRules, RulesSource};

use super::cli::{Command, RulesArg};
use super::companion::CHESS;
use super::roster::{self, Contestant};
use super::rules_settings::RulesSettings;

/// The most characters of a program in a message.
const MAX_QUOTE: usize = 60;

/// Starts the rules program of a command, if it names one. It becomes the game of the command.
pub fn load_for(command: &mut Command) -> Result<Option<Ruleset>, Failure> {
    let game = match command {
        Command::Match(args) => &mut args.run.game,
        Command::Tune(args) => &mut args.run.game,
        Command::Ladder(args) => &mut args.run.game,
        Command::Play(args) => &mut args.game,
        Command::Serve(args) => &mut args.game,
        Command::Openings(args) => &mut args.game,
        Command::Check(args) => {
            // Status 3 is that of a bot that cannot be started.
            let rules = load(&mut args.game.rules).map_err(|failure| match failure {
                Failure::Start(why) => Stop::Rules(why).into(),
                failure => failure,
            })?;
            args.game.variant = rules.unwrap_or(args.game.variant);
            return Ok(rules);
        }
        Command::Adapt(args) => return load(&mut args.rules),
        Command::Report(args) => return load(&mut args.rules),
        Command::Verify(args) => return load(&mut args.rules),
        Command::Show(args) => return load(&mut args.rules),
        Command::Analyze(args) => return load(&mut args.rules),
        Command::Grade(_)
        | Command::Collect(_)
        | Command::Rules(_)
        | Command::NewBot(_)
        | Command::NewRules(_)
        | Command::Completions { .. }
        | Command::Bridge(_)
        | Command::Builtin { .. } => return Ok(None),
    };
    let rules = load(&mut game.rules)?;
    game.variant = rules.unwrap_or(game.variant);
    Ok(rules)
}

/// Starts the rules program that these options name, if there is one.
pub(crate) fn load(args: &mut RulesArg) -> Result<Option<Ruleset>, Failure> {
    args.loaded = args.settings.as_ref().map(RulesSettings::load).transpose()?;
    Ok(args.loaded)
}

/// The first names of the modules that a text in Python imports.
fn imports(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for line in text.lines().map(str::trim_start) {
        let list = match (line.strip_prefix("import "), line.strip_prefix("from ")) {
            (Some(list), _) => list,
            (_, Some(rest)) => rest.split(" import").next().unwrap_or_default(),
            _ => continue,
        };
        names.extend(list.split(',').map(|name| {
            let name = name.trim().trim_start_matches('.');
            name.split(|sign: char| !sign.is_alphanumeric() && sign != '_')
                .next()
                .unwrap_or_default()
        }));
    }
    names
}

impl RulesSettings {
    /// How to start the program.
    pub fn spec(&self) -> Result<EngineSpec, Failure> {
        let command = self.settings.cmd.as_deref().unwrap_or_default();
        let is_in_dir = self
            .settings
            .dir
            .as_ref()
            .is_some_and(|dir| dir.join(command).exists());
        if roster::is_unknown(command) && !is_in_dir && !self.settings.is_human() {
            if command == CHESS.program {
                let (purpose, advice) = (CHESS.purpose, CHESS.advice());
                return Err(Failure::Start(format!(
                    "the rules program: the program `{command}` {purpose} is not installed. {advice}"
                )));
            }
            let games: Vec<&str> = Ruleset::ALL.iter().map(|game| game.name()).collect();
            let meant = hint(command, games.iter().copied());
            let advice = match meant.as_str() {
                "" if command == "chess" => "; the rules of chess are examples/rules/python_chess.py",
                "" => "; `referee new-rules FOLDER` writes a program to start from",
                meant => meant,
            };
            return Err(Failure::Start(format!(
                "the rules program: `{}` is neither a file nor a program in PATH nor a built-in game{advice}\n  \
                 built-in games: {}",
                printable(command, MAX_QUOTE),
                games.join(", ")
            )));
        }
        let players = roster::resolve(std::slice::from_ref(&self.settings), Ruleset::default());
        // The name of a player that is not there is not what is missing.
        let players = players.map_err(|failure| match failure {
            Failure::Start(why) => Failure::Start(format!("the rules program: {why}")),
            Failure::Usage(why) => Failure::Usage(format!("the rules program: {why}")),
            failure => failure,
        })?;
        let spec = players.into_iter().find_map(|player| player.spec);
        spec.ok_or_else(|| {
            Failure::Usage("`human` is not a program; give a program with the rules of a game".into())
        })
    }

    /// The program in the header of a result file; `rules` are those that it has given.
    pub(crate) fn entry(&self, rules: Ruleset) -> Result<RulesEntry, Failure> {
        let players = roster::resolve(std::slice::from_ref(&self.settings), Ruleset::default())?;
        let mut sha256: BTreeMap<_, _> = players.iter().flat_map(Contestant::digests).collect();
        for module in self.modules() {
            // What cannot be read now is no module.
            let digest = files::sha256(
                &self
                    .settings
                    .dir
                    .as_deref()
                    .unwrap_or(Path::new(""))
                    .join(&module),
            );
            sha256.extend(digest.ok().map(|digest| (untrusted_path(&module), digest.into())));
        }
        for file in &self.files {
            let path = self.settings.dir.as_deref().unwrap_or(Path::new("")).join(file);
            let digest = files::sha256(&path)
                .map_err(|error| Failure::Usage(format!("--rules: `files={}`: {error}", file.shown())))?;
            sha256.insert(untrusted_path(file), digest.into());
        }
        let program = rules.program();
        Ok(RulesEntry {
            name: rules.name().to_string(),
            version: program.and_then(|program| program.version()).map(Untrusted::from),
            greeting: program
                .and_then(|program| program.greeting())
                .map(Untrusted::from),
            cmd: self.words.iter().map(|word| word.as_str().into()).collect(),
            options: untrusted_pairs(&self.settings.options),
            sha256,
        })
    }

    /// The modules of Python beside the program that it imports, or that these import.
    fn modules(&self) -> Vec<PathBuf> {
        /// What is read of a module, in bytes.
        const MOST: u64 = 1 << 20;
        let dir = self.settings.dir.as_deref().unwrap_or(Path::new(""));
        let words = self
            .settings
            .cmd
            .iter()
            .chain(self.settings.args.iter().flatten());
        let programs = words
            .map(PathBuf::from)
            .filter(|path| path.extension().is_some_and(|end| end == "py"));
        let mut open: Vec<PathBuf> = programs.collect();
        let mut found = Vec::new();
        while let Some(path) = open.pop() {
            let text = files::read(&dir.join(&path), MOST)
                .ok()
                .flatten()
                .unwrap_or_default();
            for name in imports(&String::from_utf8_lossy(&text)) {
                let module = path.with_file_name(format!("{name}.py"));
                if dir.join(&module).is_file() && !found.contains(&module) {
                    found.push(module.clone());
                    open.push(module);
                }
            }
        }
        found.sort();
        found
    }

    /// Starts the program. Its rules stay until the process ends.
    pub fn load(&self) -> Result<Ruleset, Failure> {
        let spec = self.spec()?;
        let source = RulesSource {
            name: spec.name.clone(),
            words: self.words.clone(),
            options: spec.options.clone(),
            timeout: self.timeout,
            start: Box::new(move |interrupt: &Arc<Interrupt>| roster::start_rules(&spec, interrupt)),
        };
        Ok(ExternalRules::load(source)?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::SEPARATOR;

    #[test]
    fn python_modules_beside_the_program_are_part_of_the_rules() {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("game.py", "import sys, board\n"),
            ("board.py", "from .cells import Cell\nimport game\n"),
            ("cells.py", ""),
            ("notes.py", ""),
        ] {
            std::fs::write(folder.path().join(file), text).unwrap();
        }
        let words = format!("python3 args=game.py dir={}", folder.path().to_str().unwrap());
        let rules: RulesSettings = words.replace(' ', SEPARATOR).parse().unwrap();
        let expected = ["board.py", "cells.py", "game.py"];
        assert_eq!(rules.modules(), expected.map(PathBuf::from));
    }
}
