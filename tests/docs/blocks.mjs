// The fenced blocks of the pages, and how each is tested: words after the language, which readers of a page do not
// see. `tests/docs/README.md` lists them.
import { readdirSync, readFileSync } from "node:fs";
import { root } from "../support/root.mjs";

const folders = ["docs"];
const single = [
  "README.md",
  "pkg/README.md",
  "www/README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "site/README.md",
  "tests/README.md",
];

/** All pages, as paths relative to the root. */
export const pages = [
  ...single,
  ...folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`)
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${folder}/${file}`),
  ),
];

export const textOf = (page) => readFileSync(`${root}${page}`, "utf8");

/** The blocks of a page: position, language, the words after it, text. */
export function blocksOf(page, text = textOf(page)) {
  const blocks = [];
  let open;
  let before = "";
  for (const [at, line] of text.split("\n").entries()) {
    const fence = /^\s*(```+|~~~+)\s*(.*)$/.exec(line);
    if (open) {
      if (fence?.[1].startsWith(open.fence) && fence[2] === "") {
        blocks.push(finished(open));
        open = undefined;
      } else open.lines.push(line);
    } else if (fence) {
      const [language = "", ...words] = fence[2].trim().split(/\s+/);
      open = { page, line: at + 1, fence: fence[1], language, words, lines: [] };
    } else if (before === "" && /^ {4}\S/.test(line)) {
      throw new Error(`${page}:${at + 1}: a block without a fence cannot say how it is tried`);
    }
    before = line;
  }
  if (open) throw new Error(`${page}:${open.line}: a block without an end`);
  return blocks;
}

function finished({ page, line, language, words, lines }) {
  const options = Object.fromEntries(
    words.map((word) => word.split(/=(.*)/)).map(([name, value]) => [name, value ?? true]),
  );
  return { name: `${page}:${line}`, page, language, options, code: `${lines.join("\n")}\n` };
}

/** How a block is tested; unknown words are an error, so that no block is skipped. */
export function wayOf({ name, language, options, code }) {
  const [way, ...more] = Object.keys(options);
  if (more.length > 0) throw new Error(`${name}: one word at most behind the language`);
  const taken = {
    js: ["node", "worker", "page", "with", "tested-by", "part-of"],
    ts: ["node", "with"],
    html: ["page", "tested-by"],
    jsx: ["tested-by"],
    tsx: ["part-of"],
    svelte: ["tested-by"],
    sh: ["commands"],
    rust: ["rustdoc"],
    "rust,no_run": ["rustdoc"],
    toml: ["tested-by"],
    nginx: ["tested-by"],
    caddy: ["tested-by"],
    jsonc: ["part-of", "tested-by"],
    json: ["part-of"],
  }[language];
  const unsaid = { js: programOf(code), ts: programOf(code), html: "page", sh: "commands", ...RUSTDOC }[
    language
  ];
  const found = way ?? unsaid;
  if (!taken?.includes(found))
    throw new Error(`${name}: how is this block tried? (\`\`\`${language} ${way ?? ""})`);
  return found;
}

/** Rustdoc tests them, and reads no word after the language. */
const RUSTDOC = { rust: "rustdoc", "rust,no_run": "rustdoc" };

/** Whole programs name their runtime; parts of a program do not. */
function programOf(code) {
  if (/^export default /m.test(code)) return "worker";
  return /^import /m.test(code) ? "node" : undefined;
}
