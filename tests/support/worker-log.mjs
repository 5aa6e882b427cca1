// The log of a Worker in miniflare: its lines of JSON.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { within } from "./store.mjs";

/** `more`: options of miniflare; `lines`: all lines so far; `next(found)`: the first line that `found` accepts. */
export function workerLog() {
  const lines = [];
  const waiting = new Set();
  const take = (text) => {
    lines.push(text);
    for (const look of waiting) look();
  };
  const read = (input) => createInterface(input).on("line", take);
  const entries = () => lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const next = (found) => {
    const seen = new Promise((resolve) => {
      const look = () => {
        const entry = entries().find(found);
        if (!entry) return;
        waiting.delete(look);
        resolve(entry);
      };
      waiting.add(look);
      look();
    });
    return within(20_000, seen, "a line of the log");
  };
  const handleRuntimeStdio = (stdout, stderr) => [stdout, stderr].forEach(read);
  return { more: { handleRuntimeStdio }, lines, entries, next };
}

/** The lines of a log that a page of the documentation shows. */
export function shownLines(page) {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  return text
    .split("\n")
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => JSON.parse(line));
}
