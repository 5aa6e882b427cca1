// Members of a session whose code is loaded when they are first used: `capabilities/session-part.ts` says how.

import { attachmentNames } from "../attachments/attachment-names.js";
import type { AttachmentsSessionOperations } from "../attachments/attachment-types.js";
import { standIn } from "../capabilities/stand-in.js";
import type { IClusterTransactionOperations } from "../cluster/cluster-transaction-types.js";
import { type ErrorCode, fail } from "../common/error.js";
import type { ISessionDocumentCounters } from "../counters/counter-types.js";
import { metadata } from "../documents/metadata.js";
import type { IRevisionsSessionOperations } from "../revisions/revision-types.js";
import { Session } from "./session.js";
import type { SessionState } from "./session-state.js";

export class SessionCapabilities extends Session {
  #state;

  constructor(state: SessionState) {
    super(state);
    this.#state = state;
  }

  get attachments(): AttachmentsSessionOperations {
    const getNames = (entity: object) => attachmentNames(this.#state, entity);
    return standIn(this.#state, "attachments", [], { getNames });
  }

  get revisions(): IRevisionsSessionOperations {
    return standIn(this.#state, "revisions", []);
  }

  get clusterTransaction(): IClusterTransactionOperations {
    const state = this.#state;
    if (!state.cluster) fail("InvalidOperation", 'clusterTransaction needs transactionMode: "ClusterWide"');
    return standIn(state, "cluster", []);
  }

  countersFor(entityOrId: string | object): ISessionDocumentCounters {
    return standIn(this.#state, "counters", [entityOrId]);
  }

  getCountersFor(entity: object): string[] | null {
    return this.#names(entity, "@counters") ?? null;
  }

  timeSeriesFor(...given: unknown[]): never {
    return standIn(this.#state, "timeSeries", ["timeSeriesFor", ...given]);
  }

  timeSeriesRollupFor(...given: unknown[]): never {
    return standIn(this.#state, "timeSeries", ["timeSeriesRollupFor", ...given]);
  }

  incrementalTimeSeriesFor(...given: unknown[]): never {
    return standIn(this.#state, "timeSeries", ["incrementalTimeSeriesFor", ...given]);
  }

  getTimeSeriesFor(entity: object): string[] {
    return this.#names(entity, "@timeseries", "InvalidArgument") ?? [];
  }

  /** Names in the metadata of a loaded document. */
  #names(entity: object, member: string, code?: ErrorCode): string[] | undefined {
    return metadata(this.#state, this.#state.slot(entity, code))[member] as string[] | undefined;
  }
}
