//! How the processes of an engine ended.

/// How the processes of an engine ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// How the engine ended before it was killed, as a clause that follows its name; `None` if
    /// it was still running.
    pub how: Option<String>,
    /// The number of its descendants that outlived it; `None` if they were not counted.
    pub leftovers: Option<u64>,
}
