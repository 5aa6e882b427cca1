// What arrives of the requests that a page sends while it closes: for each way and action, several times.
import { site } from "./site.mjs";
import { ELSEWHERE, ways } from "./ways.mjs";

/** How long after the action a request may take to arrive, in milliseconds. */
const LATE = 2_000;

const arm = (n) => globalThis.arm(n);

/** Each opens what it needs and returns a function that makes a page leave that was armed with a number. */
export const actions = {
  "navigate away": async (browser, url, elsewhere) => {
    const tab = await browser.open(elsewhere);
    return async (n) => {
      await tab.goto(url);
      await tab.evaluate(arm, n);
      await tab.goto(elsewhere);
    };
  },
  reload: async (browser, url) => {
    const tab = await browser.open(url);
    return async (n) => {
      await tab.evaluate(arm, n);
      await tab.reload();
    };
  },
  "close the tab, another is open": async (browser, url, elsewhere) => {
    await browser.open(elsewhere);
    return async (n) => {
      const tab = await browser.open(url);
      await tab.evaluate(arm, n);
      await tab.close();
    };
  },
  "back to it, then forward again": async (browser, url, elsewhere) => {
    const tab = await browser.open(url);
    await tab.goto(elsewhere);
    return async (n) => {
      await tab.back();
      await tab.evaluate(arm, n);
      await tab.forward();
    };
  },
};

/**
 * Rows `{ action, way, arrived, times, kept }` of a running browser; `kept`: the page entered the back/forward cache.
 */
export async function arrivals(browser, times, tell) {
  const rows = [];
  for (const [action, prepare] of Object.entries(actions)) {
    const row = await tally(
      action,
      times,
      (here) => prepare(browser, here.url, `${here.url}elsewhere`),
      tell,
    );
    rows.push(...row);
  }
  return rows;
}

/** Counts what arrives when the browser ends, which is started each time. */
export function quits(launch, times, tell) {
  const prepare = (here) => async (n) => {
    const browser = await launch();
    const tab = await browser.open(here.url);
    await tab.evaluate(arm, n);
    await browser.close();
  };
  return tally("quit the browser", times, prepare, tell);
}

async function tally(action, times, prepare, tell) {
  const rows = [];
  for (const { name: way, page } of ways) {
    const here = await site({ "/": page, "/elsewhere": ELSEWHERE });
    const leave = await prepare(here);
    for (let n = 0; n < times; n++) {
      await leave(n);
      await here.arrival(n, LATE);
    }
    const seen = Array.from({ length: times }, (_, n) => here.of(n));
    if (seen.some((list) => list.length > 1)) throw new Error(`${action}, ${way}: something arrived twice`);
    const arrived = seen.flat();
    const kept = arrived.filter(({ persisted }) => persisted).length;
    rows.push({ action, way, times, arrived: arrived.length, kept });
    tell(`${action}, ${way}: ${arrived.length} of ${times}, ${kept} kept`);
    here.close();
  }
  return rows;
}
