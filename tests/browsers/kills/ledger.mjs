// Records all ids that pages took, and prints the history of an id that was taken twice.
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Limits of the history that a failure shows: lines, and characters per line. */
const LAST = 40;
const WIDTH = 300;

export class Ledger {
  /** The first record of each id, by the id in lower case: the server does not distinguish case. */
  taken = new Map();
  duplicates = [];
  saved = [];
  concurrency = [];
  /** Refused grants with numbers that were taken, or without a tag: only the device's memory prevented a duplicate. */
  regressions = [];
  /** Refused grants with numbers that no page had taken. */
  alarms = [];
  troubles = [];
  #names = new Set();
  #numbers = new Set();
  #lines = [];
  #began = performance.now();
  #together;

  /**
   * `together`: whether all clients lease from one counter. Otherwise two clients with different sources may take the same number
   * under different ids.
   */
  constructor(together = true) {
    this.#together = together;
  }

  /** Takes a record of a page. A browser may send a record twice, with the same name. */
  take(note) {
    if (this.#names.has(note.name)) return;
    this.#names.add(note.name);
    if (note.kind === "took") this.#took(note);
    else if (note.kind === "saved") this.saved.push(...note.saved);
    else if (note.kind === "concurrency") this.concurrency.push(note);
    else if (note.kind === "regression") this.#refused(note.detail);
    else if (note.kind === "storage") this.troubles.push(note.message);
    if (note.kind !== "took") this.say(JSON.stringify(note));
  }

  #took(note) {
    const { tag, number } = parse(note.id);
    const text = JSON.stringify(note);
    // One counter grants each number once, so a number that occurs twice is a duplicate even if the ids' node tags differ.
    const counted = this.#together ? `${tag}/${number}` : note.id.toLowerCase();
    if (this.#numbers.has(counted)) this.duplicates.push(note.id);
    this.#numbers.add(counted);
    const key = note.id.toLowerCase();
    if (!this.taken.has(key)) this.taken.set(key, note);
    this.say(text, note.tag, number, number);
  }

  #refused(detail) {
    const { tag = "", low, high } = detail;
    const taken = [...this.taken.keys()].map(parse);
    const issued = taken.some((id) => id.tag === tag.toLowerCase() && low <= id.number && id.number <= high);
    (issued || tag === "" ? this.regressions : this.alarms).push(detail);
  }

  /** The highest number of a tag that was taken. */
  highest(tag) {
    const ids = [...this.taken.keys()].map(parse).filter((id) => id.tag === tag);
    return ids.reduce((highest, { number }) => Math.max(highest, number), 0);
  }

  /** Adds a line to the history; a line about certain numbers of a tag belongs to the history of each of them. */
  say(text, tag, low, high) {
    const at = ((performance.now() - this.#began) / 1_000).toFixed(3);
    this.#lines.push({ text: `${at.padStart(9)}  ${text}`, tag, low, high });
  }

  /** Writes all lines to a file; returns its path. */
  async write(name, seed) {
    const path = join(tmpdir(), `raven-edge-kills-${name}-${seed}.log`);
    await writeFile(path, this.#lines.map(({ text }) => `${text}\n`).join(""));
    return path;
  }

  /** The end of the history. */
  get last() {
    return this.#lines
      .slice(-LAST)
      .map(({ text }) => text.slice(0, WIDTH))
      .join("\n");
  }

  /** What is known about an id: who leased, returned and took its number, and what was killed. */
  history(id) {
    const { tag, number } = parse(id);
    return this.about({ tag, low: number, high: number });
  }

  /** What is known about numbers of a tag. */
  about({ tag, low, high }) {
    const lines = this.#lines.filter(
      (line) => line.tag === undefined || (line.tag === tag && line.low <= high && low <= line.high),
    );
    return lines.map(({ text }) => text).join("\n");
  }
}

/** Splits `orders/12-A` or `orders/12` into its parts. */
function parse(id) {
  const [, tag, number] = /^(.*)\/(\d+)(?:-\w+)?$/.exec(id.toLowerCase());
  return { tag, number: Number(number) };
}
