// Some members give their object at once, also while its code is still being loaded: the calls are made when it is there. Such an object has
// the methods of its table (`declared-members.ts`) and no others.

import type { PartName } from "../capabilities/capabilities.js";
import type { SessionPart } from "../capabilities/session-part.js";
import { fail } from "../common/error.js";
import { attachmentNames } from "../documents/listed-names.js";
import { Lazy, type Load } from "../loading/lazy-operations.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { SessionState } from "../session/session-state.js";
import { LAZILY, OF_SESSIONS, OF_STORES, type Tables } from "./declared-members.js";
import { loadedPart, loadPart } from "./load-part.js";

/** @internal */
export type Methods = Record<string, (...given: unknown[]) => unknown>;
type Call = (member: string, given: unknown[]) => unknown;

/** Makes a call when the code is there. */
type Run = (member: string, given: unknown[]) => Promise<unknown>;

/** Adds methods to an object; `names`: with spaces between them. */
function add(made: object, names: string, call: Call): void {
  for (const name of names.split(" ")) (made as Methods)[name] = (...given: unknown[]) => call(name, given);
}

/** An object with the methods of a table. `own`: what calls of methods do, by the kind of the method. */
function standIn<Made extends object>(
  tables: Tables,
  name: string,
  run: Run,
  own: Record<string, Call>,
): Made {
  const made = {};
  const calls: Record<string, Call> = {
    read: run,
    refused: () => false,
    chain(member, given) {
      const [event, listener] = given as [string, (error: unknown) => void];
      run(member, given).catch((error) => event === "error" && listener(error));
      return made;
    },
    ...own,
  };
  for (const [kind, names] of Object.entries(tables[name] ?? {}))
    add(
      made,
      names,
      calls[kind] ?? ((member, given) => promised(tables, kind, run(member, given) as Promise<object>)),
    );
  return made as Made;
}

/** Stands for a promised object, and inherits all from it when it is there. Members that the app sets until then are set in it. */
export function promised<Made extends object>(tables: Tables, name: string, loading: Promise<object>): Made {
  const run: Run = async (member, given) => ((await loading) as Methods)[member]?.(...given);
  const command: Call = (member, given) => {
    run(member, given).catch(() => {});
  };
  const made = standIn<Made>(tables, name, run, { command });
  loading.then(
    (object) => {
      Object.setPrototypeOf(made, object);
      for (const [name, value] of Object.entries(made)) {
        Reflect.deleteProperty(made, name);
        if (typeof value !== "function") Reflect.set(object, name, value);
      }
    },
    () => {},
  );
  return made;
}

/** The parts that make an object of a store. */
type StorePart = "bulkInsert" | "hilo" | "subscriptions" | "timeSeries";

/** The object that a part makes of a store. */
export function ofStore<Value extends object>(part: StorePart, store: object, ...given: unknown[]): Value {
  const make = (loaded: object) =>
    (loaded as { ofStore(...given: unknown[]): object }).ofStore(store, ...given);
  const loaded = loadedPart(part);
  return (loaded ? make(loaded) : promised(OF_STORES, part, loadPart(part).then(make))) as Value;
}

/** A call of a method before its code was loaded. `given`: the app's arguments for the part's `of`; `more`: those of the method. */
export type EarlyCall = readonly [part: PartName, given: unknown[], member: string, more: unknown[]];

/** The call of a method that changes what the next save sends. It is made in its place among the deferred commands. */
export interface RecordedCall extends ICommandData {
  readonly call: EarlyCall;
}

function tooLate(): never {
  fail("InvalidOperation", "the session was changed while its changes were written: save again");
}

export const isRecorded = (command: ICommandData): command is RecordedCall => command.serialize === tooLate;

/** Whether a deferred command counts as a change of the session. As in npm `ravendb`, values of compare exchange do not. */
export const isChange = (command: ICommandData): boolean =>
  !isRecorded(command) || command.call[0] !== "cluster";

/** Makes the calls that are recorded. What they would throw at the app refuses the next save, once. */
export async function replay(state: SessionState): Promise<void> {
  await (await loadPart("capabilities")).replay(state);
}

/** The object of a part in a session. `given`: the app's arguments for `of`. */
export function capabilityOf<Made extends object>(
  state: SessionState,
  part: PartName,
  ...given: unknown[]
): Made {
  const loaded: SessionPart | undefined = loadedPart(part);
  if (loaded) return loaded.of?.(state, ...(given as never[])) as Made;
  const read: Run = async (member, more) =>
    (await loadPart("capabilities")).makeCall(state, [part, given, member, more]);
  const command: Call = (member, more) => {
    const call: EarlyCall = [part, given, member, more];
    const recorded: RecordedCall = { type: "", call, serialize: tooLate };
    state.unitOfWork.storedCommand(recorded);
    // In order: the app may have stored the document that it is about. If the code cannot be loaded, the save tries again.
    state.runOrQueue(() => replay(state), member).catch(() => {});
  };
  const made: Call = (member, more) => {
    const [key, value] = more;
    // The code completes it when it is loaded.
    const created = { key, value, index: 0, metadata: {}, hasMetadata: () => false };
    command(member, [...more, created]);
    return created;
  };
  const needsNoCode =
    part === "attachments"
      ? { getNames: (entity: object) => attachmentNames(state, entity) }
      : part in LAZILY && { lazily: lazies(state, part as keyof typeof LAZILY) };
  return Object.assign(standIn<Made>(OF_SESSIONS, part, read, { command, made }), needsNoCode);
}

/** `lazily` of such an object: the code is loaded when the values are requested. */
export function lazies<Made extends object>(state: SessionState, part: keyof typeof LAZILY): Made {
  const made = {};
  add(
    made,
    LAZILY[part],
    (member, given) =>
      new Lazy(state, async () => {
        const loaded: SessionPart = await loadPart(part);
        return loaded.lazy?.(state, member, given) as Load;
      }),
  );
  return made as Made;
}
