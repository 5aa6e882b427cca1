// The lease hub for Workers: the Worker in front of hubs and RavenDB, and the class of the Durable Objects.

import { initSync } from "../../gen/edge_hub.js";
import wasm from "../../gen/edge_hub_bg.wasm";
import { HubObject, type ObjectState } from "../hub/hub-object.js";
import { type HubOptions, type LeaseHubWorker, settingsOf } from "../hub/hub-options.js";
import { workerOf } from "../hub/hub-worker.js";

export type * from "../hub/hub-options.js";
export type * from "../logging/request-line.js";

initSync({ module: wasm });

/** Makes a hub. */
export function hub<Env = unknown>(options: HubOptions<Env>): LeaseHubWorker<Env> {
  const settings = settingsOf(options);
  return {
    ...workerOf(settings),
    LeaseHub: class LeaseHub extends HubObject<Env> {
      constructor(ctx: ObjectState, env: Env) {
        super(ctx, env, settings);
      }
    },
  };
}
