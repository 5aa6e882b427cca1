// The app of examples/issues, and what its users do in a tab.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assets } from "./assets.mjs";
import { bulk } from "./callers.mjs";
import { after } from "./cleanup.mjs";
import { proxy } from "./proxy.mjs";
import { root } from "./root.mjs";
import { database, ravendb } from "./server.mjs";
import { within } from "./store.mjs";
import { workerd } from "./workerd.mjs";

export const EXAMPLE = join(root, "examples/issues");
/** The page and what builds it. */
export const PAGE = ["app.jsx", "data.js", "index.html", "service-worker.js", "vite.config.js"];
const SECRETS = { GATEWAY_SECRET: "g".repeat(40), SESSION_SECRET: "s".repeat(40) };
/** The longest that a user waits for something, in milliseconds. */
const LIMIT = 30_000;

/** Copies these files and folders of the app; its database gets this name. */
export async function copied(folder, name, parts) {
  for (const part of parts) await cp(join(EXAMPLE, part), join(folder, part), { recursive: true });
  for (const file of ["data.js", "worker.js"]) {
    const path = join(folder, file);
    await writeFile(path, (await readFile(path, "utf8")).replace('"Tracker"', JSON.stringify(name)));
  }
}

/** The app, built with the packages of this repository. */
export async function builtHere(t, name) {
  // Inside of the repository, so that its packages are found.
  await mkdir(join(root, "target"), { recursive: true });
  const folder = await mkdtemp(join(root, "target/issues-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  await copied(folder, name, [...PAGE, "worker.js"]);
  await mkdir(join(folder, "node_modules"));
  await symlink(join(root, "pkg"), join(folder, "node_modules/raven-edge"));
  await promisify(execFile)(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build"], {
    cwd: folder,
  });
  return folder;
}

/** The Worker of the app in a folder; `wire` is the proxy before RavenDB. */
export async function served(t, folder, dist = folder) {
  const wire = await proxy(t, ravendb.url);
  const worker = await workerd(t, {
    text: 'export { default } from "./worker.js";',
    resolveDir: folder,
    compatibilityDate: "2026-04-01",
    bindings: { ...SECRETS, RAVENDB_URL: wire.url },
    more: { serviceBindings: { ASSETS: assets(dist) }, compatibilityFlags: ["enable_request_signal"] },
  });
  return { url: String(worker.url), wire };
}

/** A database with users, and with 30 old issues of each of them: every third is done. */
export async function filled(t, names) {
  const base = await database(t, ravendb);
  const documents = names.flatMap((name) => [
    [`users/${name}`, { name: `${name} Lee`, "@metadata": { "@collection": "Users" } }],
    ...Array.from({ length: 30 }, (_, at) => [
      `issues/${name}-${at}`,
      {
        title: `Old ${at}`,
        status: at % 3 === 2 ? "done" : "open",
        author: `users/${name}`,
        members: [name],
        at: `2020-01-01T00:00:${String(at).padStart(2, "0")}.000Z`,
        "@metadata": { "@collection": "Issues" },
      },
    ]),
  ]);
  await bulk(ravendb, base, Object.fromEntries(documents));
  return base;
}

/** What a user does in a tab of the app. */
export function user(tab) {
  const wait = (fits, values, what) =>
    within(LIMIT, tab.evaluate(shown, String(fits), values), what).catch(async ({ message }) => {
      throw new Error(`${message}; shown: ${await tab.evaluate(() => document.body.innerHTML)}`);
    });
  return {
    tab,
    /** Waits until the issues on the page are so: `fits(issues, ...values)`, with title, author, mark and comments of each. */
    list: (fits, ...values) => wait(fits, values, `a list for ${fits}`),
    status: (text) =>
      wait(
        (_, text) => document.querySelector("[role=status]")?.textContent === text,
        [text],
        `the status “${text}”`,
      ),
    see: (selector) => wait((_, selector) => !!document.querySelector(selector), [selector], selector),
    fill: (selector, value) => tab.evaluate(fill, selector, value),
    click: (selector, text) => tab.evaluate(click, selector, text),
    async signIn(name) {
      await this.see("[name=name]");
      await this.fill("[name=name]", name);
      await this.click("button", "Sign in");
    },
    async add(title, others = "") {
      await this.fill("[name=title]", title);
      await this.fill("[name=with]", others);
      await this.click("button", "Add");
    },
    /** Writes into a field of an issue, and presses the button beside it. */
    write: (title, field, value) => tab.evaluate(write, title, field, value),
    /** Notes from now on when an issue or a comment is shown no more; `vanished()` tells them. */
    watch: () => tab.evaluate(watch),
    vanished: () => tab.evaluate(() => globalThis.vanished),
  };
}

// Functions of the page.

function shown(fits, values) {
  const isSo = new Function(`return ${fits}`)();
  return new Promise((resolve) => {
    const look = () => {
      const issues = [...document.querySelectorAll("ul > li")].map((item) => ({
        title: item.querySelector("b").textContent,
        author: item.querySelector("i").textContent,
        mark: item.className,
        comments: [...item.querySelectorAll("ol > li")].map(({ textContent }) => textContent),
      }));
      if (!isSo(issues, ...values)) return;
      observer.disconnect();
      resolve(issues);
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    look();
  });
}

function fill(selector, value) {
  const field = document.querySelector(selector);
  // React sees values that are set by the prototype's setter.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, value);
  field.dispatchEvent(new Event(field.localName === "select" ? "change" : "input", { bubbles: true }));
}

function click(selector, text) {
  [...document.querySelectorAll(selector)].find(({ textContent }) => textContent === text).click();
}

function write(title, field, value) {
  const items = [...document.querySelectorAll("ul > li")];
  const item = items.find((each) => each.querySelector("b").textContent === title);
  const input = item.querySelector(`[name=${field}]`);
  input.value = value;
  input.form.requestSubmit();
}

function watch() {
  const read = () =>
    new Set([...document.querySelectorAll("ul b, ol li")].map(({ textContent }) => textContent));
  let before = read();
  globalThis.vanished = [];
  new MutationObserver(() => {
    const now = read();
    for (const text of before) if (!now.has(text)) globalThis.vanished.push(text);
    before = now;
  }).observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true });
}
