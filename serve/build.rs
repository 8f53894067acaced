//! Sets `EMBEDDED`: the folder of the files that `src/assets.rs` embeds.
//!
//! They lie in other folders of the repository. A package of crates.io has copies of them in
//! `embedded`, where a checkout has links, which not every system can make.

use std::path::Path;

fn main() {
    // Without any file, cargo would run this script after each change in the package.
    println!("cargo:rerun-if-changed=build.rs");
    let package = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let is_packaged = Path::new("Cargo.toml.orig").exists();
    let folder = if is_packaged { "embedded" } else { ".." };
    println!("cargo:rustc-env=EMBEDDED={package}/{folder}");
}
