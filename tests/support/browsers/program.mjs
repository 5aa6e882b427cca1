// A browser is many processes; it starts with a profile, and ends or is killed with all of them.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { within } from "../store.mjs";
import { LIMIT } from "./calls.mjs";

const running = new Set();
// A test file that fails halfway must not leave browsers behind.
process.once("exit", () => {
  for (const program of running) program.kill();
});

/** Where a program is found: what the variable names, else the first of these names on PATH. */
export function find(variable, ...names) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return process.env[variable] || files.find((file) => existsSync(file));
}

/** The folder, or a new one with what removes it. */
export async function profileFolder(given) {
  if (given !== undefined) return { folder: given, remove: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-profile-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A program that ended before it was ready. */
class EndedAtOnce extends Error {
  /** By itself: a signal that nobody sent. */
  crashed;

  constructor(command, how, output) {
    super(`${command} ended at once (${how}):\n${output}`);
    this.crashed = typeof how === "string" && how !== "SIGKILL";
  }
}

export class Program {
  child;
  /** Fulfilled with its exit code, or the signal that ended it, once it has ended. */
  ended;
  #output = "";

  /** Starts it; what it prints on file descriptors 1 to 3 is kept. */
  constructor(command, args, env = {}) {
    this.child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    running.add(this);
    this.ended = new Promise((resolve) => this.child.on("close", (code, signal) => resolve(signal ?? code)));
    this.ended.then(() => running.delete(this));
    // A program that is killed leaves a pipe without a reader.
    this.child.stdin.on("error", () => {});
    for (const stream of this.child.stdio.slice(1)) stream.on("data", (data) => this.#keep(data));
  }

  /** The pattern's match in the output, once it is there. */
  async printed(pattern) {
    const found = new Promise((resolve, reject) => {
      this.child.on("error", reject);
      const look = () => {
        const match = pattern.exec(this.#output);
        if (match) resolve(match);
      };
      look();
      for (const stream of this.child.stdio.slice(1)) stream.on("data", look);
      this.ended.then((how) => reject(new EndedAtOnce(this.child.spawnfile, how, this.#output)));
    });
    try {
      return await within(LIMIT, found, `${this.child.spawnfile}'s word that it is ready`);
    } catch (error) {
      this.kill();
      throw error;
    }
  }

  /** SIGKILL to it and everything it started, the first of them first so that none sees another die. */
  kill() {
    for (const pid of tree(this.child.pid)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself meanwhile.
      }
    }
    return this.ended;
  }

  /** Waits for an end that was asked for, and enforces it. */
  async end() {
    try {
      await within(LIMIT, this.ended, "the browser's end");
    } finally {
      await this.kill();
    }
  }

  #keep(data) {
    this.#output = (this.#output + data).slice(-20_000);
  }
}

/** A process and its descendants, parents before their children. */
function tree(root) {
  const children = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      // The name in brackets may hold anything; state and parent come after the last bracket.
      const parent = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
    } catch {
      // It has ended between the list and the look.
    }
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}
