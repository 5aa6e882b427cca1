// Revisions, which are loaded when they are first used.

import type { IncludeCall } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { isDate } from "../common/value-kinds.js";
import { utcText } from "../documents/mapping/date-format.js";
import { updateMetadata } from "../documents/metadata.js";
import type { ResponseBody } from "../loading/request-documents.js";
import { quoted } from "../rql/quoted-names.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";
import type { Parameter } from "../wire/query-string.js";
import { KeptRevisions } from "./kept-revisions.js";
import { LazyRevisions, SessionRevisions } from "./session-revisions.js";

export const of = (state: SessionState): SessionRevisions => new SessionRevisions(state);

export const lazy = (state: SessionState, member: string, given: unknown[]): LazyRevisions =>
  new LazyRevisions(state, member, given);

/** The path of a change vector in documents, or a time as text. */
function included([, given]: IncludeCall): string {
  if (isDate(given)) return utcText(given);
  if (typeof given === "string" && given.trim()) return given;
  return fail("InvalidArgument", "includeRevisions takes the path of a change vector, or a Date");
}

export function parameters(calls: readonly IncludeCall[]): Parameter[] {
  return calls.map((call) => [isDate(call[1]) ? "revisionsBefore" : "revisions", included(call)]);
}

export function rql(call: IncludeCall): string[] {
  return [`revisions(${quoted(included(call))})`];
}

export function include(state: SessionState, body: ResponseBody): void {
  KeptRevisions.of(state).take(body);
}

/** The result of a command that makes a revision. */
interface ForceRevisionResult extends CommandResult {
  RevisionCreated?: boolean;
}

/** A revision was made: the document has another change vector now. */
export function show(state: SessionState, result: ForceRevisionResult, command: ICommandData): void {
  KeptRevisions.of(state).saved(command);
  const { "@id": id = result.Id, "@change-vector": vector } = result;
  // Without an id there was a revision already.
  if (!id) return;
  const slot = state.unitOfWork.slot(id);
  if (slot < 0 || !vector || !result.RevisionCreated) return;
  state.unitOfWork.saved(slot, result);
  updateMetadata(state, [slot]);
}
