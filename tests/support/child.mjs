// Child processes: scripts that use the package, and programs that print their address.
import { spawn } from "node:child_process";
import { after } from "./cleanup.mjs";
import { within } from "./store.mjs";

const PACKAGE = new URL("../../pkg/lib/entries/node.js", import.meta.url).href;

/**
 * Runs a module text in a separate Node process with these flags; `DocumentStore` is imported. Kills it if it takes
 * too long.
 */
export async function script(text, { limit = 20_000, env = {}, cwd, from = PACKAGE, flags = [] } = {}) {
  const source = `import { DocumentStore } from ${JSON.stringify(from)};\n${text}`;
  const child = spawn(process.execPath, [...flags, "--input-type=module", "--eval", source], {
    env: { ...process.env, ...env, NODE_OPTIONS: "" },
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const started = performance.now();
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));
  try {
    const { code, signal } = await within(limit, ended, "the end of the script");
    return { code, signal, out, err, took: performance.now() - started };
  } catch (error) {
    throw new Error(`${error.message}\n${out}${err}`);
  } finally {
    child.kill("SIGKILL");
  }
}

/** Starts a program and resolves once its output matches the pattern; the program is ended after the test. */
export async function start(t, command, args, pattern, { limit = 20_000, count = 1 } = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  after(t, async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let out = "";
  const found = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.stdout.on("data", (data) => {
      out += data;
      const matches = [...out.matchAll(pattern)];
      if (matches.length >= count) resolve(matches);
    });
  });
  return { child, matches: await within(limit, found, `${command}'s word that it listens`) };
}
