//! Computes the file of a table, layer by layer. The layers so far stand in a second file, so
//! that a build that was killed continues.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use lodestone::game::gridlock::exact::changes::BitWriter;
use lodestone::game::gridlock::exact::file::{
    Contents, End, HEADER, read_chunk, scan, write_end, write_group, write_header,
};
use lodestone::game::gridlock::exact::layer::{Followers, Layer, Word, counts, in_parallel};
use lodestone::game::gridlock::exact::positions::Positions;
use lodestone::game::gridlock::exact::table::{GROUP_LAYERS, STRIDE, base_words, read_layers, write_layer};

/// Layers that a new one is compared with, to find a period. Not above [`GROUP_LAYERS`], so
/// that they can be read again from the last group.
const RECENT: usize = 8;

/// A table that is being computed.
pub struct TableBuilder {
    path: PathBuf,
    partial: PathBuf,
    file: File,
    positions: Positions,
    followers: Followers,
    threads: usize,
    /// The last stored layers.
    recent: VecDeque<Layer>,
    /// The number of stored layers, those in `chunks` too.
    layers: usize,
    /// By class, the layers that are not in the file yet.
    chunks: Vec<BitWriter>,
    repeats_at: Option<usize>,
}

/// A layer that was computed.
#[derive(Clone, Copy, Debug)]
pub struct LayerReport {
    /// Turns left.
    pub turns: u32,
    /// The number of losses, draws and wins for the side to move, before the symmetries.
    pub counts: [u64; 3],
}

impl TableBuilder {
    /// Begins a table in the file `path`, or continues one that was interrupted.
    ///
    /// # Errors
    /// A sentence: the file for unfinished tables cannot be used.
    pub fn open(pieces: u32, path: &Path, threads: usize) -> Result<TableBuilder, String> {
        let partial = partial_path(path);
        let wrong = |error: String| format!("{}: {error}", partial.display());
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&partial)
            .map_err(|error| wrong(format!("it cannot be opened: {error}")))?;
        let positions = Positions::new(pieces);
        let is_new = file.metadata().is_ok_and(|data| data.len() < HEADER as u64);
        if is_new {
            file.set_len(0)
                .and_then(|()| write_header(&mut file, pieces, positions.classes()))
                .map_err(|error| wrong(format!("it cannot be written: {error}")))?;
        }
        let (mut contents, _) = scan(&mut file).map_err(|error| wrong(format!("{error}; remove it")))?;
        if contents.pieces != pieces {
            let error = format!("it has {} pieces a side; remove it", contents.pieces);
            return Err(wrong(error));
        }
        contents.keep_groups_of(GROUP_LAYERS);
        let mut builder = TableBuilder {
            path: path.to_path_buf(),
            partial: partial.clone(),
            followers: Followers::new(&positions),
            chunks: Vec::new(),
            recent: VecDeque::new(),
            layers: 0,
            repeats_at: None,
            file,
            positions,
            threads,
        };
        builder.resume(&contents).map_err(wrong)?;
        Ok(builder)
    }

    /// Reads the last layers again and drops what was cut off.
    fn resume(&mut self, contents: &Contents) -> Result<(), String> {
        let unreadable = |error: std::io::Error| format!("it cannot be read: {error}");
        let groups = contents.groups.len();
        if let Some(group) = contents.groups.last() {
            let words = self.positions.class_words();
            let mut layers = vec![Vec::new(); group.layers];
            for class in 0..self.positions.classes() {
                let chunk = read_chunk(&mut self.file, group, class).map_err(unreadable)?;
                let base = base_words(&self.positions, groups - 1, class);
                let all =
                    read_layers(base, group.layers, &chunk).ok_or("its last group is damaged; remove it")?;
                for (layer, words) in layers.iter_mut().zip(all.chunks_exact(words)) {
                    layer.extend_from_slice(words);
                }
            }
            let recent = layers.len().saturating_sub(RECENT);
            self.recent = layers.drain(recent..).map(Layer::of_words).collect();
        }
        self.layers = contents.groups.iter().map(|group| group.layers).sum();
        self.file.set_len(contents.length).map_err(unreadable)?;
        self.file.seek(SeekFrom::End(0)).map_err(unreadable)?;
        Ok(())
    }

    /// The number of turns left for which values are stored; `None` before the first.
    pub fn turns(&self) -> Option<u32> {
        (self.layers as u32 * STRIDE).checked_sub(1)
    }

    /// The memory that the computation needs, in bytes, without the compressed layers of a
    /// group.
    pub fn memory(&self) -> usize {
        let layer = self.positions.classes() * self.positions.class_words() * size_of::<Word>();
        layer * (RECENT + 2)
    }

    /// Whether the values repeat, so that the table answers every number of turns left.
    pub fn repeats(&self) -> bool {
        self.repeats_at.is_some()
    }

    /// Computes the next layers up to the next stored one. Returns one report for each.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn step(&mut self) -> Result<Vec<LayerReport>, String> {
        let mut reports = Vec::new();
        let layer = match self.recent.back() {
            None => Layer::first(&self.positions, self.threads),
            Some(last) => {
                let between = last.next(&self.positions, &self.followers, self.threads);
                reports.push(self.report(self.layers as u32 * STRIDE - 1, &between));
                between.next(&self.positions, &self.followers, self.threads)
            }
        };
        reports.push(self.report(self.layers as u32 * STRIDE, &layer));
        if let Some(index) = self.recent.iter().position(|earlier| *earlier == layer) {
            self.repeats_at = Some(self.layers - self.recent.len() + index);
            return Ok(reports);
        }
        self.store(&layer);
        self.recent.push_back(layer);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        self.layers += 1;
        if self.layers.is_multiple_of(GROUP_LAYERS) {
            self.flush()?;
        }
        Ok(reports)
    }

    fn report(&self, turns: u32, layer: &Layer) -> LayerReport {
        let classes = (0..self.positions.classes()).map(|class| {
            let words = layer.class(&self.positions, class);
            counts(&self.positions, class, words)
        });
        let counts = classes.fold([0; 3], |sum, counts| {
            std::array::from_fn(|value| sum[value] + counts[value])
        });
        LayerReport { turns, counts }
    }

    /// Appends a layer to the chunks.
    fn store(&mut self, layer: &Layer) {
        let group = self.layers / GROUP_LAYERS;
        let is_first = self.layers.is_multiple_of(GROUP_LAYERS);
        self.chunks
            .resize_with(self.positions.classes(), BitWriter::default);
        let (positions, before) = (&self.positions, self.recent.back().filter(|_| !is_first));
        in_parallel(self.chunks.iter_mut().enumerate(), self.threads, &|(
            class,
            writer,
        )| {
            let before = before.map(|before| before.class(positions, class));
            write_layer(
                writer,
                positions,
                (group, class),
                before,
                layer.class(positions, class),
            );
        });
    }

    /// Writes the layers of a group to the file.
    fn flush(&mut self) -> Result<(), String> {
        let layers = (self.layers + GROUP_LAYERS - 1) % GROUP_LAYERS + 1;
        let chunks = std::mem::take(&mut self.chunks).into_iter();
        let chunks: Vec<Vec<u8>> = chunks.map(BitWriter::finish).collect();
        write_group(&mut self.file, layers, &chunks).map_err(|error| self.unwritable(&error))
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<(), String> {
        if !self.chunks.is_empty() {
            self.flush()?;
        }
        let end = End {
            layers: self.layers,
            repeats_at: self.repeats_at,
        };
        write_end(&mut self.file, end)
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &std::io::Error) -> String {
        format!("{}: it cannot be written: {error}", self.partial.display())
    }
}

/// Where a table stands until it is finished.
pub fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".partial");
    PathBuf::from(name)
}
