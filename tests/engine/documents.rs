//! The README, the manual and the notes: no link is broken, and the table of contents lists
//! every chapter.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

/// Where the chapters of the manual are.
const MANUAL: &str = "docs";

/// Folders of documents that the book does not contain.
const NOTES: [&str; 3] = ["docs/notes", "docs/report", "research"];

/// The documents outside these folders.
const OTHERS: [&str; 9] = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "DESIGN.md",
    "RELEASING.md",
    "SECURITY.md",
    "protocol.md",
    "examples/course/README.md",
    "examples/rules/README.md",
];

/// Whether the book contains a file: a chapter, or a picture.
fn is_in_book(path: &Path) -> bool {
    if path.extension().is_some_and(|ending| ending == "md") {
        return path.parent() == Some(Path::new(MANUAL)) && !path.ends_with("SUMMARY.md");
    }
    path.starts_with(MANUAL)
}

/// The links of one document.
#[derive(Default)]
struct Page {
    /// The `#anchor` of each heading.
    anchors: Vec<String>,
    /// The target of each link and image, as written.
    links: Vec<String>,
    /// Mistakes that the text alone reveals.
    errors: Vec<String>,
}

impl Page {
    fn parse(text: &str) -> Self {
        let mut undefined = Vec::new();
        let on_broken_link = |link: BrokenLink| {
            // A `[word]` without a definition is plain text.
            if matches!(link.link_type, LinkType::Reference | LinkType::Collapsed) {
                undefined.push(format!("undefined reference [{}]", link.reference));
            }
            None::<(CowStr, CowStr)>
        };
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let mut page = Page::default();
        let mut heading: Option<String> = None;
        for event in Parser::new_with_broken_link_callback(text, options, Some(on_broken_link)) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let title = heading.take().unwrap_or_default();
                    page.add_anchor(&title);
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(title) = &mut heading {
                        title.push_str(&text);
                    }
                }
                // This test does not see links in HTML.
                Event::Html(html) | Event::InlineHtml(html) if !html.starts_with("<!--") => {
                    page.errors.push(format!("HTML: {}", html.trim()));
                }
                _ => {}
            }
        }
        page.errors.extend(undefined);
        page
    }

    /// Adds a heading's anchor, by the rule that GitHub and mdBook share.
    fn add_anchor(&mut self, title: &str) {
        let words = title.to_lowercase();
        let anchor: String = words
            .chars()
            .filter(|&c| c.is_alphanumeric() || c == '_' || c == '-' || c == ' ')
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let base = anchor.clone();
        let repeats = self
            .anchors
            .iter()
            .filter(|known| {
                known.strip_prefix(&base).is_some_and(|rest| {
                    rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok())
                })
            })
            .count();
        self.anchors.push(if repeats == 0 {
            anchor
        } else {
            format!("{anchor}-{repeats}")
        });
    }
}

/// `a/b/../c` as `a/c`; `None` above the root folder.
fn normalize(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir if normal.pop() => {}
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(normal)
}

/// What is wrong with a link in the document `from`, if anything. `exists` reports
/// whether the project has a file or folder.
fn broken(
    from: &Path,
    link: &str,
    pages: &HashMap<PathBuf, Page>,
    exists: impl Fn(&Path) -> bool,
) -> Option<String> {
    if link.starts_with("https://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() {
        Some(from.to_path_buf())
    } else {
        normalize(&from.parent().unwrap_or(Path::new("")).join(file))
    };
    let Some(target) = target.filter(|target| exists(target)) else {
        return Some(format!("no such file: {link}"));
    };
    let is_chapter = from.parent() == Some(Path::new(MANUAL));
    if is_chapter && !is_in_book(&target) {
        return Some(format!("leads out of the manual: {link}"));
    }
    if anchor.is_empty() {
        return None;
    }
    let found = pages
        .get(&target)
        .is_some_and(|page| page.anchors.iter().any(|known| known == anchor));
    (!found).then(|| format!("no such heading: {link}"))
}

/// The broken links of some documents, as `file: error`.
fn errors_of(pages: &HashMap<PathBuf, Page>, exists: impl Fn(&Path) -> bool) -> Vec<String> {
    let mut errors = Vec::new();
    for (path, page) in pages {
        let links = page
            .links
            .iter()
            .filter_map(|link| broken(path, link, pages, &exists));
        let found = page.errors.iter().cloned().chain(links);
        errors.extend(found.map(|error| format!("{}: {error}", path.display())));
    }
    errors.sort();
    errors
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The file names of the chapters, without the table of contents.
fn chapters() -> Vec<String> {
    let entries = fs::read_dir(root().join(MANUAL)).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "md") && name != "SUMMARY.md")
        .collect()
}

fn pages() -> HashMap<PathBuf, Page> {
    let manual = chapters().into_iter().chain(["SUMMARY.md".to_string()]);
    let mut paths: Vec<PathBuf> = manual.map(|name| Path::new(MANUAL).join(name)).collect();
    paths.extend(OTHERS.iter().map(PathBuf::from));
    for folder in NOTES {
        let mut found = Vec::new();
        files_below(&root().join(folder), ".md", &mut found);
        paths.extend(
            found
                .iter()
                .map(|path| path.strip_prefix(root()).unwrap().to_path_buf()),
        );
    }
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(root().join(&path)).unwrap();
            (path, Page::parse(&text))
        })
        .collect()
}

#[test]
fn manual_includes_the_protocol_unchanged() {
    let [chapter, document] =
        ["docs/protocol.md", "protocol.md"].map(|path| fs::read_to_string(root().join(path)));
    assert!(
        chapter.unwrap() == document.unwrap(),
        "docs/protocol.md must be a symbolic link to ../protocol.md"
    );
}

#[test]
fn no_link_is_broken() {
    let errors = errors_of(&pages(), |path| root().join(path).exists());
    assert!(errors.is_empty(), "broken links:\n{}", errors.join("\n"));
}

/// All files below a folder with this ending.
fn files_below(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, ending, found);
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
}

#[test]
fn code_mentions_only_chapters_that_exist() {
    let mut sources = Vec::new();
    for folder in ["src", "research", "tests", "referee", "fuzz"] {
        files_below(&root().join(folder), ".rs", &mut sources);
    }
    // Notes describe the chapters of their time.
    let is_note = |path: &PathBuf| NOTES.iter().any(|folder| path.starts_with(folder));
    let documents = pages().into_keys().filter(|path| !is_note(path));
    sources.extend(documents.map(|path| root().join(path)));
    let mut mentions = 0;
    for source in sources {
        let text = fs::read_to_string(&source).unwrap();
        // This file contains examples of missing documents.
        if source.ends_with(file!()) {
            continue;
        }
        for folder in [MANUAL, "research"] {
            for rest in text.split(&format!("{folder}/")).skip(1) {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_./".contains(c)));
                let name = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
                if Path::new(name).extension().is_some_and(|ending| ending == "md") {
                    let exists = root().join(folder).join(name).exists();
                    assert!(exists, "{}: {folder}/{name}", source.display());
                    mentions += 1;
                }
            }
        }
    }
    assert!(mentions > 10, "{mentions}");
}

#[test]
fn contents_list_every_chapter_once() {
    let contents = Page::parse(&fs::read_to_string(root().join(MANUAL).join("SUMMARY.md")).unwrap());
    let (mut listed, mut files) = (contents.links, chapters());
    listed.sort();
    files.sort();
    assert_eq!(listed, files);
}

#[test]
fn readme_is_short_and_names_the_minimum_rust_version() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 180, "{}", readme.lines().count());
    let version = format!(
        "[Rust](https://rustup.rs) {} or later",
        env!("CARGO_PKG_RUST_VERSION")
    );
    assert!(readme.contains(&version), "{version}");
}

#[test]
fn finds_each_kind_of_broken_link() {
    let pages: HashMap<PathBuf, Page> = [
        (
            "README.md",
            "# A `b` C?\n# A b c\n[1](#a-b-c) [2](#a-b-c-1) [3](docs/x.md#y) [4](src) [5](https://example.org/#z)",
        ),
        ("docs/x.md", "# Y\n[1](../README.md) [2](x.md#z) ![3](x.svg) [4](../../etc) [5](#Y) [6](SUMMARY.md) [7](notes/z.md)"),
        ("docs/SUMMARY.md", "[1](x.md)"),
        ("docs/notes/z.md", "# Z\n[1](../x.md#y) [2](../../README.md) [3](z.md#y)"),
        ("docs/y.md", "[1][nowhere] <b>2</b> [3](src#y) [4] <!-- 5 -->\n\n[4]: x.md#y"),
    ]
    .into_iter()
    .map(|(path, text)| (PathBuf::from(path), Page::parse(text)))
    .collect();
    let exists = |path: &Path| pages.contains_key(path) || path == Path::new("src");
    assert_eq!(
        errors_of(&pages, exists),
        [
            "docs/notes/z.md: no such heading: z.md#y",
            "docs/x.md: leads out of the manual: ../README.md",
            "docs/x.md: leads out of the manual: SUMMARY.md",
            "docs/x.md: leads out of the manual: notes/z.md",
            "docs/x.md: no such file: ../../etc",
            "docs/x.md: no such file: x.svg",
            "docs/x.md: no such heading: #Y",
            "docs/x.md: no such heading: x.md#z",
            "docs/y.md: HTML: </b>",
            "docs/y.md: HTML: <b>",
            "docs/y.md: no such file: src#y",
            "docs/y.md: undefined reference [nowhere]",
        ]
    );
}
