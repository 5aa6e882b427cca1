// What the core wants to be done, read from its numbers.

/** The kinds of effects, in the order of `written` in `edge/src/changes/wasm_class.rs`, which says what follows each of them. */
const EFFECTS = [
  "connect",
  "disconnect",
  "watch",
  "accept",
  "refuse",
  "drop",
  "confirm",
  "deliver",
  "resync",
  "forget",
] as const;

type Kind = (typeof EFFECTS)[number];

/** `target`: the number of a listener, of a connection to RavenDB, or of a watch. */
export type Effect = { kind: Kind; target: number; more: number[] };

export function* effectsOf(numbers: Float64Array): Generator<Effect> {
  for (let at = 0; at < numbers.length; ) {
    const [kind = 0, length = 0, target = 0] = numbers.subarray(at, at + 3);
    const more = [...numbers.subarray(at + 3, at + 2 + length)];
    yield { kind: EFFECTS[kind] as Kind, target, more };
    at += 2 + length;
  }
}
