// Where ranges of numbers come from, as apps see it. Types alone.

/** RavenDB 4 and later: `hilo/next` and a fenced return. Ids such as `orders/1-A`. */
export interface ServerSource {
  kind: "server";
  /** As {@link StoreOptions.capacity}, which takes precedence. */
  capacity?: number;
}

/**
 * The protocol of RavenDB's older clients: this client itself writes the counter documents. Ids such as `orders/1`, or
 * `orders/NorthServer/1` where the document `Raven/ServerPrefixForHilo` says `{"ServerPrefix": "NorthServer/"}`. It may share
 * its counters with clients of `"server"`. All leases go to the first address of the store: ids have no node tag, so all
 * clients of a database must name the same node first.
 *
 * ```ts
 * new DocumentStore("/raven", "Shop", { source: { kind: "document", spelling: "Replication/HiLo" } });
 * ```
 */
export interface DocumentSource {
  kind: "document";
  /** As {@link StoreOptions.capacity}, which takes precedence. */
  capacity?: number;
  /** What the ids of the counter documents begin with. Default `"Raven/Hilo"`; RavenDB ignores case. */
  spelling?: "Raven/Hilo" | "Raven/HiLo" | "Replication/HiLo";
}

/**
 * The original formula: a function returns the next Hi of a counter, and the numbers are `(hi - 1) * capacity + 1` to
 * `hi * capacity`. Ids such as `orders/1`. Unused numbers are not returned.
 *
 * ```ts
 * const next = async (tag: string) => (await sql`SELECT nextval('orders_hi') AS hi`)[0].hi;
 * new DocumentStore("/raven", "Shop", { source: { kind: "classic", next, capacity: 32 } });
 * ```
 */
export interface ClassicSource {
  kind: "classic";
  /**
   * The next Hi of a counter, from 1 on, never the same one twice. SQL drivers return large numbers as text, which is taken,
   * too. If the result has a `capacity`, it is compared with {@link capacity}. A rejected promise is an outage: the call is
   * repeated while a caller waits. An invalid result is an error `BadAnswer` that names the field.
   */
  next: (tag: string) => Hi | Promise<Hi>;
  /** How many numbers a Hi stands for, from 1 to 1,048,576: the same for all clients and for ever. */
  capacity: number;
  /** As {@link OwnSource.scope}. */
  scope?: string;
}

/** The result of {@link ClassicSource.next}. */
export type Hi = number | string | { hi: number | string; capacity?: number | string };

/**
 * Ranges that the app itself grants.
 *
 * ```ts
 * const source: OwnSource = {
 *   lease: async (tag, size, above) => (await fetch(`/ids/${tag}?size=${size}&above=${above}`)).json(),
 * };
 * new DocumentStore("/raven", "Shop", { source });
 * ```
 */
export interface OwnSource {
  kind?: undefined;
  /**
   * Grants a range of about `size` numbers, which may be more or fewer. No other client gets any of them, and all of them are
   * above `above` (0, or the highest number that this client knows of, if the last range overlapped what it has issued or
   * holds). A rejected promise is an outage: the call is repeated while a caller waits. An invalid result is an error
   * `BadAnswer` that names the field.
   */
  lease: (tag: string, size: number, above: number) => LeasedRange | Promise<LeasedRange>;
  /**
   * Takes back unused numbers: called at most once for each, never again after a failure, never for one that was or could
   * be handed out. When a page goes away, it is called synchronously and its promise is not awaited. Default: unused numbers
   * are lost, or parked if there is a {@link scope}.
   */
  release?: (range: ReleasedRange) => unknown;
  /**
   * A name for the backend that grants the ranges. Numbers are parked on the device under it, and stores of the same
   * origin, server, database and scope share them. Default: none, and nothing is parked.
   */
  scope?: string;
}

/** A range that an app grants. */
export interface LeasedRange {
  /** The lowest number, at least 1. */
  low: number;
  /** The highest number, at least `low` and at most 2^53 - 1. */
  high: number;
  /** What follows the number in an id, after a `-`: up to 16 letters and digits. Default: nothing. */
  nodeTag?: string;
  /** What precedes the number in an id; it must not end in a digit. Default: the tag and the separator, `orders/`. */
  prefix?: string;
}

/** Unused numbers of a range that an app granted. */
export interface ReleasedRange {
  /** Name of the counter. */
  tag: string;
  /** The lowest number. */
  low: number;
  /** The highest number, which is that of the range as it was granted. */
  high: number;
  /** The node tag of the range; empty when there was none. */
  nodeTag: string;
}

/**
 * A source of numbers, as the options of a store or a hub name it.
 * @internal
 */
export type AnySource = "server" | "document" | ServerSource | DocumentSource | ClassicSource | OwnSource;
