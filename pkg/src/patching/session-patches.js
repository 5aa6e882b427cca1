// What a session can do besides its daily work, patches included: they travel with the next `saveChanges`, several of one document as one command.

import { isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { CLASS, NESTED } from "../documents/snapshot-values.js";
import { SERVERS } from "../documents/snapshots.js";
import { Advanced } from "../session/advanced.js";
import { PatchCommandData, PatchRequest } from "./patch-request.js";
import { JavaScriptArray, JavaScriptMap, place } from "./patch-script.js";

/** Nothing but a script, which another one can follow. */
class ScriptCommand extends PatchCommandData {}

const assigned = (path, value) => `${path} = ${value}`;
const added = (path, value) => `${path} = ${path} ? ${path} + ${value} : ${value}`;

const request = (script, values) => Object.assign(new PatchRequest(), { script, values });

export class Patches extends Advanced {
  #unit;
  /** How many values and how many lists have been named: names must differ within a command. */
  #values = 0;
  #lists = 0;
  /** The session's deferred commands, how many of them were seen, and the last of each document. */
  #list;
  #seen = 0;
  #lasts;

  constructor(unit) {
    super(unit);
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
    const { script, values } = make();
    const last = this.#last(idKey(id));
    if (!(last instanceof ScriptCommand) || unit.underWay.includes(last)) {
      unit.deferred.push(new ScriptCommand(id, null, request(script, values)));
      return;
    }
    last.patch.script += `\n${script}`;
    Object.assign(last.patch.values, values);
  }

  /** What was deferred for a document last: behind anything else a script must not be put in front of it. */
  #last(key) {
    const { deferred } = this.#unit;
    if (deferred !== this.#list) {
      this.#list = deferred;
      this.#lasts = new Map();
      this.#seen = 0;
    }
    for (; this.#seen < deferred.length; this.#seen++) {
      const command = deferred[this.#seen];
      if (command.id) this.#lasts.set(idKey(command.id), command);
    }
    return this.#lasts.get(key);
  }

  #id(target) {
    if (!isObject(target)) {
      if (isText(target)) return target;
      fail(target === null ? "InvalidOperation" : "InvalidArgument", "a patch takes an entity or an id");
    }
    const { tracker } = this.#unit;
    const slot = this.#unit.slot(target);
    if (tracker.isNew(slot)) fail("InvalidArgument", "the entity was never saved: change it, and save it");
    return tracker.idAt(slot);
  }

  #add(id, entity, patch) {
    const unit = this.#unit;
    if (!isObject(entity)) fail("InvalidArgument", "this takes the document to be made where there is none");
    const command = new PatchCommandData(id, null, patch);
    // Whoever hides what is saved hides it here, too.
    const event = { session: unit.session, id, entity };
    unit.emit("beforeConversionToDocument", event);
    const { document, metadata: notes } = unit.shape.document(entity);
    const create = ({ collection, name }) => {
      const shown = Object.entries(entity["@metadata"] ?? {}).filter(([key]) => !SERVERS.has(key));
      const kind = { "@collection": collection || undefined, [CLASS]: name || undefined };
      const metadata = { ...Object.fromEntries(shown), ...kind, [NESTED]: undefined, ...notes };
      const made = { value: { ...document, "@metadata": metadata } };
      unit.emit("afterConversionToDocument", { ...event, document: made });
      command.createIfMissing = made.value;
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
