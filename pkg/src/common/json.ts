// Values that came from JSON. Types alone.

/** An object out of JSON whose members are not known yet. */
export type JsonObject = Record<string, unknown>;
