//! Random changes to an input.

use lodestone_game::random::Random;

/// Maximum length of an input in bytes: the longest line that an engine may write.
pub const MAX_LENGTH: usize = 64 * 1024;

/// Maximum number of changes in one mutation.
const MAX_CHANGES: u64 = 4;

/// Tokens that often reveal bugs: special characters of terminals, UTF-8 and the
/// formats, and extreme numbers.
const TOKENS: [&[u8]; 35] = [
    b"\0",
    b"\n",
    b"\r\n",
    b"\t",
    b"\x1b[31m",
    b"\x7f",
    b"\xff",
    b"\xc3",
    "\u{feff}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{85}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{1f600}".as_bytes(),
    "\u{e9}".as_bytes(),
    "\u{660}".as_bytes(),
    b" ",
    b"=",
    b"/",
    b":",
    b"\"",
    b"'",
    b"\\",
    b"[[",
    b"{",
    b"}",
    b"#",
    b"-",
    b"+",
    b",",
    b".",
    b"1e308",
    b"NaN",
    b"inf",
    b"0.1",
];

/// Numbers at the limits of integer and floating-point types.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "00",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0.0000000000000000000000000001",
    "99999999999999999999999999999999999999999",
];

/// A mutation of `input` by a few changes. Some insert parts of `others`.
pub fn mutated(input: &[u8], others: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(MAX_CHANGES) {
        change(&mut bytes, others, random);
        bytes.truncate(MAX_LENGTH);
    }
    bytes
}

/// Makes one random change.
fn change(bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() as u64 + 1) as usize;
    match random.below(10) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => bytes.insert(at, random.below(256) as u8),
        2 => {
            bytes.drain(range(bytes, random));
        }
        3 => {
            let piece = bytes[range(bytes, random)].to_vec();
            bytes.splice(at..at, piece);
        }
        4 => {
            let token = random.choose(&TOKENS).copied().unwrap_or_default();
            bytes.splice(at..at, token.iter().copied());
        }
        5 => replace_number(bytes, at, random),
        6 => {
            // Replaces the end by the end of another input.
            if let Some(other) = random.choose(others) {
                bytes.truncate(at);
                bytes.extend_from_slice(&other[random.below(other.len() as u64 + 1) as usize..]);
            }
        }
        7 | 8 => {
            // Replaces a word by a word of another input.
            let word = random.choose(others).map(|other| word_at(other, random));
            let here = word_range(bytes, at);
            bytes.splice(here, word.unwrap_or_default());
        }
        _ => {
            // Repeats a part; rarely up to the maximum length.
            let piece = bytes[range(bytes, random)].to_vec();
            let max = if random.below(8) == 0 { MAX_LENGTH } else { 512 };
            let times = (max / piece.len().max(1)).min(random.below(max as u64 + 1) as usize);
            bytes.splice(at..at, piece.repeat(times));
        }
    }
}

/// A random range, short in max cases.
fn range(bytes: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let start = random.below(bytes.len() as u64 + 1) as usize;
    let max = if random.below(4) == 0 { bytes.len() } else { 16 };
    let end = start + random.below(max as u64 + 1) as usize;
    start..end.min(bytes.len())
}

/// The alphanumeric word around an index; may be empty.
fn word_range(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric();
    let start = at - bytes[..at].iter().rev().take_while(is_word).count();
    start..at + bytes[at..].iter().take_while(is_word).count()
}

/// A random word.
fn word_at(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let at = random.below(bytes.len() as u64 + 1) as usize;
    bytes[word_range(bytes, at)].to_vec()
}

/// Replaces the first number after `at`.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = at + start;
    let length = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let number = random.choose(&NUMBERS).copied().unwrap_or_default();
    bytes.splice(start..start + length, number.bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_mutations() {
        let others = [b"go depth 12".to_vec(), b"bestmove a1".to_vec()];
        let made = |seed| {
            let mut random = Random::new(seed);
            let made: Vec<Vec<u8>> = (0..100)
                .map(|_| mutated(&others[0], &others, &mut random))
                .collect();
            made
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn mutations_are_bounded_and_most_change_the_input() {
            let others = vec![vec![b'a'; MAX_LENGTH], b"12 34".to_vec(), Vec::new()];
            let mut random = Random::new(3);
            let mut changed = 0;
            for round in 0..3000 {
                let input = &others[round % 3];
                let made = mutated(input, &others, &mut random);
                assert!(made.len() <= MAX_LENGTH);
                changed += usize::from(made != *input);
            }
            assert!(changed > 1500, "{changed}");
        }
    }
}
