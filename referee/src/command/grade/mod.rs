//! `referee grade`: grades submissions by a rubric, with games against fixed opponents.
//!
//! * [`rubric`]: what submissions are graded on; [`course`]: the files that it names.
//! * [`play`]: what a submission does; [`facts`]: what was measured; [`points`]: what it is worth.
//! * [`folder`]: all submissions of a folder; [`single`]: one, for the services; [`other_user`]: the same without a
//!   sandbox; [`formats`]: the files of the services.

mod course;
mod facts;
mod folder;
mod formats;
mod other_user;
mod play;
mod points;
mod rubric;
mod single;

use std::process::ExitCode;

use referee_core::failure::{Failure, Stop};
use referee_core::process::{SandboxLevel, sandbox_ability};

use self::rubric::Rubric;
use crate::command::{install_interrupt, verdict};
use crate::config::cli::GradeArgs;
use crate::config::rules_loader;

/// Grades all submissions of a folder, or one.
pub fn run(args: &GradeArgs) -> Result<ExitCode, Failure> {
    let mut rubric = Rubric::read(&args.rubric)?;
    if args.user.is_some() && !rubric.has_sandbox() && sandbox_ability(SandboxLevel::On).is_err() {
        rubric.set("sandbox", "off");
    }
    let mut plan = rubric.match_args(&[])?;
    let interrupt = install_interrupt()?;
    let rules = match rules_loader::load(&mut plan.run.game.rules) {
        Ok(rules) => rules,
        Err(failure) => return of_course(failure),
    };
    let game = &mut plan.run.game;
    game.variant = rules.unwrap_or(game.variant);
    let ended = match (&args.out, &args.results) {
        (Some(out), _) => folder::grade(args, &rubric, &plan, out, &interrupt),
        (None, Some(results)) => single::grade(args, &rubric, &plan, results, &interrupt),
        (None, None) => Err(Failure::Usage("expected --out GRADES or --results FILE".into())),
    };
    if let Some(program) = rules.and_then(|rules| rules.program()) {
        program.close();
    }
    ended.or_else(of_course)
}

/// The end of a command whose course does not work: there is no grade, as for a single submission.
fn of_course(failure: Failure) -> Result<ExitCode, Failure> {
    match failure {
        Failure::Start(_) | Failure::Stopped(Stop::Rules(_)) => {
            log::error!("no grade, because {failure}");
            Ok(verdict(false))
        }
        failure => Err(failure),
    }
}
