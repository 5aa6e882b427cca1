// The records of the queue on the device, and their checks: what an older or newer version of the app wrote, or what is damaged.

import { isObject } from "../../common/arguments.js";
import type { JsonObject } from "../../common/json.js";
import { isBlob, isUint32Array } from "../../common/value-kinds.js";
import { randomId } from "../../wire/random-id.js";
import type { Sealed } from "../documents/kept-device.js";
import { FORMAT } from "./queue-database.js";

/** What a command does with its document; `"ATTACH"`, `"COUNT"`: something with one of its attachments, or with its counters. */
export type Kind = "PUT" | "DELETE" | "PATCH" | "ATTACH" | "COUNT";

/**
 * What a command expects of its document. `"any"`: nothing. `"absent"`: that there is none. `"vector"`: the change vector beside it.
 * `"unknown"`: that it is as its text before the change, whose change vector the session did not know.
 */
export type Expectation = "any" | "absent" | "vector" | "unknown";

/** A command of a change, without its texts. */
export interface StoredCommand {
  /** The number by which the core knows the document. */
  document: number;
  kind: Kind;
  id: string;
  /** The comparable form of the id. */
  key: string;
  collection: string;
  expects: Expectation;
  vector: string | null;
}

/** The texts of a command. */
export interface CommandTexts {
  /** `PUT`: the document with its `@metadata`; `PATCH`, `ATTACH`, `COUNT`: the whole command; `DELETE`: none. */
  text: string | null;
  /** The document as the device had it before, with its `@metadata`. */
  before: string | null;
  /** The content of an attachment that is stored. The browser keeps it outside of the page. */
  content?: Blob;
}

/** A change in the object store `changes`; its texts are in `texts`, under the same key. */
export interface ChangeRecord {
  format: number;
  scope: string;
  /** Assigned by the core, in the order in which changes are queued. */
  number: number;
  /** Random: also tells changes of different devices apart. */
  id: string;
  /** The documents, for the index: the scope and the key of the id. */
  keys: string[];
  /** What the core knows of the change, in its own words. */
  core: Uint32Array;
  /** The incarnation of the database, as far as the device knew it. */
  incarnation: string | undefined;
  /** Milliseconds since 1970, by the clock of the device: shown, and never compared with anything. */
  time: number;
  /** The version of the app's documents. */
  version: number;
  /** Characters of its texts, and bytes of its attachments. */
  size: number;
  commands: StoredCommand[];
  /** Why the server refused it, if it did. */
  error?: StoredError;
}

/** An error of the server, as the device keeps it. */
export interface StoredError {
  code: string;
  message: string;
  type?: string | undefined;
  status?: number | undefined;
  /** The document in conflict. */
  id?: string;
}

/** What a queue needs beside its changes, in the object store `queues`. */
export interface ControlRecord {
  format: number;
  scope: string;
  /** Grows with each transaction that writes: memory is current if it has the same. */
  revision: number;
  user: string;
  core: Uint32Array;
  /** The id of the receipt, and its change vector. */
  receipt: string;
  vector: string;
  /** The random ids of batches, by number. */
  ids: Record<number, string>;
  /** The clock of kept documents when the batch in flight was sealed; absent in old records. */
  sealed?: Sealed;
  /** Numbers that are free. */
  nextId: number;
  nextDocument: number;
  /** Names of nodes and incarnations: their numbers are their places, from 1 on. */
  nodes: string[];
  incarnations: string[];
  /** Random: data that the user has cleared is not taken for that of before. */
  born: string;
  /** The changes that were given up last: what is no longer here, and not among them, is saved. */
  discarded: number[];
}

/** The id of a new receipt. */
export const receiptId = (): string => `Raven-Edge/Devices/${randomId()}`;

const KINDS: readonly unknown[] = ["PUT", "DELETE", "PATCH", "ATTACH", "COUNT"] satisfies Kind[];
const EXPECTATIONS: readonly unknown[] = ["any", "absent", "vector", "unknown"] satisfies Expectation[];

/** Whether the record of a change can be used: it is whole, and no newer version of the app wrote it. */
export function isChange(record: unknown): record is ChangeRecord {
  return (
    isObject(record) &&
    record.format === FORMAT &&
    typeof record.id === "string" &&
    typeof record.number === "number" &&
    isUint32Array(record.core) &&
    Array.isArray(record.commands) &&
    record.commands.length > 0 &&
    record.commands.every(isCommand)
  );
}

/** Whether the record of a queue can be used; else another one is made, with a new receipt. */
export function isControl(record: unknown): record is ControlRecord {
  return (
    isObject(record) &&
    record.format === FORMAT &&
    isUint32Array(record.core) &&
    [record.revision, record.nextId, record.nextDocument].every(Number.isSafeInteger) &&
    [record.receipt, record.vector].every((text) => typeof text === "string") &&
    isObject(record.ids) &&
    Array.isArray(record.nodes) &&
    Array.isArray(record.incarnations) &&
    Array.isArray(record.discarded)
  );
}

function isCommand(value: unknown): value is StoredCommand {
  if (!isObject(value)) return false;
  const { document, kind, id, key, expects, vector } = value;
  return (
    Number.isSafeInteger(document) &&
    KINDS.includes(kind) &&
    typeof id === "string" &&
    typeof key === "string" &&
    EXPECTATIONS.includes(expects) &&
    (vector === null || typeof vector === "string")
  );
}

/** Whether the texts of a change can be used. */
export function areWhole(texts: unknown, commands: readonly StoredCommand[]): texts is CommandTexts[] {
  return (
    Array.isArray(texts) &&
    texts.length === commands.length &&
    texts.every((text, at) => fits(text, commands[at]))
  );
}

function fits(texts: unknown, command: StoredCommand | undefined): boolean {
  if (!isObject(texts)) return false;
  const { text, before, content } = texts as Partial<CommandTexts>;
  const isText = command?.kind === "DELETE" ? text === null : isDocument(text);
  const lacksContent = isText && command?.kind === "ATTACH" && isStoring(text) && !isBlob(content);
  return isText && !lacksContent && (before === null || isDocument(before));
}

/** Whether the text of a command about an attachment stores one. */
const isStoring = (text: unknown): boolean =>
  (JSON.parse(text as string) as { Type?: unknown } | null)?.Type === "AttachmentPUT";

function isDocument(text: unknown): boolean {
  try {
    return isObject(JSON.parse(text as string));
  } catch {
    return false;
  }
}

/** A document of the device. */
export const parsed = (text: string | null): JsonObject | null =>
  text === null ? null : (JSON.parse(text) as JsonObject);

const PREFIX = "queued:";

/** For a document that waits, without a text that the device knows: no document has this change vector. */
export const UNKNOWN_TEXT = PREFIX;

/** The change vector of a document that waits, by the text of the command that writes it. */
export function queuedVector(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b + unit, 0x9e3779b1) ^ (b >>> 15);
  }
  return `${PREFIX}${[a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("")}`;
}

export const isQueuedVector = (vector: string | null | undefined): vector is string =>
  !!vector?.startsWith(PREFIX);
