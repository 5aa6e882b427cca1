// The package and each module can report which build they are.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { LIMIT, packed, project, root, run } from "../support/packed.mjs";

/** Git's description of the sources; `undefined` outside of a repository. */
function git(...words) {
  try {
    return execFileSync("git", words, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

const ENTRIES = [
  "raven-edge",
  "raven-edge/session",
  "raven-edge/hilo",
  "raven-edge/inline",
  "raven-edge/slim",
  "raven-edge/complete",
  "raven-edge/session/complete",
];

test("`version` of every entry is the package's, with the revision of its sources", {
  timeout: LIMIT,
}, async () => {
  const folder = await project("version", {
    "main.mjs": ENTRIES.map(
      (entry) =>
        `import * as ${entry.replace(/\W/g, "_")} from "${entry}"; console.log(${entry.replace(/\W/g, "_")}.version);`,
    ).join("\n"),
    "main.cjs":
      'console.log(require("raven-edge").version); console.log(require("raven-edge/hilo").version);',
  });
  const printed = [];
  for (const file of ["main.mjs", "main.cjs"])
    printed.push(...(await run(process.execPath, [file], { cwd: folder })).stdout.trim().split("\n"));
  assert.equal(printed.length, ENTRIES.length + 2);
  const [version] = printed;
  assert.deepEqual([...new Set(printed)], [version]);
  const { version: ofPackage } = JSON.parse(await readFile(join(root, "pkg/package.json"), "utf8"));
  const revision = git("rev-parse", "HEAD")?.slice(0, 12) ?? "unknown";
  const [before, after] = version.split("+");
  assert.equal(before, ofPackage);
  assert.equal(
    after.replace(/\.modified$/, ""),
    revision,
    "built from another commit: `cargo xtask build` first",
  );
});

test("each module contains the same version as a custom section", { timeout: LIMIT }, async () => {
  const modules = packed.files.filter((file) => file.endsWith(".wasm"));
  // With sessions and of ids alone, each for pages and for Workers. The gateway has two, both hubs and the authority have one each.
  assert.equal(modules.length, 9);
  const [, version] = /"(.*)"/.exec(await readFile(join(root, "pkg/gen/version.js"), "utf8"));
  for (const file of modules) {
    const module = new WebAssembly.Module(await readFile(join(root, "pkg", file)));
    const sections = WebAssembly.Module.customSections(module, "version");
    assert.deepEqual(
      sections.map((section) => new TextDecoder().decode(section)),
      [version],
      file,
    );
  }
});

test("no module reveals in which folder it was built", async () => {
  for (const file of packed.files.filter((file) => /^gen\//.test(file))) {
    const text = (await readFile(join(root, "pkg", file))).toString("latin1");
    // The last one: with the component `rust-src` the compiler uses the standard library's sources in its own folder.
    for (const folder of [root, process.env.HOME, "/registry/src/", "/lib/rustlib/"].filter(Boolean)) {
      const at = text.indexOf(folder);
      const known = folder === "/registry/src/" && text.slice(at - 5, at) === "cargo";
      assert.ok(at < 0 || known, `${file}: ${text.slice(at, at + 80)}`);
    }
  }
});
