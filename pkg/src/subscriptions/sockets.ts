// How a platform opens a TCP connection. Types alone.

/** A TCP connection. */
export interface Socket {
  write(text: string): void;
  close(): void;
}

/** What a connection reports. */
export interface SocketListener {
  received(bytes: Uint8Array): void;
  /** It has ended, or has failed: called once, unless `close` was called. */
  ended(error?: unknown): void;
}

/** Where to connect. */
export interface SocketAddress {
  host: string;
  port: number;
  /** The certificate that the server must show, DER in base64; absent: the connection is not encrypted. */
  certificate?: string | undefined;
}

/** The client's certificate, as the store has it. */
export interface ClientCertificate {
  certificate?: string | Uint8Array;
  type?: "pem" | "pfx";
  password?: string;
  ca?: string | Uint8Array;
}

/** A platform that opens TCP connections. */
export interface Sockets {
  open(address: SocketAddress, own: ClientCertificate, listener: SocketListener): Promise<Socket>;
}
