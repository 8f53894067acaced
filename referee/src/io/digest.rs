//! Digests of texts. The algorithm never changes: files and runs of different versions
//! are compared by their digests.

use std::fmt;

/// FNV-1a with 64 bits.
///
/// Fowler, Noll, Vo and Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

impl Digest {
    /// The digest of the empty text.
    pub const fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    /// Adds more text.
    pub fn add(&mut self, text: &str) {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The digest as a number.
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}

impl fmt::Display for Digest {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_published_test_vector() {
        let mut digest = Digest::new();
        digest.add("foobar");
        assert_eq!(digest.to_string(), "85944171f73967e8");
    }
}
