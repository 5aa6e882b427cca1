// The errors of subscriptions, and what each means for a worker.

import { RavenEdgeError } from "../common/error.js";
import type { Verdict } from "./worker-steps.js";

const SUBSCRIPTIONS = "Raven.Client.Exceptions.Documents.Subscriptions";

/** After these connecting again would fail again. */
const FINAL = [
  "SubscriptionInUseException",
  "SubscriptionDoesNotExistException",
  "SubscriptionInvalidStateException",
  "SubscriptionClosedException",
  "DatabaseDoesNotExistException",
  "AuthorizationException",
  "NotSupportedException",
];

const PASSING = ["SubscriptionChangeVectorUpdateConcurrencyException", "NodeIsPassiveException"];

const OUTAGES = [
  // No node serves the subscription, unless the server names one.
  "SubscriptionDoesNotBelongToNodeException",
  "DatabaseDisabledException",
  "AllTopologyNodesDownException",
];

/** Errors after which the server, or the node that it names, takes the worker back at once. */
const reconnecting = new WeakSet<Error>();

export function verdictOf(error: Error): Verdict {
  const { name } = error;
  if (reconnecting.has(error) || PASSING.includes(name)) return "again";
  const isDisposed = (error as Partial<RavenEdgeError>).code === "Disposed";
  if (FINAL.includes(name) || isDisposed) return "end";
  return OUTAGES.includes(name) ? "outage" : "unexpected";
}

export function subscriptionError(name: string, message: string, cause?: unknown): RavenEdgeError {
  return new RavenEdgeError("Server", message, { type: `${SUBSCRIPTIONS}.${name}`, cause });
}

export function connectionLost(subscription: string, cause: unknown): RavenEdgeError {
  const type = `${SUBSCRIPTIONS}.SubscriptionException`;
  return new RavenEdgeError("Unreachable", `the connection of the subscription ${subscription} was lost`, {
    type,
    cause,
  });
}

/** What the server says instead of documents. */
export interface Status {
  Type: string;
  Status?: string;
  Message?: string | null;
  Exception?: string | null;
  Data?: { CanReconnect?: boolean; RedirectedTag?: string | null } | null;
}

/** The exception that a status other than `Accepted` means. */
const EXCEPTIONS: Record<string, string> = {
  InUse: "SubscriptionInUseException",
  Closed: "SubscriptionClosedException",
  Invalid: "SubscriptionInvalidStateException",
  NotFound: "SubscriptionDoesNotExistException",
  Redirect: "SubscriptionDoesNotBelongToNodeException",
  ConcurrencyReconnect: "SubscriptionChangeVectorUpdateConcurrencyException",
};

/** The error of a message that ends the connection. */
export function errorOf(subscription: string, { Type, Status, Message, Exception, Data }: Status): Error {
  const reason = Message ?? Exception ?? Status ?? Type;
  const message = `the subscription ${subscription} was ended by the server: ${reason}`;
  const name = Type === "ConnectionStatus" ? EXCEPTIONS[Status ?? ""] : undefined;
  if (name) {
    const error = subscriptionError(name, message);
    if (Data?.CanReconnect || Data?.RedirectedTag) reconnecting.add(error);
    return error;
  }
  const type = /DatabaseDoesNotExistException/.test(Exception ?? "")
    ? "Raven.Client.Exceptions.Database.DatabaseDoesNotExistException"
    : undefined;
  return new RavenEdgeError(type ? "Server" : "InvalidOperation", message, { type });
}
