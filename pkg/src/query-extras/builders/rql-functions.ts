// Functions of RQL that stand for values in conditions.

/** A function of RQL that the server calls, in place of a value: `CmpXchg.value(…)`, `RavenQuery.now()`. */
export abstract class MethodCall {
  /** The arguments; they are sent as parameters. */
  declare args: unknown[];
  /** A member of what the function returns: `address.city`. */
  declare accessPath: string | null | undefined;
}

/**
 * The value of a compare-exchange item, in a condition.
 *
 * ```ts
 * session.query<User>({ collection: "Users" }).whereEquals("id()", CmpXchg.value("emails/mia@example.com"));
 * ```
 */
export class CmpXchg extends MethodCall {
  static value(key: string): CmpXchg {
    return Object.assign(new CmpXchg(), { args: [key] });
  }
}

/** The functions of {@link RavenDateMethodCall}. */
export type DateMethodType = "Now" | "Today";

/** The server's time, in a condition. */
export class RavenDateMethodCall extends MethodCall {
  constructor(
    readonly dateMethodType: DateMethodType,
    args: unknown[],
  ) {
    super();
    this.args = args;
    this.accessPath = null;
  }

  static now(offset?: string): RavenDateMethodCall {
    return new RavenDateMethodCall("Now", offset ? [offset] : []);
  }

  static today(): RavenDateMethodCall {
    return new RavenDateMethodCall("Today", []);
  }
}

/** Functions of RQL that the server calls when it runs a query. */
// biome-ignore lint/complexity/noStaticOnlyClass: as in npm `ravendb`
export class RavenQuery {
  /** The server's time in UTC; `offset`: added to it, such as `"-7d"` or `"+1y6mo"`. */
  static now(offset?: string): MethodCall {
    return RavenDateMethodCall.now(offset);
  }

  /** The midnight before the server's time, in UTC. */
  static today(): MethodCall {
    return RavenDateMethodCall.today();
  }
}
