//! The players that the pages may start: levels, built-in players, and the programs that the command line
//! names. A page chooses one by its id; no request names a program.

use std::ffi::OsString;
use std::iter::{repeat, repeat_n};
use std::path::{Path, PathBuf};

use referee::{SandboxArgs, ServeArgs, Settings, level_in, levels, lookalikes, resolve_or_skip, submissions};
use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::process::SandboxLevel;
use referee_core::results::UnfitPlayer;
use serde::Serialize;

/// The id of a person.
pub const HUMAN: &str = "human";

/// What kind of player it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum KnownKind {
    /// A level of the computer.
    Level,
    /// A built-in player.
    Builtin,
    /// A program of the command line.
    Program,
    /// A program in a folder of `--engines`.
    Submission,
}

/// A player that may be started.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownPlayer {
    /// What requests call it.
    pub id: String,
    /// Its name for people, and in results.
    pub name: String,
    /// A few words about it.
    pub about: String,
    /// What kind of player it is.
    pub kind: KnownKind,
    /// Whether its program cannot be started; `about` says why.
    pub is_broken: bool,
    /// Whether it has its own time, which a match does not change.
    pub has_time: bool,
    /// Whether it has its own protocol.
    pub has_protocol: bool,
    /// How to start it.
    #[serde(skip)]
    pub settings: Settings,
}

/// What the command line of the server offers to requests.
#[derive(Clone, Debug)]
pub struct OfferedPlayers {
    /// The game.
    pub rules: Ruleset,
    /// The folder of results.
    pub results: PathBuf,
    /// The programs of the command line.
    programs: Vec<Settings>,
    /// The folders and files of `--engines`, which are read again for each list.
    folders: Vec<PathBuf>,
    /// What starts the submissions.
    wrapper: Option<PathBuf>,
    /// The `--sandbox` and `--sandbox-read` of the command line.
    sandbox: SandboxArgs,
    /// The level that `--sandbox` means for what is asked now.
    level: Option<SandboxLevel>,
}

impl OfferedPlayers {
    /// What a command line offers.
    pub fn new(args: &ServeArgs) -> Result<OfferedPlayers, Failure> {
        let named = args.programs.iter().map(|program| Settings::of_program(program));
        let wrapper = args.wrapper.wrapper.as_deref();
        let programs: Vec<Settings> = named
            .chain(args.engine.iter().cloned())
            .map(|program| submissions::with_wrapper(program, wrapper))
            .collect();
        if programs.iter().any(Settings::is_human) {
            return Err(Failure::Usage(
                "`human` is not needed here: every board can have human players".into(),
            ));
        }
        let offer = OfferedPlayers {
            rules: args.game.variant,
            results: args.results.clone(),
            programs,
            folders: args.submissions.clone(),
            wrapper: args.wrapper.wrapper.clone(),
            sandbox: args.sandbox.clone(),
            level: args.sandbox.level_alone(),
        };
        let (found, _) = offer.in_folders(true)?;
        lookalikes::warn(found.iter().filter_map(|player| player.name.as_deref()));
        submissions::check_used(wrapper, &[offer.programs.clone(), found.clone()].concat())?;
        let all: Vec<Settings> = offer.programs.iter().chain(&found).cloned().collect();
        let all: Vec<Settings> = all.into_iter().map(|one| offer.sandboxed(one)).collect();
        let resolved = resolve_or_skip(&all, offer.rules)?;
        // A broken submission is left out; a broken program of the command line is an error.
        let mut own = resolved.into_iter().take(offer.programs.len());
        match own.find_map(|contestant| contestant.broken) {
            Some(why) => Err(Failure::Start(why)),
            None => Ok(offer),
        }
    }

    /// The first folder of submissions, for ladders.
    pub fn ladder_folder(&self) -> Option<&Path> {
        let mut folders = self.folders.iter();
        folders.find(|folder| folder.is_dir()).map(PathBuf::as_path)
    }

    /// The submissions of that folder.
    pub fn submissions(&self) -> Vec<Settings> {
        let of_folder = |folder| submissions::of_folder(folder, self.wrapper.as_deref(), false, |_| ());
        let found = self.ladder_folder().map(of_folder);
        let players = found.and_then(Result::ok).unwrap_or_default().0.into_iter();
        players.map(|player| self.sandboxed(player)).collect()
    }

    /// The option by which a wrapper starts the submissions of a ladder.
    pub fn wrapper_words(&self) -> Vec<OsString> {
        let word = |folder: &PathBuf| {
            let mut word = OsString::from("--wrapper=");
            word.push(folder);
            word
        };
        self.wrapper.iter().map(word).collect()
    }

    /// The options that put the submissions of a ladder into a sandbox. A ladder does so by default.
    pub fn sandbox_words(&self) -> Vec<OsString> {
        let level = self.level.map(|level| format!("--sandbox={level}").into());
        let readable = self.sandbox.sandbox_read.iter();
        let readable = readable.flat_map(|folder| ["--sandbox-read".into(), folder.clone().into_os_string()]);
        level.into_iter().chain(readable).collect()
    }

    fn sandboxed(&self, settings: Settings) -> Settings {
        settings.sandboxed(self.level, &self.sandbox.sandbox_read)
    }

    /// The same for a command that writes this result file, or continues it with the level of its sandboxes.
    #[must_use]
    pub fn continuing(&self, out: &Path) -> OfferedPlayers {
        OfferedPlayers {
            level: self.sandbox.level(|| level_in(out)),
            ..self.clone()
        }
    }

    /// The submissions of the folders, and those that are left out.
    fn in_folders(&self, warns: bool) -> Result<(Vec<Settings>, Vec<UnfitPlayer>), Failure> {
        if self.folders.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let warn = if warns {
            |left_out: &UnfitPlayer| log::warn!("not a player: {}", left_out.why.shown())
        } else {
            |_: &UnfitPlayer| ()
        };
        submissions::players(
            &self.folders,
            &Settings::default(),
            self.wrapper.as_deref(),
            false,
            warn,
        )
    }

    /// All players now: a new submission is there without a new start. Those that cannot play are last, with the reason.
    pub fn list(&self) -> Vec<KnownPlayer> {
        let (mut all, left_out) = self.players();
        all.extend(
            left_out
                .into_iter()
                .map(|UnfitPlayer { name, why, .. }| KnownPlayer {
                    id: format!("left-out:{name}"),
                    name,
                    about: why.shown().to_string(),
                    kind: KnownKind::Submission,
                    is_broken: true,
                    has_time: false,
                    has_protocol: false,
                    settings: Settings::default(),
                }),
        );
        all
    }

    /// The players that may be started, and the submissions that are left out.
    fn players(&self) -> (Vec<KnownPlayer>, Vec<UnfitPlayer>) {
        let own = |prefix: &str, name: &str, about: &str, kind, settings: Settings| KnownPlayer {
            id: format!("{prefix}:{name}"),
            name: name.into(),
            about: about.into(),
            kind,
            is_broken: false,
            has_time: settings.time.is_some(),
            has_protocol: true,
            settings,
        };
        let levels = levels(self.rules)
            .map(|(name, about, settings)| own("level", name, about, KnownKind::Level, settings));
        let built_in = self.rules.described_players().into_iter().map(|(name, about)| {
            let settings = Settings::of_program(name);
            own("builtin", name, about, KnownKind::Builtin, settings)
        });
        let mut all: Vec<KnownPlayer> = levels.chain(built_in).collect();
        let programs = self.programs.iter().cloned();
        // A folder that has gone leaves the other players.
        let (found, left_out) = self.in_folders(false).unwrap_or_default();
        let programs: Vec<Settings> = programs.chain(found).collect();
        let resolved = resolve_or_skip(&programs, self.rules).unwrap_or_default();
        let kinds = repeat_n(KnownKind::Program, self.programs.len()).chain(repeat(KnownKind::Submission));
        for ((contestant, settings), kind) in resolved.into_iter().zip(programs).zip(kinds) {
            all.push(KnownPlayer {
                id: format!("program:{}", contestant.name),
                name: contestant.name,
                is_broken: contestant.broken.is_some(),
                about: contestant.broken.unwrap_or_default(),
                kind,
                has_time: settings.time.is_some(),
                has_protocol: settings.proto.is_some(),
                settings: self.sandboxed(settings),
            });
        }
        (all, left_out)
    }

    pub fn find(&self, id: &str) -> Option<KnownPlayer> {
        self.players().0.into_iter().find(|known| known.id == id)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use referee::{Cli, Command, command_line};

    use super::*;

    #[test]
    fn a_file_is_continued_with_the_level_of_its_sandboxes() {
        let folder = tempfile::tempdir().unwrap();
        let typed = ["referee", "serve"].map(OsString::from);
        let Ok(Cli {
            command: Some(Command::Serve(args)),
            ..
        }) = command_line(typed)
        else {
            panic!("no server");
        };
        let mut offer = OfferedPlayers::new(&args).unwrap();
        let out = folder.path().join("games.jsonl");
        for known in ["on", "strict"] {
            let engine = format!(r#"{{"name":"a","cmd":"a","sandbox":"{known}"}}"#);
            let schedule = r#"{"format":"round-robin","games":2}"#;
            let header = format!(
                r#"{{"header":1,"variant":"magnetic-cave","seed":1,"schedule":{schedule},"engines":[{engine}]}}"#
            );
            fs::write(&out, header + "\n").unwrap();
            // `--sandbox` without a level, and with another one.
            for (typed, expected) in [("", known), ("off", "off")] {
                offer.sandbox.sandbox = Some(typed.parse().unwrap());
                let level = offer.continuing(&out).level.map(|level| level.to_string());
                assert_eq!(level.as_deref(), Some(expected));
            }
        }
    }
}
