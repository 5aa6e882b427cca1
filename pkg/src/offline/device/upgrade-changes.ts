// Rewrites documents that an older version of the app has queued, before they are sent.

import { STATE_SEALED } from "../../../gen/protocol.js";
import type { JsonObject } from "../../common/json.js";
import type { OfflineOptions } from "../offline-types.js";
import type { Drain } from "../sending/drain.js";
import type { Member } from "../sending/send-batch.js";
import { viewOf } from "./queue-core.js";
import type { QueueState } from "./queue-state.js";
import { type CommandTexts, parsed } from "./records.js";

/**
 * Rewrites the changes of older versions, in one strict transaction for each. What is in flight keeps its text: it may have arrived
 * already.
 */
export async function upgradeChanges(
  state: QueueState,
  drain: Drain,
  { version = 0, upgrade }: OfflineOptions,
): Promise<void> {
  const records = [...(state.memory?.changes.values() ?? [])];
  const older = records.filter((record) => record.version < version).map(({ number }) => number);
  if (!upgrade || older.length === 0) return;
  const members = await drain.members(older);
  for (const member of members) {
    if (member.isDamaged) continue;
    const { record } = member;
    const rewritten = rewrite(member, upgrade);
    await state.transact((turn) => {
      const now = turn.changes.get(record.number);
      // Another tab may have rewritten or sent it since.
      if (now?.version === record.version && viewOf(turn.core, record.number)?.state !== STATE_SEALED) {
        now.version = version;
        turn.touch();
        turn.stores.changes.put(now);
        turn.stores.texts.put(rewritten, [now.scope, now.number]);
      }
    });
  }
}

function rewrite(
  { record: { version, commands }, texts }: Member,
  upgrade: NonNullable<OfflineOptions["upgrade"]>,
): CommandTexts[] {
  return texts.map(({ text, before, ...content }, at) => {
    const { id = "", kind } = commands[at] ?? {};
    const upgraded = (document: string | null) =>
      document === null ? null : JSON.stringify(upgrade(parsed(document) as JsonObject, { id, version }));
    // A script is the app's own text: only documents are rewritten.
    const isCommand = kind !== "PUT" && kind !== "DELETE";
    return { ...content, text: isCommand ? text : upgraded(text), before: upgraded(before) };
  });
}
