// What the Worker's log says, and the caller does not learn.

import type { Ruling } from "../../gen/edge_gateway.js";
import { messageIn, type RequestLine } from "../logging/request-line.js";
import type { GatewayContext } from "./options-types.js";
import type { Pieces } from "./streamed.js";

/** A request, the decision about it, and its line of the log. */
export interface Exchange<Env> {
  ruling: Ruling;
  request: Request;
  env: Env;
  context: GatewayContext;
  line: RequestLine;
  /** What follows the commands of a save with attachments. */
  pieces?: Pieces | undefined;
}

export function misconfigured<Env>({ ruling, line }: Exchange<Env>, error: unknown): undefined {
  line.note(error);
  ruling.refuse("Misconfigured", "the gateway is not configured; its log says more");
}

/** Notes what RavenDB says about a request that it refuses, such as a wrong RQL: the caller learns only the type. */
export function noteRefusal(line: RequestLine, status: number, response: Uint8Array): void {
  // A conflict is the caller's, and a document that does not exist has no message.
  if (status < 400 || status === 409) return;
  const said = messageIn(new TextDecoder().decode(response));
  if (said) line.note(`RavenDB responded ${status}: ${said}`);
}
