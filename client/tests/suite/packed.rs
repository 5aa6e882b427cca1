//! The packed crates build in another project, beside Leptos.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A dependency on Leptos and on wasm-bindgen in the versions that cargo chooses today; the crates come from what was packed.
const MANIFEST: &str = r#"
[package]
name = "foreign"
version = "0.0.0"
edition = "2024"

[workspace]

[lib]
crate-type = ["cdylib"]

[dependencies]
leptos = { version = "0.8", features = ["csr"] }
raven-edge-client = "0.1"
serde = { version = "1", features = ["derive"] }
wasm-bindgen = "0.2"

[patch.crates-io]
"#;

const CRATES: [&str; 3] = ["raven-edge-json", "raven-edge", "raven-edge-client"];

#[test]
#[ignore = "compiles Leptos"]
fn the_packed_crates_build_in_another_project_beside_leptos() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let target = root.join("target/leptos");
    let run = |folder: &Path, program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).env("CARGO_TARGET_DIR", &target);
        assert!(command.status().unwrap().success(), "{program} {arguments:?}");
    };
    let packages = CRATES.map(|name| ["--package", name]).concat();
    // The project below compiles them; a maintainer's checkout may have changes.
    run(root, "cargo", &[&["package", "--no-verify", "--allow-dirty"], &packages[..]].concat());

    // Outside of the repository, so that nothing of it applies.
    let folder = std::env::temp_dir().join(format!("raven-edge-foreign-{}", std::process::id()));
    fs::create_dir_all(folder.join("src")).unwrap();
    let mut manifest = MANIFEST.to_owned();
    for name in CRATES {
        let packed = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let file = target.join("package").join(format!("{packed}.crate"));
        run(&folder, "tar", &["-xf", &file.display().to_string()]);
        manifest += &format!("{name} = {{ path = \"{packed}\" }}\n");
    }
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root.join("examples/rust-leptos/src/lib.rs"), folder.join("src/lib.rs")).unwrap();
    run(&folder, "cargo", &["build", "--target", "wasm32-unknown-unknown"]);
    fs::remove_dir_all(folder).unwrap();
}
