// The WebAssembly core as the package sees it. Types alone: the only file that names the classes of the generated glue.

import type { Generator, glueOf, Session, Store, Task } from "../../gen/raven_edge.js";

/** What an entry's glue gives. */
export type Glue = ReturnType<typeof glueOf>;

export type CoreStore = Store;
export type CoreSession = Session;
export type CoreTask = Task;
export type CoreGenerator = Generator;

/**
 * What a task gets for what it waited for: an HTTP status or a number `REPLY_…`, the body, and, depending on the status, the
 * incarnation of the database or the reason of a failure.
 */
export type Reply = [status: number, body: Uint8Array, text?: string];

/** Calls a method of a task while its instance is alive. */
export type EnterTask = Entry<[method: "step" | "decide" | "free", input: readonly unknown[]], unknown>;

/** What a task waits for: a promise, or a function that asks the task itself before it answers. */
export type Wait = Promise<Reply> | ((enter: EnterTask) => Promise<Reply>);

/** A function that throws instead of entering an instance that has died since. */
export type Entry<Arguments extends unknown[], Result> = ((...args: Arguments) => Result) & {
  /** Whether the instance is the one in use, and works. */
  alive(): boolean;
};

/** Calls a method of a generator, unless its instance has died since. */
export interface EnterGenerator {
  <Name extends keyof Generator>(
    name: Name,
    ...args: Parameters<Generator[Name]>
  ): ReturnType<Generator[Name]>;
  /** Whether the instance is the one in use, and works. */
  alive(): boolean;
}
