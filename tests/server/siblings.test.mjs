// Which other stores live on the origin, as `pkg/device/siblings.js` hears of them; Node has BroadcastChannel, too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Siblings } from "../../pkg/device/siblings.js";

test("two questions at once both hear the answers", async (t) => {
  const changes = [];
  const home = `${Math.random()}`;
  const one = new Siblings(home, () => changes.push(one.crowded));
  const other = new Siblings(home, () => {});
  t.after(() => [one, other].forEach((siblings) => siblings.close()));
  other.open();
  one.open();
  assert.equal(await one.any(), true);
  changes.length = 0;
  assert.deepEqual(await Promise.all([one.any(), one.any()]), [true, true]);
  assert.deepEqual(changes, [], "nobody came or went");
});
