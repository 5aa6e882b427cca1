// WebSockets in Workers: the platform's own, which the types of pages lack.

/** A WebSocket in a Worker. */
export interface WorkerSocket {
  accept(): void;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "message" | "close" | "error", listener: (event: { data?: unknown }) => void): void;
}

interface WorkerGlobal {
  WebSocketPair: new () => { 0: WorkerSocket; 1: WorkerSocket };
}

/** Both ends of a new WebSocket: the first one is for {@link upgraded}. */
export function socketPair(): [theirs: WorkerSocket, ours: WorkerSocket] {
  const { WebSocketPair } = globalThis as object as WorkerGlobal;
  const { 0: theirs, 1: ours } = new WebSocketPair();
  return [theirs, ours];
}

/** The response that begins a WebSocket. */
export function upgraded(socket: WorkerSocket): Response {
  const init: ResponseInit & { webSocket: WorkerSocket } = { status: 101, webSocket: socket };
  return new Response(null, init);
}

/** The request for a WebSocket. */
export function upgradeRequest(address: string): Request {
  return new Request(address, { headers: { Upgrade: "websocket" } });
}

/** Whether a request asks for a WebSocket. */
export function asksForUpgrade({ headers }: Request): boolean {
  return headers.get("Upgrade")?.toLowerCase() === "websocket";
}

/** The WebSocket of a response; throws if it has none. */
export function socketOf(
  response: (Response & { webSocket?: WorkerSocket | null }) | undefined,
): WorkerSocket {
  if (response?.webSocket) return response.webSocket;
  throw new Error(`RavenDB opened no connection for changes: ${response ? response.status : "no response"}`);
}

/** Does something with a socket that may be closed. */
export function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // It is closed already.
  }
}
