// A browser is a group of processes: it starts with a profile, and ends or is killed with all of them.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { within } from "../store.mjs";
import { LIMIT } from "./calls.mjs";

const running = new Set();
// A failing test file must not leave browsers running.
process.once("exit", () => {
  for (const program of running) program.kill();
});

/** The location of a program: the variable's value, else the first of these names on PATH. */
export function find(variable, ...names) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return process.env[variable] || files.find((file) => existsSync(file));
}

/** The given folder, or a new one with a function that removes it. */
export async function profileFolder(given) {
  if (given !== undefined) return { folder: given, remove: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-profile-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The error for a program that ended before it was ready. */
class EndedAtOnce extends Error {
  /** Whether it ended by itself, that is, by a signal that we did not send. */
  crashed;

  constructor(command, how, output) {
    super(`${command} ended at once (${how}):\n${output}`);
    this.crashed = typeof how === "string" && how !== "SIGKILL";
  }
}

export class Program {
  child;
  /** Resolves with its exit code, or the signal that ended it. */
  ended;
  #output = "";

  /** Starts the program; its output on file descriptors 1 to 3 is kept. */
  constructor(command, args, env = {}) {
    this.child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    running.add(this);
    this.ended = new Promise((resolve) => this.child.on("close", (code, signal) => resolve(signal ?? code)));
    this.ended.then(() => running.delete(this));
    // A killed program leaves a pipe without a reader.
    this.child.stdin.on("error", () => {});
    for (const stream of this.child.stdio.slice(1)) stream.on("data", (data) => this.#keep(data));
  }

  /** Waits for output that matches the pattern; returns the match. */
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

  /** Sends SIGKILL to it and all its descendants, parents first so that none notices another one's death. */
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

  /** Waits for a requested end, and enforces it. */
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
export function tree(root) {
  const children = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      // The name in brackets may contain anything; state and parent follow the last bracket.
      const parent = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
    } catch {
      // It ended after the list was read.
    }
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}
