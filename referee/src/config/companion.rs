//! Programs that come with the referee, each a package of its own, so that the referee needs none of their libraries.

use std::path::PathBuf;

/// A program of another package.
pub(crate) struct Companion {
    /// The name of the program.
    pub program: &'static str,
    /// What it is for, behind its name in messages.
    pub purpose: &'static str,
    /// The folder of its package in a checkout.
    package: &'static str,
}

/// The web server.
pub(crate) const SERVER: Companion = Companion {
    program: "referee-serve",
    purpose: "with the web server",
    package: "serve",
};

/// The rules of chess.
pub(crate) const CHESS: Companion = Companion {
    program: "referee-chess",
    purpose: "with the rules of chess",
    package: "chess",
};

impl Companion {
    /// The program beside this one; otherwise its name, which is searched in PATH.
    pub(crate) fn path(&self) -> PathBuf {
        let own = std::env::current_exe().ok();
        let name = format!("{}{}", self.program, std::env::consts::EXE_SUFFIX);
        let beside = own.and_then(|own| Some(own.parent()?.join(name)));
        let beside = beside.filter(|path| path.is_file());
        beside.unwrap_or_else(|| PathBuf::from(self.program))
    }

    /// How to get the program.
    pub(crate) fn advice(&self) -> String {
        format!(
            "From a checkout, `cargo install --locked --path {}` installs it; the packages contain it",
            self.package
        )
    }
}
