// The models of saves and of the queue drive what ships: each call of the package into these cores, and each event that it reports, is a
// step of the model. A call that the model does not know would never be checked.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const ROOT = new URL("../../", import.meta.url);

/** The text of all sources below a folder. */
function textOf(folder) {
  const entries = readdirSync(new URL(folder, ROOT), { withFileTypes: true });
  const texts = entries.map((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? textOf(path) : readFileSync(new URL(path, ROOT), "utf8");
  });
  return texts.join("\n");
}

const found = (text, pattern) => [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].sort();

/** The calls of each core, and the methods that the model calls for them; `undefined`: they change nothing that a model could check. */
const SESSION = {
  begin: ["forget", "begin"],
  plan: ["plan"],
  seal: ["seal"],
  on: ["forget", "on"],
  readable: ["readable"],
  // Requests and memory: no state of a save.
  save: undefined,
  load: undefined,
  free: undefined,
};

const QUEUE = {
  dispatch: ["on"],
  record: ["changes"],
  ids: ["ids"],
  receipt: ["receipt"],
  paused: ["paused"],
  members: ["flight"],
  // What is stored is what the core has; pending documents and damaged records are read, not decided.
  control: undefined,
  states: undefined,
  pending: undefined,
  damaged: undefined,
  free: undefined,
};

const pascal = (name) =>
  name.replace(/(?:^|_)([A-Z])([A-Z]*)/g, (_, first, rest) => first + rest.toLowerCase());

function assertKnown(calls, table, model, core) {
  assert.deepEqual(
    calls,
    Object.keys(table).sort(),
    "the calls of the package are those that the table lists",
  );
  const known = found(model, new RegExp(`\\b${core}\\.([a-z_]+)\\(`, "g"));
  for (const [call, methods] of Object.entries(table))
    for (const method of methods ?? [])
      assert.ok(known.includes(method), `the package calls ${call}; the model never calls ${core}.${method}`);
}

test("every call of a session into its core is a step of the session's model", () => {
  const source = textOf("pkg/src");
  const calls = found(source, /\benter\(\(core\) =>\s*core\.(\w+)\(/g);
  const outside = ["session", "topology"];
  assertKnown(
    calls.filter((call) => !outside.includes(call)),
    SESSION,
    textOf("tests/session-law/src"),
    "saves",
  );
});

test("every event that a session reports to its core is a step of the session's model", () => {
  const protocol = readFileSync(new URL("src/protocol/session.rs", ROOT), "utf8");
  const [, table] = /\n {4}save: [^{]*\{([^}]*)\}/.exec(protocol);
  const names = found(table, /\b([A-Z]+) =/g);
  const model = textOf("tests/session-law/src");
  assert.ok(names.length >= 8, `${names}`);
  for (const name of names) {
    // A conflict is a refusal with a document.
    const event = name === "CONFLICT" ? "Refused { conflict" : pascal(name);
    assert.ok(model.includes(`Event::${event}`), `the model never reports ${name}`);
  }
});

/** The methods of a class of the queue's module. */
function exported(name) {
  const glue = readFileSync(new URL("wasm/queue/src/lib.rs", ROOT), "utf8");
  const [, methods] = glue.split(`\nimpl ${name} {\n`);
  return [...found(methods.split("\n}\n")[0], /pub fn ([a-z_]+)\(&(?:mut )?self/g), "free"].sort();
}

test("every call of the package into the queue's core is a step of the queue's model", () => {
  const source = textOf("pkg/src/offline");
  const calls = found(
    source,
    /\b(?:core|queue)\.(dispatch|control|record|states|ids|receipt|paused|members|pending|damaged|free)\(/g,
  );
  assert.deepEqual(exported("Queue"), calls, "what the module exports is what the package calls");
  assertKnown(calls, QUEUE, textOf("tests/offline-law/src"), "queue");
});

test("every event that the package reports to the queue's core is a step of the queue's model", () => {
  const events = found(textOf("pkg/src/offline"), /\bQUEUED_([A-Z_]+)/g);
  const model = textOf("tests/offline-law/src");
  assert.ok(events.length >= 13, `${events}`);
  for (const event of events)
    assert.match(model, new RegExp(`Event::${pascal(event)}\\b`), `the model never reports ${event}`);
});

/** Of runs of sets. */
const SET_RUN = {
  again: ["again"],
  added: ["added"],
  compared: ["compared"],
  compare: ["compare"],
  settle: ["settle"],
  end: ["end"],
  same: ["same"],
  free: undefined,
};

test("every call of a run of a set into its core is a step of the model of sets", () => {
  const source = textOf("pkg/src/offline/sets");
  const calls = found(source, /\b(?:run|this\.#run\??)\.(\w+)\(/g);
  assert.deepEqual(exported("SetRun"), calls, "what the module exports is what the package calls");
  assertKnown(calls, SET_RUN, textOf("tests/offline-law/src/sets"), "run");
});
