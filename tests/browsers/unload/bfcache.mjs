// Which pages a browser keeps in the back/forward cache.
import { site } from "./site.mjs";
import { ELSEWHERE } from "./ways.mjs";

/** What a page holds: code that runs in it before it is left; the second entry runs in another tab after that. */
const pages = {
  nothing: [""],
  "an open IndexedDB connection": ["await database();"],
  "the same, and a sibling wants a newer version": [
    "await database();",
    () => {
      indexedDB.open("unload", 2);
    },
  ],
  "a running transaction": [
    `const base = await database();
    addEventListener("pagehide", () => { base.transaction("keys", "readwrite").objectStore("keys").put(1, 1); });`,
  ],
  "an open BroadcastChannel that listens": ["channel();"],
  "the same, and a sibling sends a message": [
    "channel();",
    () => {
      new BroadcastChannel("unload").postMessage("hello");
    },
  ],
  "a BroadcastChannel, closed in `pagehide`": [
    `const open = channel();
    addEventListener("pagehide", () => open.close());`,
  ],
  "closed so, and a sibling sends a message": [
    `const open = channel();
    addEventListener("pagehide", () => open.close());`,
    () => {
      new BroadcastChannel("unload").postMessage("hello");
    },
  ],
  "a keepalive fetch sent in `pagehide`": [
    `addEventListener("pagehide", () => {
      fetch("/sent?n=1", { method: "POST", keepalive: true, body: "{}" }).catch(() => {});
    });`,
  ],
  "the same, without a response": [
    `addEventListener("pagehide", () => {
      fetch("/hole", { method: "POST", keepalive: true, body: "{}" }).catch(() => {});
    });`,
  ],
  "a pending fetch without keepalive": [`fetch("/hole").catch(() => {});`],
  "a Web Lock": ["await lock();"],
  "the same, and a sibling requests it": [
    "await lock();",
    () => {
      navigator.locks.request("unload", () => {});
    },
  ],
};

const page = (code) => `<!doctype html><meta charset=utf-8><title>bfcache</title>
<script>
let shown = Promise.withResolvers();
addEventListener("pagehide", () => { shown = Promise.withResolvers(); });
addEventListener("pageshow", (event) => { shown.resolve(event.persisted); });
const channel = () => {
  const made = new BroadcastChannel("unload");
  made.addEventListener("message", () => {});
  return made;
};
const database = () => new Promise((resolve, reject) => {
  const opening = indexedDB.open("unload", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
  opening.onsuccess = () => resolve(opening.result);
  opening.onerror = () => reject(opening.error);
});
const lock = () => new Promise((got) => {
  navigator.locks.request("unload", () => { got(); return new Promise(() => {}); });
});
globalThis.prepare = async () => {${code}};
globalThis.kept = async () => [await shown.promise, reasons()];
const reasons = () => {
  const [{ notRestoredReasons }] = performance.getEntriesByType("navigation");
  return notRestoredReasons?.reasons?.map(({ reason }) => reason) ?? [];
};
</script>`;

/** Rows `{ what, times, kept, reasons }` of a browser; only Chromium reports reasons. */
export async function bfcache(browser, times, tell) {
  const rows = [];
  for (const [what, [code, meanwhile]] of Object.entries(pages)) {
    let kept = 0;
    const reasons = new Set();
    for (let i = 0; i < times; i++) {
      // A new origin each time, so that leftovers of a page cannot block the next one.
      const here = await site({ "/": page(code), "/elsewhere": ELSEWHERE });
      const elsewhere = `${here.url}elsewhere`;
      const sibling = await browser.open(elsewhere);
      const tab = await browser.open(here.url);
      await tab.evaluate(() => globalThis.prepare());
      await tab.goto(elsewhere);
      if (meanwhile) await sibling.evaluate(meanwhile);
      await tab.back();
      const [restored, why] = await tab.evaluate(() => globalThis.kept());
      if (restored) kept++;
      for (const reason of why) reasons.add(reason);
      await tab.close();
      await sibling.close();
      here.close();
    }
    rows.push({ what, times, kept, reasons: [...reasons] });
    tell(`${what}: ${kept} of ${times} kept`);
  }
  return rows;
}
