// The features that a browser offers to pages of local addresses.
import { site } from "./site.mjs";
import { ELSEWHERE } from "./ways.mjs";

/** Runs in a page. */
async function ask() {
  const opening = indexedDB.open("facts", 1);
  const base = await new Promise((resolve, reject) => {
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const durability = (options) => base.transaction("keys", "readwrite", options).durability ?? "not reported";
  return {
    "`isSecureContext`": isSecureContext,
    "`durability`, if strict is requested": durability({ durability: "strict" }),
    "`durability`, if none is requested": durability(),
    "`navigator.locks`": "locks" in navigator,
    "`BroadcastChannel`": "BroadcastChannel" in globalThis,
    "`navigator.sendBeacon`": "sendBeacon" in navigator,
    "`fetchLater`": "fetchLater" in globalThis,
    "`navigator.storage.persist`": "persist" in (navigator.storage ?? {}),
  };
}

/** The results on 127.0.0.1, with those of localhost where they differ. */
export async function facts(browser) {
  const here = await site({ "/": ELSEWHERE });
  const [address, name] = await Promise.all(
    ["127.0.0.1", "localhost"].map(async (host) => {
      const tab = await browser.open(here.url.replace("127.0.0.1", host));
      return tab.evaluate(ask);
    }),
  );
  here.close();
  return Object.fromEntries(
    Object.entries(address).map(([what, is]) => [
      what,
      is === name[what] ? String(is) : `${is}; localhost: ${name[what]}`,
    ]),
  );
}
