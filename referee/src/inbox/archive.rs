//! Unpacks archives that strangers have made: nothing is written outside of a folder, and no name, number or size that
//! an archive states is believed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use referee_core::io::text::{ShowPath, printable};
use referee_core::system::files::{is_left_out, make_executable, make_link, open_regular};
use tar::EntryType;
use zip::ZipArchive;

use super::refusal::Refusal;
use crate::config::own_files::{Links, MAX_DEPTH};
use crate::config::versions::{MAX_FILES, MAX_LENGTH};

/// What the names of archives end with.
pub(super) const ENDINGS: [&str; 8] = [
    ".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tbz2", ".txz", ".tar", ".zip",
];

/// Those of archives that are not unpacked.
const OTHER_ENDINGS: [&str; 2] = [".rar", ".7z"];

/// The beginnings of these.
const OTHERS: [(&[u8], &str); 2] = [(b"Rar!", "RAR"), (b"7z\xbc\xaf", "7z")];

/// The longest name or target of a link in an archive, in bytes: as much as systems have (`PATH_MAX` of Linux).
const MAX_NAME: u64 = 4096;

/// The most memory that the decoder of .tar.xz may use, in KiB: as much as `xz -9` asks for.
const MAX_MEMORY: u32 = 128 << 10;

/// The ending of an archive's name, which is not part of the name of its submission.
pub(crate) fn ending(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let mut endings = ENDINGS.into_iter().chain(OTHER_ENDINGS);
    endings.find(|ending| lower.ends_with(ending))
}

/// What fails if the referee is to stop.
type Stop<'a> = &'a dyn Fn() -> io::Result<()>;

/// The file of an archive, whose reader stops when the referee does: a small archive can unpack for hours.
struct Source<'a> {
    input: File,
    stop: Stop<'a>,
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Who reads to an end tries again after `Interrupted`.
        (self.stop)().map_err(|error| io::Error::other(error.to_string()))?;
        self.input.read(buffer)
    }
}

impl Seek for Source<'_> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.input.seek(place)
    }
}

/// Unpacks an archive to an empty folder.
pub(super) fn unpack(archive: &Path, to: &Path, stop: Stop<'_>) -> io::Result<()> {
    let input = open_regular(archive)?;
    let mut file = Source { input, stop };
    let mut start = [0; 6];
    let read = read_up_to(&mut file, &mut start)?;
    file.rewind()?;
    if let Some((_, kind)) = OTHERS.iter().find(|(sign, _)| start[..read].starts_with(sign)) {
        let why = format!("it is an archive of {kind}, which cannot be unpacked here");
        return Err(Refusal::new(why, "ask for a .zip", "Submit a .zip.").into());
    }
    let mut unpacking = Unpacking {
        to,
        stop,
        files: 0,
        left: MAX_LENGTH,
        hard_links: Vec::new(),
        links: Vec::new(),
    };
    match &start {
        [b'P', b'K', ..] => unpacking.zip(file)?,
        [0x1f, 0x8b, ..] => unpacking.tar(MultiGzDecoder::new(file))?,
        [b'B', b'Z', b'h', ..] => unpacking.tar(MultiBzDecoder::new(file))?,
        [0xfd, b'7', b'z', ..] => unpacking.tar(XzReader::new_mem_limit(file, true, MAX_MEMORY))?,
        _ => unpacking.tar(file)?,
    }
    unpacking.end()
}

/// Why an archive is not unpacked although it is whole.
fn refused(why: impl Into<String>) -> io::Error {
    Refusal::new(why, "", "").into()
}

fn too_large() -> io::Error {
    refused(format!("it has more than {} GB", MAX_LENGTH >> 30))
}

fn too_many() -> io::Error {
    refused(format!("it has more than {MAX_FILES} files"))
}

fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read(&mut buffer[read..])? {
            0 => break,
            count => read += count,
        }
    }
    Ok(read)
}

/// What an entry of an archive is.
enum Kind {
    Folder,
    File {
        is_program: bool,
        /// When it was changed: a script compiles what is newer than its program.
        modified: Option<SystemTime>,
    },
    Link(String),
    HardLink(String),
}

/// An archive that is being unpacked.
struct Unpacking<'a> {
    to: &'a Path,
    stop: Stop<'a>,
    files: usize,
    /// How many bytes may still be written.
    left: u64,
    /// Copies of other files of the archive.
    hard_links: Vec<(PathBuf, PathBuf)>,
    links: Vec<(PathBuf, String)>,
}

impl Unpacking<'_> {
    fn zip(&mut self, mut file: Source<'_>) -> io::Result<()> {
        let mut unread = check_count(&mut file)?;
        let mut archive = ZipArchive::new(file).map_err(|error| damaged(&error.into()))?;
        for number in 0..archive.len() {
            let mut entry = archive.by_index(number).map_err(|error| damaged(&error.into()))?;
            // The bytes of entries that overlap would be read again and again.
            unread = unread.checked_sub(entry.compressed_size()).ok_or_else(|| {
                let why = "its entries are larger than the file";
                damaged(&io::Error::new(ErrorKind::InvalidData, why))
            })?;
            // A Mac writes UTF-8 without the flag that says so; the crate reads such names as those of DOS.
            let name = match std::str::from_utf8(entry.name_raw()) {
                Ok(name) => name.to_string(),
                Err(_) => entry.name().map_err(|error| damaged(&error.into()))?.into_owned(),
            };
            // Some programs for Windows write its separator.
            let name = name.replace('\\', "/");
            let kind = if entry.is_symlink() {
                let mut target = Vec::new();
                entry.by_ref().take(MAX_NAME).read_to_end(&mut target)?;
                Kind::Link(name_of(&target))
            } else if entry.is_dir() || name.ends_with('/') {
                Kind::Folder
            } else {
                let mode = entry.unix_mode().unwrap_or_default();
                Kind::File {
                    is_program: mode & 0o111 != 0,
                    modified: entry.last_modified().and_then(time_of),
                }
            };
            self.add(&name, kind, &mut entry)?;
        }
        Ok(())
    }

    fn tar(&mut self, input: impl Read) -> io::Result<()> {
        // Also what is only skipped must be decompressed.
        let input = Counted {
            input,
            left: MAX_LENGTH + MAX_FILES as u64 * 4096,
        };
        let mut archive = tar::Archive::new(input);
        // The entries as they are: the crate would read a name of any length.
        let entries = archive.entries().map_err(|error| damaged(&error))?.raw(true);
        let (mut long_name, mut long_target) = (None, None);
        for entry in entries {
            let mut entry = entry.map_err(|error| damaged(&error))?;
            let header = entry.header().clone();
            let kind = header.entry_type();
            if kind.is_gnu_longname() || kind.is_gnu_longlink() || kind.is_pax_local_extensions() {
                if entry.size() > 2 * MAX_NAME {
                    return Err(refused("it has a name that is longer than any name of a file"));
                }
                let mut text = Vec::new();
                entry.read_to_end(&mut text)?;
                if kind.is_gnu_longname() {
                    long_name = Some(name_of(&text));
                } else if kind.is_gnu_longlink() {
                    long_target = Some(name_of(&text));
                } else {
                    for extension in tar::PaxExtensions::new(&text).flatten() {
                        let value = || Some(name_of(extension.value_bytes()));
                        match extension.key_bytes() {
                            b"path" => long_name = value(),
                            b"linkpath" => long_target = value(),
                            _ => {}
                        }
                    }
                }
                continue;
            }
            let name = long_name.take().unwrap_or_else(|| name_of(&header.path_bytes()));
            let target = long_target.take();
            let target = target.or_else(|| header.link_name_bytes().map(|name| name_of(&name)));
            let kind = match kind {
                EntryType::Regular | EntryType::Continuous if name.ends_with('/') => Kind::Folder,
                EntryType::Regular | EntryType::Continuous => Kind::File {
                    is_program: header.mode().unwrap_or_default() & 0o111 != 0,
                    modified: header
                        .mtime()
                        .ok()
                        .and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))),
                },
                EntryType::Directory => Kind::Folder,
                EntryType::Symlink => Kind::Link(target.unwrap_or_default()),
                EntryType::Link => Kind::HardLink(target.unwrap_or_default()),
                EntryType::GNUSparse => {
                    return Err(refused("it has a sparse file; pack it without `--sparse`"));
                }
                // Devices, pipes, and notes of programs.
                _ => continue,
            };
            self.add(&name, kind, &mut entry)?;
        }
        Ok(())
    }

    fn add(&mut self, name: &str, kind: Kind, content: &mut dyn Read) -> io::Result<()> {
        self.files += 1;
        if self.files > MAX_FILES {
            return Err(too_many());
        }
        let path = path_of(name)?;
        if path.as_os_str().is_empty() || path.iter().any(is_left_out) {
            return Ok(());
        }
        let whole = self.to.join(&path);
        let folder = match kind {
            Kind::Folder => Some(&*whole),
            _ => whole.parent(),
        };
        fs::create_dir_all(folder.unwrap_or(self.to))?;
        match kind {
            Kind::Folder => {}
            Kind::File { is_program, modified } => self.write(&whole, is_program, modified, content)?,
            Kind::Link(target) => self.links.push((path, target)),
            Kind::HardLink(target) => self.hard_links.push((path, path_of(&target)?)),
        }
        Ok(())
    }

    fn write(
        &mut self,
        path: &Path,
        is_program: bool,
        modified: Option<SystemTime>,
        content: &mut dyn Read,
    ) -> io::Result<()> {
        // The last of two files of one name counts.
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        let mut part = vec![0; 1 << 16];
        loop {
            let count = content.read(&mut part).map_err(|error| damaged(&error))?;
            if count == 0 {
                break;
            }
            self.left = self.left.checked_sub(count as u64).ok_or_else(too_large)?;
            file.write_all(&part[..count])?;
        }
        // Not every file system can have every time.
        let _ = modified.map(|time| file.set_modified(time));
        if is_program { make_executable(path) } else { Ok(()) }
    }

    /// Makes the links, so that nothing was written through one.
    fn end(mut self) -> io::Result<()> {
        for (path, same) in std::mem::take(&mut self.hard_links) {
            let original = self.to.join(same);
            if !original.is_file() {
                let path = path.shown();
                return Err(refused(format!(
                    "`{path}` is a hard link to a file that is not in the archive"
                )));
            }
            let is_program = referee_core::system::files::is_executable(&original);
            let input = File::open(&original)?;
            let modified = input.metadata()?.modified().ok();
            let mut content = Source {
                input,
                stop: self.stop,
            };
            self.write(&self.to.join(path), is_program, modified, &mut content)?;
        }
        // The deepest first: then no link is in the path of the next one.
        self.links
            .sort_by_key(|(path, _)| std::cmp::Reverse(path.components().count()));
        for (path, target) in &self.links {
            make_link(Path::new(target), &self.to.join(path))?;
        }
        let mut links = Links::new(self.to.canonicalize()?);
        for (path, target) in &self.links {
            links
                .check(path, Path::new(target))
                .map_err(|why| refused(format!("`{}`: {why}", path.shown())))?;
        }
        Ok(())
    }
}

/// What comes of a damaged archive is worded by its decoder.
fn damaged(error: &io::Error) -> io::Error {
    let known = error.get_ref().and_then(|error| error.downcast_ref::<Refusal>());
    let refusal = known.cloned().unwrap_or_else(|| {
        let student = "Open it on your machine, and submit it again.";
        Refusal::new(
            format!("the archive is damaged or incomplete: {error}"),
            "",
            student,
        )
    });
    io::Error::new(error.kind(), refusal)
}

/// The time of a file in a zip archive. Its time zone is not known, but times are only compared with each other.
fn time_of(time: zip::DateTime) -> Option<SystemTime> {
    let part = |part: u8| i8::try_from(part).ok();
    let (year, month, day) = (
        i16::try_from(time.year()).ok()?,
        part(time.month())?,
        part(time.day())?,
    );
    let (hour, minute, second) = (part(time.hour())?, part(time.minute())?, part(time.second())?);
    let time = jiff::civil::DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().into())
}

/// A path in an archive.
fn path_of(name: &str) -> io::Result<PathBuf> {
    if name.len() as u64 > MAX_NAME {
        return Err(refused("it has a name that is longer than any name of a file"));
    }
    let mut path = PathBuf::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            _ => {
                let name = printable(name, 200);
                return Err(refused(format!(
                    "the archive has the path `{name}`, which leads out of it"
                )));
            }
        }
    }
    if path.components().count() > MAX_DEPTH {
        return Err(refused(format!(
            "it has more than {MAX_DEPTH} folders in each other"
        )));
    }
    Ok(path)
}

/// A name in an archive, until it ends or a byte is 0. One that is not UTF-8 is taken for Latin-1, so that two names stay
/// two.
fn name_of(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let latin = || bytes[..end].iter().map(|byte| char::from(*byte)).collect();
    std::str::from_utf8(&bytes[..end]).map_or_else(|_| latin(), str::to_string)
}

/// Checks the number of entries of a zip file, whose directory is read as a whole, and returns the file's length. What
/// the file states at its end can be false, so whatever may begin an entry of the directory counts.
fn check_count(file: &mut Source<'_>) -> io::Result<u64> {
    const SIGN: &[u8] = b"PK\x01\x02";
    let (mut part, mut kept, mut count, mut length) = (vec![0; 1 << 16], 0, 0, 0);
    loop {
        let read = file.read(&mut part[kept..])?;
        if read == 0 {
            break;
        }
        length += read as u64;
        let known = kept + read;
        count += part[..known]
            .windows(SIGN.len())
            .filter(|bytes| *bytes == SIGN)
            .count();
        if count > MAX_FILES {
            return Err(too_many());
        }
        // A sign may be in two parts.
        kept = known.min(SIGN.len() - 1);
        part.copy_within(known - kept..known, 0);
    }
    file.rewind()?;
    Ok(length)
}

/// What is decompressed, up to a limit.
struct Counted<R> {
    input: R,
    left: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(too_large)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    // Links are those of Unix.
    #![cfg(unix)]
    #![allow(clippy::mixed_attributes_style)]

    use sentences::expect;
    use std::collections::BTreeMap;

    use tempfile::TempDir;
    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;

    /// An archive of these names and contents; `change` changes its bytes.
    fn zipped(files: &[(&str, &str)], change: impl Fn(&mut Vec<u8>)) -> (TempDir, PathBuf) {
        let folder = TempDir::new().unwrap();
        let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, content) in files {
            writer
                .start_file(*name, SimpleFileOptions::default().unix_permissions(0o755))
                .unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        let mut bytes = writer.finish().unwrap().into_inner();
        change(&mut bytes);
        let path = folder.path().join("a.zip");
        fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    /// What is unpacked: paths and contents.
    fn unpacked(folder: &TempDir, archive: &Path) -> Result<BTreeMap<String, String>, String> {
        let to = folder.path().join("to");
        fs::create_dir(&to).unwrap();
        unpack(archive, &to, &|| Ok(())).map_err(|error| error.to_string())?;
        let mut found = BTreeMap::new();
        let mut open = vec![to.clone()];
        while let Some(place) = open.pop() {
            for entry in fs::read_dir(place).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(&to).unwrap().shown();
                    found.insert(name, fs::read_to_string(&path).unwrap());
                }
            }
        }
        Ok(found)
    }

    #[test]
    fn reads_the_names_of_macs_and_of_windows() {
        let names = [
            ("Er\u{f6}ffnung.txt", "x"),
            ("src\\a.py", "y"),
            ("__MACOSX/._a", ""),
        ];
        // Without the flag that the names are UTF-8.
        let without_flag = |bytes: &mut Vec<u8>| {
            for (sign, place) in [(b"PK\x03\x04", 7), (b"PK\x01\x02", 9)] {
                for at in 0..bytes.len() - place {
                    if bytes[at..].starts_with(sign) {
                        bytes[at + place] &= !8;
                    }
                }
            }
        };
        let (folder, archive) = zipped(&names, without_flag);
        let found = unpacked(&folder, &archive).unwrap();
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            ["Er\u{f6}ffnung.txt", "src/a.py"]
        );
    }

    #[test]
    fn refuses_paths_that_lead_out() {
        for name in ["../ann/run", "/etc/passwd", "a/../../b", "..\\run"] {
            let (folder, archive) = zipped(&[(name, "x")], |_| {});
            let why = unpacked(&folder, &archive).unwrap_err();
            assert!(why.contains("which leads out of it"), "{name}: {why}");
        }
    }

    /// A header of an archive, as GNU writes it, with a size that it states.
    fn header(name: &str, kind: EntryType, size: u64) -> tar::Header {
        let mut header = tar::Header::new_gnu();
        header.set_path(name).unwrap();
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_mode(0o644);
        header.set_cksum();
        header
    }

    #[test]
    fn names_that_are_not_utf_8_stay_two() {
        let folder = TempDir::new().unwrap();
        let archive = folder.path().join("a.tar");
        let mut bytes = Vec::new();
        for name in [b"M\xfcller", b"M\xf6ller"] {
            let mut header = header("Muller", EntryType::Regular, 0);
            header.as_old_mut().name[..name.len()].copy_from_slice(name);
            header.set_cksum();
            bytes.extend_from_slice(header.as_bytes());
        }
        fs::write(&archive, [&bytes[..], &[0; 1024]].concat()).unwrap();
        let found = unpacked(&folder, &archive).unwrap();
        assert_eq!(
            found.into_keys().collect::<Vec<_>>(),
            ["M\u{f6}ller", "M\u{fc}ller"]
        );
    }

    #[test]
    fn long_names_are_those_of_gnu_or_of_posix() {
        let folder = TempDir::new().unwrap();
        let archive = folder.path().join("a.tar");
        let names = ["gnu", "posix"].map(|name| format!("{name}/{}", "a".repeat(150)));
        let mut builder = tar::Builder::new(File::create(&archive).unwrap());
        let mut file = header("a", EntryType::Regular, 0);
        builder.append_data(&mut file, &names[0], io::empty()).unwrap();
        let path = [("path", names[1].as_bytes())];
        builder.append_pax_extensions(path).unwrap();
        builder
            .append(&header("a", EntryType::Regular, 0), io::empty())
            .unwrap();
        builder.finish().unwrap();
        let found = unpacked(&folder, &archive).unwrap();
        assert_eq!(found.into_keys().collect::<Vec<_>>(), names);
    }

    #[test]
    fn believes_no_size_of_a_name() {
        let folder = TempDir::new().unwrap();
        let archive = folder.path().join("a.tar");
        let long = header("././@LongLink", EntryType::GNULongName, 1 << 30);
        fs::write(&archive, [long.as_bytes(), &[b'a'; 4096][..]].concat()).unwrap();
        let why = unpacked(&folder, &archive).unwrap_err();
        expect! {"it has a name that is longer than any name of a file"}.assert_eq(&why);
    }

    #[test]
    fn counts_what_is_written_and_what_is_skipped() {
        let folder = TempDir::new().unwrap();
        let mut unpacking = Unpacking {
            to: folder.path(),
            stop: &|| Ok(()),
            files: 0,
            left: 10,
            hard_links: Vec::new(),
            links: Vec::new(),
        };
        let file = || Kind::File {
            is_program: false,
            modified: None,
        };
        unpacking.add("a", file(), &mut &b"12345"[..]).unwrap();
        let why = unpacking.add("b", file(), &mut &b"123456"[..]).unwrap_err();
        assert!(why.to_string().contains("more than 1 GB"));
        unpacking.files = MAX_FILES;
        let why = unpacking.add("c", file(), &mut &b""[..]).unwrap_err();
        assert!(why.to_string().contains("more than 50000 files"));
        let mut counted = Counted {
            input: io::repeat(0),
            left: 100,
        };
        assert!(io::copy(&mut counted, &mut io::sink()).is_err());
    }

    /// A zip file with an empty file, compressed to `length` times 5 bytes, and a directory of `count` entries that all
    /// say that they are this file. It states that the directory has `stated` entries.
    fn overlapping(count: usize, stated: u16, length: usize) -> Vec<u8> {
        let body = [b"\0\0\0\xff\xff".repeat(length - 1), b"\x01\0\0\xff\xff".to_vec()].concat();
        let fields = |size: usize, name: u8| {
            let size = (size as u32).to_le_bytes();
            [
                &[20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0, 0, 0, 0, 0][..],
                &size,
                &[0, 0, 0, 0, name, 0, 0, 0],
            ]
            .concat()
        };
        let file = [b"PK\x03\x04", &fields(body.len(), 1)[..], b"a", &body].concat();
        let entry = [b"PK\x01\x02\x14\0", &fields(body.len(), 5)[..], &[0; 14]].concat();
        let entries: Vec<u8> = (0..count)
            .flat_map(|number| [&entry, format!("{number:05}").as_bytes()].concat())
            .collect();
        let (size, start) = (entries.len() as u32, file.len() as u32);
        let stated = stated.to_le_bytes();
        let end = [
            b"PK\x05\x06\0\0\0\0",
            &stated[..],
            &stated,
            &size.to_le_bytes(),
            &start.to_le_bytes(),
            &[0, 0],
        ];
        [file, entries, end.concat()].concat()
    }

    #[test]
    fn believes_no_number_of_entries_and_reads_no_bytes_twice() {
        let (folder, archive) = zipped(&[], |bytes| *bytes = overlapping(MAX_FILES, 1, 1));
        assert_eq!(unpacked(&folder, &archive).unwrap().len(), 1);
        let (folder, archive) = zipped(&[], |bytes| *bytes = overlapping(MAX_FILES + 1, 1, 1));
        let why = unpacked(&folder, &archive).unwrap_err();
        assert_eq!(why, "it has more than 50000 files");
        let (folder, archive) = zipped(&[], |bytes| *bytes = overlapping(30, 30, 1000));
        let why = unpacked(&folder, &archive).unwrap_err();
        let expected = "the archive is damaged or incomplete: its entries are larger than the file";
        assert_eq!(why, expected);
    }

    #[test]
    fn stops_with_the_referee() {
        let (folder, archive) = zipped(&[("a", "x")], |_| {});
        let stop = || Err(ErrorKind::Interrupted.into());
        assert!(unpack(&archive, folder.path(), &stop).is_err());
    }

    #[test]
    fn links_stay_inside() {
        let folder = TempDir::new().unwrap();
        let archive = folder.path().join("a.tar");
        for (target, is_inside) in [("run", true), ("../ann/run", false), ("/etc/passwd", false)] {
            let mut builder = tar::Builder::new(File::create(&archive).unwrap());
            builder
                .append(&header("run", EntryType::Regular, 1), &b"x"[..])
                .unwrap();
            let mut link = header("link", EntryType::Symlink, 0);
            builder.append_link(&mut link, "link", target).unwrap();
            builder.finish().unwrap();
            let to = folder.path().join("to");
            fs::create_dir(&to).unwrap();
            assert_eq!(unpack(&archive, &to, &|| Ok(())).is_ok(), is_inside, "{target}");
            fs::remove_dir_all(to).unwrap();
        }
    }
}
