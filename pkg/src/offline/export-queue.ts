// Everything that is not saved, as JSON, for support; of attachments their sizes, without the contents.

import { stateOf } from "./change-handles.js";
import type { Memory } from "./device/queue-state.js";
import type { CommandTexts } from "./device/records.js";
import type { Drain } from "./sending/drain.js";

export async function exported({ changes, control, core, damaged }: Memory, drain: Drain): Promise<string> {
  // While texts are read, the memory may be replaced by what another tab has written.
  const states = new Map([...changes.keys()].map((number) => [number, stateOf(core.record(number)[4] ?? 0)]));
  const members = await drain.members(changes.keys());
  const shown = members.map(({ record, texts }) => ({
    id: record.id,
    number: record.number,
    state: states.get(record.number),
    queuedAt: new Date(record.time).toISOString(),
    version: record.version,
    incarnation: record.incarnation,
    error: record.error,
    commands: record.commands.map(({ key: _, document: __, ...command }, at) => {
      const { content, ...own } = texts[at] as CommandTexts;
      return { ...command, ...own, ...(content && { contentBytes: content.size }) };
    }),
  }));
  const { user, receipt } = control;
  return JSON.stringify({ user, receipt, changes: shown, damaged }, undefined, 2);
}
