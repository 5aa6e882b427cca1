// For `main.rs`: runs the TypeScript twins on the vectors of the standard input, and prints a line for each that differs.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { build } from "esbuild";

const { protocol, vectors } = JSON.parse(readFileSync(0, "utf8"));

// From the sources: this runs before anything is built.
const source = fileURLToPath(new URL("../../pkg/src/", import.meta.url));
const contents = `
  export * from "./core/other-sources.js";
  export * from "./core/check-names.js";
  export * from "./core/exchange.js";
  export * from "./core/grant.js";
  export * from "./core/known-texts.js";
  export * from "./core/server-source.js";
  export * from "./device/parked-numbers.js";
  export * from "./offline/sets/sums.js";
  export * from "./wire/server-error.js";`;
const constants = Object.entries(protocol).map(
  ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
);
const { outputFiles } = await build({
  stdin: { contents, resolveDir: source },
  bundle: true,
  format: "esm",
  write: false,
  plugins: [
    {
      name: "protocol",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /gen\/protocol\.js$/ }, () => ({ path: "protocol", namespace: "protocol" }));
        onLoad({ filter: /.*/, namespace: "protocol" }, () => ({ contents: constants.join("\n") }));
      },
    },
  ],
});
const twin = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

const BASE = "/databases/My%20Shop/";

/** Without members that are `undefined`, as JSON has them; `null` for a missing value. */
const plain = (value) => JSON.parse(JSON.stringify(value ?? null));

const sentOf = ({ method, path, body, repeat, node }) => ({ method, path, body: body ?? null, repeat, node });

const failureOf = ({ code, status, message }) => ({
  code,
  status,
  message: ["Server", "Concurrency", "ForeignOrigin"].includes(code) ? "" : message,
});

const grantOf = ({ low, high, prefix, nodeTag, fence, at, incarnation }) => ({
  low,
  high,
  prefix,
  nodeTag,
  fence: fence ?? null,
  at,
  incarnation: incarnation ?? null,
  sealed: fence !== undefined && twin.isSealed(fence),
  single: fence !== undefined && twin.isOfSingleNode(fence, nodeTag),
});

function exchangeOf({ kind, counters, ...app }, ask) {
  if (kind === "server") return twin.leaseFromServer(BASE, "/", ask);
  if (kind === "document") return twin.leaseFromDocument(BASE, counters, "/", ask);
  return twin.leaseFromApp({ ...app, separator: "/" }, ask);
}

/** The steps of a lease. */
function lease({ source, ask, inputs }) {
  const given = Object.fromEntries(Object.entries(ask).map(([name, value]) => [name, value ?? undefined]));
  const exchange = exchangeOf(source, given);
  const steps = [];
  const advance = (next) => {
    try {
      const { done, value } = next();
      if (done) steps.push({ done: grantOf(value) });
      else steps.push({ send: sentOf(value), ...(value.again && { again: failureOf(value.again) }) });
    } catch (error) {
      if (!(error instanceof twin.Failure)) throw error;
      steps.push({ fail: failureOf(error) });
    }
  };
  advance(() => exchange.next());
  for (const { failed, ...response } of inputs) {
    if (!steps.at(-1).send) break;
    advance(() => (failed ? exchange.throw(new twin.Failure(failed, "failed")) : exchange.next(response)));
  }
  return steps;
}

function record({ text }) {
  const texts = new twin.KnownTexts();
  let numbers;
  try {
    numbers = twin.numbersOf(texts, text);
  } catch (error) {
    if (typeof error !== "string") throw error;
    return "newer";
  }
  if (numbers.length === 0) return null;
  // Numbers that are there twice are refused by the core, which reads the numbers.
  const [, , count, ...rest] = numbers;
  const parked = Array.from({ length: count }, (_, at) => rest.slice(at * 7, at * 7 + 7));
  const isTwice = parked.some(([low, high, , tag], at) =>
    parked.slice(0, at).some((other) => other[3] === tag && other[0] <= high && low <= other[1]),
  );
  return isTwice ? null : twin.textOfNumbers(texts, Float64Array.from(numbers));
}

function refused(check) {
  try {
    check();
    return null;
  } catch ({ code, message }) {
    return { code, message };
  }
}

const results = {
  lease,
  record,
  return({ items, text }) {
    const request = twin.giveBackUnderFences(BASE, "Raven/Hilo/", items);
    // The core knows the node.
    return { request: { ...sentOf(request), node: 3 }, applied: twin.appliedIn(text, items.length) };
  },
  fences({ tags, text }) {
    const request = sentOf(twin.readCounters(BASE, "Raven/Hilo/", tags, -1));
    return { request, found: twin.counterIn(text, `Raven/Hilo/${tags[0]}`) ?? null };
  },
  sums({ key, documents }) {
    const own = twin.keyOf(Uint8Array.from(key));
    const hashes = documents.map(([id, vector]) => twin.hashesOf(own, id, vector));
    const [sums, without] = [new twin.Sums(), new twin.Sums()];
    for (const each of hashes) {
      sums.add(each);
      without.add(each);
    }
    for (let at = 0; at < hashes.length; at += 2) without.remove(hashes[at]);
    const hex = ({ bytes }) => Buffer.from(bytes).toString("hex");
    return {
      hashes: hashes.map(({ bucket, version }) => [bucket, ...version]),
      sums: hex(sums),
      without: hex(without),
      differing: sums.differing(without),
    };
  },
  tag: ({ text }) => refused(() => twin.checkTag(text, "-")),
  id: ({ text, backslash }) => refused(() => twin.checkId(text, 300, backslash)),
  separator: ({ text }) => refused(() => twin.checkSeparator(text)),
  refusal({ status, text }) {
    const failure = twin.refused({ status, text });
    const error = twin.errorOf(failure, undefined, "", false);
    return {
      code: failure.code === "Server" && failure.isOutage ? "outage" : failure.code,
      failure: error.failure,
    };
  },
};

/** Texts of the app are written by JSON.stringify, which writes no such numbers. */
const isNeverWritten = ({ source, inputs }) =>
  /own|classic/.test(source?.kind) && inputs.some(({ text }) => /\d[.eE]/.test(text));

/** Whether the bodies of requests have the same values: the source `document` repeats `10.0` as 10, which is the same to RavenDB's script. */
function isSameInJson({ source, expected }, result) {
  const read = (name, value) => (name === "body" && value && isJson(value) ? JSON.parse(value) : value);
  const values = (steps) => JSON.parse(JSON.stringify(steps, read));
  return source?.kind === "document" && isDeepStrictEqual(values(result), values(expected));
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A number that JSON.parse does not distinguish from a whole one, in a member that is read. */
const ODD = /"(Low|High|LastSize|StatusCode|Max|hi|low|high|capacity)"\s*:\s*-?\d+(\.|[eE])/;

/**
 * Whether TypeScript may refuse what Rust accepts: invalid JSON, a number that is written in an odd way, or one that JavaScript cannot hold.
 * Never the reverse.
 */
function isStricter({ kind, inputs, text, expected }, result) {
  if (["tag", "id", "separator", "sums"].includes(kind)) return false;
  if (kind === "record")
    return result === null && (text.match(/\d{16,}/g) ?? []).some((digits) => digits > 2 ** 53 - 1);
  const texts = kind === "lease" ? inputs.map((input) => input.text ?? "{}") : [text];
  if (texts.every((text) => isJson(text) && !ODD.test(text))) return false;
  if (kind === "fences") return isDeepStrictEqual(result, { ...expected, found: null });
  if (kind === "return")
    return (
      isDeepStrictEqual({ ...result, applied: [] }, { ...expected, applied: [] }) &&
      !result.applied.includes(true)
    );
  // Up to the first step that differs, they are the same; there, TypeScript refuses, or has no fence.
  const at = result.findIndex((step, at) => !isDeepStrictEqual(step, expected[at]));
  const [own, theirs] = [result[at], expected[at]];
  const isWithoutFence = own.done && theirs.done && own.done.fence === null;
  return "fail" in own || isWithoutFence;
}

for (const vector of vectors) {
  const result = plain(results[vector.kind](vector));
  const isSame = isDeepStrictEqual(result, vector.expected) || isSameInJson(vector, result);
  if (isSame || isStricter(vector, result) || isNeverWritten(vector)) continue;
  console.log(JSON.stringify({ ...vector, result }));
}
