// How much callers may ask for, and how often. Types alone.

/** Limits of one request. */
export interface Limits {
  /** Maximum numbers of a lease, 32 to 1,048,576; default 1,024. */
  range?: number;
  /** Maximum bytes of a body; default 1 MiB. */
  body?: number;
  /** Maximum bytes of a request that stores attachments, 1,024 to 4,294,967,295; default 64 MiB. They are not held in memory. */
  upload?: number;
  /** Maximum commands of a batch; default 256. */
  commands?: number;
  /** Maximum ids of a request; default 1,024. */
  ids?: number;
  /** Maximum of ids times include paths of a request; default 1,024. */
  includes?: number;
  /** Maximum documents of a listing; default 256. */
  page?: number;
  /** Maximum lazy loads in one request; default 32. */
  requests?: number;
  /** Results of a named query that are looked at for one page, 1 to 65,536; default: four times the page. */
  scanned?: number;
  /** Bytes of a response of RavenDB, and of one document of a stream, 64 KiB to 128 MiB; default 32 MiB. */
  response?: number;
  /** Milliseconds for `authorize`, and for the rate limiter; default 10,000. */
  authorizeMs?: number;
  /** Milliseconds until RavenDB has responded; in a stream for each piece, until the caller has read it. Default 30,000. */
  upstreamMs?: number;
}

/** The part of Cloudflare's rate limiting binding that is used. */
export interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** Limits of how often clients may ask, by the platform's binding. */
export interface RateLimits<Env = unknown> {
  /** For all requests of a client, refused requests included. */
  limiter?: (env: Env) => RateLimiter;
  /** The key of a client; default: its address, and for limiters by name the caller's name if `authorize` returns one. */
  key?: (request: Request) => string;
  /** For single named queries: each counts by itself, after `authorize`, and pages and streams count alike. */
  queries?: Record<string, (env: Env) => RateLimiter>;
  /** The same for named patches. */
  patches?: Record<string, (env: Env) => RateLimiter>;
}
