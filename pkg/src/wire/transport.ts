// What sends a request: `fetch`, or a body that sends its request itself, as uploads and downloads of attachments do. Types alone.

/** Sends a request, as `fetch` does. */
export type SendRequest = (url: string, init: RequestInit & { headers: Headers }) => Promise<Response>;

/** The parts of a request, which a {@link Transport} may change. */
export type RequestParts = Parameters<SendRequest>[1];

export interface Transport {
  /** How long one attempt may take, in milliseconds, because the transport has a limit of its own; default: the limit of the request. */
  readonly limit?: number | undefined;
  /**
   * Sends one attempt. `send`: `fetch`, or what the app uses instead; `limit`: the limit of the request, in milliseconds; `isPage`:
   * whether this is a page or one of its workers; `isolated`: whether it is workerd or similar.
   */
  send(
    send: SendRequest,
    url: string,
    init: RequestParts,
    limit: number,
    isPage: boolean,
    isolated: boolean,
  ): Promise<Response>;
}
