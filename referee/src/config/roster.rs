//! Turns the settings of players into programs to start, and people.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodestone_game::board::Side;
use lodestone_game::protocol::option_names;
use lodestone_game::random::Random;
use referee_core::failure::{Failure, Stop};
use referee_core::game::clock::Control;
use referee_core::game::{FarStarts, OTHER_PLAYERS, Ruleset};
use referee_core::io::files::{self, sha256, temporary_folder_hint};
use referee_core::io::interrupt::{self, Interrupt};
use referee_core::io::stderr::StderrFile;
use referee_core::io::text::printable;
use referee_core::io::text::{ShowPath, closest, hint, quoted};
use referee_core::io::untrusted::{Untrusted, untrusted_path};
use referee_core::player::verdict::Fault;
use referee_core::player::{
    AnnouncedOptions, DEFAULT_START_TIME, Engine, EngineSpec, Protocol, StartError, StartedRules,
};
use referee_core::process::{
    BRIDGE_COMMAND, BUILTIN_COMMAND, Launch, Purpose, ResourceLimits, Sandbox, SandboxLevel, Submissions,
    can_be_started, cargo_advice, is_interpreter, missing_interpreter, sandbox_ability, why_not_started,
};
use referee_core::results::{EngineEntry, Submission, UnfitPlayer};
use referee_core::system::files::{has_path, is_executable, look, program_names, unreadable};
use referee_core::system::processes::own_program;

use crate::bots::{missing, packages};
use crate::config::prepared;
use crate::config::settings::{ADAPT_COMMAND, HUMAN, OWN_COMMAND, Settings};
use crate::config::submissions::{self, RUN, submissions_of};
use crate::config::versions;

/// A player of a match.
#[derive(Clone, Debug, Default)]
pub struct Contestant {
    /// Its name in the results.
    pub name: String,
    /// How to start it; `None` for a person, or if it is `broken`.
    pub spec: Option<EngineSpec>,
    /// Why its program cannot be started, with `--skip-broken`.
    pub broken: Option<String>,
    /// Whether that is so because the machine lacks a program.
    pub lacks_program: bool,
    /// The limits of each search.
    pub control: Control,
    /// Its settings, with those of `--each`.
    pub settings: Settings,
    /// What it is in a ladder, if it is a version of a submission.
    pub submission: Option<Submission>,
    /// Its entry in the file of a ladder, if it does not play in this run.
    pub past: Option<Box<EngineEntry>>,
    program: Program,
}

/// What plays: decided once.
#[derive(Clone, Debug, Default)]
struct Program {
    /// The command; a path in the player's `dir` if that is what plays.
    command: String,
    kind: ProgramKind,
}

#[derive(Clone, Debug, Default)]
enum ProgramKind {
    /// A player of a ladder who does not play in this run.
    #[default]
    Absent,
    Person,
    BuiltIn,
    /// A program for people, which `referee adapt` makes a bot of.
    Adapted,
    /// A file, or why there is none.
    File(Result<PathBuf, String>),
}

impl Program {
    /// Whether it is a script whose interpreter this machine lacks.
    fn lacks_interpreter(&self, wrapper: Option<&Path>) -> bool {
        let name = missing_interpreter(Path::new(&self.command));
        name.is_some_and(|name| missing::is_of_machine(&name, wrapper))
    }
}

impl Contestant {
    /// Whether the player is a built-in one that draws at random, and its seed is not set.
    pub fn needs_seed(&self) -> bool {
        let draws = matches!(self.program.kind, ProgramKind::BuiltIn)
            && OTHER_PLAYERS
                .iter()
                .any(|(name, _)| *name == self.program.command);
        let is_seed = |(name, _): &(String, String)| name.eq_ignore_ascii_case(option_names::SEED);
        draws && !self.settings.options.iter().any(is_seed)
    }

    /// The option by which the player draws other numbers in each game of a match with this seed, if
    /// it needs one.
    pub fn seed_of_game(&self, seed: u64, game: u64) -> Option<(String, String)> {
        let number = Random::substream(seed, game).below(1 << 32);
        self.needs_seed()
            .then(|| (option_names::SEED.to_string(), number.to_string()))
    }

    /// A player of a ladder who does not play in this run.
    pub fn absent(past: EngineEntry) -> Contestant {
        Contestant {
            name: past.name.clone(),
            past: Some(Box::new(past)),
            ..Contestant::default()
        }
    }

    /// Whether the user has set how long or how deep it thinks.
    pub(crate) const fn has_limits(&self) -> bool {
        let settings = &self.settings;
        settings.time.is_some()
            || settings.first.is_some()
            || settings.depth.is_some()
            || settings.nodes.is_some()
    }

    /// Whether the player is a program for people, which `referee adapt` makes a bot of.
    pub const fn is_adapted(&self) -> bool {
        matches!(self.program.kind, ProgramKind::Adapted)
    }

    /// Whether the player is a person.
    pub const fn is_person(&self) -> bool {
        matches!(self.program.kind, ProgramKind::Person)
    }

    /// The hashes of its program and, if that is an interpreter, of the files that its arguments
    /// name; by their names as given. None of a built-in player, and of what the program itself
    /// reads; but see [`Contestant::folder_digest`].
    pub fn digests(&self) -> BTreeMap<Untrusted, Untrusted> {
        let (program, has_scripts) = match &self.program.kind {
            // A name without a folder is that of a program in PATH.
            ProgramKind::File(Ok(file)) => (
                Some(file),
                !has_path(&self.program.command) || is_interpreter(file, submissions_of(&[], None)),
            ),
            kind => (None, matches!(kind, ProgramKind::Adapted)),
        };
        if self.settings.wrapper.is_some() {
            // The header has that of the wrapper once.
            return BTreeMap::new();
        }
        let dir = self.settings.dir.as_deref().unwrap_or(Path::new(""));
        let args = self.settings.args.iter().flatten().filter(|_| has_scripts);
        let scripts = args
            .map(|name| (name, dir.join(name)))
            .filter(|(_, file)| file.is_file());
        let program = self.settings.cmd.iter().zip(program.cloned());
        let files = program.chain(scripts);
        files
            .filter_map(|(name, file)| Some((name.as_str().into(), sha256(&file).ok()?.into())))
            .collect()
    }

    /// The wrapper that starts it, and the hash of all files of that.
    pub fn wrapper_digest(&self) -> Result<Option<(Untrusted, Untrusted)>, Failure> {
        let Some(wrapper) = &self.settings.wrapper else {
            return Ok(None);
        };
        let digest = versions::digest(wrapper, &|| interrupt::check().map_err(io::Error::other));
        let digest =
            digest.map_err(|error| Failure::Usage(format!("the wrapper `{}`: {error}", wrapper.shown())))?;
        Ok(Some((untrusted_path(wrapper), digest.into())))
    }

    /// The folder of a submission and the hash of all its files; `None` of other players, if the match
    /// writes its result file `out` there, and in a ladder, where [`Submission`] has it.
    pub fn folder_digest(&self, out: &Path) -> Option<(Untrusted, Untrusted)> {
        let dir = self
            .settings
            .dir
            .as_deref()
            .filter(|_| self.submission.is_none())?;
        let real = |path: &Path| Path::new(".").join(path).canonicalize().ok();
        let is_run = self.settings.wrapper.is_some()
            || self.settings.cmd.as_deref().map(Path::new) == Some(&dir.join(RUN));
        if !is_run || real(out.parent()?)?.starts_with(real(dir)?) {
            return None;
        }
        let digest = versions::digest(dir, &|| Ok(())).ok()?;
        Some((untrusted_path(dir), digest.into()))
    }
}

/// The players that these settings describe.
pub(crate) fn resolve(all: &[Settings], ruleset: Ruleset) -> Result<Vec<Contestant>, Failure> {
    let contestants = resolve_or_skip(all, ruleset)?;
    let broken = contestants
        .iter()
        .filter_map(|contestant| contestant.broken.clone());
    all_started(broken.map(Failure::Start))?;
    Ok(contestants)
}

/// The same, except that a program that is missing or not executable is
/// [broken](Contestant::broken).
pub fn resolve_or_skip(all: &[Settings], ruleset: Ruleset) -> Result<Vec<Contestant>, Failure> {
    let (mut players, mut wanted) = (Vec::new(), Vec::new());
    for given in all {
        if let Some(level) = given.sandbox.filter(|level| *level != SandboxLevel::Off) {
            sandbox_ability(level)
                .map_err(|refusal| format!("`sandbox={level}`: {refusal}{}", temporary_folder_hint()))
                .map_err(Failure::Usage)?;
        }
        let submission = submissions::in_folder(given).map_err(Failure::Usage)?;
        let folder = given.cmd.clone().filter(|_| submission.is_some());
        let settings = submission.unwrap_or_else(|| given.clone());
        let program = program(&settings)?;
        // A submission has the name of its folder.
        let command = folder.unwrap_or_else(|| program.command.clone());
        wanted.push((given.name.as_deref().map(shown), command));
        players.push((settings, program));
    }
    let names = names(&wanted).map_err(Failure::Usage)?;
    let real = |settings: &Settings| settings.dir.as_ref()?.canonicalize().ok();
    let own_folders: Vec<Option<PathBuf>> = players.iter().map(|(settings, _)| real(settings)).collect();
    let folders: Vec<PathBuf> = own_folders.iter().flatten().cloned().collect();
    let contestants = players.into_iter().zip(own_folders).zip(names);
    contestants
        .map(|(((settings, program), own), name)| {
            let wrapper = settings.wrapper.as_deref();
            let submissions = submissions_of(&folders, own.as_deref());
            let (launch, broken, lacks_program) = match launch(&settings, &program, ruleset, submissions) {
                Err(Failure::Start(why)) => (None, Some(why), program.lacks_interpreter(wrapper)),
                Err(Failure::Stopped(Stop::Short(why))) => (None, Some(why), true),
                launch => (launch?, None, false),
            };
            let spec = launch.map(|launch| EngineSpec {
                launch,
                protocol: settings.proto.unwrap_or_default(),
                options: settings.options.clone(),
                inherited: settings.inherited,
                start_time: settings.start_time.unwrap_or(DEFAULT_START_TIME),
                ponder: false,
                name: name.clone(),
            });
            Ok(Contestant {
                name,
                spec,
                broken,
                lacks_program,
                control: settings.control(),
                settings,
                submission: None,
                past: None,
                program,
            })
        })
        .collect()
}

/// Starts an engine before the first game. At this time, a failure ends the command; later
/// it loses a game.
pub(crate) fn start(
    spec: &EngineSpec,
    ruleset: Ruleset,
    interrupt: &Arc<Interrupt>,
) -> Result<Engine, Failure> {
    Engine::start(spec, ruleset, interrupt).map_err(|error| not_started(spec, error))
}

/// Why an engine does not start.
pub(crate) struct NotStarted {
    name: String,
    /// What it does instead, as a clause that follows the name.
    clause: String,
    pub failure: Failure,
    /// What it did instead of the handshake.
    pub fault: Option<Box<Fault>>,
    /// Whether it is the program's own doing: the machine was short of nothing, and has its interpreter.
    pub is_lasting: bool,
}

impl NotStarted {
    fn new(spec: &EngineSpec, error: StartError) -> NotStarted {
        NotStarted {
            name: spec.name.clone(),
            clause: error.clause(),
            is_lasting: match &error {
                StartError::NoHandshake(fault) => !fault.is_starved() && !lacks_program(spec, fault),
                StartError::Option(_) | StartError::Refused(_) => true,
                StartError::Execution { .. } | StartError::Stopped(_) => false,
            },
            fault: match &error {
                StartError::NoHandshake(fault) => Some(Box::new(fault.clone())),
                _ => None,
            },
            failure: not_started(spec, error),
        }
    }

    /// That its program cannot be executed was seen before.
    pub fn of_broken(name: &str, why: &str) -> NotStarted {
        let clause = format!("cannot be started: {why}");
        NotStarted {
            failure: Failure::Start(format!("{name} {clause}")),
            name: name.into(),
            clause,
            fault: None,
            is_lasting: false,
        }
    }

    /// It can play only this side, but would play the other one in a game.
    pub fn of_one_side(spec: &EngineSpec, side: Side, game: Option<u64>) -> NotStarted {
        let (only, other) = (side.ordinal(), side.opponent().ordinal());
        let place = if side == Side::First { "before" } else { "after" };
        let advice = match game {
            Some(id) => {
                format!(
                    "in game {id} it would move {other}; list it {place} its opponent, and add `--no-swap`"
                )
            }
            None => format!("here it would move {other}, too"),
        };
        let why = format!("plays only as the {only} player, and {advice}");
        NotStarted::new(spec, StartError::Refused(why))
    }

    /// The same for a header, of a player that does not play.
    pub fn unfit(&self) -> UnfitPlayer {
        UnfitPlayer {
            clause: Some(self.clause.as_str().into()),
            ..UnfitPlayer::new(&*self.name, self.failure.to_string())
        }
    }
}

/// Starts an engine for a match with these openings.
pub(crate) fn start_for(
    spec: &EngineSpec,
    ruleset: Ruleset,
    openings: &FarStarts,
    interrupt: &Arc<Interrupt>,
) -> Result<Engine, NotStarted> {
    Engine::start_for(spec, ruleset, openings, interrupt).map_err(|error| NotStarted::new(spec, error))
}

/// Whether a program ended because the machine lacks another one, as its last lines say.
fn lacks_program(spec: &EngineSpec, fault: &Fault) -> bool {
    // The first arguments of a wrapper's `run` are folders.
    let mut args = spec.launch.args.iter();
    let is_wrapped = args.next().is_some_and(|word| Path::new(word).is_dir());
    let wrapper = spec.launch.program.parent().filter(|_| is_wrapped);
    missing::program(fault.stderr()).is_some_and(|name| missing::is_of_machine(name, wrapper))
}

/// The failure if an option of all players is known to none of them. `options` are those of each player, with
/// what it says if it does not know them.
pub(crate) fn check_inherited(options: &[(String, Option<String>)]) -> Result<(), Failure> {
    let is_known = |name: &str| options.iter().any(|(other, why)| other == name && why.is_none());
    let mut unknown = options.iter().filter(|(name, _)| !is_known(name));
    match unknown.find_map(|(_, why)| why.as_ref()) {
        Some(why) => Err(Failure::Usage(format!(
            "no player announces an option of `--each`: {why}"
        ))),
        None => Ok(()),
    }
}

/// The options that an engine announces.
pub(crate) fn announced_options(
    spec: &EngineSpec,
    ruleset: Ruleset,
    interrupt: &Arc<Interrupt>,
) -> Result<AnnouncedOptions, Failure> {
    let announced = Engine::announced_options(spec.clone(), ruleset, Arc::clone(interrupt));
    announced.map_err(|error| not_started(spec, error))
}

/// Starts a rules program, which is no player of a game.
pub(crate) fn start_rules(spec: &EngineSpec, interrupt: &Arc<Interrupt>) -> Result<StartedRules, Failure> {
    Engine::start_rules(spec.clone(), Arc::clone(interrupt)).map_err(|error| not_started(spec, error))
}

fn not_started(spec: &EngineSpec, error: StartError) -> Failure {
    let mut sentence = error.sentence(&spec.name);
    if let StartError::NoHandshake(fault) = &error
        && let Some(clash) = packages::shadowed(fault.stderr(), spec.launch.dir.as_deref())
            .or_else(|| packages::clash(fault.stderr()))
    {
        sentence = format!("{sentence}\n  {clash}");
    }
    match error {
        StartError::NoHandshake(fault) => match fault.into_stop() {
            Ok(_) => Failure::Start(sentence),
            Err(stop) => stop.into(),
        },
        StartError::Stopped(stop) => stop.into(),
        StartError::Option(_) => Failure::Usage(sentence),
        StartError::Execution { .. } | StartError::Refused(_) => Failure::Start(sentence),
    }
}

/// Combines the failures of all engines that were started. A signal has priority; the
/// others become one message.
pub(crate) fn all_started(failures: impl IntoIterator<Item = Failure>) -> Result<(), Failure> {
    let mut failures: Vec<Failure> = failures.into_iter().collect();
    let is_signal = |failure: &Failure| matches!(failure, Failure::Stopped(_));
    if let Some(place) = failures.iter().position(is_signal) {
        return Err(failures.swap_remove(place));
    }
    if failures.len() < 2 {
        return failures.pop().map_or(Ok(()), Err);
    }
    let sentences = failures
        .iter()
        .map(|failure| failure.to_string().replace('\n', "\n  "));
    let sentences: Vec<String> = sentences.collect();
    let text = format!(
        "{} engines cannot play:\n  {}",
        failures.len(),
        sentences.join("\n  ")
    );
    // A program that does not start has priority over a wrong option.
    let is_usage = |failure: &Failure| matches!(failure, Failure::Usage(_));
    Err(if failures.iter().all(is_usage) {
        Failure::Usage(text)
    } else {
        Failure::Start(text)
    })
}

/// What plays with these settings. A relative command is looked for in the player's `dir` first, as
/// fastchess and cutechess do.
fn program(settings: &Settings) -> Result<Program, Failure> {
    let command = settings.cmd.clone().ok_or_else(|| {
        Failure::Usage("an engine has no `cmd`, the path or built-in name of its program".into())
    })?;
    let word = settings.args.iter().flatten().next();
    let kind = if settings.is_human() {
        ProgramKind::Person
    } else if Ruleset::all_players().contains(&&*command) {
        ProgramKind::BuiltIn
    } else if command == OWN_COMMAND && word.is_some_and(|word| word == ADAPT_COMMAND) {
        ProgramKind::Adapted
    } else {
        return Ok(program_of_file(settings, command));
    };
    Ok(Program { command, kind })
}

/// The program of a command: a file in the player's `dir`, if there is one, or else of the current folder or in
/// PATH.
fn program_of_file(settings: &Settings, command: String) -> Program {
    let here = find(&command);
    let dir = settings.dir.as_deref();
    // `components` leaves out the `.` in `new/./engine`.
    let path: Option<PathBuf> = dir
        .filter(|_| Path::new(&command).is_relative())
        .map(|dir| dir.join(&command).components().collect());
    if let Some(Err(why)) = path.as_ref().map(|path| look(path)) {
        return Program {
            kind: ProgramKind::File(Err(why)),
            command,
        };
    }
    let names = path.iter().flat_map(|path| program_names(path));
    // A name without a folder is not meant for a data file.
    let file = names
        .filter(|file| file.is_file())
        .find(|file| has_path(&command) || here.is_err() || is_executable(file));
    if let (Some(_), Some(path)) = (file, path.as_ref().and_then(|path| path.to_str())) {
        return Program {
            kind: ProgramKind::File(find(path)),
            command: path.to_string(),
        };
    }
    // A path that begins with `dir` is meant from the current folder.
    let is_from_here = dir.is_some_and(|dir| Path::new(&command).starts_with(dir));
    let is_missing = here.is_err() && has_path(&command) && !Path::new(&command).exists();
    let kind = ProgramKind::File(match path {
        Some(path) if is_missing && !is_from_here && !path.exists() => Err(no_file(&path, Some(&command))),
        _ => here,
    });
    Program { command, kind }
}

/// The names of the players: the given name, or the name of the built-in or the stem of
/// the file; the given path if that is taken, with a number if that is taken too.
fn names(wanted: &[(Option<String>, String)]) -> Result<Vec<String>, String> {
    let mut taken = HashSet::new();
    for name in wanted.iter().filter_map(|(name, _)| name.as_ref()) {
        if !taken.insert(name.clone()) {
            return Err(format!("two engines are called `{name}`"));
        }
    }
    let chosen = taken.clone();
    let stems: Vec<String> = wanted.iter().map(|(_, command)| stem(command)).collect();
    // Whether another program without a name has this stem.
    let is_shared = |stem: &String, command: &String| {
        let mut others = wanted.iter().zip(&stems);
        others.any(|((name, other), its)| name.is_none() && its == stem && other != command)
    };
    let pick = |((name, command), stem): (&(Option<String>, String), &String)| {
        if let Some(name) = name {
            return name.clone();
        }
        let name = if is_shared(stem, command) || chosen.contains(stem) {
            shown(command)
        } else {
            stem.clone()
        };
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut candidates = std::iter::once(name.clone()).chain(numbered);
        candidates
            .find(|candidate| taken.insert(candidate.clone()))
            .unwrap_or_default()
    };
    Ok(wanted.iter().zip(&stems).map(pick).collect())
}

/// The default name of a program.
fn stem(command: &str) -> String {
    if Ruleset::all_players().contains(&command) || command == HUMAN {
        return command.to_string();
    }
    let path = Path::new(command);
    if let Some(folder) = std::path::absolute(path).ok().filter(|path| path.is_dir()) {
        return shown(&folder.file_name().unwrap_or_default().to_string_lossy());
    }
    let stem = path.file_stem();
    stem.map_or_else(|| shown(command), |stem| shown(&stem.to_string_lossy()))
}

/// A name as tables, messages and result files have it.
fn shown(name: &str) -> String {
    printable(name, usize::MAX)
}

/// The option that gives an adapter the rules of a match.
const RULES_OPTION: &str = "--rules";

/// How to start a player; nothing for a person.
fn launch(
    settings: &Settings,
    program: &Program,
    ruleset: Ruleset,
    submissions: Submissions<'_>,
) -> Result<Option<Launch>, Failure> {
    let mut args = settings.args.clone().unwrap_or_default();
    let Program { command, kind, .. } = program;
    if let Some(dir) = &settings.dir {
        let found = look(dir).map_err(|why| Failure::Usage(format!("`dir={}`: {why}", dir.shown())))?;
        if !found.is_some_and(|found| found.is_dir()) {
            return Err(Failure::Usage(format!("`dir={}` is not a folder", dir.shown())));
        }
    }
    let program = match kind {
        ProgramKind::Person | ProgramKind::Absent => return Ok(None),
        ProgramKind::BuiltIn => {
            check_builtin(command, ruleset, &args)?;
            args = vec![BUILTIN_COMMAND.into(), command.clone()];
            args.extend(ruleset.words().iter().cloned());
            own_path()?
        }
        ProgramKind::Adapted => {
            if ruleset.variant().is_none() && !args.iter().any(|arg| arg == RULES_OPTION) {
                args.push(RULES_OPTION.into());
                args.extend(ruleset.words().iter().cloned());
            }
            own_path()?
        }
        ProgramKind::File(found) => found.clone().map_err(Failure::Start)?,
    };
    let mut given = settings.limits;
    let mut given = given.named().into_iter().filter(|(_, limit)| limit.is_some());
    if let Some((key, _)) = given.next().filter(|_| !ResourceLimits::ARE_SUPPORTED) {
        return Err(Failure::Usage(format!(
            "`{key}` needs Linux: this system does not report what an engine uses"
        )));
    }
    // A built-in player that asks a rules program has to start it, in the sandbox of its settings.
    let asks_rules = matches!(kind, ProgramKind::BuiltIn) && ruleset.variant().is_none();
    let level = settings
        .sandbox
        .filter(|level| *level != SandboxLevel::Off && !asks_rules);
    if settings.cpu_move.is_some() && !ResourceLimits::ARE_OF_MOVES {
        return Err(Failure::Usage(
            "`cpu-move` needs Linux: this system does not report what an engine uses in a move".into(),
        ));
    }
    let mut readable = settings.sandbox_read.clone();
    if let (Some(wrapper), Some(submission)) = (&settings.wrapper, &settings.dir) {
        let folders = of_wrapper(settings, wrapper, submission)?;
        let words = folders.iter().map(|folder| argument(folder));
        args.splice(0..0, words.collect::<Result<Vec<_>, _>>()?);
        readable.push(wrapper.clone());
        readable.extend(folders);
    }
    let purpose = Purpose {
        name: settings.name.as_deref().unwrap_or(command),
        program: &program,
        is_from_path: !command.contains('/') && !Path::new(command).is_file(),
        is_builtin: matches!(kind, ProgramKind::BuiltIn),
        dir: settings.dir.as_deref(),
        readable: &readable,
        submissions,
    };
    let sandbox = match level {
        Some(level) if matches!(kind, ProgramKind::Adapted) => {
            let description = described_by(&args, settings.dir.as_deref());
            let readable = &settings.sandbox_read;
            Some(Sandbox::of_adapter(level, description.as_deref(), readable))
        }
        level => level.map(|level| Sandbox::plan(level, purpose, &mut args)),
    };
    let mut sandbox = sandbox.transpose().map_err(Failure::Start)?;
    let mut program = sandbox
        .as_ref()
        .map_or_else(|| program.clone(), |sandbox| sandbox.path_inside(&program));
    let proto = settings.proto.unwrap_or_default();
    if proto.is_bridged() {
        if !matches!(kind, ProgramKind::File(_)) {
            return Err(Failure::Usage(format!(
                "`{command}` speaks UCI and UGI, not {}; leave out `proto={0}`",
                proto.name()
            )));
        }
        args = bridge_args(settings, proto, ruleset, &program, args);
        program = own_path()?;
        // The bridge runs in the sandbox of its engine.
        if let Some(sandbox) = &mut sandbox {
            sandbox.readable.push(program.clone().into());
        }
    }
    Ok(Some(Launch {
        program,
        args,
        dir: settings.dir.clone(),
        stderr: settings.stderr.as_deref().map(open_log).transpose()?,
        limits: settings.limits.or(ResourceLimits::of(sandbox.is_some())),
        sandbox,
        supervisor: own_program(),
        is_own: proto.is_bridged() || matches!(kind, ProgramKind::BuiltIn | ProgramKind::Adapted),
    }))
}

/// The arguments of a bridge to the engine that these settings describe: `referee bridge …`.
fn bridge_args(
    settings: &Settings,
    proto: Protocol,
    ruleset: Ruleset,
    program: &Path,
    args: Vec<String>,
) -> Vec<String> {
    let limits = Settings {
        time: settings.time,
        depth: settings.depth,
        nodes: settings.nodes,
        ..Settings::default()
    };
    let start = ruleset.startpos();
    // Bridges know the cells of the built-in games.
    let grid = start.grid().filter(|_| ruleset.variant().is_none());
    let [columns, rows] = grid.map_or_else(Default::default, |grid| [grid.columns, grid.rows]);
    let sample = start
        .legal_moves()
        .first()
        .map_or(String::new(), |mv| mv.text.clone());
    let mut words = vec![BRIDGE_COMMAND.to_string(), proto.name().to_string()];
    for (name, value) in [
        ("columns", columns.join(" ")),
        ("rows", rows.join(" ")),
        ("sample", sample),
        ("limits", limits.words().join(" ")),
    ] {
        if !value.is_empty() {
            words.push(format!("--{name}={value}"));
        }
    }
    words.push("--".to_string());
    words.push(program.to_string_lossy().into_owned());
    words.extend(args);
    words
}

/// The folders that `run` of a wrapper gets as arguments: that of the submission, and the one in which `prepare` has
/// prepared it, if the wrapper has this program.
fn of_wrapper(settings: &Settings, wrapper: &Path, submission: &Path) -> Result<Vec<PathBuf>, Failure> {
    let real = submission.canonicalize();
    let real = real.map_err(|error| Failure::Start(unreadable(submission, &error)))?;
    let Some(program) = prepared::program(wrapper)? else {
        return Ok(vec![real]);
    };
    let program = std::path::absolute(&program).unwrap_or(program);
    let readable = [&settings.sandbox_read[..], &[wrapper.to_path_buf(), real.clone()]].concat();
    let launch = |folder: &Path| {
        let level = settings.sandbox.filter(|level| *level != SandboxLevel::Off);
        let purpose = Purpose {
            name: settings.name.as_deref().unwrap_or_default(),
            program: &program,
            is_from_path: false,
            is_builtin: false,
            dir: Some(folder),
            readable: &readable,
            submissions: submissions_of(&[], None),
        };
        let sandbox = level.map(|level| Sandbox::plan(level, purpose, &mut []));
        let mut sandbox = sandbox.transpose().map_err(Failure::Start)?;
        sandbox.iter_mut().for_each(Sandbox::make_writable);
        let program = sandbox
            .as_ref()
            .map_or_else(|| program.clone(), |sandbox| sandbox.path_inside(&program));
        let (program, args) = with_one_output(program, argument(&real)?)?;
        Ok(Launch {
            program,
            args,
            dir: Some(folder.to_path_buf()),
            stderr: None,
            limits: settings.limits.or(ResourceLimits::of(sandbox.is_some())),
            sandbox,
            supervisor: own_program(),
            is_own: false,
        })
    };
    let folder = prepared::folder(wrapper, &real, submission, launch)?;
    Ok(vec![real, folder])
}

/// A program and its argument, started so that its errors come with its output: of those, only the last lines are kept.
fn with_one_output(program: PathBuf, argument: String) -> Result<(PathBuf, Vec<String>), Failure> {
    if !cfg!(unix) {
        return Ok((program, vec![argument]));
    }
    let script = "exec \"$0\" \"$@\" 2>&1";
    let words = [
        "-c".to_string(),
        script.to_string(),
        self::argument(&program)?,
        argument,
    ];
    Ok(("/bin/sh".into(), words.into()))
}

/// A path as an argument of a program.
fn argument(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(String::from);
    text.ok_or_else(|| {
        Failure::Start(format!(
            "`{}` has a name that cannot be an argument; rename it",
            path.shown()
        ))
    })
}

/// The file that the arguments of an adapter name, which runs in `dir`.
fn described_by(args: &[String], dir: Option<&Path>) -> Option<PathBuf> {
    let file = args.iter().skip(1).find(|arg| !arg.starts_with('-'))?;
    std::path::absolute(dir.unwrap_or(Path::new("")).join(file)).ok()
}

/// The path of the referee, which is also the program of the built-in engines.
pub(crate) fn own_path() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::Start(format!("the referee cannot find itself: {error}")))
}

fn check_builtin(name: &str, ruleset: Ruleset, args: &[String]) -> Result<(), Failure> {
    let players = ruleset.players();
    if !players.contains(&name) {
        return Err(Failure::Usage(format!(
            "the built-in `{name}` does not play {ruleset}; these do: {}",
            players.join(", ")
        )));
    }
    if !args.is_empty() {
        return Err(Failure::Usage(format!("the built-in `{name}` takes no `args`")));
    }
    Ok(())
}

/// Opens the file for the stderr of an engine, at its end.
fn open_log(path: &Path) -> Result<Arc<StderrFile>, Failure> {
    let failed = |error: io::Error| Failure::Usage(format!("`stderr={}`: {error}", path.shown()));
    if path.is_file() && is_executable(path) {
        return Err(failed(files::refusal("this is a program")));
    }
    Ok(Arc::new(StderrFile::open(path).map_err(failed)?))
}

/// The executable that `command` names: a file, or else a program in PATH.
fn find(command: &str) -> Result<PathBuf, String> {
    let path = Path::new(command);
    if command.is_empty() {
        return Err("the program of an engine is empty; give a path or a built-in player".into());
    }
    if has_path(command) || path.is_file() {
        let names = program_names(path);
        let is_program = |name: &&PathBuf| name.is_file() && is_executable(name);
        let file = names.iter().find(is_program);
        let file = file.or_else(|| names.iter().find(|name| name.is_file()));
        let found = check_file(file.map_or(path, PathBuf::as_path));
        return found.map_err(|why| {
            with_args(command).map_or(why, |advice| format!("`{command}` is not a file{advice}"))
        });
    }
    in_path(command).ok_or_else(|| {
        if path.is_dir() {
            return folder_as_program(path);
        }
        let hint = with_args(command).unwrap_or_else(|| hint(command, Ruleset::all_players()));
        format!(
            "`{command}` is neither a file nor a program in PATH nor a built-in player{hint}\n  built-in \
             players: {}",
            Ruleset::all_players().join(", ")
        )
    })
}

/// Whether a word is no file, no built-in player and no program in PATH, nor one with its arguments.
pub(crate) fn is_unknown(command: &str) -> bool {
    let is_known = Ruleset::all_players().contains(&command) || in_path(command).is_some();
    let is_word = !command.is_empty() && !has_path(command) && !Path::new(command).exists();
    is_word && !is_known && with_args(command).is_none()
}

/// The program of this name in PATH.
fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&folders).flat_map(|folder| program_names(&folder.join(name)));
    programs.find(|program| program.is_file() && is_executable(program))
}

/// The advice on a command with its arguments in it, if its first words are a program.
fn with_args(command: &str) -> Option<String> {
    let split = |(place, _)| (&command[..place], command[place..].trim());
    let mut splits = command.match_indices(' ').map(split);
    let is_there = |program: &str| {
        let names = program_names(Path::new(program));
        let is_file = has_path(program) && names.iter().any(|file| file.is_file());
        is_file || !has_path(program) && in_path(program).is_some()
    };
    let (program, args) = splits.find(|(program, _)| is_there(program))?;
    let [program, args] = [program, args].map(quoted);
    Some(format!(
        "; put the arguments into `args`: `cmd={program} args={args}`"
    ))
}

fn check_file(path: &Path) -> Result<PathBuf, String> {
    let shown = path.shown();
    let file = path.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => no_file(path, None),
        _ => unreadable(path, &error),
    })?;
    if file.is_dir() {
        look(&path.join(submissions::RUN))?;
        return Err(folder_as_program(path));
    }
    if !can_be_started(path) {
        return Err(format!("`{shown}` {}", why_not_started(path)));
    }
    std::path::absolute(path).map_err(|error| format!("`{shown}`: {error}"))
}

/// What is wrong with the path of a missing program, and what would be right. `other` is missing, too.
fn no_file(path: &Path, other: Option<&str>) -> String {
    let is_missing = match other {
        None => format!("`{}` does not exist", path.shown()),
        Some(other) => format!("neither `{}` nor `{other}` exists", path.shown()),
    };
    let command = other.map_or_else(|| path.to_string_lossy(), Into::into);
    if let Some(advice) = with_args(&command) {
        return format!("{is_missing}{}", printable(&advice, usize::MAX));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let real = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    if !folder.is_dir() {
        return format!("{is_missing}: there is no folder {}", real.shown());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let what = match closest(&name, names.iter().map(String::as_str)) {
        _ if Ruleset::all_players().contains(&&*name) => {
            format!("the built-in player is called `{name}`, without a folder")
        }
        Some(meant) => format!("did you mean `{}`?", folder.join(meant).shown()),
        None => "check the name and the folder".to_string(),
    };
    format!(
        "{is_missing}: there is no file `{name}` in {}; {what}",
        real.shown()
    )
}

/// What is wrong with a folder where a program is expected, and what may be meant.
fn folder_as_program(folder: &Path) -> String {
    let shown = folder.shown();
    if let Some(inner) = submissions::inner(folder) {
        let up = submissions::move_up(&inner, folder);
        return format!(
            "`{shown}` is a folder, not a program; did you mean `{}`? Otherwise {up}",
            inner.shown()
        );
    }
    if !submissions::has_submissions(folder) {
        let why = submissions::misnamed(folder).or_else(|| submissions::without_submissions(folder));
        return why.unwrap_or_else(|| {
            let advice = cargo_advice(folder).unwrap_or_else(|| "add a script that starts the bot".into());
            format!("`{shown}` has no executable `run`; {advice}")
        });
    }
    let folder = shown.trim_end_matches(std::path::is_separator);
    format!("`{shown}` is a folder, not a program; `--engines {folder}` plays the submissions in it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::samples;
    use sentences::{assert_has, assert_rows, expect};

    fn named(wanted: &[&str]) -> Result<Vec<String>, String> {
        let split = |word: &&str| match word.split_once('=') {
            Some((command, name)) => (Some(name.to_string()), command.to_string()),
            None => (None, (*word).to_string()),
        };
        names(&wanted.iter().map(split).collect::<Vec<_>>())
    }

    #[test]
    fn default_names_come_from_the_programs() {
        for (wanted, names) in [
            (["lodestone", "squares"], ["lodestone", "squares"]),
            (["bots/a.py", "bots/b.tar.gz"], ["a", "b.tar"]),
            (["a/run", "b/run"], ["a/run", "b/run"]),
            (["a/run", "a/run"], ["run", "run-2"]),
            (["random", "random"], ["random", "random-2"]),
            (["random", "./random"], ["random", "./random"]),
            (["a/run=x", "b/run"], ["x", "run"]),
            (["a/run=run", "b/run"], ["run", "b/run"]),
            (["a=b", "b"], ["b", "b-2"]),
            (["x/a\x1b[1m.sh", "b\u{202e}"], [r"a\u{1b}[1m", r"b\u{202e}"]),
            (["x\n/run", "y/run"], [r"x\n/run", "y/run"]),
        ] {
            assert_eq!(named(&wanted).unwrap(), names, "{wanted:?}");
        }
        assert_eq!(named(&["a=x", "b=x"]).unwrap_err(), "two engines are called `x`");
    }

    #[test]
    #[cfg(unix)] // paths and permissions
    fn folder_of_a_submission_is_a_player_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["old/bot", "new/bot", "ann.b"] {
            let submission = folder.path().join(name);
            std::fs::create_dir_all(&submission).unwrap();
            std::fs::write(submission.join("run"), "#!/bin/sh\n").unwrap();
        }
        let cmd = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
        let players = ["ann.b/", "old/bot", "new/bot"].map(|name| Settings::of_program(&cmd(name)));
        let contestants = resolve_or_skip(&players, Ruleset::MAGNETIC_CAVE).unwrap();
        let names: Vec<&str> = contestants.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["ann.b", &cmd("old/bot"), &cmd("new/bot")]);
        let settings = &contestants[1].settings;
        assert_eq!(settings.cmd, Some(cmd("old/bot/run")));
        assert_eq!(settings.dir, Some(folder.path().join("old/bot")));
        assert!(
            contestants[1]
                .broken
                .as_ref()
                .unwrap()
                .contains("is not executable")
        );
        // A result file in the folder would change its hash.
        let results = folder.path().join("old/bot/all/results");
        std::fs::create_dir_all(&results).unwrap();
        let digest = |out: &Path| contestants[1].folder_digest(&out.join("games.jsonl"));
        assert!(digest(folder.path()).is_some() && digest(&results).is_none());
        // Its own `dir` says where `cmd` is.
        let given = samples::settings("cmd=old dir=.");
        assert_eq!(submissions::in_folder(&given), Ok(None));
    }

    #[test]
    #[cfg(unix)] // paths and permissions
    fn relative_program_is_in_the_folder_of_its_player() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["new/engine", "old/engine", "old/bin/engine"] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            referee_core::system::files::make_executable(&path).unwrap();
        }
        std::fs::write(root.join("old/sh"), "data").unwrap();
        let shown = root.shown();
        let settings = |line: &str| samples::settings(&line.replace("DIR", &shown));
        for (line, program, name) in [
            ("cmd=./engine dir=DIR/new", "DIR/new/engine", "engine"),
            ("cmd=engine dir=DIR/new", "DIR/new/engine", "engine"),
            ("cmd=bin/../engine dir=DIR/old", "DIR/old/bin/../engine", "engine"),
            ("cmd=DIR/new/engine dir=DIR/old", "DIR/new/engine", "engine"),
            ("cmd=/bin/sh dir=DIR/old", "/bin/sh", "sh"),
            ("cmd=./engine dir=DIR/new name=x", "DIR/new/engine", "x"),
        ] {
            let players = resolve(&[settings(line)], Ruleset::default()).unwrap();
            let program = program.replace("DIR", &shown.clone());
            assert_eq!(
                players[0].spec.as_ref().unwrap().launch.program,
                Path::new(&program),
                "{line}"
            );
            assert_eq!(players[0].name, name, "{line}");
        }
        // Not a data file with the name of a program in PATH.
        assert_eq!(program(&settings("cmd=sh dir=DIR/old")).unwrap().command, "sh");
        let both = ["new", "old"].map(|dir| settings(&format!("cmd=./engine dir=DIR/{dir}")));
        let players = resolve(&both, Ruleset::default()).unwrap();
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["new", "old"].map(|dir| format!("{shown}/{dir}/engine")));

        let error = |line: &str| {
            resolve(&[settings(line)], Ruleset::default())
                .unwrap_err()
                .to_string()
        };
        expect! {"neither `DIR/new/engin` nor `./engin` exists: there is no file `engin` in DIR/new; did you mean `DIR/new/engine`?"}
            .assert_eq(&error("cmd=./engin dir=DIR/new").replace(&shown, "DIR"));
        expect! {"`./Cargo.toml` is a source file of Rust; compile it with `cargo build --release --manifest-path ./Cargo.toml`, and use the program in `./target/release`"}
            .assert_eq(&error("cmd=./Cargo.toml dir=DIR/new"));
        // A path from the current folder.
        assert_has(
            error("cmd=src/engin dir=src"),
            expect! {"`src/engin` does not exist: there is no file `engin` in"},
        );
        // All that are broken.
        let broken = [settings("cmd=./a dir=DIR/new"), settings("cmd=DIR/b")];
        let error = resolve(&broken, Ruleset::default()).unwrap_err().to_string();
        assert!(error.starts_with("2 engines cannot play:\n  neither"), "{error}");
    }

    #[test]
    #[cfg(unix)] // `sh`
    fn hashes_are_those_of_the_program_or_its_script() {
        let folder = tempfile::tempdir().unwrap();
        let shown = folder.path().shown();
        std::fs::write(folder.path().join("bot.sh"), "").unwrap();
        std::fs::write(folder.path().join("bot"), "#!/bin/sh\n").unwrap();
        referee_core::system::files::make_executable(&folder.path().join("bot")).unwrap();
        for (line, files) in [
            ("cmd=./bot args=bot.sh", &["./bot"][..]),
            ("cmd=sh args=-e bot.sh x", &["bot.sh", "sh"]),
            ("cmd=/bin/sh args=bot.sh", &["/bin/sh", "bot.sh"]),
            ("cmd=referee args=adapt bot.sh", &["bot.sh"]),
            ("cmd=plain", &[]),
        ] {
            let (cmd, args) = line.split_once(" args=").unwrap_or((line, ""));
            let settings = Settings {
                args: Some(args.split_whitespace().map(String::from).collect()),
                dir: Some(folder.path().into()),
                ..Settings::of_program(&cmd[4..])
            };
            let digests = resolve(&[settings], Ruleset::default()).unwrap()[0].digests();
            assert!(
                digests.keys().map(Untrusted::raw).eq(files.iter().copied()),
                "{line} in {shown}: {digests:?}"
            );
        }
    }

    #[test]
    fn rejects_a_builtin_of_another_game() {
        let one = |cmd: &str, ruleset| resolve(&[Settings::of_program(cmd)], ruleset);
        assert!(one("mobility", Ruleset::GRIDLOCK).is_ok());
        let error = one("mobility", Ruleset::MAGNETIC_CAVE).unwrap_err();
        assert!(matches!(error, Failure::Usage(_)));
        expect! {"the built-in `mobility` does not play magnetic-cave; these do: lodestone, groups, squares, random, plain"}.assert_eq(&error.to_string());
    }

    #[test]
    fn players_of_random_moves_get_a_seed_unless_they_have_one() {
        for (words, needs_seed) in [
            ("cmd=random", true),
            ("cmd=random option.seed=5", false),
            ("cmd=lodestone", false),
        ] {
            let players = resolve(&[samples::settings(words)], Ruleset::default()).unwrap();
            let seed = |game| players[0].seed_of_game(1, game);
            assert_eq!(seed(1).is_some(), needs_seed, "{words}");
            assert_eq!(seed(1) != seed(2), needs_seed, "another one in each game");
        }
    }

    #[test]
    #[cfg(unix)] // paths
    fn explains_why_a_program_is_not_found() {
        let error = |cmd: &str| find(cmd).unwrap_err();
        let here = std::env::current_dir().unwrap();
        expect! {"`./no-such-bot` does not exist: there is no file `no-such-bot` in HERE; check the name and the folder"}
            .assert_eq(&error("./no-such-bot").replace(&here.shown(), "HERE"));
        let table = expect![[r#"
            ./Cargo.tom | did you mean `./Cargo.toml`?
            ./squares | the built-in player is called `squares`, without a folder
            /no-such-folder/bot | `/no-such-folder/bot` does not exist: there is no folder /no-such-folder
            | the program of an engine is empty; give a path or a built-in player
            no-such-bot | neither a file nor a program in PATH nor a built-in player
            lodestoen | nor a built-in player; did you mean `lodestone`?
            sh bot.sh | built-in player; put the arguments into `args`: `cmd=sh args=bot.sh`
            sh bots/bot.sh | `sh bots/bot.sh` is not a file; put the arguments into `args`: `cmd=sh args=bots/bot.sh`
            ./src/lib.rs -x y | `./src/lib.rs -x y` is not a file; put the arguments into `args`: `cmd=./src/lib.rs args='-x y'`
            ./src | `./src` has no executable `run`; add a script that starts the bot
            src | `src` has no executable `run`; add a script that starts the bot
            . | `.` has no executable `run`; compile it with `cargo build --release --manifest-path ./Cargo.toml`, and use the program in `./target/release`
            ./Cargo.toml | `./Cargo.toml` is a source file of Rust; compile it with `cargo build --release --manifest-path ./Cargo.toml`, and use the program in `./target/release`
            ./build.rs | `./build.rs` is a source file of Rust; compile it with `cargo build --release --manifest-path ./Cargo.toml`, and use the program in `./target/release`
        "#]];
        assert_eq!(["no-such-bot", "sh bot.sh"].map(is_unknown), [true, false]);
        // Without the line that lists the built-in players.
        assert_rows(table, |[cmd]| error(cmd).lines().next().unwrap().to_string());
        let folder = tempfile::tempdir().unwrap();
        let shown = folder.path().shown();
        for name in ["ann", "bob"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name).join("run"), "").unwrap();
        }
        assert!(
            error(&format!("{shown}/"))
                .ends_with(&format!("`--engines {shown}` plays the submissions in it"))
        );
        assert!(find("sh").unwrap().is_absolute());
    }
}
