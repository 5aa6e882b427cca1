// The home of each number in the demo, computed independently of the page, to compare it with the page's map.
import { counter, ravendb, send } from "./server.mjs";

/** The parked numbers of this origin, from the package's own record. */
const parkedOf = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("raven-edge");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const all = opening.result.transaction("ranges").objectStore("ranges").getAll();
          all.onsuccess = () => {
            opening.result.close();
            const records = all.result.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text));
            resolve(records.flatMap(({ parked }) => parked.map(([low, high]) => [low, high])));
          };
        };
      }),
  );

async function issuedOf(base) {
  const path = `/databases/${base}/docs?startsWith=orders/&pageSize=1000&metadataOnly=true`;
  const { Results } = (await send(ravendb.url, "GET", path)).json;
  return Results.map((document) => Number(/\/(\d+)-/.exec(document["@metadata"]["@id"])[1]));
}

/**
 * The homes of the numbers from 1 to `top`, the highest leased one, as a list; to the server's Max if that is higher, because a map may
 * not have shown the latest lease yet when `top` was read from it. `tabs`: the pages by letter; no other client leases.
 */
export async function truth(base, tabs, top) {
  const [page] = Object.values(tabs);
  const max = (await counter(ravendb, base, "orders")) ?? 0;
  const homes = Array.from({ length: Math.max(top, max) }, (_, at) => (at < max ? "burnt" : "returned"));
  const put = (low, high, home) => {
    for (let number = low; number <= high; number++) {
      if (!["burnt", "returned"].includes(homes[number - 1]))
        throw new Error(`${number} is ${homes[number - 1]} and ${home}`);
      homes[number - 1] = home;
    }
  };
  for (const number of await issuedOf(base)) put(number, number, "issued");
  for (const [low, high] of await parkedOf(page)) put(low, high, "parked");
  for (const [letter, tab] of Object.entries(tabs)) {
    const { held } = await tab.evaluate(() => globalThis.client.status);
    for (const { low, high } of held) put(low, high, `hand ${letter}`);
  }
  return { max, homes };
}

/** What a page's map shows: the home of each number, and the line of Max. */
export const shown = (page) =>
  page.evaluate(() => {
    const cells = [...document.querySelectorAll("#map .cell")].map(({ dataset }) => ({ ...dataset }));
    const homes = [];
    const max = Number(cells.find(({ home }) => home === "max")?.low ?? 0);
    for (const { home, who, low, high } of cells.filter(({ home }) => home !== "max")) {
      for (let number = Number(low); number <= Number(high); number++)
        homes[number - 1] = home === "hand" ? `hand ${who}` : home;
    }
    return { max, homes };
  });
