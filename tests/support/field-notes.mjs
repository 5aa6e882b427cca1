// The app of examples/field-notes, and devices that reach it through gates of their own.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { after } from "./cleanup.mjs";
import { started } from "./demo.mjs";
import { freePort, listen } from "./ports.mjs";
import { create, remove } from "./server.mjs";
import { within } from "./store.mjs";

const SERVE = fileURLToPath(new URL("../../www/dev/field-notes.mjs", import.meta.url));
const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
/** The longest that a user waits for something, in milliseconds. */
const LIMIT = 20_000;
const DATABASE = "FieldNotes";

/**
 * Starts the app before a server that `url` leads to; `server` is that server. `stop()` ends the Worker's process, and `start()` starts it
 * again on the same port, with the same secrets.
 */
export async function fieldNotes(t, url, server) {
  await remove(server, DATABASE);
  await create(server, DATABASE);
  after(t, () => remove(server, DATABASE));
  let app = begin(String(await freePort()));
  // A test that fails may do so while the app starts again.
  after(t, async () => (await app).end());
  const { url: own } = await app;
  function begin(port) {
    return started(
      SERVE,
      { RAVENDB_URL: url, PORT: port, SECRET: "of the test, for every start" },
      "field notes",
    );
  }
  return {
    url: own,
    database: DATABASE,
    stop: async () => (await app).end(),
    start: () => {
      app = begin(new URL(own).port);
      return app;
    },
  };
}

/**
 * A connection of a device: it forwards bytes to the app. `"open"`; `"closed"`: connections end and new ones are refused; `"deaf"`:
 * requests arrive, and responses do not.
 */
export async function gate(t, target) {
  const { hostname, port } = new URL(target);
  const sockets = new Set();
  let state = "open";
  const server = createServer((client) => {
    if (state === "closed") return client.destroy();
    const app = connect(port, hostname);
    sockets.add(client);
    client.on("error", () => {});
    app.on("error", () => client.destroy());
    app.on("close", () => client.destroy());
    app.on("data", (bytes) => state === "deaf" || client.write(bytes));
    client.pipe(app);
    client.on("close", () => {
      sockets.delete(client);
      app.destroy();
    });
  });
  const own = await listen(server);
  const set = (next) => {
    state = next;
    if (next !== "deaf") for (const socket of sockets) socket.destroy();
  };
  after(t, async () => {
    set("closed");
    server.close();
    await once(server, "close");
  });
  return { url: `http://127.0.0.1:${own}/`, set };
}

/** What a user does in a tab of the app. */
export function user(tab) {
  /** Waits until an element with this text is shown; an empty text fits each. */
  const see = (selector, text = "") =>
    within(LIMIT, tab.evaluate(seen, selector, text), `“${text}” in ${selector}`).catch(
      async ({ message }) => {
        throw new Error(`${message}; shown: ${await tab.evaluate(() => document.body.innerText)}`);
      },
    );
  const click = async (selector) => {
    await see(selector);
    await tab.evaluate((selector) => document.querySelector(selector).click(), selector);
  };
  return {
    tab,
    see,
    click,
    async fill(selector, value) {
      await see(selector);
      await tab.evaluate(filled, selector, value);
    },
    value: (selector) => tab.evaluate((selector) => document.querySelector(selector).value, selector),
    /** Chooses a picture in the form's file input. */
    attach: () => tab.evaluate(attached),
    go: (page) => tab.evaluate((page) => location.assign(`#/${page}`), page),
    async signIn(name) {
      await this.fill("sign-in input", name);
      await click("sign-in button");
      await see("#state", `${name}: Connected`);
    },
    /** Notes each time at which a row of a list is no longer shown after it was; `vanished()` tells them. */
    watchList: () => tab.evaluate(watched),
    vanished: () => tab.evaluate(() => globalThis.vanished ?? []),
    async findings() {
      await tab.evaluate(`() => { ${await readFile(AXE, "utf8")} }`);
      return tab.evaluate(async () => {
        const { violations } = await globalThis.axe.run();
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      });
    },
  };
}

function seen(selector, text) {
  return new Promise((resolve) => {
    const look = () => {
      const fits = [...document.querySelectorAll(selector)].some(({ textContent }) =>
        textContent.includes(text),
      );
      if (!fits) return;
      observer.disconnect();
      resolve();
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    look();
  });
}

function watched() {
  let shown = new Set();
  globalThis.vanished = [];
  const look = () => {
    const list = document.querySelector("visit-list .list");
    // Another page is shown, or one that was just opened.
    if (!list?.firstChild) return;
    const now = new Set([...list.querySelectorAll("a")].map(({ hash }) => hash));
    for (const hash of shown) if (!now.has(hash)) globalThis.vanished.push(hash);
    shown = now;
  };
  new MutationObserver(look).observe(document.querySelector("main"), { subtree: true, childList: true });
}

function filled(selector, value) {
  const field = document.querySelector(selector);
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function attached() {
  const given = new DataTransfer();
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
  given.items.add(new File([picture], "photo.svg", { type: "image/svg+xml" }));
  document.querySelector("[type=file]").files = given.files;
}
