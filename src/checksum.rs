//! A checksum for files that this package writes.

/// A 64-bit FNV-1a checksum. A changed byte always changes it.
///
/// Source: Fowler, Noll and Vo, <http://www.isthe.com/chongo/tech/comp/fnv/>.
pub fn checksum(bytes: &[u8]) -> u64 {
    continue_checksum(FNV_BASIS, bytes)
}

/// The checksum of the bytes that led to `start`, followed by these.
pub fn continue_checksum(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
    })
}

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
