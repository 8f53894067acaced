//! The digest that identifies texts in result files.

use lodestone::random::mix;

use crate::io::digest::Digest;

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
    fn digest_has_not_changed() {
        assert_eq!(digest(["a", "b"]), 0xf530_fe92_7de6_7a30);
    }
}
