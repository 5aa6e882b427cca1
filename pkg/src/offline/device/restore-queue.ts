// Makes the memory of a queue from its records: entries that cannot be used are set apart, and a lost control record is replaced.

import { randomId } from "../../wire/random-id.js";
import { restored } from "./queue-core.js";
import { FORMAT } from "./queue-database.js";
import type { Memory } from "./queue-state.js";
import { type ChangeRecord, type ControlRecord, flawOf, receiptId } from "./records.js";

/** `known`: the control record, if the device has one. `texts`: keys of the texts that are stored. */
export function restoreQueue(
  scope: string,
  user: string,
  known: ControlRecord | undefined,
  rows: unknown[],
  texts: [string, number][],
): Memory {
  const withTexts = new Set(texts.map(([, number]) => number));
  const damaged: unknown[] = [];
  let usable: ChangeRecord[] = [];
  for (const row of rows) {
    const isWhole = !flawOf(row) && withTexts.has((row as ChangeRecord).number);
    if (isWhole) usable.push(row as ChangeRecord);
    else damaged.push(row);
  }
  const control = known ?? newControl(scope, user, usable);
  const queue = restored(
    control.core,
    usable.map(({ core }) => core),
  );
  for (const at of queue.damaged()) damaged.push(usable[at]);
  usable = usable.filter((row) => !damaged.includes(row));
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
