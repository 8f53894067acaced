//! The cost of a start at each level.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use referee_core::io::interrupt::Interrupt;
use referee_core::player::Engine;
use referee_core::process::{Purpose, Sandbox, SandboxLevel, Submissions};

use crate::series::Series;
use crate::{relayed, stub};

/// An engine that completes the handshake, in three languages.
const SHELL: &str = "\
while read -r line; do
    case $line in
        uci) echo uciok ;;
        isready) echo readyok ;;
        quit) exit ;;
    esac
done
";
const PYTHON: &str = "\
import sys
for line in sys.stdin:
    if line == 'quit\\n':
        break
    if line in ('uci\\n', 'isready\\n'):
        print({'uci\\n': 'uciok', 'isready\\n': 'readyok'}[line], flush=True)
";
const C: &str = r#"
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[256];
    while (fgets(line, sizeof line, stdin) && strcmp(line, "quit\n")) {
        if (!strcmp(line, "uci\n")) puts("uciok");
        if (!strcmp(line, "isready\n")) puts("readyok");
        fflush(stdout);
    }
    return 0;
}
"#;

/// A program of which the starts are measured.
struct Program {
    language: &'static str,
    path: PathBuf,
    args: Vec<String>,
}

/// The most processor time that a start and its end may take more than without sandbox, as the
/// median: three times what the project aims at for the whole time. Other work on the machine
/// makes the whole time long, but hardly the processor time.
const fn max_more(level: SandboxLevel) -> Duration {
    Duration::from_millis(match level {
        SandboxLevel::Off => 0,
        SandboxLevel::On => 15,
        SandboxLevel::Strict => 60,
    })
}

/// Starts each program at each level in turns, and prints a table.
pub fn measure(
    levels: &[SandboxLevel],
    rounds: usize,
    interrupt: &Arc<Interrupt>,
) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    println!(
        "A start, from that of the supervisor to `readyok`, and the processor time of all its processes until"
    );
    println!("they have ended; {rounds} rounds. Behind each time: how much more than at `off`:");
    println!(
        "{:<14}{:>12}{:>24}{:>24}",
        "", "best", "median", "processor, median"
    );
    for program in programs(folder.path())? {
        let mut whole = vec![Series::default(); levels.len()];
        let mut processor = whole.clone();
        for _ in 0..rounds {
            for (place, level) in levels.iter().enumerate() {
                let before = processor_time()?;
                whole[place].add(start(&program, *level, interrupt)?);
                processor[place].add(processor_time()?.saturating_sub(before));
            }
        }
        let (Some(base), Some(processor_base)) = (whole.first(), processor.first()) else {
            return Ok(());
        };
        for ((level, whole), processor) in levels.iter().zip(&whole).zip(&processor) {
            let name = format!("{} {level}", program.language);
            let more = processor.more_than(processor_base);
            let [best, best_more, median, median_more, time, time_more] = [
                whole.best(),
                whole.best() - base.best(),
                whole.median(),
                whole.more_than(base),
                processor.median(),
                more,
            ]
            .map(|time| time * 1e3);
            println!(
                "{name:<14}{best:>9.1} ms{best_more:>+9.1} ms{median:>9.1} ms{median_more:>+9.1} ms\
                 {time:>9.1} ms{time_more:>+9.1} ms"
            );
            if more > max_more(*level).as_secs_f64() {
                let more = format!("{time_more:.1} ms of processor time more than without sandbox");
                return Err(format!("a start of {name} takes {more}").into());
            }
        }
    }
    Ok(())
}

/// The processor time of all processes that this one has started and that have ended.
fn processor_time() -> Result<Duration, Box<dyn Error>> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(micros.try_into()?))
}

/// The programs for which the tools are here.
fn programs(folder: &Path) -> Result<Vec<Program>, Box<dyn Error>> {
    let script = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map(|()| vec![path.to_string_lossy().to_string()])
    };
    let mut programs = vec![Program {
        language: "sh",
        path: "/bin/sh".into(),
        args: script("bot.sh", SHELL)?,
    }];
    // Not the wrapper of a version manager, which takes longer than Python itself.
    let asked = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output();
    match asked.ok().filter(|output| output.status.success()) {
        Some(output) => programs.push(Program {
            language: "Python",
            path: String::from_utf8(output.stdout)?.trim().into(),
            args: script("bot.py", PYTHON)?,
        }),
        None => println!("SKIPPED: python3 is not installed"),
    }
    let source = script("bot.c", C)?;
    let path = folder.join("bot");
    let compiled = Command::new("cc").args(source).arg("-o").arg(&path).status();
    if compiled.is_ok_and(|status| status.success()) {
        programs.push(Program {
            language: "C",
            path,
            args: Vec::new(),
        });
    } else {
        println!("SKIPPED: no C compiler is installed");
    }
    Ok(programs)
}

/// The time of a start.
fn start(
    program: &Program,
    level: SandboxLevel,
    interrupt: &Arc<Interrupt>,
) -> Result<Duration, Box<dyn Error>> {
    let mut args = program.args.clone();
    let purpose = Purpose {
        name: program.language,
        program: &program.path,
        is_from_path: true,
        is_builtin: false,
        dir: None,
        readable: &[],
        submissions: Submissions {
            players: &[],
            own: None,
            is_one: |_| false,
        },
    };
    let sandbox = (level != SandboxLevel::Off).then(|| Sandbox::plan(level, purpose, &mut args));
    let spec = relayed::spec(program.language, program.path.clone(), args, sandbox.transpose()?);
    let begin = Instant::now();
    let engine = Engine::start(&spec, stub::VARIANT.into(), interrupt);
    let time = begin.elapsed();
    let engine = engine.map_err(|error| error.sentence(program.language))?;
    let _ = Engine::dismiss([engine]);
    Ok(time)
}
