//! Links the WebAssembly module.

use std::env;

/// Stack of the WebAssembly module, in bytes, as that of the worker thread.
const STACK: usize = 16 << 20;

fn main() {
    // Without any file, cargo would run this script after each change in the package.
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        // The host calls the session by its index in the function table.
        for argument in ["--export-table".to_string(), format!("-zstack-size={STACK}")] {
            println!("cargo:rustc-link-arg-bins={argument}");
        }
    }
}
