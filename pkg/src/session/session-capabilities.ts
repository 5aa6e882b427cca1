// Members of a session whose code is loaded when they are first used: `capabilities/session-part.ts` says how.

import type { AttachmentsSessionOperations } from "../attachments/attachment-types.js";
import { standIn } from "../capabilities/stand-in.js";
import type { IClusterTransactionOperations } from "../cluster/cluster-transaction-types.js";
import type { ISessionDocumentCounters } from "../counters/counter-types.js";
import { listed } from "../documents/listed-names.js";
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
    return standIn(this.#state, "attachments", []);
  }

  get revisions(): IRevisionsSessionOperations {
    return standIn(this.#state, "revisions", []);
  }

  get clusterTransaction(): IClusterTransactionOperations {
    return standIn(this.#state, "cluster", []);
  }

  countersFor(entityOrId: string | object): ISessionDocumentCounters {
    return standIn(this.#state, "counters", [entityOrId]);
  }

  getCountersFor(entity: object): string[] | null {
    return (listed(this.#state, entity, "@counters") as string[] | undefined) ?? null;
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
    return (listed(this.#state, entity, "@timeseries", "InvalidArgument") as string[] | undefined) ?? [];
  }
}
