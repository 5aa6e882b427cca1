// The values of a session's snapshots: any two values are distinguished, and each can be read back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Values } from "../../pkg/dist/documents/snapshots/snapshot-values.js";
import { random } from "../support/random.mjs";

/** Maps no classes. */
const MAPPER = { hasLiterals: false, isOdd: () => false, value: (value) => value };

const NAMES = ["a", "b", "name", "x.y", "", "constructor"];

/** A random JSON value with at most `depth` levels. */
function value(dice, depth = 3) {
  const kind = dice.below(depth > 0 ? 9 : 6);
  if (kind === 0) return null;
  if (kind === 1) return dice.below(3) / 2;
  if (kind === 2) return `text ${dice.below(3)}`;
  if (kind < 6) return dice.chance(0.5);
  if (kind === 6) return dice.some(dice.below(4), () => value(dice, depth - 1));
  // Sometimes a dictionary with unique names.
  if (dice.chance(0.05)) return Object.fromEntries(dice.some(60, () => [`k${dice.below(1e9)}`, 1]));
  return entity(dice, depth - 1);
}

const entity = (dice, depth) =>
  Object.fromEntries(dice.some(dice.below(5), () => [dice.pick(NAMES), value(dice, depth)]));

const shown = (document) => ({ ...document, id: "orders/1-A", "@metadata": { x: 1 } });

test("a kept document can be read back and equals no other document", () => {
  const dice = random(20_261_122, 0);
  const values = new Values(MAPPER);
  const documents = dice.some(3_000, () => entity(dice));
  const places = documents.map((document) => values.keep(shown(document), "id"));
  const check = () =>
    places.forEach((place, at) => {
      if (place === undefined) return;
      const document = documents[at];
      assert.deepEqual(values.object(place), document);
      assert.ok(values.has(place, shown(document), "id"));
      const turned = Object.fromEntries(Object.entries(document).reverse());
      assert.ok(values.has(place, shown(turned), "id"), "the order of members does not matter");
      const other = documents[(at + 1) % documents.length];
      const same = JSON.stringify(sorted(other)) === JSON.stringify(sorted(document));
      assert.equal(values.has(place, shown(other), "id"), same);
    });
  check();
  // Releases three of four documents; the others move into the gaps.
  places.forEach((place, at) => {
    if (place === undefined || at % 4 === 0) return;
    values.release(place);
    places[at] = undefined;
  });
  values.compact(places);
  check();
  assert.ok(places.filter((place) => place !== undefined).length > 300);
  assert.ok(Math.max(...places.filter((place) => place !== undefined)) < 1_000_000);
});

function sorted(any) {
  if (typeof any !== "object" || any === null) return any;
  if (Array.isArray(any)) return any.map(sorted);
  return Object.fromEntries(
    Object.keys(any)
      .sort()
      .map((name) => [name, sorted(any[name])]),
  );
}

test("each change inside a list of objects is found, and the list can be read back", () => {
  const values = new Values(MAPPER);
  const made = () => ({ lines: [line(1), line(2), line(3)] });
  const line = (at) => ({
    product: `products/${at}`,
    price: at / 2,
    day: new Date(at),
    deep: { list: [{ at }] },
  });
  const place = values.keep(made(), "id");
  assert.ok(values.has(place, made(), "id"));
  assert.deepEqual(JSON.stringify(values.object(place)), JSON.stringify(made()));
  const changes = {
    "a member": ({ lines }) => (lines[1].price = 9),
    "a date": ({ lines }) => lines[2].day.setTime(9),
    "a date that becomes its time": ({ lines }) => (lines[0].day = 1),
    "a list inside": ({ lines }) => (lines[0].deep.list[0].at = 9),
    "one more": ({ lines }) => lines.push(line(4)),
    "one less": ({ lines }) => lines.pop(),
    "another order": ({ lines }) => lines.reverse(),
    "a member more": ({ lines }) => (lines[2].more = 1),
    "a member less": ({ lines }) => delete lines[0].product,
    "another kind of item": ({ lines }) => (lines[0] = 1),
    "no list": (entity) => (entity.lines = { ...entity.lines }),
    "a text of its own": ({ lines }) => (lines[1].toJSON = () => 1),
    "a text of the list": ({ lines }) => (lines.toJSON = () => []),
  };
  for (const [name, change] of Object.entries(changes)) {
    const entity = made();
    change(entity);
    assert.ok(!values.has(place, entity, "id"), name);
  }
  const list = values.keep({ lines: [{ a: 1, b: 2 }] }, "id");
  assert.ok(values.has(list, { lines: [{ b: 2, a: 1 }] }, "id"), "the order of members does not matter");
});

test("an entity whose class gets a text of its own is refused from then on", () => {
  const values = new Values(MAPPER);
  class Order {}
  assert.equal(values.keep(new Order(), "id"), 0);
  Order.prototype.toJSON = () => ({});
  assert.equal(values.keep(new Order(), "id"), undefined);
  assert.equal(values.has(0, new Order(), "id"), false);
});

test("documents that share no members are refused, so that their text is kept instead", () => {
  const values = new Values(MAPPER);
  const kept = Array.from({ length: 5_000 }, (_, at) => values.keep({ [`only${at}`]: at }, "id"));
  assert.equal(kept[0], 0);
  assert.equal(kept.at(-1), undefined);
});

test("a getter that keeps values itself makes its own document be refused, and damages no other", () => {
  const values = new Values(MAPPER);
  let inner;
  const outer = {
    a: 1,
    get b() {
      inner = values.keep({ x: 1 }, "id");
      return 2;
    },
  };
  assert.equal(values.keep(outer, "id"), undefined);
  const place = values.keep({ c: 3 }, "id");
  assert.deepEqual([values.object(inner), values.object(place)], [{ x: 1 }, { c: 3 }]);
});
