//! `referee check`: a conformance test for a bot in any language.
//!
//! * [`info`]: name, level, title and section of a check; [`list`]: all checks, each with its
//!   function.
//! * `dialogue`: the process of the bot, with all lines and their times; `session`: starts the
//!   bot, restarts it and asks it for moves.
//! * `positions`: the positions that it must answer.
//! * [`report`]: what a check found; [`text`] and [`json`] render it.
//! * `strays`: lines on standard output that do not belong there.
//! * `histogram`: the times of its answers.
//!
//! The other files hold the functions, by subject. Each check starts with a bot that is
//! running and idle. After a failed check the bot is restarted, so that one fault does not
//! make the following checks fail.

mod answers;
mod commands;
mod dialogue;
mod exits;
mod findings;
mod histogram;
pub(crate) mod info;
pub(crate) mod json;
pub(crate) mod list;
mod memory;
mod options;
mod output;
mod positions;
mod queries;
pub(crate) mod report;
mod searches;
mod session;
mod strays;
pub(crate) mod text;
mod times;

pub(crate) use info::{CheckInfo, CheckLevel};
pub use list::CHECKS;
pub(crate) use list::Check;
pub(crate) use report::{CheckReport, CheckSummary};
pub(crate) use session::BotSession;

use crate::io::interrupt::Stop;

/// Receives each report as soon as the check ends.
pub(crate) trait Observer {
    /// A check begins; this many are done.
    fn began(&mut self, done: usize);

    /// A check has ended.
    fn finished(&mut self, report: &CheckReport) -> std::io::Result<()>;
}

/// Runs these checks, in the order of [`CHECKS`]. `output` is the last one, because it judges
/// the lines of all others. The handshake always runs; if it fails, no other check does. Nor
/// does a check that needs another one that has failed.
///
/// Returns the summary, and why the run stopped early.
pub(crate) fn run(
    session: &mut BotSession,
    selected: &[&'static Check],
    observer: &mut dyn Observer,
) -> (CheckSummary, Option<Stop>) {
    let is_selected = |check: &Check| selected.iter().any(|other| other.info.name == check.info.name);
    let mut summary = CheckSummary::default();
    let mut done = 0;
    let is_output = |check: &&Check| check.info.name == info::OUTPUT;
    let (last, others): (Vec<_>, Vec<_>) = CHECKS.iter().partition(is_output);
    for check in others.into_iter().chain(last) {
        let name = check.info.name;
        if !is_selected(check) && name != info::HANDSHAKE {
            continue;
        }
        let mut needs = [info::HANDSHAKE].into_iter().chain(check.needs.iter().copied());
        let report = if let Some(failed) = needs.find(|need| session.has_failed(need)) {
            CheckReport::not_run(&check.info, failed)
        } else {
            observer.began(done);
            match session.run(&check.info, check.run) {
                Ok(report) => report,
                Err(stop) => {
                    summary.close(session.times());
                    return (summary, Some(stop));
                }
            }
        };
        if is_selected(check) || session.has_failed(name) {
            done += 1;
            summary.add(&report);
            if let Err(error) = observer.finished(&report) {
                return (summary, Some(error.into()));
            }
        }
    }
    summary.close(session.times());
    (summary, None)
}
