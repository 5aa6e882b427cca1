// Where ranges of numbers come from.

/** RavenDB 4 and later: `hilo/next` and a fenced return. Ids such as `orders/1-A`. */
export interface ServerSource {
  kind: "server";
  /** As {@link StoreOptions.capacity}, which comes first. */
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
  /** As {@link StoreOptions.capacity}, which comes first. */
  capacity?: number;
  /** What the ids of the counter documents begin with. Default `"Raven/Hilo"`; RavenDB does not heed case. */
  spelling?: "Raven/Hilo" | "Raven/HiLo" | "Replication/HiLo";
}

/**
 * The original formula: a function gives the next Hi of a counter, and the numbers are `(hi - 1) * capacity + 1` to
 * `hi * capacity`. Ids such as `orders/1`. Nothing is given back.
 *
 * ```ts
 * const next = async (tag: string) => (await sql`SELECT nextval('orders_hi') AS hi`)[0].hi;
 * new DocumentStore("/raven", "Shop", { source: { kind: "classic", next, capacity: 32 } });
 * ```
 */
export interface ClassicSource {
  kind: "classic";
  /**
   * The next Hi of a counter, from 1 on, never the same one twice. Text is fine, too: SQL drivers give large numbers so. With
   * `capacity` beside it, that is checked. A rejected promise is an outage and is tried again while somebody waits; an
   * answer that makes no sense is an error `BadAnswer` that names the field.
   */
  next: (tag: string) => Hi | Promise<Hi>;
  /** How many numbers a Hi stands for, from 1 to 1,048,576: the same for all clients and for ever. */
  capacity: number;
  /** As {@link OwnSource.scope}. */
  scope?: string;
}

/** What {@link ClassicSource.next} answers. */
export type Hi = number | string | { hi: number | string; capacity?: number | string };

/**
 * Ranges of the app's own.
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
   * Grants a range of about `size` numbers, no matter how many, that nobody else gets and all of which are above `above`
   * (0, or the highest number that this client knows of, when the last range overlapped what it has issued or holds). A
   * rejected promise is an outage and is tried again while somebody waits; an answer that makes no sense is an error
   * `BadAnswer` that names the field.
   */
  lease: (tag: string, size: number, above: number) => LeasedRange | Promise<LeasedRange>;
  /**
   * Takes back unused numbers: called at most once for each, never again after a failure, never for one that was or could
   * be handed out. When a page goes it is called synchronously and not waited for. Default: what is unused is lost, or
   * parked where there is a {@link scope}.
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
  /** What stands behind the number, after a `-`: up to 16 letters and digits. Default: nothing. */
  nodeTag?: string;
  /** What stands before the number; it must not end in a digit. Default: the tag and the separator, `orders/`. */
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
