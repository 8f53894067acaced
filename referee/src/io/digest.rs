//! Digests of texts and files. The algorithms never change: files and runs of different versions
//! are compared by their digests.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use lodestone::random::mix;
use sha2::{Digest as _, Sha256};

/// The SHA-256 digest of a file, as `sha256sum` prints it.
pub fn sha256(path: &Path) -> io::Result<String> {
    let (mut file, mut digest, mut part) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part)? {
            0 => break,
            length => digest.update(&part[..length]),
        }
    }
    let hexadecimal = |text: String, byte: &u8| text + &format!("{byte:02x}");
    Ok(digest.finalize().iter().fold(String::new(), hexadecimal))
}

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

impl fmt::Display for Digest {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A 64-bit digest of a sequence of texts. Its values must never change: old
/// files hold them.
pub fn digest<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut digest = Digest::new();
    for text in texts {
        digest.add(text);
        // No text contains a line break, so the separator is unambiguous.
        digest.add("\n");
    }
    mix(digest.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_matches_the_published_test_vector() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        assert_eq!(
            sha256(file.path()).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn matches_the_published_test_vector() {
        let mut digest = Digest::new();
        digest.add("foobar");
        assert_eq!(digest.to_string(), "85944171f73967e8");
    }

    #[test]
    fn digest_has_not_changed() {
        assert_eq!(digest(["a", "b"]), 0xf530_fe92_7de6_7a30);
    }
}
