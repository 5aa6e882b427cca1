// A store of the core with its texts. The core decides about numbers; what they stand for is here.

import { PURPOSE_OTHER } from "../../gen/protocol.js";
import { RavenEdgeError } from "../common/error.js";
import type { Counter } from "../numbers/counter.js";
import type { NumberSource } from "../numbers/number-source.js";
import type { EnterTask, Glue, GlueStore, GlueTask, Reply, TagMethod } from "../runtime/core.js";
import { encoded } from "../wire/query-string.js";
import type { Transport } from "../wire/transport.js";
import { checkSeparator, checkTag } from "./check-names.js";
import { CoreTask } from "./core-task.js";
import { type CoreRequest, type CoreResponse, single } from "./exchange.js";
import { KnownTexts } from "./known-texts.js";

/** Why numbers stay on the device when a store is disposed of. */
const LEFT = "the numbers stay parked on the device: a gateway takes back only the end of the newest lease";
const BURNT =
  "the numbers are burnt: their counter could not be read or has changed, or numbers above them are in use";

/** What a store of the core is made with. */
export interface CoreOptions {
  database: string;
  separator: string;
  /** Time limit in milliseconds. */
  timeout: number;
  /** Whether to learn nodes from the server. */
  learnsNodes: boolean;
  /** Whether no task may outlive its request or wait for another one (workerd). */
  isolated: boolean;
  source: NumberSource;
}

export class CoreStore {
  readonly texts = new KnownTexts();
  readonly glue;
  readonly host;
  readonly options;
  #core: GlueStore;
  #counters: Counter[] = [];
  /** The version of the topology in use. */
  #topologyEtag = 0;
  /** The path of the database, with a slash at its end. */
  readonly base: string;

  constructor(glue: Glue, host: CoreHost, options: CoreOptions) {
    const { database, separator, timeout, isolated, source } = options;
    checkSeparator(separator);
    this.glue = glue;
    this.host = host;
    this.options = options;
    this.base = `/databases/${encoded(database)}/`;
    this.#core = new glue.Store(
      this.#calls(),
      timeout,
      isolated,
      source.kind,
      source.releasable,
      source.scoped,
    );
  }

  /** What the core calls. These functions must not throw, and never call back. */
  #calls() {
    const { texts, host } = this;
    const counters = this.#counters;
    return {
      now: () => performance.now() * 1_000,
      random: () => Math.floor(Math.random() * 2 ** 53),
      hand(
        tag: number,
        low: number,
        high: number,
        affixes: number,
        from: number,
        to: number,
        lease: number,
      ): void {
        const [prefix, nodeTag] = texts.affixesOf(affixes);
        counters[tag]?.hand(low, high, prefix, { low: from, high: to, nodeTag, fence: texts.fence(lease) });
      },
      surrender: (tag: number) => counters[tag]?.surrender(),
      spawn: (tag: number, task: GlueTask, reports: boolean, pauses: boolean) =>
        counters[tag]?.spawn(new CoreTask(this, task), reports, pauses),
      effect: (tag: number, kind: number, number: number, task?: GlueTask) =>
        counters[tag]?.effect(kind, number, task && new CoreTask(this, task)),
      leased(tag: number, low: number, high: number, affixes: number, fenced: boolean): void {
        const [, nodeTag] = texts.affixesOf(affixes);
        host.emit("lease", { tag: texts.tags[tag], low, high, nodeTag, fenced });
      },
      left(tag: number, low: number, high: number, burnt: boolean): void {
        const error = new RavenEdgeError("InvalidOperation", burnt ? BURNT : LEFT);
        host.emit("return", { tag: texts.tags[tag], low, high, applied: false, error });
      },
      regression: (tag: number, low: number, high: number, highest: number) =>
        host.emit("regression", { tag: texts.tags[tag], low, high, highest }),
    };
  }

  /** The version of the topology to send to the server; below 0: none. */
  get topologyEtag(): number {
    return this.options.learnsNodes ? this.#topologyEtag : -1;
  }

  /** The path of a route of the database. A route that begins with `/` is one of the server. */
  route(route: string): string {
    return route.startsWith("/") ? route : this.base + route;
  }

  add(url: string): void {
    this.#core.add(this.texts.url(url));
  }

  /** Begins a newer topology. Its nodes are added one by one afterwards, the app's own addresses last. */
  beginTopology(etag: number): void {
    this.#topologyEtag = etag;
    this.#core.beginTopology();
  }

  topology(): CoreTask {
    return new CoreTask(this, this.#core.topology());
  }

  /**
   * A request of the app. `accepts` says which responses are results; `wait`: how long the server may wait before it responds, in
   * milliseconds; `turn`: for reads that go to the nodes in turn, the number of the turn.
   */
  request(request: CoreRequest, accepts: (response: CoreResponse) => boolean, wait = 0, turn = -1): CoreTask {
    const task = this.#core.request(request.repeat, request.node, wait, turn);
    return new CoreTask(this, task, { purpose: [PURPOSE_OTHER], exchange: single(request, accepts) });
  }

  /**
   * Takes the database's incarnation from a response. Returns whether the database was replaced: then every number in memory is burnt.
   */
  updateIncarnation(incarnation: string): boolean {
    const isRenewed = this.#core.updateIncarnation(this.texts.incarnation(incarnation));
    if (isRenewed) for (const counter of this.#counters) counter.surrender();
    return isRenewed;
  }

  /** Stops issuing numbers: empties every counter, synchronously. */
  close(): void {
    this.#core.close();
  }

  /** The next request that returns unused numbers, until there is none; see `Store` in `wasm/src/store.rs`, here and below. */
  giveBack(refence: boolean): CoreTask | undefined {
    const task = this.#core.giveBack(refence);
    return task && new CoreTask(this, task);
  }

  on(event: number, detail: number): number {
    return this.#core.on(event, detail);
  }

  /** Adds a tag, whose numbers the counter is supplied with; returns its number. */
  addTag(tag: string, counter: Counter, keep: number, capacity: number): number {
    checkTag(tag, this.options.separator);
    const number = this.#core.addTag(keep, capacity);
    this.#counters[number] = counter;
    this.texts.tags[number] = tag;
    return number;
  }

  ofTag(name: TagMethod, tag: number, ...args: number[]): unknown {
    const method = this.#core[name] as (tag: number, ...args: number[]) => unknown;
    const result = method.call(this.#core, tag, ...args);
    return name === "letGo" && result ? new CoreTask(this, result as GlueTask) : result;
  }
}

/** What the core's stores and tasks ask of their host. */
export interface CoreHost {
  /** One attempt of a request, given up after `limit` milliseconds. */
  send(
    method: string,
    url: string,
    body: string | Uint8Array | Transport | undefined,
    ifMatch: string | undefined,
    topologyEtag: number,
    limit: number,
  ): Promise<Reply>;
  /** The reply to a request that has left before there was a core, within `limit` milliseconds; `undefined`: it has not. */
  takeEarly(key: string, limit: number): Promise<Reply> | undefined;
  /** Moves numbers between memory and the pool. The task decides about the record. */
  move(texts: KnownTexts, tag: number, strict: boolean): (enter: EnterTask) => Promise<Reply>;
  pause(millis: number): Promise<Reply>;
  topology(text: string): void;
  /** Calls the listeners of an event of the store. */
  emit(event: string, detail: object): void;
}
