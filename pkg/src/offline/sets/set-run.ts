// A run that brings a set up to date: comparisons, loads by ids, and transactions. `src/offline/sets` decides; `tests/offline-law` checks it
// with the transactions of this file.

import {
  PLAN_HAVE,
  PLAN_LOAD,
  ROUND_AGAIN,
  ROUND_COMPLETE,
  ROUND_LAGS,
  SETTLE_DROP,
  SETTLE_JOIN,
  TAKE_FORGET,
  TAKE_REPLACE,
} from "../../../gen/protocol.js";
import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import { type SetRunCore, setRun } from "../device/queue-core.js";
import {
  ABSENT,
  documentEntry,
  type KeptRecord,
  type SeenDocument,
  THERE,
  vectorWords,
} from "../documents/kept-records.js";
import type { Write } from "../documents/kept-write.js";
import { newSet, type OpenSet, type SetRecord, setIn } from "./set-records.js";
import type { Comparison, Differing } from "./set-requests.js";
import { type ChangedKeys, noChanges, planned, SetTransactions, Void } from "./set-transactions.js";
import { hashesOf, type KnownSums, keyOf, sumsOf } from "./sums.js";

/** Documents of one request: below the limit of a gateway. */
const BATCH = 250;
/** Documents of one transaction while all of them arrive. */
const STREAM_BATCH = 1_000;

/** A document to load. */
interface Wanted {
  id: string;
  isListed: boolean;
  /** The version in which a load of this run has found it before the comparison; empty: none. */
  had: string;
}

/** How a run has ended. `"void"`: everything that is kept was removed meanwhile, and nothing was written since. */
export type Ending = "complete" | "lags" | "open" | "void";

const ENDINGS: Record<number, Ending> = { [ROUND_COMPLETE]: "complete", [ROUND_LAGS]: "lags" };

export class SetRun extends SetTransactions {
  #run: SetRunCore | undefined;
  /** The versions in which loads of this run have found documents, by the keys of ids; empty: absent. */
  readonly #seen = new Map<string, string>();

  async run(): Promise<Ending> {
    await this.start();
    try {
      await this.#loadAll();
      for (;;) {
        const next = await this.#round();
        if (next !== ROUND_AGAIN) return ENDINGS[next] ?? "open";
      }
    } catch (error) {
      if (error instanceof Void) return "void";
      throw error;
    } finally {
      this.#run?.free();
    }
  }

  /**
   * Loads everything in one response if the device has nothing of the set. The comparison after it finds what is missing, and decides
   * whether the set is complete.
   */
  async #loadAll(): Promise<void> {
    const { requests, progress, changed } = this.options;
    const { set } = await this.#look();
    if (set.bytes > 0 || set.syncedAt !== undefined) return;
    const begun = this.begun();
    let loaded = 0;
    let waiting: SeenDocument[] = [];
    const write = async (documents: SeenDocument[]) => {
      const changes = noChanges();
      await this.update(begun, async (write, open) => {
        const arrived = async (document: SeenDocument) => {
          const { verdict, known } = await write.take(document);
          const isThere = verdict === TAKE_REPLACE || (verdict !== TAKE_FORGET && known?.kind === THERE);
          if (isThere) await this.#join(write, open, document.id, changes);
        };
        await Promise.all(documents.map(arrived));
        this.written(open);
      });
      loaded += documents.length;
      progress(loaded, undefined);
      changed(changes);
    };
    progress(0, undefined);
    for await (const documents of requests.stream()) {
      waiting = [...waiting, ...documents];
      if (waiting.length < STREAM_BATCH) continue;
      await write(waiting);
      waiting = [];
    }
    if (waiting.length > 0) await write(waiting);
  }

  /** A comparison and what follows from it; resolves with one of `ROUND_…`. */
  async #round(): Promise<number> {
    const { requests } = this.options;
    const time = Date.now();
    const { set, clock } = await this.#look();
    if (this.#run) this.#run.again(set.disturbed);
    else this.#run = setRun(set.disturbed);
    const run = this.#run;
    const comparison = await requests.compare(set.etag, this.known as KnownSums);
    const complete = { clock, isComplete: true, syncedAt: time };
    if (!comparison.isSame) return this.#compared(run, comparison, complete);
    return this.update(this.begun(), async (_, open) => {
      const next = run.same(open.record.disturbed);
      if (next === ROUND_COMPLETE) open.change(complete);
      return next;
    });
  }

  /** Reads what the device has of the set, and the clock. */
  async #look(): Promise<{ set: SetRecord; clock: number }> {
    const { device, scope, name, declared } = this.options;
    const { generation } = this;
    const found = await device.look(this.begun(), async (stores, { clock }) => {
      const before = await setIn(stores, scope, name);
      const isDeclared = before?.declared === declared;
      const set = isDeclared ? before : newSet(scope, name, declared, before);
      const { known } = this;
      const head = { set, clock, isStored: before !== undefined };
      if (known?.generation === generation && known.writes === set.writes)
        return { ...head, members: undefined };
      return { ...head, members: isDeclared ? await this.members(stores) : [] };
    });
    if (!found) throw new Void();
    const { set, clock, members } = found;
    this.isStored = found.isStored;
    if (members) this.known = { ...sumsOf(members), generation, writes: set.writes };
    return { set, clock };
  }

  async #compared(
    run: SetRunCore,
    { isStale, etag, differing }: Comparison & { isSame: false },
    complete: Partial<SetRecord>,
  ): Promise<number> {
    const { progress, changed } = this.options;
    run.compared(isStale);
    const joined = noChanges();
    const plan = (write: Write, set: OpenSet) => this.#plan(write, set, run, differing, joined);
    const wanted = differing.size > 0 ? await this.update(this.begun(), plan) : [];
    changed(joined);
    for (let at = 0; at < wanted.length; at += BATCH) {
      progress(at, wanted.length);
      const batch = wanted.slice(at, at + BATCH);
      const begun = this.begun();
      const documents = await this.options.requests.load(batch.map(({ id }) => id));
      const found = new Map(documents.map((document) => [idKey(document.id), document]));
      // Neither there nor absent.
      const missing = (id: string) => fail("BadAnswer", `the response does not say whether ${id} exists`);
      const settled = batch.map((each) => ({
        each,
        document: found.get(idKey(each.id)) ?? missing(each.id),
      }));
      const changes = noChanges();
      await this.update(begun, async (write, set) => {
        await Promise.all(
          settled.map(({ each, document }) => this.#settle(write, set, run, each, document, changes)),
        );
        this.written(set);
      });
      changed(changes);
    }
    progress(wanted.length, wanted.length);
    return this.update(
      this.begun(),
      async (_, set) => {
        const next = run.end(set.record.disturbed);
        if (next === ROUND_COMPLETE) set.change({ ...complete, etag });
        else if (next === ROUND_LAGS) set.change({ ...complete, etag: null });
        else set.change({ etag: null });
        return next;
      },
      "strict",
    );
  }

  /** What to load. What the device has already belongs to the set from now on. */
  async #plan(
    write: Write,
    set: OpenSet,
    run: SetRunCore,
    differing: Differing,
    changes: ChangedKeys,
  ): Promise<Wanted[]> {
    const own = keyOf((this.known as KnownSums).key);
    const all = await this.members(write.stores);
    const members = new Map(all.map((member) => [member.key.slice(1), member]));
    const others = new Map(members);
    const listed = [...differing.values()].flatMap((pairs) =>
      pairs.flatMap((id, at): [string, string][] => (at % 2 ? [] : [[id, pairs[at + 1] as string]])),
    );
    const recordOf = async ([id]: [string, string]): Promise<KeptRecord | undefined> =>
      members.get(idKey(id)) ?? this.entry(write.stores, idKey(id));
    const records = await Promise.all(listed.map(recordOf));
    const wanted: Wanted[] = [];
    const joined: string[] = [];
    for (const [at, [id, version]] of listed.entries()) {
      const key = idKey(id);
      others.delete(key);
      const verdict = planned(run, version, records[at]);
      if (verdict === PLAN_HAVE) joined.push(id);
      if (verdict === PLAN_LOAD) wanted.push({ id, isListed: true, had: this.#seen.get(key) ?? "" });
    }
    await Promise.all(joined.map((id) => this.#join(write, set, id, changes)));
    for (const [key, record] of others)
      if (
        differing.has(hashesOf(own, key, record.vector).bucket) &&
        planned(run, undefined, record) === PLAN_LOAD
      )
        wanted.push({ id: key, isListed: false, had: this.#seen.get(key) ?? "" });
    set.change({ etag: null });
    return wanted;
  }

  /** A document belongs to the set. */
  async #join(write: Write, set: OpenSet, id: string, changes: ChangedKeys): Promise<void> {
    // Before the first comparison there is no run: it begins with this number.
    if (await this.join(write, set, id, changes)) this.#run?.added(1);
  }

  /** A document was loaded. */
  async #settle(
    write: Write,
    set: OpenSet,
    run: SetRunCore,
    { id, isListed, had }: Wanted,
    found: SeenDocument,
    changes: ChangedKeys,
  ): Promise<void> {
    const key = idKey(id);
    const shown = found.text === null ? await this.idOf(write, id) : found.id;
    const { verdict, known } = await write.take(found);
    const isMember = this.isMember(known);
    const kind = found.text === null ? ABSENT : THERE;
    const isLost = verdict === TAKE_FORGET || (verdict === TAKE_REPLACE && kind === ABSENT);
    // `take` has counted it as a disturbance.
    if (isMember && verdict === TAKE_REPLACE && kind === ABSENT) run.added(1);
    // A text that the device has sent, and that is not older than the response, may lack what another client has written since.
    const isThere = !isLost && (verdict === TAKE_REPLACE || (known?.kind === THERE && known.vector !== ""));
    const [seen, before] = vectorWords(found.vector, had) as [number[], number[]];
    const bits = Number(isListed) + 2 * Number(isThere);
    const words = [bits, kind, verdict, seen.length / 3, ...seen, ...before];
    this.#seen.set(key, kind === THERE ? found.vector : "");
    const next = run.settle(Uint32Array.from(words));
    if (next === SETTLE_DROP) await write.leave(documentEntry(id), this.options.name);
    if (next === SETTLE_JOIN) await this.#join(write, set, id, changes);
    if (!isMember) return;
    if (isLost || next === SETTLE_DROP) changes.removed.push(shown);
    else if (verdict === TAKE_REPLACE) changes.changed.push(key);
  }
}
