// Shell blocks: each line must be an existing command, with existing options and files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { root } from "../support/root.mjs";

const helps = new Map();

/** The output of `cargo xtask TASK --help`. */
function helpOf(task) {
  if (!helps.has(task)) {
    const text = execFileSync("cargo", ["xtask", task, "--help"], { cwd: root, encoding: "utf8" });
    helps.set(task, text);
  }
  return helps.get(task);
}

function xtask(words) {
  const [task, ...rest] = words;
  const help = helpOf(task);
  for (const word of rest) assert.ok(help.includes(word), `cargo xtask ${task} knows no ${word}`);
}

function file(name) {
  assert.ok(existsSync(root + name), `there is no ${name}`);
}

/** A test that does what the line says. */
function covered(test, word) {
  assert.ok(readFileSync(root + test, "utf8").includes(word), `${test} has no ${word}`);
}

/** The checks, by the beginning of a line. */
const COMMANDS = [
  [/^cargo xtask (.+)$/, ([words]) => xtask(words.split(" "))],
  [
    /^cargo test --profile (\w+) -p (\S+) -- /,
    ([profile, crate]) => {
      covered("Cargo.toml", `[profile.${profile}]`);
      covered("Cargo.lock", `"${crate}"`);
    },
  ],
  [/^cargo test -p (\S+)/, ([crate]) => covered("Cargo.lock", `"${crate}"`)],
  [/^(?:[A-Z0-9_]+=\S+ )*node (?:--test )?(\S+\.mjs)/, ([name]) => file(name)],
  [/^npm install raven-edge$/, () => covered("tests/support/packed.mjs", '"install"')],
  [
    /^npm install -D (.+)$/,
    // Newer than the starter's, in apps of their own.
    ([names]) => {
      for (const name of names.split(" ")) covered("tests/package/framework-apps.test.mjs", `"${name}`);
    },
  ],
  [/^npx wrangler (dev|deploy)$/, ([what]) => covered("tests/package/wrangler.test.mjs", `"${what}"`)],
  [
    /^npx wrangler (?:dev|deploy) --config (\S+)$/,
    ([config]) => {
      covered("tests/docs/site.test.mjs", `"${config}"`);
      file(config);
    },
  ],
  [
    /^openssl rand -base64 48 \| npx wrangler secret put (\w+)$/,
    ([name]) => covered(name === "SESSION_SECRET" ? "www/sign-in.js" : "www/worker.js", name),
  ],
  [/^cd (\S+)$/, ([name]) => file(name)],
];

/** Fails for a line that is not a known command. */
export function tryCommands({ code }) {
  const lines = code.split("\n").map((line) => line.replace(/\s+#.*$/, "").trim());
  const commands = lines.filter(Boolean).flatMap((line) => line.split(" && "));
  assert.ok(commands.length > 0);
  for (const command of commands) {
    const [pattern, look] = COMMANDS.find(([pattern]) => pattern.test(command)) ?? [];
    assert.ok(pattern, `there is no known way to test \`${command}\``);
    look(pattern.exec(command).slice(1));
  }
}
