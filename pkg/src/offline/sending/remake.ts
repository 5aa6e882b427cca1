// Makes the stale parts of a change anew, from the documents that the server has.

import {
  QUEUED_REMAKE,
  REMADE_ASK,
  REMADE_DROP,
  REMADE_MERGED,
  REMADE_MERGED_ABSENT,
  REMADE_RENAME,
  REMADE_SAME,
  REMADE_SAME_ABSENT,
} from "../../../gen/protocol.js";
import { idKey } from "../../common/id-key.js";
import type { Facts } from "../device/apply-effects.js";
import type { Turn } from "../device/queue-state.js";
import type { ChangeRecord, CommandTexts, StoredCommand } from "../device/records.js";
import { alike, applyRule } from "../merge.js";
import type { MergeRule, OfflineDocument } from "../offline-types.js";
import type { StalePart } from "./conflict-sides.js";
import type { Step } from "./drain.js";
import type { Member } from "./send-batch.js";

/** The new text of a part, and how it was made. */
export interface RemadePart {
  part: StalePart;
  /** One of `REMADE_…`. */
  how: number;
  /** The document that is written from now on, if it is another one than before. */
  document?: OfflineDocument;
  /** The new id, for `REMADE_RENAME`. */
  id?: string;
}

/**
 * The new part, if the app need not decide; otherwise `REMADE_ASK`. `isRead`: whether both sides can be read, on this device and by the
 * user.
 */
export function remade(part: StalePart, rules: ReadonlyMap<string, MergeRule>, isRead: boolean): RemadePart {
  const { command, conflict, isConflict } = part;
  const rule = rules.get(command.collection) ?? rules.get("*");
  // A document that is hidden would refuse what is written under its id, time and again.
  if (!isRead || conflict.hidden) return { part, how: REMADE_ASK };
  // What a script makes of another document is not known here.
  if (command.kind !== "PUT" && command.kind !== "DELETE")
    return isConflict ? { part, how: REMADE_ASK } : written(part, undefined);
  const { base, mine, theirs } = conflict;
  const isTaken = base === null && mine !== null && theirs !== null && !alike(mine, theirs);
  // A new document is never written over one that is there.
  if (isConflict && isTaken && typeof rule !== "function") return { part, how: REMADE_ASK };
  const document = applyRule(isConflict ? rule : "fields", conflict);
  return document === undefined ? { part, how: REMADE_ASK } : written(part, document);
}

/** The part writes a document; `undefined`: what it did before, a script too. */
export function written(part: StalePart, document: OfflineDocument | undefined): RemadePart {
  const { conflict } = part;
  const isAbsent = conflict.theirs === null;
  if (document === undefined) return { part, how: isAbsent ? REMADE_SAME_ABSENT : REMADE_SAME };
  // Attachments and counters of the change are still to be stored.
  const hasMore = document !== null && part.hasMore;
  if (alike(document, conflict.theirs) && !hasMore) return { part, how: REMADE_DROP };
  if (alike(document, conflict.mine)) return { part, how: isAbsent ? REMADE_SAME_ABSENT : REMADE_SAME };
  return { part, how: isAbsent ? REMADE_MERGED_ABSENT : REMADE_MERGED, document };
}

/** Changes the commands and texts of a change to what was made anew. Returns its new texts. */
function rewrite(record: ChangeRecord, texts: CommandTexts[], parts: RemadePart[]): CommandTexts[] {
  const rewritten = texts.map((text) => ({ ...text }));
  const dropped = new Set<number>();
  const deleted = new Set<number>();
  for (const { part, how, document } of parts) {
    const at = record.commands.findIndex((command) => command.document === part.command.document);
    const command = record.commands[at];
    const own = rewritten[at];
    if (!command || !own || how === REMADE_ASK) continue;
    // It is about what was sent before.
    if (record.error) delete record.error.id;
    if (how === REMADE_DROP) {
      dropped.add(command.document);
      continue;
    }
    if (how === REMADE_RENAME) {
      Object.assign(command, { expects: "absent", vector: null });
      continue;
    }
    const { theirs } = part.conflict;
    Object.assign(
      command,
      part.vector ? { expects: "vector", vector: part.vector } : { expects: "absent", vector: null },
    );
    own.before = theirs === null ? null : JSON.stringify(theirs);
    if (document === undefined) continue;
    if (document === null) deleted.add(command.document);
    command.kind = document === null ? "DELETE" : "PUT";
    own.text = document === null ? null : JSON.stringify(document);
  }
  const isKept = ({ document, kind }: StoredCommand) =>
    !dropped.has(document) && !(deleted.has(document) && (kind === "ATTACH" || kind === "COUNT"));
  const kept = rewritten.filter((_, at) => isKept(record.commands[at] as StoredCommand));
  record.commands = record.commands.filter(isKept);
  return kept;
}

/** The event that reports what was made of the stale parts of a change. */
export function remakeStep(change: number, version: number, { texts }: Member, parts: RemadePart[]): Step {
  const facts: Facts = { ids: new Map(), texts: new Map() };
  const words = ({ control, documents }: Turn) => {
    const numberOf = (id: string) => {
      const number = documents.get(idKey(id)) ?? control.nextDocument++;
      facts.ids?.set(number, id);
      return number;
    };
    const wordsOf = ({ part, how, id }: RemadePart) => [
      part.command.document,
      how,
      how === REMADE_RENAME ? numberOf(id as string) : 0,
    ];
    return [QUEUED_REMAKE, change, version, ...parts.flatMap(wordsOf)];
  };
  const accepted = ({ changes }: Turn) => {
    const record = changes.get(change);
    if (record) facts.texts?.set(change, rewrite(record, texts, parts));
  };
  return { words, facts, accepted };
}
