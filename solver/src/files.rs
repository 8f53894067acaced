//! Files of this package that the referee contains: the example bots, the script that
//! hosts the engine in a page, and a table of the manual.

/// The chapter of the manual about options of other programs.
pub const OTHER_PROGRAMS: &str = include_str!("../../docs/other-programs.md");

/// The worker that hosts the engine as a WebAssembly module.
pub const ENGINE_WORKER: &str = include_str!("../../web/engine-worker.js");

/// The script of a page that talks to the worker.
pub const PAGE_ENGINE: &str = include_str!("../../web/page/engine.js");

/// The script of a page that starts the worker from the page itself.
pub const PAGE_CONNECT: &str = include_str!("../../web/page/connect.js");

/// An example bot, from `examples/bots`.
#[derive(Debug)]
pub struct ExampleBot {
    /// The folder, which is the name of the language.
    pub name: &'static str,
    /// The name of the source file.
    pub file: &'static str,
    /// The source.
    pub source: &'static str,
    /// The script `run`, which starts the bot.
    pub run: &'static str,
}

macro_rules! example_bots {
    ($($constant:ident $name:literal $file:literal)*) => { $(
        #[doc = concat!("The bot in the folder `", $name, "`.")]
        pub const $constant: ExampleBot = ExampleBot {
            name: $name,
            file: $file,
            source: include_str!(concat!("../../examples/bots/", $name, "/", $file)),
            run: include_str!(concat!("../../examples/bots/", $name, "/run")),
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
