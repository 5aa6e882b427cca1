// The order of a session's operations, and their calls into the core.

import { fail } from "../common/error.js";
import { CoreSession } from "../core/core-session.js";
import type { CoreStore } from "../core/core-store.js";
import type { CoreTask } from "../core/core-task.js";
import type { CommandRequest, CommandResponse } from "../operations/operation-types.js";
import type { PlatformRuntime } from "../runtime/platform.js";
import { run } from "../runtime/run-task.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { TracedWork } from "../tracing/trace-types.js";
import { ask } from "../wire/command-request.js";
import type { StreamedBody } from "../wire/http-request.js";
import { HeldResponse } from "../wire/response-body.js";
import type { EarlyOperations } from "./early-operations.js";
import type { AttachedSession, SessionOfEvents } from "./session-events.js";
import type { SessionOptions } from "./session-options.js";
import type { SessionStore } from "./session-store.js";

/** Drops the response to a request that was sent early, if it was not used; falsy: none was. */
type Drop = (() => void) | false | undefined;

/** Calls the core, while the session is open and its instance is alive. */
type EnterSession = <Result>(entry: (core: CoreSession) => Result) => Result;

/** As `Runtime.bound` makes it. */
type BoundEnter = EnterSession & { alive(): boolean };

export class SessionCore {
  #core: CoreSession | undefined;
  #store: CoreStore | undefined;
  /** The end of the last operation; `undefined`: none is under way. */
  #last: Promise<void> | undefined;
  #disposed = false;
  /** Calls the core; `undefined` before the session is open. */
  declare enter: EnterSession;
  /** Whether the store knows that this session has ids that are not saved. */
  #remembered = false;
  #self: WeakRef<AttachedSession> | undefined;
  requests = 0;
  declare maxRequests: number;
  /** Whether a save has failed. */
  hasFailed = false;
  /** Whether `beforeStore` listeners are running. */
  listening = false;
  declare readonly store: SessionStore;
  declare readonly runtime: PlatformRuntime;
  declare readonly conventions: DocumentConventions;
  declare readonly options: SessionOptions;
  declare session: SessionOfEvents;
  /** The save to whose span requests belong. */
  declare work: TracedWork | undefined;

  constructor(store: SessionStore, options: SessionOptions) {
    this.store = store;
    this.options = options;
    this.runtime = store.runtime;
    this.conventions = store.conventions;
    this.maxRequests = store.settings.maxNumberOfRequestsPerSession;
  }

  /** Sets the session to which this state belongs. */
  attach(session: AttachedSession): void {
    this.session = session as SessionOfEvents;
    this.#self = globalThis.WeakRef && new WeakRef(session);
  }

  /** Runs an operation in a span, if there are listeners: its requests belong to it. */
  traced(name: string, run: () => Promise<void>): Promise<void> {
    return this.store.traced(name, (work) => {
      this.work = work;
      return run();
    });
  }

  /** Whether an operation can be done synchronously: nothing is under way, and the core is there. */
  get idle(): boolean {
    return (
      (this.#last === undefined || this.listening) &&
      !this.#disposed &&
      this.#core !== undefined &&
      this.store.isAlive(this.#store)
    );
  }

  /**
   * The app calls a method that is no use after `dispose()` if the app has not forgotten an `await`. As in npm `ravendb`, the session goes on
   * working.
   */
  use(method: string): void {
    if (!this.#disposed) return;
    this.conventions.warn(`${method}() after dispose() of its session: is an await missing?`, "dispose");
    this.rememberUnsaved();
  }

  /**
   * Runs an operation after those that were called before it. `method`: what the app has called. Only the caller waits for the promise:
   * else V8 would not show the functions of the app in the stack of an error. `early`: if it is the session's first one, sends requests
   * of it that need no core; returns a function that drops what was not used.
   */
  async inOrder<Result>(
    operation: () => Result | Promise<Result>,
    method: string,
    early?: (operations: EarlyOperations) => Drop,
  ): Promise<Result> {
    this.use(method);
    const before = this.#last;
    let end: (() => void) | undefined;
    const last = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last = last;
    let drop: Drop;
    try {
      if (before) await before;
      else if (this.store.early) drop = this.runtime.early && early?.(this.runtime.early);
      await this.open();
      return await operation();
    } finally {
      if (this.#last === last) this.#last = undefined;
      if (drop) drop();
      end?.();
    }
  }

  /** Runs listeners of a save that has not been sealed: documents that they store and delete belong to it. */
  whileListening<Result>(run: () => Result): Result {
    this.listening = true;
    try {
      return run();
    } finally {
      this.listening = false;
    }
  }

  /** Runs an operation in order; calls of `beforeStore` listeners run at once. */
  runOrQueue<Result>(
    operation: () => Promise<Result>,
    method: string,
    early?: (operations: EarlyOperations) => Drop,
  ): Promise<Result> {
    return this.listening ? operation() : this.inOrder(operation, method, early);
  }

  async open(): Promise<void> {
    const store = await this.store.core();
    // A session ends with its WebAssembly instance: this call throws if another instance is in use.
    if (this.#core) return this.enter(() => {});
    const turn = this.store.settings.readBalanceBehavior === "RoundRobin" ? this.store.nextTurn() : undefined;
    const core = new CoreSession(store, turn);
    this.#core = core;
    this.#store = store;
    this.enter = this.runtime.bound((entry: (core: CoreSession) => unknown) => entry(core)) as EnterSession;
  }

  /** The app disposes of the session; returns whether it does so for the first time. */
  close(): boolean {
    const open = !this.#disposed;
    this.forgetUnsaved();
    this.#disposed = true;
    // Operations that are under way still need the core.
    if (this.#last === undefined) this.#free();
    else this.#last.then(() => this.#free());
    return open;
  }

  /**
   * Frees the core: WebAssembly would keep it until the garbage collector runs. A session that is used once more gets another one, which
   * knows nothing of saves that have failed: what the first one knows of them stays.
   */
  #free(): void {
    // If there is a core, `open` has set this function.
    const enter = this.enter as BoundEnter;
    if (this.#core === undefined || this.hasFailed) return;
    this.#core = undefined;
    this.enter = () => fail("Disposed", "the session was disposed");
    if (enter.alive()) enter((core) => core.free());
  }

  /** Counts a request of this session. */
  count(): void {
    if (++this.requests <= this.maxRequests) return;
    fail(
      "InvalidOperation",
      `this session has made its ${this.maxRequests} requests (maxNumberOfRequestsPerSession): load ids together, save once, or raise the limit`,
    );
  }

  /** Runs a task; resolves with what `read` makes of its response. */
  async run<Result>(task: CoreTask, read: (response: HeldResponse) => Result): Promise<Result> {
    try {
      this.count();
    } catch (error) {
      // On engines without finalizers WebAssembly would keep the task forever.
      this.enter(() => task.free());
      throw error;
    }
    // Its own: a request that the app no longer waits for may still be under way.
    const response = new HeldResponse();
    const keep = (bytes: Uint8Array, status: number) =>
      status === 200 || status === 201 ? response.take(bytes as Uint8Array<ArrayBuffer>) : bytes;
    await run(this.runtime, task, undefined, keep, this.work, this.options.noCaching);
    return read?.(response);
  }

  /** Sends a command; resolves with status and text of the response. `take` gets the body of a stream. */
  ask(command: CommandRequest, take?: (body: StreamedBody) => Uint8Array): Promise<CommandResponse> {
    return ask(this.store, command, take, this.work);
  }

  /** Registers this session at the store: it has ids that are not saved. */
  rememberUnsaved(): void {
    if (this.#remembered || !this.#self) return;
    this.#remembered = true;
    this.store.addUnsaved(this.#self);
  }

  /** The session has saved its ids, or is closed. */
  forgetUnsaved(): void {
    this.#remembered = false;
    if (this.#self) this.store.forgetUnsaved(this.#self);
  }
}
