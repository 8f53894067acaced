//! `referee bridge`: an engine of another protocol as a bot. The referee starts itself with this command.

use referee_core::failure::Failure;
use referee_core::failure::Stop;

use crate::bots::bridge::{self, BoardNames, BridgeEnd, BridgePlan};
use crate::config::cli::BridgeArgs;
use crate::config::settings::{SEPARATOR, Settings};

/// Speaks UCI for the engine.
pub fn run(args: &BridgeArgs) -> Result<(), Failure> {
    let limits: Settings = args
        .limits
        .replace(' ', SEPARATOR)
        .parse()
        .map_err(|why| Failure::Usage(format!("--limits: {why}")))?;
    let (program, words) = args
        .engine
        .split_first()
        .ok_or_else(|| Failure::Usage("the engine is missing".into()))?;
    let names = |text: &str| text.split_whitespace().map(String::from).collect();
    let plan = BridgePlan {
        protocol: args.protocol,
        program: program.clone(),
        args: words.to_vec(),
        board: BoardNames {
            columns: names(&args.columns),
            rows: names(&args.rows),
            sample: args.sample.clone(),
        },
        control: limits.control(),
    };
    match bridge::run(&plan) {
        Ok(()) | Err(BridgeEnd::Left) => Ok(()),
        Err(BridgeEnd::Engine(how)) => Err(Failure::Start(how)),
        Err(BridgeEnd::Short(what)) => Err(Stop::Short(what).into()),
    }
}
