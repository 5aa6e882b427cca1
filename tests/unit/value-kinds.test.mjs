// What a value is: of this realm, of another one, of a framework's Proxy, or none of it.
import assert from "node:assert/strict";
import { Blob, File } from "node:buffer";
import { test } from "node:test";
import { runInNewContext, runInThisContext } from "node:vm";
import * as kinds from "../../pkg/dist/common/value-kinds.js";

const { builtInOf, classOf, collectionOf, isArrayBuffer, isBlob, isDate, isEngineError, isError } = kinds;

/** An instance of each class, by the name of the class. */
const MADE = `({
  Date: new Date(0), Map: new Map(), Set: new Set(), Number: Object(1), String: Object("a"), Boolean: Object(true),
  ArrayBuffer: new ArrayBuffer(2), Object: {}, Array: [], Uint32Array: new Uint32Array(1), Error: new RangeError("a"),
})`;

const REALMS = {
  "this realm": runInThisContext(MADE),
  "another realm": runInNewContext(MADE),
};

for (const [realm, made] of Object.entries(REALMS))
  test(`instances of built-in classes of ${realm} are recognized`, () => {
    for (const [name, value] of Object.entries(made)) {
      const isListed = ["Date", "Map", "Set", "Number", "String", "Boolean"].includes(name);
      assert.equal(builtInOf(value), isListed ? name : undefined, name);
      assert.equal(collectionOf(value), /^(Map|Set)$/.test(name) ? name : undefined, name);
      assert.equal(isDate(value), name === "Date", name);
      assert.equal(isArrayBuffer(value), name === "ArrayBuffer", name);
      assert.equal(kinds.isUint32Array(value), name === "Uint32Array", name);
      assert.equal(isError(value), name === "Error", name);
      assert.equal(isEngineError(value, "TypeError", "RangeError"), name === "Error", name);
      assert.equal(isBlob(value), false, name);
    }
    assert.equal(classOf(made.Object), undefined);
    assert.equal(classOf(made.Date), made.Date.constructor);
    assert.deepEqual([kinds.isValidDate(made.Date), kinds.isInvalidDate(made.Date)], [true, false]);
    made.Date.setTime(Number.NaN);
    assert.deepEqual([kinds.isValidDate(made.Date), kinds.isInvalidDate(made.Date)], [false, true]);
  });

test("instances of classes that extend built-in classes are recognized", () => {
  class Day extends Date {}
  class Prices extends Map {}
  assert.deepEqual([new Day(0), new Prices()].map(builtInOf), ["Date", "Map"]);
});

test("a Proxy that answers the methods of a Map or Set by itself is recognized", () => {
  const get = (target, name) => {
    const member = Reflect.get(target, name, target);
    return typeof member === "function" ? member.bind(target) : member;
  };
  const proxies = [new Map(), new Set()].map((target) => new Proxy(target, { get }));
  assert.deepEqual(proxies.map(builtInOf), ["Map", "Set"]);
});

test("what only claims to be an instance is none", () => {
  for (const tag of ["Date", "Map", "Set", "Number", "ArrayBuffer", "Blob", "File", "Uint32Array"]) {
    const claiming = { [Symbol.toStringTag]: tag };
    const answers = [
      builtInOf(claiming),
      isArrayBuffer(claiming),
      isBlob(claiming),
      kinds.isUint32Array(claiming),
    ];
    assert.deepEqual(answers, [undefined, false, false, false], tag);
  }
  for (const value of [null, undefined, 1, "Map", Symbol.iterator, 1n, () => 1])
    assert.deepEqual([builtInOf(value), isDate(value), isError(value)], [undefined, false, false]);
});

test("a Blob is one that the platform sends, and no look-alike", () => {
  const likely = { [Symbol.toStringTag]: "Blob", size: 1, slice() {}, arrayBuffer() {}, stream() {} };
  const found = [new Blob(["a"]), new File(["a"], "a"), likely, "a", null].map(isBlob);
  assert.deepEqual(found, [true, true, false, false, false]);
});

test("a plain object has no class, wherever it is from and whatever its members are", () => {
  class Order {}
  const plain = [{}, Object.create(null), { constructor: "ACME" }, { constructor: { name: "Order" } }];
  assert.deepEqual(plain.map(classOf), [undefined, undefined, undefined, undefined]);
  assert.equal(classOf(new Order()), Order);
});
