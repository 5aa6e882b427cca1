// The app of examples/issues as its users meet it: queries on the device, two tabs without a connection, reloads, a conflict, two users.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as chromium from "../support/browsers/chromium.mjs";
import * as firefox from "../support/browsers/firefox.mjs";
import { after } from "../support/cleanup.mjs";
import { gate } from "../support/field-notes.mjs";
import { builtHere, EXAMPLE, filled, PAGE, served, user } from "../support/issues.mjs";
import { missing, ravendb, send } from "../support/server.mjs";

/** Each browser has its own users. */
const BROWSERS = [
  [chromium, "ann", "bob"],
  [firefox, "cid", "eve"],
];

const isBatch = ({ path }) => path.endsWith("/bulk_docs");

const linesOf = async (file) => (await readFile(join(EXAMPLE, file), "utf8")).split("\n").length - 1;

test("the app has at most 200 lines, its list in Vue and in Svelte 40", async () => {
  const lines = await Promise.all(PAGE.map(linesOf));
  assert.ok(lines.reduce((sum, count) => sum + count) <= 200, `${lines}`);
  for (const list of ["vue/List.vue", "svelte/List.svelte"]) assert.ok((await linesOf(list)) <= 40, list);
});

test("an app with queries on the device", {
  skip: missing(ravendb) || BROWSERS.every(([{ missing }]) => missing),
  timeout: 400_000,
}, async (t) => {
  const base = await filled(
    t,
    BROWSERS.flatMap(([, ...names]) => names),
  );
  const app = await served(t, await builtHere(t, base));
  for (const [browser, ann, bob] of BROWSERS)
    await t.test(
      `two users, two tabs without a connection, reloads and a conflict in ${browser.name}`,
      {
        skip: browser.missing,
        timeout: 200_000,
      },
      async (t) => {
        const launched = await browser.launch();
        after(t, () => launched.close());
        await useApp(t, { app, base, launched, ann, bob });
      },
    );
});

async function useApp(t, { app, base, launched, ann, bob }) {
  const documents = async (collection, member) => {
    const query = {
      Query: `from ${collection} where members = $member and at > '2021'`,
      QueryParameters: { member },
    };
    const { json } = await send(
      ravendb.url,
      "POST",
      `/databases/${base}/queries?waitForNonStaleResultsTimeout=15`,
      query,
    );
    return json.Results;
  };
  const saves = () => app.wire.of(isBatch).length;
  const [phone, tablet] = await Promise.all([gate(t, app.url), gate(t, app.url)]);
  // Pages of another host are another device: they have other cookies, documents and changes.
  const another = new URL(tablet.url);
  another.hostname = "localhost";

  // The query: the newest 20 that are open, with the names of their authors; filters by status and text.
  const one = user(await launched.open(phone.url));
  await one.signIn(ann);
  await one.status(`${ann}: connected, 0 not saved`);
  const first = await one.list(
    (issues, author) =>
      issues.length === 20 && issues.every((each) => each.author === author && each.mark === "saved"),
    `${ann} Lee`,
  );
  const open = Array.from({ length: 30 }, (_, at) => at).filter((at) => at % 3 !== 2);
  assert.deepEqual(
    first.map(({ title }) => title),
    open.map((at) => `Old ${at}`).reverse(),
  );
  await one.fill("select", "done");
  await one.list((issues) => issues.length === 10 && issues[0].title === "Old 29");
  await one.fill("[type=search]", "OLD 2");
  await one.list((issues) => issues.map(({ title }) => title).join() === "Old 29,Old 26,Old 23,Old 20,Old 2");
  await one.fill("[type=search]", "");
  await one.fill("select", "open");
  await one.tab.evaluate(() => navigator.serviceWorker.ready.then(() => 0));

  // Another user sees what is shared, and nothing else.
  await one.add("Private");
  await one.list(([{ title, mark }]) => title === "Private" && mark === "saved");
  await one.add("Pipe", bob);
  await one.list(
    (issues) => issues.length === 20 && issues[0].title === "Pipe" && issues[0].mark === "saved",
  );
  await one.write("Pipe", "text", "It leaks");
  await one.list(([{ comments }]) => comments.join() === "It leaks");
  await one.status(`${ann}: connected, 0 not saved`);
  const other = user(await launched.open(String(another)));
  await other.signIn(bob);
  await other.list(
    ([pipe, next], author) =>
      pipe?.title === "Pipe" &&
      pipe.author === author &&
      pipe.comments.length === 1 &&
      next.title === "Old 28",
    `${ann} Lee`,
  );

  // Without a connection: both tabs of a user show what either of them changes, at once and after a reload.
  const two = user(await launched.open(phone.url));
  await two.list((issues) => issues.length === 20 && issues[0].comments.length === 1);
  phone.set("closed");
  const before = saves();
  await one.watch();
  await two.add("Roof");
  await two.list(([{ title, mark }]) => title === "Roof" && mark === "queued");
  await one.list(([{ title, mark }]) => title === "Roof" && mark === "queued");
  await one.write("Pipe", "title", "Pipe 1");
  await two.list(([, { title, mark }]) => title === "Pipe 1" && mark === "queued");
  await two.write("Pipe 1", "text", "Quickly");
  await one.list(([, { comments }]) => comments.join() === "It leaks,Quickly");
  await two.status(`${ann}: no connection, 3 not saved`);
  assert.deepEqual(await one.vanished(), ["Old 3", "Pipe"], "the 21st, and the title before");
  await two.tab.reload();
  await two.list(
    ([roof, pipe]) =>
      roof?.title === "Roof" &&
      pipe.title === "Pipe 1" &&
      pipe.mark === "queued" &&
      pipe.comments.length === 2,
  );
  assert.equal(saves(), before);

  // Meanwhile another user changes the same member of the same document.
  await other.tab.show();
  const saved = app.wire.next(isBatch, { responded: true });
  await other.write("Pipe", "title", "Pipe 2");
  await saved;
  await two.tab.show();
  await two.watch();
  phone.set("open");
  for (const { tab } of [one, two]) await tab.evaluate(() => dispatchEvent(new Event("online")));
  await two.see("[role=alert]");
  assert.match(
    await two.tab.evaluate(() => document.querySelector("[role=alert]").textContent),
    /“Pipe 1” or “Pipe 2”/,
  );
  await two.click("[role=alert] button", "Mine");
  // A page in the background may not know yet that there is a connection.
  for (const each of [two, one]) {
    await each.tab.show();
    await each.status(`${ann}: connected, 0 not saved`);
    await each.list(
      ([roof, pipe]) =>
        [roof, pipe].every(({ mark }) => mark === "saved") &&
        roof.title === "Roof" &&
        pipe.title === "Pipe 1" &&
        pipe.comments.join() === "It leaks,Quickly",
    );
  }
  for (const text of ["Roof", "Quickly"])
    assert.ok(!(await two.vanished()).includes(text), `${text} was not shown after it was saved`);
  await other.tab.show();
  await other.list(([{ title, comments }]) => title === "Pipe 1" && comments.length === 2);

  // Everything is saved once.
  const [issues, comments] = [await documents("Issues", ann), await documents("Comments", ann)];
  assert.deepEqual(issues.map(({ title }) => title).sort(), ["Pipe 1", "Private", "Roof"]);
  assert.deepEqual(comments.map(({ text }) => text).sort(), ["It leaks", "Quickly"]);

  // The next user of the device sees nothing of this one.
  await two.tab.close();
  await one.tab.show();
  await one.click("button", "Sign out");
  await one.signIn(bob);
  await one.list(
    ([pipe, ...issues], ann, bob) =>
      pipe?.title === "Pipe 1" &&
      pipe.author === ann &&
      issues.length === 19 &&
      issues.every(({ author }) => author === bob),
    `${ann} Lee`,
    `${bob} Lee`,
  );
}
