// The three sides of a conflict: what the device had, what the app made of it, what the server has.

import { PART_CONFLICT, PART_STALE } from "../../../gen/protocol.js";
import { idKey } from "../../common/id-key.js";
import type { ChangeView } from "../device/queue-core.js";
import { type ChangeRecord, type CommandTexts, parsed, type StoredCommand } from "../device/records.js";
import { asStored } from "../merge.js";
import type { DocumentConflict } from "../offline-types.js";
import { attachmentsOf } from "./queued-attachments.js";
import type { FoundDocument, Member } from "./send-batch.js";

/** A stale part: its command, and what it is about. */
export interface StalePart {
  command: StoredCommand;
  texts: CommandTexts;
  /** Whether the change does something with attachments or counters of the document, too. */
  hasMore: boolean;
  /** Whether another writer has changed the document; else only the result of an own change is unknown. */
  isConflict: boolean;
  conflict: DocumentConflict;
  /** The change vector of theirs; empty if there is no document. */
  vector: string;
}

const isStale = ({ expects }: ChangeView["parts"][number]): boolean =>
  expects === PART_STALE || expects === PART_CONFLICT;

/**
 * The ids of what the server has to be asked about. Not those of other parts: a caller of the gateway may patch documents that it may
 * not read.
 */
export function staleIds(view: ChangeView, { commands }: ChangeRecord): string[] {
  const stale = new Set(view.parts.filter(isStale).map(({ document }) => document));
  return [...new Set(commands.filter(({ document }) => stale.has(document)).map(({ id }) => id))];
}

/** Whether the server has found a document where the command expects none. Then a document that cannot be read is hidden, not deleted. */
const isTaken = ({ kind, expects, key }: StoredCommand, { error }: ChangeRecord): boolean =>
  kind !== "DELETE" && expects === "absent" && error?.id !== undefined && idKey(error.id) === key;

/** The stale parts of a change, with the documents that the server has; `found`: these, by the keys of their ids. */
export function staleParts(
  view: ChangeView,
  { record, texts }: Member,
  found: ReadonlyMap<string, FoundDocument>,
): StalePart[] {
  return view.parts.filter(isStale).flatMap(({ document, expects }) => {
    const at = record.commands.findIndex((command) => command.document === document);
    const command = record.commands[at];
    const own = texts[at];
    if (!command || !own) return [];
    const theirs = found.get(command.key);
    const conflict: DocumentConflict = {
      id: command.id,
      collection: command.collection,
      base: parsed(own.before),
      mine: command.kind === "PUT" ? parsed(own.text) : null,
      theirs: theirs ? asStored(theirs) : null,
    };
    const attachments = attachmentsOf(record, texts, document);
    if (attachments.length > 0) Object.assign(conflict, { attachments });
    if (expects === PART_CONFLICT && !theirs && isTaken(command, record))
      Object.assign(conflict, { hidden: true });
    const hasMore = record.commands.some(
      (each) => each.document === document && (each.kind === "ATTACH" || each.kind === "COUNT"),
    );
    const vector = (theirs?.["@metadata"]["@change-vector"] as string | undefined) ?? "";
    return [{ command, texts: own, hasMore, isConflict: expects === PART_CONFLICT, conflict, vector }];
  });
}
