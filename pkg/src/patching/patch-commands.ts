// The commands of patches by methods of `session.advanced` (`patch`, `increment`, `addOrPatch` …): the next `saveChanges` sends them,
// several patches of one document as one command.

import { isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { Entity } from "../documents/entity-types.js";
import { CLASS, NESTED } from "../documents/snapshots/snapshot-values.js";
import { SERVERS } from "../documents/snapshots/snapshots.js";
import type { NamedCall } from "../named/named-calls.js";
import { loadedPart, loadPart } from "../runtime/load-part.js";
import type { ICommandData } from "../saving/batch-commands.js";
import { Advanced } from "../session/advanced.js";
import type { SessionState } from "../session/session-state.js";
import type { EntityKind } from "../store/conventions.js";
import { PatchCommandData, PatchRequest } from "./patch-request.js";
import { JavaScriptArray, JavaScriptMap, place, type ScriptClass } from "./script-arrays-and-maps.js";

/** A command of scripts alone: another script can be appended. */
class ScriptCommand extends PatchCommandData {}

type ScriptOf = typeof JavaScriptArray | typeof JavaScriptMap;

/** Writes the assignment of a value to a path. */
type Write = (path: string, value: string) => string;

const assigned: Write = (path, value) => `${path} = ${value}`;
const added: Write = (path, value) => `${path} = ${path} ? ${path} + ${value} : ${value}`;

const request = (script: string, values: Record<string, unknown>): PatchRequest =>
  Object.assign(new PatchRequest(), { script, values });

export class Patches extends Advanced {
  #state;
  /** Counters of values and of lists, which make different names within a command. */
  #values = 0;
  #lists = 0;
  /** The session's deferred commands, how many of them were seen, and the last command of each document. */
  #list: readonly ICommandData[] | undefined;
  #seen = 0;
  #lasts: Map<string, ICommandData> | undefined;

  constructor(state: SessionState) {
    super(state);
    this.#state = state;
  }

  patch(target: object | string, path: string | NamedCall, value?: unknown): void {
    if (isObject(path)) this.#named(target, path);
    else this.#append(target, () => this.#one(assigned, path as string, value, ";"));
  }

  increment(target: object | string, path: string, value: unknown): void {
    this.#append(target, () => this.#one(added, path, value, ";"));
  }

  patchArray(target: object | string, path: string, change: (array: JavaScriptArray<never>) => void): void {
    this.#append(target, () => this.#several(JavaScriptArray, path, change));
  }

  patchObject(
    target: object | string,
    path: string,
    change: (map: JavaScriptMap<never, never>) => void,
  ): void {
    this.#append(target, () => this.#several(JavaScriptMap, path, change));
  }

  addOrPatch(id: string, entity: object, path: string, value: unknown): void {
    this.#add(id, entity as Entity, this.#one(assigned, path, value, ""));
  }

  addOrIncrement(id: string, entity: object, path: string, value: unknown): void {
    this.#add(id, entity as Entity, this.#one(added, path, value, ""));
  }

  addOrPatchArray(
    id: string,
    entity: object,
    path: string,
    change: (array: JavaScriptArray<never>) => void,
  ): void {
    this.#add(id, entity as Entity, this.#several(JavaScriptArray, path, change));
    this.#values++;
  }

  /** Before a save with named patches their part is loaded; if that fails, the save rejects. */
  override saveChanges(): Promise<void> {
    const state = this.#state;
    if (!loadedPart("named") && state.unitOfWork.deferred.some((command) => "named" in command))
      state.inOrder(() => loadPart("named"), "saveChanges").catch(() => {});
    return super.saveChanges();
  }

  #named(target: object | string, call: NamedCall): void {
    const state = this.#state;
    const command: PatchCommandData = new PatchCommandData(this.#id(target), null, request("", {}));
    const serialize = () => {
      const part = loadedPart("named") ?? fail("LoadFailed", "the code of named patches cannot be loaded");
      return part.serialized(state, command, call);
    };
    Object.assign(command, { named: call, serialize });
    if (loadedPart("named")) serialize();
    state.unitOfWork.storedCommand(command);
  }

  #one(write: Write, path: string, value: unknown, end: string): PatchRequest {
    const member = place(path);
    const name = `val_${this.#values++}`;
    return request(write(member, `args.${name}`) + end, { [name]: value });
  }

  #several(Script: ScriptOf, path: string, change: (script: never) => void): PatchRequest {
    const made = new (Script as object as ScriptClass<JavaScriptArray>)(this.#lists++, path);
    change(made as never);
    return request(made.script, made.parameters);
  }

  #append(target: object | string, make: () => PatchRequest): void {
    const state = this.#state;
    const id = this.#id(target);
    const { script, values } = make();
    const last = this.#last(idKey(id));
    if (!(last instanceof ScriptCommand) || state.isSealed(last)) {
      state.unitOfWork.storedCommand(new ScriptCommand(id, null, request(script, values)));
      return;
    }
    last.patch.script += `\n${script}`;
    Object.assign(last.patch.values, values);
  }

  /** The last deferred command of a document. A script must not be moved in front of a command of another kind. */
  #last(key: string): ICommandData | undefined {
    const { deferred } = this.#state.unitOfWork;
    if (deferred !== this.#list) {
      this.#list = deferred;
      this.#lasts = new Map();
      this.#seen = 0;
    }
    for (; this.#seen < deferred.length; this.#seen++) {
      const command = deferred[this.#seen] as ICommandData;
      if (command.id) this.#lasts?.set(idKey(command.id), command);
    }
    return this.#lasts?.get(key);
  }

  #id(target: unknown): string {
    if (!isObject(target)) {
      if (isText(target)) return target;
      fail(target === null ? "InvalidOperation" : "InvalidArgument", "a patch takes an entity or an id");
    }
    const { unitOfWork } = this.#state;
    const slot = this.#state.slot(target);
    if (unitOfWork.isNew(slot)) fail("InvalidArgument", "the entity was never saved: change it, and save it");
    return unitOfWork.idAt(slot);
  }

  #add(id: string, entity: Entity, patch: PatchRequest): void {
    const state = this.#state;
    if (!isObject(entity)) fail("InvalidArgument", "this takes the document to create if there is none");
    const command = new PatchCommandData(id, null, patch);
    // Listeners that hide members from saved documents hide them here, too.
    const event = { session: state.session, id, entity };
    state.emit("beforeConversionToDocument", event);
    const { document, metadata: notes } = state.mapper.document(entity);
    const create = ({ collection, name }: EntityKind): void => {
      const shown = Object.entries(entity["@metadata"] ?? {}).filter(([key]) => !SERVERS.has(key));
      const kind = { "@collection": collection || undefined, [CLASS]: name || undefined };
      const metadata = { ...Object.fromEntries(shown), ...kind, [NESTED]: undefined, ...notes };
      const made = { value: { ...document, "@metadata": metadata } };
      state.emit("afterConversionToDocument", { ...event, document: made });
      command.createIfMissing = made.value;
    };
    const known = state.conventions.describe(entity);
    if (known) create(known);
    else {
      // A save that is called later runs after this: both are queued.
      state
        .inOrder(async () => create((await state.conventions.load(entity)) as EntityKind), "addOrPatch")
        .catch((error: unknown) => {
          command.serialize = () => {
            throw error;
          };
        });
    }
    state.unitOfWork.storedCommand(command);
  }
}
