// The books of the fault drill (tests/drill): each kind of loss and of double is reported.
import assert from "node:assert/strict";
import { test } from "node:test";
import { balance } from "../drill/book/balance.mjs";

const first = { incarnation: "one", parent: undefined, began: 0, restored: 0, marks: new Set() };
const done = (at, history = 0) => [{ at, history, isDone: true }];

/** A day without a fault; `m~a~1~` was saved, `m~a~2~` and its attachment were queued. */
const story = (more = {}) => ({
  issued: [
    { id: "orders/1-A", at: 20, seen: "one", who: "ann" },
    { id: "orders/2-A", at: 21, seen: "one", who: "bob" },
  ],
  grants: [{ tag: "orders", low: 1, high: 32, at: 10, incarnation: "one" }],
  histories: [first],
  begun: new Map([
    ["m~a~1~", 22],
    ["m~a~2~", 23],
    ["a~a~3~", 23],
  ]),
  removals: [],
  told: { saved: new Set(["m~a~1~"]), queued: new Set(["m~a~2~", "a~a~3~"]), notSaved: new Set() },
  waiting: new Map(),
  writes: new Map([
    ["m~a~1~", done(25)],
    ["m~a~2~", done(26)],
    ["a~a~3~", done(26)],
  ]),
  found: new Map([
    ["m~a~1~", ["orders/1-A"]],
    ["m~a~2~", ["orders/2-A"]],
    ["a~a~3~", ["orders/2-A"]],
  ]),
  counters: [{ id: "counts/0", count: 4, marks: 4 }],
  contents: [],
  left: [],
  ...more,
});

/** Without some marks on the server. */
const without = (...marks) => new Map([...story().found].filter(([mark]) => !marks.includes(mark)));

/** A second history: the backup began at `began`, and what it had is `marks`. */
const restored = (began, ...marks) => [
  first,
  { incarnation: "two", parent: 0, began, restored: 50, marks: new Set(marks) },
];

const second = { tag: "orders", low: 1, high: 32, at: 60, incarnation: "two" };

const nothing = { ids: [], documents: [], queues: [], attachments: [] };

const cases = {
  "a day without a fault": [{}, {}],
  "an id that two clients got": [
    { issued: [...story().issued, { id: "orders/2-A", at: 30, seen: "one", who: "eve" }] },
    { ids: ["orders/2-A was issued 2 times, to bob and eve"] },
  ],
  "a number that two clients got with different node tags": [
    { issued: [...story().issued, { id: "orders/2-B", at: 30, seen: "one", who: "eve" }] },
    { ids: ["orders/2-A was issued 2 times, to bob and eve"] },
  ],
  "an id that the server had not granted": [
    { issued: [{ id: "orders/33-A", at: 30, who: "eve" }] },
    { ids: ["orders/33-A was issued to eve, and no server had granted it"] },
  ],
  "an id that a restored server rightly grants again": [
    {
      histories: restored(15, ...story().found.keys()),
      grants: [...story().grants, second],
      issued: [...story().issued, { id: "orders/2-A", at: 61, seen: "two", who: "eve" }],
    },
    {},
  ],
  "an id that a restored server grants again although its backup had it": [
    {
      histories: restored(40, ...story().found.keys()),
      grants: [...story().grants, second],
      issued: [...story().issued, { id: "orders/2-A", at: 61, seen: "two", who: "eve" }],
    },
    { ids: ["orders/2-A was issued 2 times, to bob and eve"] },
  ],
  "an id that two clients got from the restored server": [
    {
      histories: restored(15, ...story().found.keys()),
      grants: [...story().grants, second],
      issued: ["eve", "joe"].map((who) => ({ id: "orders/5-A", at: 61, seen: "two", who })),
    },
    { ids: ["orders/5-A was issued 2 times, to eve and joe"] },
  ],
  "a saved document that is gone": [
    { found: without("m~a~1~") },
    { documents: ["m~a~1~ was reported as saved, and it is not there"] },
  ],
  "a saved document that its app removed": [
    { found: without("m~a~1~"), removals: [{ mark: "m~a~9~", marks: ["m~a~1~"], at: 30 }] },
    {},
  ],
  "a removed document that is there": [
    {
      removals: [{ mark: "m~a~9~", marks: ["m~a~1~"], at: 30 }],
      told: { ...story().told, queued: new Set(["m~a~9~", "m~a~2~"]) },
      writes: new Map([["m~a~9~", done(31)]]),
      begun: new Map([...story().begun, ["m~a~9~", 30]]),
    },
    { documents: ["m~a~1~ was removed, and is there"] },
  ],
  "a saved document that a restored backup has rightly taken away": [
    { histories: restored(24, "m~a~2~", "a~a~3~"), found: without("m~a~1~") },
    {},
  ],
  "a saved document that a restored backup should have": [
    { histories: restored(40, "m~a~2~", "a~a~3~"), found: without("m~a~1~") },
    { documents: ["m~a~1~ was reported as saved, and it is not there"] },
  ],
  "a document of the restored backup that is gone": [
    { histories: restored(24, ...story().found.keys()), found: without("m~a~1~") },
    { documents: ["m~a~1~ was reported as saved, and it was in the restored backup"] },
  ],
  "a document that is there twice": [
    { found: new Map([...story().found, ["m~a~1~", ["orders/1-A", "orders/9-A"]]]) },
    { documents: ["m~a~1~ is there 2 times: orders/1-A, orders/9-A"] },
  ],
  "a document that was reported as not saved": [
    { told: { ...story().told, saved: new Set(), notSaved: new Set(["m~a~1~"]) } },
    { documents: ["m~a~1~ was reported as not saved, and is there"] },
  ],
  "a document that nobody has written": [
    { found: new Map([...story().found, ["m~z~1~", ["orders/9-A"]]]) },
    { documents: ["m~z~1~ is there, and nobody has written it"] },
  ],
  "a queued change that was never sent": [
    { found: without("m~a~2~"), writes: new Map([...story().writes].filter(([mark]) => mark !== "m~a~2~")) },
    { queues: ["m~a~2~ was reported as queued, and it never reached the server"] },
  ],
  "a queued change that waited after the restore": [
    { histories: restored(24), found: without(...story().found.keys()), waiting: new Map([["m~a~2~", 55]]) },
    { queues: ["m~a~2~ was reported as queued, and it waited on its device after the last restore"] },
  ],
  "a queued change that is still on its device": [
    { left: [{ who: "ann", text: "one change" }] },
    { queues: ["ann still holds one change"] },
  ],
  "a counter that was incremented twice": [
    { counters: [{ id: "counts/0", count: 5, marks: 4 }] },
    { queues: ["counts/0 counts 5 of 4 marks"] },
  ],
  "an attachment that is gone": [
    { found: without("a~a~3~") },
    { attachments: ["a~a~3~ was reported as queued, and it is not there"] },
  ],
  "an attachment with another content": [
    { contents: ["a~a~3~"] },
    { attachments: ["a~a~3~ has another content"] },
  ],
};

for (const [name, [more, wrong]] of Object.entries(cases))
  test(`the books of the drill judge ${name}`, () =>
    assert.deepEqual(balance(story(more)), { ...nothing, ...wrong }));
