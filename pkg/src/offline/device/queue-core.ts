// The core of the queue (`src/offline`): numbers in, numbers out. Its module is small, and comes inside a script.

import bytes from "../../../gen/inline_queue.js";
import { glue, type Queue, type SetRun } from "../../../gen/raven_edge_queue.js";
import { fail } from "../../common/error.js";

export type { Queue, SetRun as SetRunCore };

/** An effect of an event: one of `DEED_…`, and its members. */
export type Effect = [code: number, a: number, b: number, c: number, d: number];

/** A change, as the core knows it. `state`: one of `STATE_…`; of each part its document, and one of `PART_…`. */
export type ChangeView = NonNullable<ReturnType<typeof viewOf>>;

let starting: Promise<void> | undefined;
let instance = 1;

/**
 * Starts the module; after a trap a new instance takes the place of the dead one. Resolves with the number of the instance: queues of
 * an earlier one must not be used any more.
 */
export async function startCore(): Promise<number> {
  if (glue.isAlive() === false) {
    glue.__wbg_reset_state();
    instance++;
  }
  if (glue.isAlive()) return instance;
  starting ??= start();
  await starting.catch((cause) => {
    starting = undefined;
    fail("LoadFailed", `the module of raven-edge/offline cannot be loaded: ${cause}`, { cause });
  });
  return instance;
}

async function start(): Promise<void> {
  glue.initSync({ module: await WebAssembly.compile(await bytes()) });
}

/** Makes a queue of what is stored. */
export function restored(control: Uint32Array, rows: Uint32Array[]): Queue {
  return new glue.Queue(control, Uint32Array.from(rows.flatMap((row) => [row.length, ...row])));
}

/** The effects of an event; `undefined` if it was not accepted. */
export function effectsOf(words: Uint32Array): Effect[] | undefined {
  if (!words[0]) return undefined;
  const effects: Effect[] = [];
  for (let at = 1; at < words.length; at += 5) effects.push([...words.subarray(at, at + 5)] as Effect);
  return effects;
}

/** What the core knows of a change: its record, which `src/offline/record.rs` writes. */
export function viewOf(queue: Queue, change: number) {
  const [, , version = 0, , state = 0, flags, ...pairs] = queue.record(change);
  if (flags === undefined) return undefined;
  const parts = [];
  for (let at = 0; at < pairs.length; at += 2)
    parts.push({ document: pairs[at] as number, expects: ((pairs[at + 1] as number) >> 2) & 7 });
  return { version, state, parts };
}

/** What an error of a batch means: one of `OUTCOME_…`. */
export const outcomeOf = (status: number, type: string): number => glue.outcome(status, type);

/** What becomes of a kept document: one of `TAKE_…`. */
export const takeKept = (words: number[]): number => glue.takeKept(Uint32Array.from(words));

/** The positions of the entries to evict; three numbers for each entry, behind the limit. */
export const evictKept = (words: number[]): Uint32Array => glue.evictKept(Uint32Array.from(words));

/** What a session does next to answer a read: one of `SHOW_…`. */
export const showKept = (reading: number, connection: number, device: number): number =>
  glue.showKept(reading, connection, device);

/** A run that brings a set up to date; `disturbed`: see `src/offline/sets`. The caller frees it. */
export const setRun = (disturbed: number): SetRun => new glue.SetRun(disturbed);
