//! `cargo xtask …`.

fn main() {}
