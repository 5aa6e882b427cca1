// How a capability that is loaded when it is first used takes part in a session. Types alone. A capability joins like this:
//
// 1. Its module is a part (`Parts` in `entries/parts/later.ts`; `capabilities-later.ts`, `included.ts` beside it). `capabilities.ts` has
//    the word that is in its commands' types, in the names of its includes and in the members of responses that are its own: "Counter" is
//    in `Counters`, `includeAllCounters` and `CounterIncludes`. `runtime/declared-members.ts` has the table of its object's methods.
// 2. The module exports what it needs of `SessionPart`. `capabilityOf` gives the app its object, also before the module is loaded: calls of
//    methods that change what is saved are recorded among the deferred commands, and made before a save is sealed.
// 3. Commands go into a save by `unitOfWork.storedCommand`: they are in the save's batch, `hasChanges()` counts them, `clear()` removes them, and
//    a save that fails keeps them. A command about a document without changing it has a type that is not `WRITING` (`saving/batch-commands.ts`).
// 4. What it keeps of a session is in `unitOfWork.kept` under its name (`Kept`): `clear()` removes it, `evict` and `delete` remove what is
//    about their document. `refresh`, `whatChanged` and `hasChanged` are about documents alone.
// 5. Includes need nothing but `parameters`, `rql` and `include` here, and their methods in `IncludeBuilder`.

import type { IncludeCall } from "../common/arguments.js";
import type { Load } from "../loading/lazy-operations.js";
import type { ResponseBody } from "../loading/request-documents.js";
import type { Batch } from "../saving/batch.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";
import type { Parameter } from "../wire/query-string.js";

/** A revision that a save makes of a document that it writes. */
export interface ForcedRevision extends ICommandData {
  readonly strategy: string;
}

/** What a capability keeps of a session. */
export interface Kept {
  /** Removes what is about a document, by the key of its id. */
  delete(key: string): unknown;
  /** Commands that the next save sends besides deferred ones, if there are any. The batch keeps those that it got when it was sealed. */
  commands(): readonly ICommandData[];
  /** A save writes a document: the revision that it makes of it, if it makes one. */
  revisionOf?(id: string): ForcedRevision | undefined;
  /** The revision was made. */
  saved?(revision: ICommandData): void;
}

/** Sends a batch; `body`: instead of its text. Resolves with the text of the response. */
export type SendBatch = (body?: unknown) => Promise<string>;

/** What a load has asked for. */
export interface AskedIncludes {
  calls: readonly IncludeCall[];
  /** The ids of the documents that were requested. */
  ids: readonly string[];
}

/** How a part of a query is written in RQL. */
export interface RqlWriter {
  /** Adds a parameter; returns its name with `$`. */
  parameter(value: unknown): string;
  /** A path to a field of documents. */
  path(path: string): string;
}

/** The module of a capability. Members that it does not need are absent. */
export interface SessionPart {
  /** Its object in a session, for the app; `given`: the app's arguments. */
  of?(state: SessionState, ...given: never[]): object;
  /** What a lazy value asks for, and how it is made: `member` of `lazily` of its object was called. */
  lazy?(state: SessionState, member: string, given: unknown[]): Load;
  /** Sends a batch with commands of its types, by calling `send` once. */
  send?(state: SessionState, batch: Batch, send: SendBatch): Promise<string>;
  /**
   * Applies the result of a command of its types that was saved. It is empty, or has nothing but `Type` and `Id`, if the response had no
   * results, and if the save is queued on the device.
   */
  applyResult?(state: SessionState, result: CommandResult, command: ICommandData): void;
  /** The parameters of `GET docs` for the includes of a load. Throws for a call that has no meaning. */
  parameters?(calls: readonly IncludeCall[]): Parameter[];
  /** The items of `include …` in RQL for a call in a query. Throws for a call that has no meaning. */
  rql?(call: IncludeCall, writer: RqlWriter): string[];
  /** Makes values of what a response has in its results. */
  results?(body: ResponseBody): void;
  /** Takes its members of a response. `asked`: what a load has asked for; absent: the response to a query says it. */
  include?(state: SessionState, body: ResponseBody, asked: AskedIncludes | undefined): void;
}
