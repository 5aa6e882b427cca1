// The gateway: its core, and the Worker around it.

import { Gateway, initSync } from "../../gen/edge_gateway.js";
import wasm from "../../gen/edge_gateway_bg.wasm";
import type { GatewayHandler, GatewayOptions } from "../gateway/options-types.js";
import { workerOf } from "../gateway/worker.js";

initSync({ module: wasm });

export { type DatabaseEnv, fromEnv } from "../gateway/options.js";
export type * from "../gateway/options-types.js";
export type * from "../logging/request-line.js";

/** Makes the Worker. A configuration that makes no sense throws at once, with the name of the field. */
export default function gateway<Env = unknown>(options: GatewayOptions<Env>): GatewayHandler<Env> {
  return workerOf(options, (config) => new Gateway(config));
}
