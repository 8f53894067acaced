//! The page of a result file, which a child process writes: `referee report --html`.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_core::io::stderr::OWN_ERROR;
use tempfile::TempDir;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::files::{ResultFile, Stamp};
use crate::reply::Refusal;
use crate::system;

/// The most child processes at a time.
const MAX_CHILDREN: usize = 2;

/// The most bytes of a child's error output.
const MAX_ERROR: u64 = 16 * 1024;

/// Begins the policy of a page.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"";

/// What the page gets: a link back, and what opens a game on a board.
const SCRIPT: &str = "<script type=\"module\" src=\"../app/report-extra.js\"></script>\n";

/// A page that was written.
#[derive(Debug)]
struct Page {
    stamp: Stamp,
    path: PathBuf,
    policy: String,
}

/// The child that writes a page for a request, and whether the request has gone, with which the child ends.
#[derive(Debug, Default)]
pub struct Writer(Mutex<(Option<Child>, bool)>);

impl Writer {
    fn state(&self) -> MutexGuard<'_, (Option<Child>, bool)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_child(&self, mut child: Child) {
        let mut state = self.state();
        if state.1 {
            system::terminate(&mut child);
        }
        state.0 = Some(child);
    }

    /// The child, which ends by itself.
    fn take_child(&self) -> Option<Child> {
        self.state().0.take()
    }
}

/// A request that waits for a page.
#[derive(Debug)]
pub struct Waiting(pub Arc<Writer>);

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.1 = true;
        if let Some(child) = &mut state.0 {
            system::terminate(child);
        }
    }
}

/// The pages of result files.
#[derive(Debug)]
pub struct Pages {
    folder: TempDir,
    known: Mutex<HashMap<PathBuf, Page>>,
    count: AtomicU64,
    permits: Arc<Semaphore>,
}

impl Pages {
    /// No pages yet.
    pub fn new() -> io::Result<Pages> {
        Ok(Pages {
            folder: TempDir::new()?,
            known: Mutex::default(),
            count: AtomicU64::new(0),
            permits: Arc::new(Semaphore::new(MAX_CHILDREN)),
        })
    }

    /// Deletes all pages.
    pub fn delete(&self) {
        // The system clears the rest.
        let _ = fs::remove_dir_all(self.folder.path());
    }

    /// Waits for a permit for a child process; `None` never comes.
    pub async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).acquire_owned().await.ok()
    }

    /// The page of a file with its policy, if it was written since the last change of the file.
    pub fn known(&self, file: &ResultFile) -> Option<(File, String)> {
        let known = self.pages();
        let page = known.get(&file.path).filter(|page| page.stamp == file.stamp)?;
        Some((File::open(&page.path).ok()?, page.policy.clone()))
    }

    /// Writes the page of a file, by these rules.
    pub fn write(
        &self,
        file: &ResultFile,
        rules: &[String],
        writer: &Writer,
    ) -> Result<(File, String), Refusal> {
        if let Some(known) = self.known(file) {
            return Ok(known);
        }
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.path().join(format!("{number}.html"));
        let mut command = system::own_command().map_err(Refusal::failed)?;
        command.arg("report").arg(&file.path).arg("--html").arg(&path);
        if !rules.is_empty() {
            command.arg("--rules").args(rules);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(Refusal::failed)?;
        let (mut errors, output) = (Vec::new(), child.stderr.take());
        writer.set_child(child);
        if let Some(mut output) = output {
            // The page tells what matters.
            let _ = (&mut output).take(MAX_ERROR).read_to_end(&mut errors);
            let _ = io::copy(&mut output, &mut io::sink());
        }
        if let Some(mut child) = writer.take_child() {
            child.wait().map_err(Refusal::failed)?;
        }
        // The status of a match that is not over is not 0. A page is written whole or not at all.
        let html = fs::read_to_string(&path).map_err(|_| Refusal::wrong(message(&errors)))?;
        let (html, policy) = with_script(&html).ok_or_else(|| Refusal::failed("The page has no policy"))?;
        fs::write(&path, html).map_err(Refusal::failed)?;
        let page = Page {
            stamp: file.stamp,
            path,
            policy,
        };
        let answer = (
            File::open(&page.path).map_err(Refusal::failed)?,
            page.policy.clone(),
        );
        if let Some(old) = self.pages().insert(file.path.clone(), page) {
            let _ = fs::remove_file(old.path);
        }
        Ok(answer)
    }

    fn pages(&self) -> MutexGuard<'_, HashMap<PathBuf, Page>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error output of a child as a sentence.
fn message(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let text: String = text
        .chars()
        .filter(|sign| !sign.is_control() || *sign == '\n')
        .collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.strip_prefix(OWN_ERROR).unwrap_or(&text) {
        "" => "The page cannot be written".into(),
        text => text.into(),
    }
}

/// A page of the referee with our script; and its policy for the header. `None` if it has no policy. The first one is that
/// of the page: texts of players are escaped, and come later.
fn with_script(html: &str) -> Option<(String, String)> {
    let (before, rest) = html.split_once(POLICY)?;
    let (policy, rest) = rest.split_once('"')?;
    let policy = extended(policy);
    let (content, end) = rest.rsplit_once("</body>")?;
    let html = [before, POLICY, &policy, "\"", content, SCRIPT, "</body>", end].concat();
    Some((html, format!("{policy}; frame-ancestors 'none'")))
}

/// A policy that allows our script, and its requests to this server.
fn extended(policy: &str) -> String {
    let own = policy.replacen("script-src ", "script-src 'self' ", 1);
    format!("{own}; connect-src 'self'")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn the_page_gets_our_script_and_its_policy() {
        let page = format!(
            "<head>\n{POLICY}default-src 'none'; script-src 'sha256-x='; base-uri 'none'\"></head><body>&lt;/body> </body>\n</html>"
        );
        let (html, policy) = with_script(&page).unwrap();
        let own = "default-src 'none'; script-src 'self' 'sha256-x='; base-uri 'none'; connect-src 'self'";
        assert_eq!(policy, format!("{own}; frame-ancestors 'none'"));
        assert_eq!(
            html,
            format!("<head>\n{POLICY}{own}\"></head><body>&lt;/body> {SCRIPT}</body>\n</html>")
        );
        assert!(with_script("<body></body>").is_none());
    }

    #[test]
    fn a_page_is_that_of_the_file_as_it_is() {
        let pages = Pages::new().unwrap();
        let path = pages.folder.path().join("0.html");
        fs::write(&path, "").unwrap();
        let file = ResultFile {
            name: "a.jsonl".into(),
            path: "a.jsonl".into(),
            stamp: (1, UNIX_EPOCH),
        };
        let (stamp, policy) = (file.stamp, String::new());
        pages
            .pages()
            .insert(file.path.clone(), Page { stamp, path, policy });
        assert!(pages.known(&file).is_some());
        for stamp in [(2, UNIX_EPOCH), (1, UNIX_EPOCH + Duration::from_secs(1))] {
            assert!(
                pages
                    .known(&ResultFile {
                        stamp,
                        ..file.clone()
                    })
                    .is_none()
            );
        }
    }

    #[test]
    fn messages_are_one_line() {
        assert_eq!(message(b"referee: no\x1b[1m games\n  here\n"), "no[1m games here");
        assert_eq!(message(b""), "The page cannot be written");
    }
}
