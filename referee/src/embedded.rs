//! Files of other folders that the program contains: the example bots and rules, the module for Python
//! and the script that hosts the engine in a page.
//!
//! `EMBEDDED` is the root of the repository, or the folder `embedded` of a package: see `build.rs`.

macro_rules! file {
    ($($part:expr),+) => {
        include_str!(concat!(env!("EMBEDDED"), "/", $($part),+))
    };
}

/// The worker that hosts the engine as a WebAssembly module.
pub const ENGINE_WORKER: &str = file!("web/engine-worker.js");

/// The script that talks to the worker: the core of the package for npm.
pub const ENGINE_DRIVER: &str = file!("web/package/engine.js");

/// The script of a page that starts the engine when it is needed.
pub const PAGE_ENGINE: &str = file!("web/page/lazy-engine.js");

/// The script of a page that analyses the position shown.
pub const PAGE_ANALYSIS: &str = file!("web/page/analysis.js");

/// The script of a page that starts the worker from the page itself.
pub const PAGE_CONNECT: &str = file!("web/page/connect.js");

macro_rules! python_module {
    ($($name:literal)*) => {
        [$(($name, file!("python/referee/", $name))),*]
    };
}

/// The files of the Python module `referee` that a bot or a rules program needs, in a folder of this name.
pub const PYTHON_MODULE: [(&str, &str); 15] = python_module![
    "__init__.py" "__main__.py" "_asked.py" "_child.py" "_errors.py" "_submission.py" "_values.py" "anytime.py" "boards.py"
    "bot.py" "bridge.py" "client.py" "games.py" "programs.py" "rules.py"
];

/// A bot in Python for both games that uses the module.
pub const PYTHON_BOT: &str = file!("examples/rules/search_bot.py");

/// The game that `referee new-rules` writes.
pub const EXAMPLE_GAME: &str = file!("examples/rules/tic_tac_toe.py");

/// The same game in Rust, as an example of the library.
pub const EXAMPLE_GAME_IN_RUST: &str = file!("rules/examples/tic_tac_toe.rs");

/// The library for rules programs in Rust, one file.
pub const RUST_LIBRARY: &str = file!("rules/src/lib.rs");

/// A bot in Python that imports the rules of its game, `from tic_tac_toe import Game`.
pub const EXAMPLE_GAME_BOT: &str = file!("examples/rules/bot.py");

/// An example bot, from `examples/bots`.
#[derive(Debug)]
pub struct ExampleBot {
    /// The folder, which is the name of the language.
    pub name: &'static str,
    /// The name of the source file.
    pub file: &'static str,
    pub source: &'static str,
    /// The protocol of a bot for any game, from `examples/any_game`.
    pub any_game: &'static str,
    /// The script `run`, which starts the bot.
    pub run: &'static str,
}

macro_rules! example_bots {
    ($($constant:ident $name:literal $file:literal)*) => { $(
        #[doc = concat!("The bot in the folder `", $name, "`.")]
        pub const $constant: ExampleBot = ExampleBot {
            name: $name,
            file: $file,
            source: file!("examples/bots/", $name, "/", $file),
            any_game: file!("examples/any_game/", $file),
            run: file!("examples/bots/", $name, "/run"),
        };
    )* };
}

example_bots! {
    C "c" "bot.c"
    CPP "cpp" "bot.cpp"
    JAVA "java" "Bot.java"
    JAVASCRIPT "javascript" "bot.js"
    PYTHON "python" "bot.py"
    RUST "rust" "bot.rs"
}
