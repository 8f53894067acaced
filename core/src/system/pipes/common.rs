//! What both systems share.

/// What a thread waits for. The end of a pipe ends every wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Something to read.
    Input,
    /// Room to write.
    Space,
    /// The end alone. On Windows the end is seen when everything was read.
    End,
}
