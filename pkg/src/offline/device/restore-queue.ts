// Makes the memory of a queue from its records: entries that cannot be used are set apart, and a lost control record is replaced.

import { randomId } from "../../wire/random-id.js";
import { restored } from "./queue-core.js";
import { FORMAT } from "./queue-database.js";
import type { Memory } from "./queue-state.js";
import { type ChangeRecord, type ControlRecord, isChange, receiptId } from "./records.js";

/** `known`: the control record, if the device has one. `texts`: keys of the texts that are stored. */
export function restoreQueue(
  scope: string,
  user: string,
  known: ControlRecord | undefined,
  rows: unknown[],
  texts: [string, number][],
): Memory {
  const withTexts = new Set(texts.map(([, number]) => number));
  const whole = rows.filter(isChange).filter(({ number }) => withTexts.has(number));
  const control = known ?? newControl(scope, user, whole);
  const queue = restored(
    control.core,
    whole.map(({ core }) => core),
  );
  const unread = new Set(queue.damaged());
  const usable = whole.filter((_, at) => !unread.has(at));
  const used = new Set<unknown>(usable);
  const damaged = rows.filter((row) => !used.has(row));
  const documents = new Map<string, number>();
  for (const { commands } of usable) for (const { key, document } of commands) documents.set(key, document);
  return {
    core: queue,
    control,
    changes: new Map(usable.map((row) => [row.number, row])),
    documents,
    damaged,
  };
}

function newControl(scope: string, user: string, rows: ChangeRecord[]): ControlRecord {
  const documents = rows.flatMap(({ commands }) => commands.map(({ document }) => document));
  return {
    format: FORMAT,
    scope,
    revision: 0,
    user,
    core: new Uint32Array(),
    receipt: receiptId(),
    vector: "",
    ids: {},
    nextId: 1,
    nextDocument: documents.reduce((most, document) => Math.max(most, document), 0) + 1,
    nodes: [],
    incarnations: [],
    born: randomId(),
    discarded: [],
  };
}
