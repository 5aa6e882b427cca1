// Patches of a session: they travel with the next `saveChanges`, several of one document as one command.

import { fold, SERVERS } from "../hot/tracker.js";
import { fail, RavenEdgeError } from "./error.js";
import { PatchCommandData, PatchRequest } from "./patch.js";
import { JavaScriptArray, JavaScriptMap, place } from "./script.js";
import { isObject } from "./unit.js";

/** Nothing but a script, which another one can follow. */
class ScriptCommand extends PatchCommandData {}

const assigned = (path, value) => `${path} = ${value}`;
const added = (path, value) => `${path} = ${path} ? ${path} + ${value} : ${value}`;

const request = (script, values) => Object.assign(new PatchRequest(), { script, values });

export class Patches {
  #unit;
  /** How many values and how many lists have been named: names must differ within a command. */
  #values = 0;
  #lists = 0;

  constructor(unit) {
    this.#unit = unit;
  }

  patch(target, path, value) {
    this.#append(target, () => this.#one(assigned, path, value, ";"));
  }

  increment(target, path, value) {
    this.#append(target, () => this.#one(added, path, value, ";"));
  }

  patchArray(target, path, change) {
    this.#append(target, () => this.#several(JavaScriptArray, path, change));
  }

  patchObject(target, path, change) {
    this.#append(target, () => this.#several(JavaScriptMap, path, change));
  }

  addOrPatch(id, entity, path, value) {
    this.#add(id, entity, this.#one(assigned, path, value, ""));
  }

  addOrIncrement(id, entity, path, value) {
    this.#add(id, entity, this.#one(added, path, value, ""));
  }

  addOrPatchArray(id, entity, path, change) {
    this.#add(id, entity, this.#several(JavaScriptArray, path, change));
    this.#values++;
  }

  #one(write, path, value, end) {
    const member = place(path);
    const name = `val_${this.#values++}`;
    return request(write(member, `args.${name}`) + end, { [name]: value });
  }

  #several(Script, path, change) {
    const made = new Script(this.#lists++, path);
    change(made);
    return request(made.script, made.parameters);
  }

  #append(target, make) {
    const unit = this.#unit;
    const id = this.#id(target);
    const next = make();
    // What was deferred for the document last: only then does the order stay.
    const last = unit.deferred.filter((command) => command.id && fold(command.id) === fold(id)).pop();
    if (!(last instanceof ScriptCommand) || unit.sending.includes(last)) {
      unit.deferred.push(new ScriptCommand(id, null, next));
      return;
    }
    const before = last.patch;
    const merged = request(`${before.script}\n${next.script}`, { ...before.values, ...next.values });
    unit.deferred = unit.deferred.filter((command) => command !== last);
    unit.deferred.push(new ScriptCommand(last.id, null, merged));
  }

  #id(target) {
    if (!isObject(target)) {
      if (typeof target === "string" && target.trim() !== "") return target;
      fail(target === null ? "InvalidOperation" : "InvalidArgument", "a patch takes an entity or an id");
    }
    const { tracker } = this.#unit;
    const slot = this.#unit.slot(target, "InvalidOperation");
    if (tracker.isNew(slot)) fail("InvalidArgument", "the entity was never saved: change it, and save it");
    return tracker.idAt(slot);
  }

  #add(id, entity, patch) {
    const unit = this.#unit;
    if (!isObject(entity)) fail("InvalidArgument", "this takes the document to be made where there is none");
    const command = new PatchCommandData(id, null, patch);
    const { document, metadata: notes } = unit.shape.document(entity);
    const create = ({ collection, name }) => {
      const shown = Object.entries(entity["@metadata"] ?? {}).filter(([key]) => !SERVERS.has(key));
      const kind = { "@collection": collection || undefined, "Raven-Node-Type": name || undefined };
      const metadata = { ...Object.fromEntries(shown), ...kind, ...notes };
      command.createIfMissing = { ...document, "@metadata": metadata };
    };
    const known = unit.conventions.describe(entity);
    if (known) create(known);
    else {
      // Before the save, which waits for its turn, too.
      unit
        .inOrder(async () => create(await unit.conventions.load(entity)))
        .catch((error) => {
          command.serialize = () => {
            throw error;
          };
        });
    }
    unit.deferred.push(command);
  }
}

/** After a save: entities whose documents were patched are what the server has now. Gives their slots. */
export function follow(unit, text) {
  const patched = [];
  for (const { Id, ModifiedDocument, PatchStatus, ChangeVector, LastModified } of results(text)) {
    const slot = ModifiedDocument && /^(Patched|Created)$/.test(PatchStatus) ? unit.tracker.slot(Id) : -1;
    if (slot < 0) continue;
    const stamp = {
      "@id": unit.tracker.idAt(slot),
      "@change-vector": ChangeVector,
      "@last-modified": LastModified,
    };
    const metadata = { ...ModifiedDocument["@metadata"], ...stamp };
    unit.revise(slot, { ...ModifiedDocument, "@metadata": metadata });
    patched.push(slot);
  }
  return patched;
}

/** RavenDB may store what is no JSON (`1.`). */
function results(text) {
  try {
    return JSON.parse(text).Results;
  } catch (cause) {
    const message = `what was patched cannot be read, advanced.refresh() may: ${cause.message}`;
    throw Object.assign(new RavenEdgeError("BadAnswer", message, { cause }), { outcome: "saved" });
  }
}
