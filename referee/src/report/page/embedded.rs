//! The engine in a page: `--embed-engine`.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use lodestone_program::files::{self, ENGINE_WORKER};

/// What a WebAssembly module begins with.
const MAGIC: &[u8] = b"\0asm";

/// The files of the script that a page with an engine needs, which follow those of any page.
pub const SCRIPT: [&str; 3] = [
    files::PAGE_ENGINE,
    files::PAGE_CONNECT,
    include_str!("analyse.js"),
];

/// An engine as a WebAssembly module, which a page contains.
#[derive(Clone, Debug)]
pub struct EmbeddedEngine {
    /// The module in base64.
    module: String,
}

impl EmbeddedEngine {
    /// Reads a module.
    pub fn read(path: &Path) -> Result<EmbeddedEngine, String> {
        let name = path.display();
        let bytes = fs::read(path).map_err(|error| format!("`{name}` cannot be read: {error}"))?;
        if !bytes.starts_with(MAGIC) {
            return Err(format!(
                "`{name}` is no WebAssembly module; `bash web/build.sh` makes `web/dist/lodestone.wasm`"
            ));
        }
        Ok(EmbeddedEngine {
            module: BASE64.encode(bytes),
        })
    }

    /// The elements that the script reads: the worker and the module.
    pub fn elements(&self) -> String {
        let element =
            |id: &str, content: &str| format!("<script type=\"text/plain\" id=\"{id}\">{content}</script>\n");
        element("engine-worker", ENGINE_WORKER) + &element("engine", &self.module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worker_does_not_end_its_element() {
        for end in ["</script", "<!--"] {
            assert!(!ENGINE_WORKER.to_lowercase().contains(end), "{end}");
        }
    }

    #[test]
    fn refuses_a_file_that_is_no_module() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.wasm");
        let error = EmbeddedEngine::read(&path).unwrap_err();
        assert!(error.contains("engine.wasm` cannot be read"), "{error}");
        fs::write(&path, "text").unwrap();
        let error = EmbeddedEngine::read(&path).unwrap_err();
        assert!(error.contains("engine.wasm` is no WebAssembly module"), "{error}");
        fs::write(&path, b"\0asm\x01\0\0\0").unwrap();
        let engine = EmbeddedEngine::read(&path).unwrap();
        assert!(engine.elements().contains("id=\"engine\">AGFzbQEAAAA=</script>"));
    }
}
