//! The options of `referee serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::shared::{GameArgs, NETWORK, PLAYERS, RESULTS, SandboxArgs, WrapperArgs, player};
use crate::config::settings::Settings;

/// The longest name of a machine in the Internet's system of names, in characters.
const MAX_HOST_NAME: usize = 253;

/// The options of `referee serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Programs, folders with a file `run` and built-in players that the pages may start
    ///
    /// The built-in players and levels are always there.
    #[arg(value_name = "ENGINE", value_parser = player(), hide_possible_values = true)]
    pub programs: Vec<String>,

    /// Add a player with settings, such as `cmd=./mybot st=1`; repeatable
    #[arg(long, value_name = "KEY=VALUE…", help_heading = PLAYERS)]
    pub engine: Vec<Settings>,

    /// Add players from a folder of submissions or a TOML file; repeatable
    #[arg(long = "engines", value_name = "DIR|FILE.toml", value_hint = ValueHint::AnyPath, help_heading = PLAYERS)]
    pub submissions: Vec<PathBuf>,

    /// What starts submissions.
    #[command(flatten)]
    pub wrapper: WrapperArgs,

    /// What programs may do.
    #[command(flatten)]
    pub sandbox: SandboxArgs,

    /// The game.
    #[command(flatten)]
    pub game: GameArgs,

    /// Keep result files and games played in the browser in this folder
    #[arg(long, default_value = "results", value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = RESULTS)]
    pub results: PathBuf,

    /// Listen on this address (default: 127.0.0.1 and a free port)
    ///
    /// Any address but a loopback address lets other machines connect. Anyone who has the printed
    /// address can start the players given here; the connection is not encrypted.
    #[arg(long, value_parser = address, value_name = "ADDR:PORT", help_heading = NETWORK)]
    pub listen: Option<SocketAddr>,

    /// Allow this name for the server, such as that of a reverse proxy; repeatable
    ///
    /// Addresses and `localhost` need no permission, with any port.
    #[arg(long = "allowed-host", value_parser = host_name, value_name = "NAME", help_heading = NETWORK)]
    pub allowed_hosts: Vec<String>,

    /// Open the printed address in the browser
    #[arg(long, help_heading = NETWORK)]
    pub open: bool,
}

/// An address with a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    let why = "expected an IP address and a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080";
    text.parse().map_err(|_| why.into())
}

/// A name for the option `--allowed-host`.
fn host_name(text: &str) -> Result<String, String> {
    if is_host_name(text) {
        return Ok(text.into());
    }
    Err("expected a name without `http://` and port, such as bots.example.org".into())
}

/// Whether a text can be the name of a machine: letters, digits, `-`, `_` and `.`.
pub fn is_host_name(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    (1..=MAX_HOST_NAME).contains(&text.len()) && !text.starts_with('-') && text.chars().all(is_plain)
}
