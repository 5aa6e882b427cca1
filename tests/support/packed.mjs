// The package as npm packs it, and empty folders in which it is installed.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { after as afterAll, before } from "node:test";
import { promisify } from "node:util";
import { saving } from "./app-code.mjs";
import { root } from "./root.mjs";

export { root };

export const run = promisify(execFile);

/** Timeout of a test in milliseconds: bundlers are slow on a busy machine. */
export const LIMIT = 90_000;

/** Shared by all tests of a file: the folder, the tarball, its bytes, and the files in it. */
export const packed = {};

before(
  async () => {
    packed.home = await mkdtemp(join(tmpdir(), "raven-edge-pack-"));
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", packed.home], {
      cwd: join(root, "pkg"),
    });
    const [{ filename, files, size }] = JSON.parse(stdout);
    packed.tarball = join(packed.home, filename);
    packed.size = size;
    packed.files = files.map(({ path }) => path).sort();
  },
  { timeout: LIMIT },
);
afterAll(() => rm(packed.home, { recursive: true, force: true }));

async function install(name, manifest, tools = [], env = process.env) {
  const folder = join(packed.home, name);
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name, private: true, ...manifest }));
  const options = ["--no-audit", "--no-fund", ...(tools.every(isAbsolute) ? ["--offline"] : [])];
  await run("npm", ["install", ...options, packed.tarball, ...tools], {
    cwd: folder,
    env,
    maxBuffer: 1 << 26,
  });
  return folder;
}

/** The package, installed without tools: npm takes longer than a copy of what it has installed. */
let installed;

async function copyInstalled(name, type) {
  installed ??= install("installed", {});
  const from = await installed;
  const folder = join(packed.home, name);
  await cp(join(from, "node_modules"), join(folder, "node_modules"), { recursive: true });
  const { dependencies } = JSON.parse(await readFile(join(from, "package.json"), "utf8"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name, private: true, type, dependencies }));
  return folder;
}

/**
 * An empty folder with the package installed, these files, and these tools: folders, or versions, which are downloaded. `manifest`: further
 * members of its package.json. `env`: of npm.
 */
export async function project(name, content = {}, { tools = [], type = "module", manifest, env } = {}) {
  const isBare = tools.length === 0 && manifest === undefined;
  const folder = await (isBare
    ? copyInstalled(name, type)
    : install(name, { type, ...manifest }, tools, env));
  for (const [file, text] of Object.entries(content)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return folder;
}

/** An app's code that saves an order; afterwards `order.id` exists. */
export const SAVE = (url, name, { from = "raven-edge" } = {}) => `
import { DocumentStore } from "${from}";
${saving(url, name)}`;
