// Values that were parsed from JSON. Types alone.

/** An object that was parsed from JSON, before its members are checked. */
export type JsonObject = Record<string, unknown>;
