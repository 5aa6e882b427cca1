// The script that moves a counter with a fence: exactly the text that the client sends.
import { readFileSync } from "node:fs";

const wire = readFileSync(new URL("../../src/source/server/wire.rs", import.meta.url), "utf8");
const [, text] = /MOVE_SCRIPT: &str\s*=\s*("(?:[^"\\]|\\[\s\S])*")/.exec(wire);

// Rust joins a line that ends in a backslash with the next one.
export const MOVE_SCRIPT = JSON.parse(text.replace(/\\\n\s*/g, ""));
