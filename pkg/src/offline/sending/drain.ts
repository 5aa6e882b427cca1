// Carries out what the core decides: sends batches, reads receipts and documents, and reports what came of it.

import {
  DEED_FETCH,
  DEED_KEEP_VECTOR,
  DEED_READ_RECEIPT,
  DEED_REMOVE,
  DEED_RENAME,
  DEED_SEND,
  DEED_WAIT,
  OUTCOME_AGAIN,
  OUTCOME_APPLIED,
  PLACE_BATCH,
  PLACE_FENCE,
  QUEUED_DRAIN,
  QUEUED_OUTCOME,
  QUEUED_RECEIPT,
  RECEIPT_ABSENT,
  STATE_QUEUED,
  USER_ONLY,
} from "../../../gen/protocol.js";
import { idKey } from "../../common/id-key.js";
import { randomId } from "../../wire/random-id.js";
import type { SettledVersions } from "../device/add-change.js";
import { applyEffects, type Facts } from "../device/apply-effects.js";
import { type Effect, viewOf } from "../device/queue-core.js";
import { got, inTransaction, KEPT, QUEUE, type StoreName } from "../device/queue-database.js";
import type { Memory, QueueState, Turn } from "../device/queue-state.js";
import type { KeptDocuments } from "../documents/kept-documents.js";
import type { SavedKeys } from "../documents/seen-documents.js";
import type { MergeRule } from "../offline-types.js";
import { staleIds, staleParts } from "./conflict-sides.js";
import { failedRead, ifRefused, isOfServer } from "./failures.js";
import { remade, remakeStep } from "./remake.js";
import { type BatchHead, type Member, memberOf, type QueueRequests } from "./send-batch.js";

/** The most changes of a batch, and characters of one with several changes: below the limits of the gateway. */
const CHANGES = 200;
const SIZE = 700_000;
/** How many settled documents are remembered. */
const REMEMBERED = 1_000;

export class Drain {
  readonly #state;
  readonly #requests;
  readonly #rules;
  readonly #documents;
  readonly #reports;
  readonly settled: SettledVersions = new Map();
  /** The changes in the request under way. */
  readonly underWay = new Set<number>();
  /** The incarnation of the database that a response has named last. */
  incarnation: string | undefined;
  /**
   * Runs that have failed in a row, without news of the receipt in between. The core counts only batches, and begins anew when another
   * tab has written.
   */
  failures = 0;
  #isReached = true;

  constructor(
    state: QueueState,
    requests: QueueRequests,
    rules: Record<string, MergeRule> | undefined,
    documents: KeptDocuments | undefined,
    reports: DrainReports = { effects: () => {}, reached: () => {} },
  ) {
    this.#state = state;
    this.#requests = requests;
    this.#rules = new Map(Object.entries(rules ?? {}));
    this.#documents = documents;
    this.#reports = reports;
  }

  /** Sends until nothing is left, or something has to be waited for. */
  async run(goesOn: () => boolean): Promise<void> {
    let isDone = false;
    try {
      isDone = await this.#send(goesOn);
    } finally {
      this.failures = isDone ? 0 : this.failures + 1;
    }
  }

  /** Resolves with whether nothing has failed. */
  async #send(goesOn: () => boolean): Promise<boolean> {
    let steps: Step[] = [];
    for (;;) {
      const node = await this.#nodeOfNext();
      if (node === undefined) return false;
      await this.#documents?.sealing();
      const effects = await this.exchange([...steps, this.#drain(node)]);
      const todo = effects.filter(
        ([code]) => code === DEED_SEND || code === DEED_READ_RECEIPT || code === DEED_FETCH,
      );
      if (effects.some(([code]) => code === DEED_WAIT)) return false;
      if (!goesOn()) return true;
      if (todo.length === 0) return this.#isBack(node);
      steps = [];
      for (const effect of todo) {
        const step = await this.#act(effect);
        if (!step) return false;
        steps.push(step);
      }
    }
  }

  async #nodeOfNext(): Promise<string | undefined> {
    const { control, core } = this.#state.memory ?? (await this.#state.refresh());
    const [first] = control.nodes;
    // A batch in flight stays with its node.
    if (first !== undefined && core.members().length > 0) return first;
    try {
      return await this.#requests.node(control.receipt, core.paused() > 0);
    } catch (error) {
      const step = this.#failed(error);
      if (step) await this.exchange([step]);
      return undefined;
    }
  }

  #failed(thrown: unknown): Step | undefined {
    const step = failedRead(thrown);
    this.reached(step !== undefined);
    return step;
  }

  /** Whether the last request of the queue has reached the server, or one of the store since. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** A request has reached the server, or has not. */
  reached(isReached: boolean): void {
    if (this.#isReached === isReached) return;
    this.#isReached = isReached;
    this.#reports.reached();
  }

  /**
   * Resolves with whether the server can be reached. If the last request has not reached it and nothing is left to be sent, because another
   * tab has sent it, the receipt is read to find out.
   */
  async #isBack(node: string): Promise<boolean> {
    const { control, core } = this.#state.memory as Memory;
    if (this.#isReached || core.paused() > 0) return true;
    try {
      await this.#requests.receipt(control.receipt, node);
    } catch (error) {
      const step = this.#failed(error);
      if (step) await this.exchange([step]);
      return step !== undefined;
    }
    this.reached(true);
    return true;
  }

  /** Gives the core events in one transaction; returns their effects. */
  async exchange(steps: Step[]): Promise<Effect[]> {
    const settles = steps.flatMap(({ facts }) => facts?.settle ?? []);
    const more: readonly StoreName[] = steps.some(({ isSealing }) => isSealing) ? ["keeps"] : [];
    const decide = () => this.#decide(steps, settles.length > 0 ? KEPT : more);
    const effects = await (this.#documents?.withRoom(decide) ?? decide());
    const saved = settles.flatMap((settle) => settle.completed());
    if (effects.some(([code]) => code === DEED_KEEP_VECTOR)) this.failures = 0;
    const hasTexts = steps.some(({ facts }) => facts?.texts);
    const isOther = ([code]: Effect) => code === DEED_REMOVE || code === DEED_RENAME;
    this.#reports.effects(effects, saved, hasTexts || effects.some(isOther));
    return effects;
  }

  /** `more`: object stores that the steps need beside those of the queue. */
  #decide(steps: Step[], more: readonly StoreName[]): Promise<Effect[]> {
    return this.#state.transact(async (turn) => {
      let all: Effect[] = [];
      for (const { facts } of steps) facts?.settle?.begin();
      const take = ({ words, facts = {}, accepted }: Step) => {
        const event = typeof words === "function" ? words(turn) : words;
        // A batch that failed is sent again only after a pause.
        if (event[0] === QUEUED_DRAIN && all.some(([code]) => code === DEED_WAIT)) return;
        const effects = turn.dispatch(event);
        if (!effects) return;
        accepted?.(turn, facts);
        applyEffects(turn, effects, facts);
        all = all.concat(effects);
      };
      const seal = steps.find(({ isSealing }) => isSealing);
      for (const step of steps) if (step !== seal) take(step);
      if (!seal) return all;
      // After what the batch before has kept, which may be about the same documents.
      const sealed = await this.#documents?.sealedIn(turn.stores);
      take({ ...seal, facts: Object.assign(seal.facts ?? {}, { sealed }) });
      return all;
    }, more);
  }

  /** Seals the next batch, if there is none, and sends it. */
  #drain(node: string): Step {
    const facts: Facts = {};
    const words = ({ control }: Turn) => {
      const number = control.nextId++;
      facts.batch = [number, randomId()];
      return [QUEUED_DRAIN, USER_ONLY, numberIn(control.nodes, node), number, CHANGES, SIZE];
    };
    return { words, facts, isSealing: this.#documents !== undefined };
  }

  /** Acts on an effect; resolves with the event that reports it, or with nothing if it failed and has to be tried again. */
  async #act([code, a, b, c, d]: Effect): Promise<Step | undefined> {
    if (code === DEED_SEND) return this.#sendBatch(a, b, c, d > 0);
    try {
      const step = code === DEED_READ_RECEIPT ? await this.#readReceipt(a, b) : await this.#remake(a, b);
      this.reached(true);
      return step;
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #sendBatch(number: number, id: number, node: number, isFence: boolean): Promise<Step> {
    const { control, core } = this.#state.memory as Memory;
    // Another tab has settled the batch in the meantime. It is not sent: its number must not be used for another text.
    if (core.control()[isFence ? PLACE_FENCE : PLACE_BATCH] !== number) return { words: [] };
    const { receipt: receiptId, user, vector, nodes, ids } = control;
    const expected = core.receipt() === RECEIPT_ABSENT ? "" : vector;
    const head: BatchHead = {
      receipt: receiptId,
      vector: expected,
      user,
      last: number,
      batch: ids[id] ?? "",
    };
    const name = nodes[node - 1] ?? "";
    const members = isFence ? [] : await this.members(core.members());
    for (const { record } of members) this.underWay.add(record.number);
    const settle = this.#documents?.settling(control.sealed);
    const result = await this.#requests.send(head, name, members);
    this.underWay.clear();
    const { outcome, isUnsent, document, receipt, vectors, error } = result;
    if (!isUnsent) this.reached(outcome !== OUTCOME_AGAIN || isOfServer(error));
    const facts: Facts = {
      ...(receipt && { receipt }),
      ...(vectors && { vectors }),
      ...(error && { error }),
      ...(settle && { settle }),
    };
    const accepted = () => {
      if (outcome === OUTCOME_APPLIED) this.#remember(members, vectors);
    };
    const words = (turn: Turn) => [
      QUEUED_OUTCOME,
      number,
      outcome,
      document === undefined ? 0 : (turn.documents.get(idKey(document)) ?? 0),
      this.#numberOfIncarnation(turn),
    ];
    return { words, facts, accepted };
  }

  #numberOfIncarnation({ control }: Turn): number {
    return this.incarnation === undefined ? 0 : numberIn(control.incarnations, this.incarnation);
  }

  /** What a document is now on the server, for sessions of this page that go on with it. */
  #remember(members: Member[], vectors: Map<number, Map<number, string>> | undefined): void {
    for (const { record, texts } of members)
      for (const [at, { key, kind, document }] of record.commands.entries()) {
        this.settled.delete(key);
        const text = texts[at]?.text;
        const vector = vectors?.get(record.number)?.get(document);
        if (kind === "PUT" && text && vector) this.settled.set(key, { text, vector });
      }
    for (const key of this.settled.keys()) {
      if (this.settled.size <= REMEMBERED) break;
      this.settled.delete(key);
    }
  }

  async #readReceipt(number: number, node: number): Promise<Step> {
    const { control } = this.#state.memory as Memory;
    const found = await this.#requests.receipt(control.receipt, control.nodes[node - 1]);
    const receipt = found?.["@metadata"]["@change-vector"] as string | undefined;
    const words = (turn: Turn) => {
      const head = [QUEUED_RECEIPT, number, node, this.#numberOfIncarnation(turn)];
      if (!found || receipt === undefined) return head;
      const { Last, Batch } = found;
      const last = Number.isSafeInteger(Last) ? (Last as number) : 0;
      const id = batchIn(turn, typeof Batch === "string" ? Batch : "");
      return [...head, last, id, receipt === turn.control.vector ? 1 : 0];
    };
    const settle = this.#documents?.settling(control.sealed);
    return { words, facts: { ...(receipt !== undefined && { receipt }), ...(settle && { settle }) } };
  }

  /** Makes a change anew; the app is asked by the effect `Conflict`. */
  async #remake(change: number, node: number): Promise<Step> {
    const [member] = await this.members([change]);
    const view = viewOf((this.#state.memory as Memory).core, change);
    if (!member || view?.state !== STATE_QUEUED) return { words: [] };
    const ids = staleIds(view, member.record);
    const name = (this.#state.memory as Memory).control.nodes[node - 1];
    const found = await this.#requests.read(ids, name).catch(ifRefused);
    this.#documents?.changed(ids);
    const stale = staleParts(view, member, found ?? new Map());
    const isRead = found !== undefined && !member.isDamaged;
    const parts = stale.map((part) => remade(part, this.#rules, isRead));
    return remakeStep(change, view.version, member, parts);
  }

  /** Changes with their texts. */
  async members(numbers: Iterable<number>): Promise<Member[]> {
    const { changes } = this.#state.memory as Memory;
    const records = [...numbers]
      .map((number) => changes.get(number))
      .filter((record) => record !== undefined);
    const texts = await inTransaction(QUEUE, "readonly", (stores) =>
      Promise.all(records.map(({ scope, number }) => got<unknown>(stores.texts.get([scope, number])))),
    );
    return records.map((record, at) => memberOf(record, texts[at]));
  }
}

/** An event for the core, with what belongs to it. */
export interface Step {
  words: number[] | ((turn: Turn) => number[]);
  facts?: Facts;
  /** Whether it may seal a batch, whose place in the order of what is kept is noted. */
  isSealing?: boolean;
  /** Called in the transaction when the event was accepted, before its effects are written. */
  accepted?: (turn: Turn, facts: Facts) => void;
}

/** What a queue is notified of. */
export interface DrainReports {
  /** Effects of events that are on disk. `areOther`: whether they change what waits for documents, and not its state alone. */
  effects(effects: Effect[], saved: SavedKeys, areOther: boolean): void;
  /** `isReached` has changed. */
  reached(): void;
}

/** The number of a name, from 1 on; a new one is added. */
export function numberIn(names: string[], name: string): number {
  const at = names.indexOf(name);
  return at >= 0 ? at + 1 : names.push(name);
}

/** The number of a batch id in a receipt; 0: none of this queue. */
export function batchIn({ control, core }: Turn, batch: string): number {
  for (const [number, id] of Object.entries(control.ids)) if (id === batch) return Number(number);
  // A queue that has read no receipt yet takes what it finds.
  if (core.receipt() !== 0 || batch === "") return 0;
  const number = control.nextId++;
  control.ids[number] = batch;
  return number;
}
