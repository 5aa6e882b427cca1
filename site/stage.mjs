// Copies the repository's pages to where VitePress reads them, with links that lead to pages of the site.
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Pages outside of `docs/` that the site shows. `README.md` becomes the home page, see `home`. */
const OTHERS = [
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "examples/field-notes/README.md",
  "examples/issues/README.md",
  "pkg/README.md",
  "site/README.md",
  "templates/worker-react/README.md",
  "tests/README.md",
  "tests/docs/README.md",
  "www/README.md",
];

/** The chapters of README.md that the home page shows. */
const HOME = ["In a browser", "In a Worker", "In Rust", "What it does that others do not", "Where to go"];

const read = (path) => readFile(join(root, path), "utf8");

/** A page; in the package, `docs` is a copy of the one folder. */
const textOf = async (path) =>
  path.startsWith("pkg/") ? (await read(path)).replaceAll("](docs/", "](../docs/") : read(path);

/** The path of a page in the site: folders are shown by their README.md. */
const staged = (path) => path.replace(/\bREADME\.md/, "index.md");

/**
 * First lines of code blocks have the language alone: the rest says how tests run the block. VitePress has no colours for Caddy's
 * language.
 */
const plainFences = (text) =>
  text.replaceAll(/^(\s*```[a-z]+)[ ,][^\n]*$/gm, "$1").replaceAll(/^```caddy$/gm, "```txt");

/** Prose without code; `change` gets each part of it. */
function inProse(text, change) {
  return text
    .split(/(^```[\s\S]*?^```$|`[^`\n]+`)/m)
    .map((part, at) => (at % 2 ? part : change(part)))
    .join("");
}

/** A page of the repository as a page of the site. */
function page(text) {
  const links = (prose) =>
    prose.replaceAll(/\]\(([^)\s]+)\)/g, (link, target) =>
      target.includes(":") ? link : `](${staged(target)})`,
    );
  // Vue would take these for an expression.
  return inProse(plainFences(text), (prose) => links(prose).replaceAll("{{", "&#123;&#123;"));
}

/** The chapters of a page by their titles. */
const chapters = (text) =>
  new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((chapter) => [chapter.slice(0, chapter.indexOf("\n")), `## ${chapter.trimEnd()}\n`]),
  );

/** The home page: what README.md says, under a head of its own. */
function home(readme, head) {
  const found = chapters(readme);
  const parts = HOME.map((title) => {
    if (!found.has(title)) throw new Error(`README.md has no chapter "${title}"`);
    return found.get(title);
  });
  return `${head.trimEnd()}\n\n${parts.join("\n")}`;
}

/** The pages of the site by their paths, `index.md` being the home page. */
export async function pages() {
  const docs = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  const paths = [...docs.map((name) => `docs/${name}`), ...OTHERS];
  const texts = await Promise.all(paths.map(async (path) => [staged(path), page(await textOf(path))]));
  const first = home(await read("README.md"), await read("site/home.md"));
  return new Map([["index.md", page(first)], ...texts]);
}

/** The groups of the sidebar: the tables of the index of the pages, then the proofs. */
export async function groups() {
  const index = chapters(await read("docs/README.md"));
  const evidence = chapters(await read("docs/evidence.md"));
  const linked = (text) => [...new Set([...text.matchAll(/\]\(([a-z-]+)\.md\)/g)].map(([, name]) => name))];
  const groups = [];
  for (const [title, text] of index) {
    if (title === "In the repository") continue;
    for (const part of text.split(/^\*\*(?=[^*]+\*\*$)/m)) {
      const [, name] = /^([^*\n]+)\*\*$/m.exec(part) ?? [];
      const under = part.startsWith("## ") ? title : name;
      if (linked(part).length > 0) groups.push({ title: under, pages: linked(part) });
    }
  }
  const listed = new Set(groups.flatMap(({ pages }) => pages));
  const rest = linked([...evidence.values()].join("\n")).filter((name) => !listed.has(name));
  return [...groups, { title: "Evidence", pages: ["evidence", ...rest] }];
}

/** The title of a page of `docs/`. */
export const titleOf = async (name) => /^# (.*)$/m.exec(await read(`docs/${name}.md`))[1].replaceAll("`", "");

/** Writes the pages and their pictures. */
export async function stage(folder) {
  await rm(folder, { recursive: true, force: true });
  for (const [path, text] of await pages()) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await cp(join(root, "docs/images"), join(folder, "docs/images"), { recursive: true });
  await mkdir(join(folder, "public"));
  for (const picture of ["www/page/icon.svg", "docs/images/demo-light.png", "docs/images/demo-dark.png"])
    await cp(join(root, picture), join(folder, "public", basename(picture)));
}

/** What a link of a page leads to, inside of the site; nothing for links to elsewhere. */
export function target(path, link) {
  if (/^[a-z]+:/.test(link)) return;
  const [file, anchor] = link.split("#");
  return { file: file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file)), anchor };
}

/** The anchor of a heading: GitHub's rule, so that a link works there and here. */
export const slug = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
