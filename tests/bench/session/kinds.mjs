// The four kinds of documents. `stored(i)` makes the document on the server, `entity(i)` the app's object; `revived` is the work of a
// hand-written load in addition to copying members.

const address = (i) => ({ city: `Haifa ${i % 31}`, country: "Israel" });
const day = (i) => `2026-11-${10 + (i % 20)}T10:00:00.000`;

/**
 * Assigns the members that all four kinds have. One by one, because in V8 of Node 20 objects that are made by a spread do not share
 * a hidden class.
 */
function fill(into, i) {
  into.customer = `companies/${i % 97}-A`;
  into.employee = `employees/${i % 9}-A`;
  into.orderedAt = `${day(i)}0000Z`;
  into.freight = 12.5 + i;
  into.shipped = (i & 1) === 0;
  into.shipTo = address(i);
  return into;
}

function line(i, at) {
  const made = {};
  made.product = `products/${(i + at) % 77}-A`;
  made.quantity = at + 1;
  made.price = 2.5 * at + i;
  return made;
}

class Order {}
class DatedOrder {}
class ListedOrder {}

function dated(into, i, date) {
  fill(into, i);
  into.requireAt = date(`${day(i)}Z`);
  into.shippedAt = date(`${day(i + 3)}Z`);
  return into;
}

function listed(into, i) {
  fill(into, i);
  into.lines = Array.from({ length: 10 }, (_, at) => line(i, at));
  return into;
}

/** The metadata in which RavenDB's clients record types that JSON lacks. */
const DATES = { requireAt: "date", shippedAt: "date" };
const asDate = (text) => new Date(text);
const asText = (text) => text.replace("Z", "0000Z");

export const KINDS = {
  plain: {
    metadata: {},
    stored: (i) => fill({}, i),
    entity: (i) => {
      const made = fill({}, i);
      made["@metadata"] = { "@collection": "Orders" };
      return made;
    },
  },
  class: {
    type: Order,
    metadata: { "Raven-Node-Type": "Order" },
    stored: (i) => fill({}, i),
    entity: (i) => fill(new Order(), i),
  },
  dates: {
    type: DatedOrder,
    metadata: { "Raven-Node-Type": "DatedOrder", "@nested-object-types": DATES },
    stored: (i) => dated({}, i, asText),
    entity: (i) => dated(new DatedOrder(), i, asDate),
    revived: (entity) => {
      entity.requireAt = new Date(entity.requireAt);
      entity.shippedAt = new Date(entity.shippedAt);
    },
  },
  list: {
    type: ListedOrder,
    metadata: { "Raven-Node-Type": "ListedOrder" },
    stored: (i) => listed({}, i),
    entity: (i) => listed(new ListedOrder(), i),
  },
};

/** The kind that was named on the command line. */
export function kindOf(name) {
  const kind = KINDS[name];
  if (!kind) throw new Error(`no kind ${name}; there are ${Object.keys(KINDS)}`);
  return kind;
}
