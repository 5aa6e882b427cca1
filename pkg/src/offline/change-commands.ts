// What a queued change does with its documents, in the form in which apps see it.

import type { JsonObject } from "../common/json.js";
import { type Kind, parsed, type StoredCommand } from "./device/records.js";
import type {
  OfflineDocument,
  QueuedCommand,
  QueuedCommandDetails,
  QueuedCounter,
  QueuedPatch,
} from "./offline-types.js";
import { attachmentOf } from "./sending/queued-attachments.js";
import type { Member } from "./sending/send-batch.js";

const KINDS: Record<Kind, QueuedCommand["kind"]> = {
  PUT: "store",
  DELETE: "delete",
  PATCH: "patch",
  ATTACH: "attachment",
  COUNT: "counters",
};

export const commandOf = ({
  kind,
  id,
  collection,
}: Pick<StoredCommand, "kind" | "id" | "collection">): QueuedCommand => ({
  kind: KINDS[kind],
  id,
  collection,
});

export function detailsOf({ record, texts }: Member): QueuedCommandDetails[] {
  return record.commands.map((command, at) => {
    const { text = null, before = null, content } = texts[at] ?? {};
    const { kind } = command;
    const shown = { ...commandOf(command), before: readable(before) };
    if (kind === "PUT" || kind === "DELETE") return { ...shown, document: readable(text) };
    const whole = readable(text) ?? {};
    if (kind === "ATTACH") return { ...shown, attachment: attachmentOf(whole, content) };
    return kind === "PATCH" ? { ...shown, patch: patchOf(whole) } : { ...shown, counters: countersOf(whole) };
  });
}

/** `null` for a text that is damaged. */
function readable(text: string | null): OfflineDocument {
  try {
    return parsed(text);
  } catch {
    return null;
  }
}

/** A patch command, which the server reads, in the form for apps: it has a name or a script. */
function patchOf({ Named, Parameters, Patch }: JsonObject): QueuedPatch {
  if (Named !== undefined) return { named: Named as string, parameters: (Parameters ?? {}) as object };
  const { Script, Values } = (Patch ?? {}) as JsonObject;
  return { script: (Script ?? "") as string, parameters: (Values ?? {}) as object };
}

function countersOf({ Counters }: JsonObject): QueuedCounter[] {
  const { Operations = [] } = (Counters ?? {}) as { Operations?: JsonObject[] };
  return Operations.map(({ Type, CounterName, Delta }) => {
    const name = CounterName as string;
    return Type === "Delete"
      ? { action: "delete", name }
      : { action: "increment", name, delta: Delta as number };
  });
}
