// Queues a change: one strict transaction, with everything that is needed to send it later.

import {
  ACTION_DELETE,
  ACTION_PATCH,
  ACTION_PUT,
  DEED_ADDED,
  PART_ABSENT,
  PART_ANY,
  PART_CONTINUES,
  PART_KNOWN,
  PART_STALE,
  QUEUED_ADD,
} from "../../../gen/protocol.js";
import { idKey } from "../../common/id-key.js";
import type { SessionState } from "../../session/session-state.js";
import { randomId } from "../../wire/random-id.js";
import { alike } from "../merge.js";
import type { CapturedBatch } from "../queueing/capture.js";
import { applyEffects, documentKey } from "./apply-effects.js";
import { FORMAT, got } from "./queue-database.js";
import type { QueueState, Turn } from "./queue-state.js";
import {
  areWhole,
  type ChangeRecord,
  type CommandTexts,
  type Expectation,
  isQueuedVector,
  type Kind,
  parsed,
  queuedVector,
} from "./records.js";

/** Settled documents by key: what the server got last from this page, with the change vector that it gave. */
export type SettledVersions = Map<string, Settled>;

interface Settled {
  text: string;
  vector: string;
}

const ACTIONS: Record<Kind, number> = {
  PUT: ACTION_PUT,
  DELETE: ACTION_DELETE,
  PATCH: ACTION_PATCH,
  ATTACH: ACTION_PATCH,
  COUNT: ACTION_PATCH,
};
const PARTS: Record<Expectation, number> = {
  any: PART_ANY,
  absent: PART_ABSENT,
  vector: PART_KNOWN,
  unknown: PART_STALE,
};

/** The largest size of a change that the core knows. */
const MOST = 2 ** 32 - 1;

/** Queues what a session has captured; resolves with the record when it is on disk. */
export function addChange(
  state: QueueState,
  scope: string,
  version: number,
  batch: CapturedBatch,
  settled: SettledVersions,
): Promise<ChangeRecord> {
  for (const [at, command] of batch.commands.entries()) {
    const known = settled.get(command.key);
    const texts = batch.texts[at] as CommandTexts;
    const { before } = texts;
    // The session began with what was saved meanwhile.
    const isShown =
      command.expects === "unknown"
        ? known && before && alike(parsed(known.text), parsed(before))
        : isQueuedVector(command.vector) && command.vector === shownBy(known);
    if (!known || !isShown) continue;
    Object.assign(command, { expects: "vector", vector: known.vector });
    texts.before ??= known.text;
  }
  return state.transact(async (turn) => {
    const { core, control, documents, stores, changes } = turn;
    for (const command of batch.commands) {
      command.document = documents.get(command.key) ?? control.nextDocument++;
      documents.set(command.key, command.document);
    }
    const wanted = new Set<number>();
    for (const { document, vector } of batch.commands) {
      const pending = core.pending(document);
      if (pending > 0) wanted.add(pending);
      // The app may have been shown what any of them writes.
      if (isQueuedVector(vector))
        for (const { number, commands } of changes.values())
          if (commands.some((command) => command.document === document)) wanted.add(number);
    }
    const read = async (number: number): Promise<[number, CommandTexts[] | undefined]> => {
      const texts = await got<unknown>(stores.texts.get([scope, number]));
      return [number, areWhole(texts, changes.get(number)?.commands ?? []) ? texts : undefined];
    };
    return add(turn, scope, version, batch, new Map(await Promise.all([...wanted].map(read))));
  });
}

function add(
  turn: Turn,
  scope: string,
  version: number,
  { commands, texts }: CapturedBatch,
  earlier: Map<number, CommandTexts[] | undefined>,
): ChangeRecord {
  const { control, changes, core, dispatch } = turn;
  const parts = new Map<number, number>();
  for (const [at, { document, kind, expects, vector }] of commands.entries()) {
    const own = texts[at] as CommandTexts;
    if (isQueuedVector(vector)) own.before ??= textShownAs(vector, document, changes, earlier);
    const first = parts.get(document);
    // Several commands about a document are one part: a patch, if the result of one of them is the server's.
    if (first !== undefined) {
      if (ACTIONS[kind] === ACTION_PATCH) parts.set(document, (first & ~3) | ACTION_PATCH);
      continue;
    }
    const pending = core.pending(document);
    const continues =
      pending > 0 && isContinued(changes.get(pending), earlier.get(pending), document, own.before);
    parts.set(document, ACTIONS[kind] | (PARTS[expects] << 2) | (continues ? PART_CONTINUES : 0));
  }
  const sizes = texts.map(({ text, content }) => (text?.length ?? 100) + (content?.size ?? 0));
  const size = Math.min(
    sizes.reduce((sum, one) => sum + one),
    MOST,
  );
  const effects = dispatch([QUEUED_ADD, size, ...[...parts].flat()]) ?? [];
  const number = effects.find(([code]) => code === DEED_ADDED)?.[1];
  if (!number) throw new Error("the queue does not take the change");
  const record: ChangeRecord = {
    format: FORMAT,
    scope,
    number,
    id: randomId(),
    keys: commands.map(({ key }) => documentKey(scope, key)),
    core: new Uint32Array(),
    incarnation: control.incarnations.at(-1),
    time: Date.now(),
    version,
    size,
    commands,
  };
  changes.set(number, record);
  applyEffects(turn, effects, { texts: new Map([[number, texts]]) });
  return record;
}

/** The text of a command about a document that was shown with this change vector; `null`: none waits. */
function textShownAs(
  vector: string,
  document: number,
  changes: Turn["changes"],
  earlier: ReadonlyMap<number, CommandTexts[] | undefined>,
): string | null {
  for (const [number, texts] of earlier)
    for (const [at, command] of changes.get(number)?.commands.entries() ?? []) {
      const { text = null } = texts?.[at] ?? {};
      if (command.document === document && command.kind === "PUT" && text && vector === queuedVector(text))
        return text;
    }
  return null;
}

const shownBy = (known: Settled | undefined): string | undefined => known && queuedVector(known.text);

/** Gives a session the change vectors of documents that it was shown while they waited, and that are saved. */
export function renewVectors({ unitOfWork }: SessionState, settled: SettledVersions): void {
  const renewed = (id: string, vector: string | null | undefined) => {
    const known = isQueuedVector(vector) ? settled.get(idKey(id)) : undefined;
    return vector === shownBy(known) ? known?.vector : undefined;
  };
  for (const slot of unitOfWork.slots()) {
    const vector = renewed(unitOfWork.idAt(slot), unitOfWork.versions.vector(slot));
    if (vector) unitOfWork.storedVector(slot, vector);
  }
  for (const command of unitOfWork.deferred) {
    const changeVector = renewed(command.id ?? "", command.changeVector);
    if (changeVector) Object.assign(command, { changeVector });
  }
}

/** Whether a change began with exactly what an earlier one leaves. */
function isContinued(
  record: ChangeRecord | undefined,
  texts: CommandTexts[] | undefined,
  document: number,
  before: string | null,
): boolean {
  const about = record?.commands.flatMap((command, at) => (command.document === document ? [at] : [])) ?? [];
  const [only] = about;
  if (!record || !texts || only === undefined || about.length > 1) return false;
  if (ACTIONS[record.commands[only]?.kind ?? "PATCH"] === ACTION_PATCH) return false;
  return alike(parsed(texts[only]?.text ?? null), parsed(before));
}
