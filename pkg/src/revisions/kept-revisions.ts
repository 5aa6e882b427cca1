// What a session keeps of revisions: those that were included, and the documents of which the next save makes one.

import type { ForcedRevision, Kept } from "../capabilities/session-part.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { ServerDocument } from "../documents/entity-types.js";
import type { ResponseBody } from "../loading/request-documents.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { SessionState } from "../session/session-state.js";
import type { ForceRevisionStrategy } from "./revision-types.js";

const NAME = "revisions";

/** A revision in a response that includes it. */
interface IncludedRevision {
  Id?: string;
  ChangeVector: string;
  /** The time that the app has asked for. */
  Before?: string | null;
  Revision: ServerDocument | null;
}

/** A document of which the next save makes a revision. It is a command of its own if the save does not write the document. */
class ForceRevisionCommandData implements ForcedRevision {
  readonly type = "ForceRevisionCreation";
  /** Whether a save has sent it: what the app asks for from then on is for the next save. */
  isSent = false;

  constructor(
    readonly id: string,
    readonly strategy: ForceRevisionStrategy,
  ) {}

  serialize() {
    this.isSent = true;
    return { Id: this.id, Type: this.type };
  }
}

export class KeptRevisions implements Kept {
  /** By the keys of change vectors. */
  #byVector = new Map<string, ServerDocument | null>();
  /** By the keys of ids and the times, in milliseconds since 1970. */
  #byTime = new Map<string, Map<number, ServerDocument | null>>();
  #forced = new Map<string, ForceRevisionCommandData>();
  #state;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** What a session keeps. */
  static of(state: SessionState): KeptRevisions {
    const known = state.unitOfWork.kept.get(NAME);
    if (known instanceof KeptRevisions) return known;
    const made = new KeptRevisions(state);
    state.unitOfWork.kept.set(NAME, made);
    return made;
  }

  addIncluded({ RevisionIncludes }: ResponseBody): void {
    for (const { Id, ChangeVector, Before, Revision } of (RevisionIncludes ?? []) as IncludedRevision[]) {
      this.#byVector.set(idKey(ChangeVector ?? ""), Revision);
      if (Before && Id) this.#byTime.set(idKey(Id), new Map([[Date.parse(Before), Revision]]));
    }
  }

  /** The included revisions with these change vectors; `undefined` if one of them was not included. */
  withVectors(vectors: string[]): (ServerDocument | null)[] | undefined {
    const found = vectors.map((vector) => this.#byVector.get(idKey(vector)));
    return found.includes(undefined) ? undefined : (found as (ServerDocument | null)[]);
  }

  /** The included revision of a document before a time; `undefined` if there is none. */
  before(id: string, date: Date): ServerDocument | null | undefined {
    return this.#byTime.get(idKey(id))?.get(date.getTime());
  }

  /** The next save makes a revision of a document. */
  force(id: string, strategy: ForceRevisionStrategy): void {
    const known = this.#forced.get(idKey(id));
    if (known?.isSent === false && known.strategy !== strategy)
      fail(
        "InvalidOperation",
        `the next save makes a revision of ${id} with the strategy ${known.strategy}, not ${strategy}`,
      );
    if (known?.isSent !== false) this.#forced.set(idKey(id), new ForceRevisionCommandData(id, strategy));
  }

  revisionOf(id: string): ForceRevisionCommandData | undefined {
    const forced = this.#forced.get(idKey(id));
    return forced && Object.assign(forced, { isSent: true });
  }

  saved(forced: ICommandData): void {
    const key = idKey(forced.id ?? "");
    if (this.#forced.get(key) === forced) this.#forced.delete(key);
  }

  delete(key: string): void {
    this.#byTime.delete(key);
  }

  /** Documents that are saved bring their strategy along. */
  commands(): readonly ICommandData[] {
    const { unitOfWork, conventions, session } = this.#state;
    const isSaved = (key: string) => {
      const slot = unitOfWork.slotOfKey(key);
      if (slot < 0 || !unitOfWork.writes(slot)) return false;
      if (!unitOfWork.isNew(slot) && !unitOfWork.isChanged(slot)) return false;
      return !conventions.shouldIgnoreEntityChanges?.(session, unitOfWork.at(slot), unitOfWork.idAt(slot));
    };
    return [...this.#forced].filter(([key]) => !isSaved(key)).map(([, command]) => command);
  }
}
