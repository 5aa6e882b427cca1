// The WebAssembly core as the package sees it. Types alone: the only file that names the classes of the generated glue.

import type { glueOf, Session, Store, Task } from "../../gen/raven_edge.js";
import type { CoreTask } from "../core/core-task.js";

/** What an entry's glue gives. */
export type Glue = ReturnType<typeof glueOf>;

export type GlueSession = Session;
export type GlueStore = Store;
export type GlueTask = Task;

/**
 * What a task gets for what it waited for: an HTTP status or a number `REPLY_…`, the body, and, depending on the status, the
 * incarnation of the database or the reason of a failure. `cause`: the error of the platform or the app.
 */
export type Reply = [status: number, body: Uint8Array, text?: string | undefined, cause?: unknown];

/** Calls a method of a task while its instance is alive. */
export type EnterTask = Entry<[call: (task: CoreTask) => unknown], unknown>;

/** What a task waits for: a promise, or a function that asks the task itself before it answers. */
export type Wait = Promise<Reply> | ((enter: EnterTask) => Promise<Reply>);

/** A function that throws instead of entering an instance that has died since. */
export type Entry<Arguments extends unknown[], Result> = ((...args: Arguments) => Result) & {
  /** Whether the instance is the one in use, and works. */
  alive(): boolean;
};

/** The methods of a store that concern one of its tags, with their arguments after its number. */
interface TagMethods {
  ask(group: number, want: number, count: number, limit: number, rest: number): number;
  fork(): number;
  letGo(keep: number): CoreTask | undefined;
  notify(group: number, event: number, caller: number, rest: number): void;
  status(at: number): number;
  surrender(): void;
  wanted(group: number, rest: number): boolean;
}

/** The names of these methods. */
export type TagMethod = keyof TagMethods;

/** Calls a method of a store that concerns one of its tags, unless the instance has died since. */
export interface EnterTag {
  <Name extends TagMethod>(name: Name, ...args: Parameters<TagMethods[Name]>): ReturnType<TagMethods[Name]>;
  /** Whether the instance is the one in use, and works. */
  alive(): boolean;
}
