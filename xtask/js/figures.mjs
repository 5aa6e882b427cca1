// Measured figures of the pages: each has a date, and `docs/evidence.md` lists the command that prints it.
// `node xtask/js/figures.mjs` checks that; `--release` also refuses figures that are older than 30 days.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The page whose chapter "Figures" lists them all. */
const REGISTER = "docs/evidence.md";

/** In days, at a release. */
const OLDEST = 30;

/** Chapters whose sizes and times are limits or settings, which nobody measures. */
const SETTINGS = [
  "docs/attachments.md#time-limits-and-progress",
  "docs/bulk-insert.md#where-it-works",
  "docs/kept-documents.md#what-is-kept",
  "docs/limits.md#sizes",
  "docs/limits.md#what-is-missing",
  "docs/moving-names.md#conventions",
  "docs/queries-reference.md#response-cache",
  "docs/sets.md#declare-it",
];

/** A size, or a time beside a word that says it was measured. */
const FIGURE =
  /\d[\d.,]* ?(?:[KMG]i?B|µs)\b|\b\d[\d.,]* (?:ms|s|minutes)\b(?=[^|\n]*\b(?:medians?|measured|takes?|took|CPU)\b)|\b(?:medians?|measured|takes?|took|CPU)\b[^|\n]*\b\d[\d.,]* (?:ms|s)\b/i;

const DATE = /\b20\d\d-[01]\d-[0-3]\d\b/g;

const slug = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** The chapters of a page, of any level, by `path#anchor`; what stands before the first one by its path. */
export function chapters(path, text) {
  const parts = text.replaceAll(/^```[\s\S]*?^```$/gm, "").split(/^(?=##+ )/m);
  return parts.map((part) => {
    const [, title] = /^##+ (.*)\n/.exec(part) ?? [];
    return { name: title ? `${path}#${slug(title)}` : path, text: part };
  });
}

/** The rows of the register: the chapters of a row, its command, its dates, and its line. */
export function rows(text) {
  const [before, after = ""] = text.split("\n## Figures\n");
  const from = before.split("\n").length + 1;
  return after
    .split("\n## ")[0]
    .split("\n")
    .map((line, at) => ({ cells: line.split(/(?<!\\)\|/).map((cell) => cell.trim()), line: from + at }))
    .filter(({ cells }) => cells.length > 4 && /\]\(/.test(cells[1]))
    .map(({ cells: [, page, , command, measured], line }) => ({
      name: posix.normalize(posix.join(posix.dirname(REGISTER), /\]\(([^)]+)\)/.exec(page)[1])),
      command,
      dates: measured.match(DATE) ?? [],
      line,
    }));
}

/** What is wrong, given the texts of the pages by their paths. */
export function faults(texts) {
  const register = rows(texts.get(REGISTER));
  const all = [...texts].flatMap(([path, text]) => chapters(path, text));
  const found = [];
  for (const { name, command, dates, line } of register) {
    const there = all.filter((chapter) => chapter.name === name || chapter.name.startsWith(`${name}#`));
    if (there.length === 0) found.push(`${REGISTER}:${line}: there is no ${name}`);
    if (command === "") found.push(`${REGISTER}:${line}: no command for ${name}`);
    if (dates.length === 0) found.push(`${REGISTER}:${line}: no date for ${name}`);
    else if (!there.some(({ text }) => dates.some((date) => text.includes(date))))
      found.push(`${name} has none of its dates in ${REGISTER}:${line}`);
  }
  for (const { name, text } of all) {
    if (name.startsWith(REGISTER) || SETTINGS.includes(name)) continue;
    const [figure] = FIGURE.exec(text) ?? [];
    if (figure && !register.some((row) => row.name === name || name.startsWith(`${row.name}#`)))
      found.push(`${name}: "${figure}" has no row in the chapter "Figures" of ${REGISTER}`);
  }
  return found;
}

/** Rows whose oldest date is more than 30 days before `today`. */
export function old(text, today) {
  const first = new Date(today - OLDEST * 86_400_000).toISOString().slice(0, 10);
  return rows(text).filter(({ dates }) => dates.some((date) => date < first));
}

/** The pages of the repository that may have figures. */
export function pages() {
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const paths = ["README.md", "pkg/README.md", ...docs.map((name) => `docs/${name}`)];
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

/** The commit that has last changed a line of the register. */
function commitOf(line) {
  const blame = ["blame", "--porcelain", "-L", `${line},${line}`, "--", REGISTER];
  return execFileSync("git", blame, { cwd: root, encoding: "utf8" }).slice(0, 12);
}

function main() {
  const texts = pages();
  const found = faults(texts);
  if (process.argv.includes("--release"))
    for (const { name, command, dates, line } of old(texts.get(REGISTER), Date.now()))
      found.push(
        `${name} was measured on ${dates[0]} (commit ${commitOf(line)}), more than ${OLDEST} days ago: ${command}`,
      );
  for (const fault of found) console.error(fault);
  process.exitCode = found.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
