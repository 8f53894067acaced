//! Runs a submission as another user, who can neither read the course nor write results: for kernels without a sandbox.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use referee_core::failure::Failure;
use referee_core::io::text::{ShowPath, printable};
use referee_core::process::ResourceLimits;
use referee_core::system::files::{give_to, is_executable, make_executable, make_passable, quote};
use referee_core::system::processes::is_root;

use super::course::current_folder;
use super::play::{NAME, NoFacts};
use crate::bots::missing;
use crate::command::internal::CLEAR_KEYS;
use crate::config::settings::Settings;
use crate::config::submissions::{RUN, submission};

/// The limits of a process of all bots together: core dumps, bytes of a file, and processes.
const LIMITED: [&str; 5] = ["prlimit", "--core=0", "--fsize=67108864", "--nproc=256", "--"];

/// Where all users can leave files.
const SHARED: [&str; 5] = ["/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/var/lock"];

/// A session without a terminal: a process of the user could type into ours. Only root waits for the command, because the
/// user could read the memory of its own processes.
const OWN_SESSION: [&str; 2] = ["setsid", "--wait"];

const WITHOUT_NETWORK: [&str; 4] = ["unshare", "--net", "--ipc", "--"];

/// A user of this machine, whose processes are only those of the submission.
pub(super) struct OtherUser {
    name: String,
    uid: u32,
    gid: u32,
}

impl OtherUser {
    /// Finds the user.
    pub fn new(name: &str) -> Result<OtherUser, Failure> {
        let wrong = |why: &str| Failure::Usage(format!("--user {}: {why}", printable(name, 60)));
        let id = |what: &str| {
            let found = Command::new("id")
                .args([what, "--", name])
                .stderr(Stdio::null())
                .output()
                .ok()?;
            String::from_utf8(found.stdout).ok()?.trim().parse::<u32>().ok()
        };
        let (Some(uid), Some(gid)) = (id("-u"), id("-g")) else {
            return Err(wrong(&format!(
                "there is no such user; `useradd {}` makes one",
                printable(name, 60)
            )));
        };
        if !is_root() || uid == 0 {
            return Err(wrong(
                "no grade, because this system has no sandbox, and only root starts bots as others",
            ));
        }
        Ok(OtherUser {
            name: name.into(),
            uid,
            gid,
        })
    }

    fn wrong(&self, why: &str) -> Failure {
        Failure::Usage(format!("--user {}: no grade, because {why}", self.name))
    }

    /// The words before a command that run it as the user: for good, and without our variables.
    fn words(&self, home: &str) -> Vec<String> {
        let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".into());
        [
            "setpriv",
            &format!("--reuid={}", self.uid),
            &format!("--regid={}", self.gid),
            "--clear-groups",
            "--no-new-privs",
            "--",
            "env",
            "-i",
            &format!("PATH={path}"),
            "LANG=C.UTF-8",
            &format!("HOME={home}"),
            &format!("TMPDIR={home}"),
        ]
        .map(String::from)
        .into()
    }

    /// A command as the user.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = in_own_session(&self.words("/nonexistent"));
        command.args(words).stdin(Stdio::null()).current_dir("/");
        command
    }

    /// Checks that a bot can be started as this user, and that the user reaches nothing of ours.
    pub fn check(&self, secrets: &[PathBuf], results: &Path) -> Result<(), Failure> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let folder = absolute(results)
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default();
        let folders = [folder, current_folder()?];
        for (test, paths, what) in [("-r", secrets, "read"), ("-w", &folders[..], "write in")] {
            let paths: Vec<String> = paths
                .iter()
                .map(|path| absolute(path).to_string_lossy().into_owned())
                .collect();
            if let Some(found) = self.reached(test, &paths)? {
                let found = printable(&found, usize::MAX);
                return Err(self.wrong(&format!(
                    "this user can {what} {found}; `chmod o=` its folder first"
                )));
            }
        }
        Ok(())
    }

    /// The first path that the user can read (`-r`) or write (`-w`).
    fn reached(&self, test: &str, paths: &[String]) -> Result<Option<String>, Failure> {
        let script = format!("echo tried; for path; do [ {test} \"$path\" ] && echo \"$path\"; done; true");
        let mut command = self.command(&["sh", "-c", &script, "sh"]);
        let done = command.args(paths).output()?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        let mut lines = said.lines();
        if !done.status.success() || lines.next() != Some("tried") {
            let why = String::from_utf8_lossy(&done.stderr).trim().to_string();
            return Err(self.wrong(&format!(
                "a program cannot be started as this user: {}",
                printable(&why, 300)
            )));
        }
        Ok(lines.next().map(String::from))
    }

    /// How a submission is started as this user, or why it cannot be. `scratch` is a folder of ours, for this and the bot.
    pub fn player(
        &self,
        bot: &Path,
        scratch: &Path,
        wrapper: Option<&Path>,
    ) -> Result<Result<Settings, String>, NoFacts> {
        let lost =
            |error: std::io::Error| NoFacts::Ended(Failure::Output(format!("{}: {error}", scratch.shown())));
        let (home, start) = (scratch.join("home"), scratch.join("start"));
        fs::create_dir(&home).map_err(lost)?;
        fs::create_dir(&start).map_err(lost)?;
        give_to(&home, self.uid).map_err(lost)?;
        make_passable(scratch).map_err(lost)?;
        let word = |path: &Path| path.to_string_lossy().into_owned();
        let can_isolate = Command::new(WITHOUT_NETWORK[0])
            .args(&WITHOUT_NETWORK[1..])
            .arg("true")
            .stderr(Stdio::null())
            .status();
        let mut words: Vec<String> = OWN_SESSION.map(String::from).into();
        if can_isolate.is_ok_and(|status| status.success()) {
            words.extend(WITHOUT_NETWORK.map(String::from));
        }
        words.extend(LIMITED.map(String::from));
        words.extend(self.words(&word(&home)));
        let own = match wrapper {
            None => match submission(bot, Some(NAME), None, false) {
                Ok(_) => vec!["./run".to_string()],
                Err(why) => return Ok(Err(why)),
            },
            // A copy, because this user cannot read the course.
            Some(wrapper) => {
                let copy = scratch.join("wrapper");
                crate::inbox::copy(wrapper, &copy).map_err(lost)?;
                let mut own = vec![word(&copy.join(RUN)), word(bot)];
                let prepare = copy.join("prepare");
                if is_executable(&prepare) {
                    match self.prepared(&words, &prepare, bot, &home)? {
                        Ok(prepared) => own.push(word(&prepared)),
                        Err(why) => return Ok(Err(why)),
                    }
                }
                own
            }
        };
        words.extend(own);
        let quoted: Vec<String> = words.iter().map(|word| quote(word).unwrap_or_default()).collect();
        let place = quote(&word(bot)).unwrap_or_default();
        let run = start.join(RUN);
        fs::write(
            &run,
            format!("#!/bin/sh\ncd {place} && exec {}\n", quoted.join(" ")),
        )
        .map_err(lost)?;
        make_executable(&run).map_err(lost)?;
        let looks = self
            .command(&["sh", "-c", "cd \"$0\" && ls > /dev/null", &word(bot)])
            .status()
            .map_err(lost)?;
        if !looks.success() {
            let why = format!("this user cannot read {}; `umask 022` first", bot.shown());
            return Err(NoFacts::Ended(self.wrong(&why)));
        }
        Ok(
            submission(&start, Some(NAME), None, false).map(|settings| Settings {
                limits: ResourceLimits::of(true),
                ..settings
            }),
        )
    }

    /// The folder that a wrapper's `prepare` has made as this user, or why it has failed. `words` begin the command.
    fn prepared(
        &self,
        words: &[String],
        prepare: &Path,
        bot: &Path,
        home: &Path,
    ) -> Result<Result<PathBuf, String>, NoFacts> {
        /// The most lines of its output in a message, and the most characters of a line.
        const MOST: [usize; 2] = [30, 300];
        let lost =
            |error: std::io::Error| NoFacts::Ended(Failure::Output(format!("{}: {error}", home.shown())));
        let prepared = home.join("prepared");
        fs::create_dir(&prepared).map_err(lost)?;
        give_to(&prepared, self.uid).map_err(lost)?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
            .arg(prepare)
            .arg(bot)
            .current_dir(&prepared)
            .stdin(Stdio::null());
        let done = command.output().map_err(lost)?;
        if done.status.success() {
            return Ok(Ok(prepared));
        }
        let said = [done.stdout, done.stderr].concat();
        let said: Vec<String> = String::from_utf8_lossy(&said).lines().map(String::from).collect();
        let lacks = missing::program(&said).filter(|name| missing::is_of_machine(name, prepare.parent()));
        if let Some(name) = lacks {
            return Err(NoFacts::NoGrade(format!(
                "the program `{name}` is not installed on this machine"
            )));
        }
        let shown = said.iter().take(MOST[0]);
        let shown = shown.fold(String::new(), |text, line| {
            text + "\n  " + &printable(line, MOST[1])
        });
        let how = done
            .status
            .code()
            .map_or("a signal".to_string(), |code| format!("exit status {code}"));
        Ok(Err(format!(
            "it cannot be prepared: `prepare` ended with {how}:{shown}"
        )))
    }

    /// Kills all processes of the user in one call, which none of them can outrun. Then deletes what it has left: the
    /// next submission of this user could find it. `scratch` was made before the bot was started.
    pub fn end_all(&self, scratch: &Path) {
        let quiet = |words: &[&str]| {
            let _ = self
                .command(words)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
        };
        quiet(&["sh", "-c", "kill -KILL -1"]);
        let start = scratch.join("start").to_string_lossy().into_owned();
        let mut own = vec!["find"];
        own.extend(SHARED);
        own.extend(["-xdev", "-user", &self.name, "-newercm", &start]);
        let open = ["-type", "d", "-exec", "chmod", "u+rwx", "{}", ";"];
        quiet(&[&own[..], &open].concat());
        quiet(&[&own[..], &["-delete"]].concat());
        // A copy of this program, which the user may not be able to read where it is.
        let program = scratch.join("referee");
        if std::env::current_exe()
            .and_then(|own| fs::copy(own, &program))
            .is_ok()
        {
            quiet(&[&program.to_string_lossy(), CLEAR_KEYS]);
        }
    }
}

/// A command in a session of its own.
fn in_own_session(words: &[String]) -> Command {
    let mut command = Command::new(OWN_SESSION[0]);
    command.args(&OWN_SESSION[1..]).args(words);
    command
}
