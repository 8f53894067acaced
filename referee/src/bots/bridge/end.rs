//! Why a bridge stops.

/// Why a bridge stops.
#[derive(Debug)]
pub(crate) enum BridgeEnd {
    /// The engine failed: a clause that follows its name.
    Engine(String),
    /// The referee has left.
    Left,
    /// The machine is short of something: a sentence.
    Short(String),
}
