//! The file of a table: a header, groups of layers, and an end record, each with a checksum.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `MAGIC` |
//! | 4, 4, 8 | pieces a side, number of classes, checksum of the 16 bytes so far |
//! | 4, 8, n, 8 | a record: its kind, its length n, its content, checksum of all of these |
//!
//! All numbers are little-endian. A record of kind `GROUP` holds the number of its layers (4
//! bytes), the length of the chunk of each class (4 bytes each), and the chunks. The last
//! record, of kind `END`, holds the number of layers and the layer that follows the last one
//! (`NO_REPEAT` if none is known).

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

use lodestone_game::random::{checksum, continue_checksum};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"LODETBL1";

/// Length of the header, in bytes.
pub const HEADER: usize = 24;

/// Bytes of a record before its content.
const HEAD: u64 = 12;

/// Bytes of a checksum.
const CHECKSUM: u64 = 8;

/// Bytes of a record besides its content.
const FRAME: u64 = HEAD + CHECKSUM;

/// The kind of a group of layers.
const GROUP: u32 = 1;

/// The kind of the last record.
const END: u32 = 2;

/// In the last record: no layer is known to follow the last one.
const NO_REPEAT: u32 = u32::MAX;

/// A group of layers in a file.
#[derive(Debug)]
pub struct Group {
    /// The number of its layers.
    pub layers: usize,
    /// By class, where its chunk begins; then the end of the last one. Bytes from the start of
    /// the file.
    starts: Vec<u64>,
}

/// The last record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The number of layers.
    pub layers: usize,
    /// The layer that follows the last one.
    pub repeats_at: Option<usize>,
}

/// What a file holds.
#[derive(Debug)]
pub struct Contents {
    /// Pieces a side.
    pub pieces: u32,
    /// The groups, in order.
    pub groups: Vec<Group>,
    /// The last record; `None` in an unfinished file.
    pub(crate) end: Option<End>,
    /// The length of the usable part, in bytes.
    pub length: u64,
}

impl Contents {
    /// Forgets the end, and all groups from the first one that has not this many layers.
    pub fn keep_groups_of(&mut self, layers: usize) {
        let is_other = |group: &Group| group.layers != layers;
        let full = self.groups.iter().position(is_other);
        self.groups.truncate(full.unwrap_or(self.groups.len()));
        self.end = None;
        let last = self.groups.last().and_then(|group| group.starts.last());
        self.length = last.map_or(HEADER as u64, |end| end + CHECKSUM);
    }
}

/// Writes the header.
///
/// # Errors
/// The file cannot be written.
pub fn write_header(file: &mut File, pieces: u32, classes: usize) -> io::Result<()> {
    let mut header = MAGIC.to_vec();
    header.extend(pieces.to_le_bytes());
    header.extend((classes as u32).to_le_bytes());
    header.extend(checksum(&header).to_le_bytes());
    file.write_all(&header)
}

/// Appends a group with the chunk of each class, and waits until it is on the disk.
///
/// # Errors
/// The file cannot be written.
pub fn write_group(file: &mut File, layers: usize, chunks: &[Vec<u8>]) -> io::Result<()> {
    let mut body = (layers as u32).to_le_bytes().to_vec();
    for chunk in chunks {
        body.extend((chunk.len() as u32).to_le_bytes());
    }
    for chunk in chunks {
        body.extend(chunk);
    }
    write_record(file, GROUP, &body)
}

/// Appends the last record, and waits until it is on the disk.
///
/// # Errors
/// The file cannot be written.
pub fn write_end(file: &mut File, end: End) -> io::Result<()> {
    let repeats_at = end.repeats_at.map_or(NO_REPEAT, |layer| layer as u32);
    let numbers = [end.layers as u32, repeats_at];
    write_record(file, END, &numbers.map(u32::to_le_bytes).concat())
}

fn write_record(file: &mut File, kind: u32, body: &[u8]) -> io::Result<()> {
    let frame = frame(kind, body.len() as u64);
    file.write_all(&frame)?;
    file.write_all(body)?;
    let sum = continue_checksum(checksum(&frame), body);
    file.write_all(&sum.to_le_bytes())?;
    file.sync_data()
}

fn frame(kind: u32, length: u64) -> [u8; 12] {
    let mut frame = [0; 12];
    frame[..4].copy_from_slice(&kind.to_le_bytes());
    frame[4..].copy_from_slice(&length.to_le_bytes());
    frame
}

/// Reads a whole file and compares all checksums. Stops before the first record that is cut
/// off or damaged, and returns what is wrong with it.
///
/// # Errors
/// The file cannot be read, or its header is not that of a table.
pub fn scan(file: &mut File) -> Result<(Contents, Option<String>), String> {
    let total = file.metadata().map_err(|error| unreadable(&error))?.len();
    let mut header = [0; HEADER];
    file.rewind().map_err(|error| unreadable(&error))?;
    match file.read_exact(&mut header) {
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(unreadable(&error)),
        Ok(()) if header[..8] == MAGIC => {}
        _ => return Err("it is not a table of lodestone".to_string()),
    }
    let [pieces, classes] = [8, 12].map(|at| number(&header[at..]));
    if checksum(&header[..16]).to_le_bytes() != header[16..] || !(1..=4).contains(&pieces) {
        return Err("its header is damaged".to_string());
    }
    let mut contents = Contents {
        pieces,
        groups: Vec::new(),
        end: None,
        length: HEADER as u64,
    };
    while contents.length < total {
        if contents.end.is_some() {
            return Ok((contents, Some("there is data after its end".to_string())));
        }
        match read_record(file, total - contents.length).map_err(|error| unreadable(&error))? {
            Some((GROUP, body)) if group(&body, contents.length, classes as usize).is_some() => {
                contents
                    .groups
                    .extend(group(&body, contents.length, classes as usize));
                contents.length += FRAME + body.len() as u64;
            }
            Some((END, body)) if body.len() == 8 => {
                let [layers, repeats_at] = [0, 4].map(|at| number(&body[at..]));
                contents.end = Some(End {
                    layers: layers as usize,
                    repeats_at: (repeats_at != NO_REPEAT).then_some(repeats_at as usize),
                });
                contents.length += FRAME + body.len() as u64;
            }
            _ => {
                let defect = format!("the record at byte {} is cut off or damaged", contents.length);
                return Ok((contents, Some(defect)));
            }
        }
    }
    let layers: usize = contents.groups.iter().map(|group| group.layers).sum();
    let defect = match contents.end {
        None => Some("its end is missing".to_string()),
        Some(end) if end.layers != layers || end.repeats_at.is_some_and(|at| at >= layers) => {
            Some("its end does not fit its layers".to_string())
        }
        Some(_) => None,
    };
    Ok((contents, defect))
}

fn unreadable(error: &io::Error) -> String {
    format!("it cannot be read: {error}")
}

fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes))
}

/// The kind and the content of the next record; `None` if it is longer than `rest` bytes or
/// does not fit its checksum.
fn read_record(file: &mut File, rest: u64) -> io::Result<Option<(u32, Vec<u8>)>> {
    let mut head = [0; 12];
    if rest < FRAME {
        return Ok(None);
    }
    file.read_exact(&mut head)?;
    let length = u64::from(number(&head[4..])) | u64::from(number(&head[8..])) << 32;
    if length > rest - FRAME {
        return Ok(None);
    }
    let mut body = vec![0; length as usize];
    file.read_exact(&mut body)?;
    let mut sum = [0; 8];
    file.read_exact(&mut sum)?;
    let is_whole = continue_checksum(checksum(&head), &body).to_le_bytes() == sum;
    Ok(is_whole.then_some((number(&head), body)))
}

/// The group in a record that begins at byte `start`; `None` if its lengths do not fit.
fn group(body: &[u8], start: u64, classes: usize) -> Option<Group> {
    let lengths = body.get(4..4 + 4 * classes)?;
    let mut starts = vec![start + HEAD + 4 + 4 * classes as u64];
    for length in lengths.chunks_exact(4) {
        starts.push(starts.last()? + u64::from(number(length)));
    }
    let layers = number(body) as usize;
    (*starts.last()? == start + HEAD + body.len() as u64).then_some(Group { layers, starts })
}

/// The chunk of a class.
///
/// # Errors
/// The file cannot be read.
pub fn read_chunk(file: &mut File, group: &Group, class: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (group.starts[class + 1] - group.starts[class]) as usize];
    file.seek(SeekFrom::Start(group.starts[class]))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
