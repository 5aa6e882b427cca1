// The WebSockets that an app can give. Types alone.

/** A WebSocket, as far as it is used. */
export interface LiveSocket {
  send(text: string): void;
  close(): void;
  /** Ends the connection without the closing handshake, where that can be done. */
  terminate?(): void;
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: never) => void): void;
}

/** The platform's `WebSocket` or a class like it, such as that of the npm package `ws`, which also takes headers and certificates. */
export type WebSocketClass = new (url: string, protocols?: string[], options?: object) => LiveSocket;
