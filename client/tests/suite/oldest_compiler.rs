//! The crate compiles with the oldest compiler that it states.

use std::process::Command;

#[test]
#[ignore = "downloads a compiler and compiles all dependencies"]
fn the_oldest_compiler_that_is_stated_compiles_the_crate() {
    let version = format!("{}.0", env!("CARGO_PKG_RUST_VERSION"));
    let target = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/oldest");
    let rustup = |arguments: &[&str]| {
        let mut command = Command::new("rustup");
        command.args(arguments).env_remove("RUSTUP_TOOLCHAIN").env("CARGO_TARGET_DIR", target);
        assert!(command.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success(), "{arguments:?}");
    };
    rustup(&["toolchain", "install", &version, "--profile", "minimal", "--target", "wasm32-unknown-unknown"]);
    for platform in [&[][..], &["--target", "wasm32-unknown-unknown"]] {
        rustup(&[&["run", &version, "cargo", "check", "--locked"], platform].concat());
    }
}
