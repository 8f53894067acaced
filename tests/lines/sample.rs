// Included in tests that compare a message for pages with its sample.

/// Compares a message with its sample `tests/lines/messages/NAME.json`, which the types of the pages
/// (`web/types/samples.ts`) and tests in JavaScript (`tests/web/messages.test.mjs`) read.
fn compare_sample(name: &str, message: &serde_json::Value) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/lines/messages");
    let path = folder.join(format!("{name}.json"));
    let text = format!("{message:#}\n");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let sample = std::fs::read_to_string(&path).unwrap_or_default();
    let how = "`UPDATE_EXPECT=1 cargo test --workspace --lib --bins sample` renews the samples";
    assert_eq!(sample, text, "{name}.json is no longer what is sent; {how}");
}
