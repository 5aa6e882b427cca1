// The balance of ids: an id is issued once to one caller. After a restored backup the server rightly grants numbers again that it had
// granted after that backup, so a number may be issued once in each history of the database that granted it.

/** An id as tag and number: one counter grants each number once, whatever the node tag. */
const parse = (id) => /^(.+)\/(\d+)(?:-\w+)?$/.exec(id.toLowerCase())?.slice(1) ?? [];

/** What is wrong with the ids, as sentences; `story` is what `balance` gets. */
export function balanceIds({ issued, grants, histories }) {
  const order = new Map(histories.map(({ incarnation }, at) => [incarnation, at]));
  const known = rangesByTag(grants, order);
  const byNumber = new Map();
  const wrong = [];
  for (const { id, at, seen, who } of issued) {
    const [tag, number] = parse(id);
    const key = `${tag}/${number}`;
    const fits = (range) =>
      range.low <= Number(number) &&
      Number(number) <= range.high &&
      range.at <= at &&
      range.history >= (order.get(seen) ?? 0);
    const possible = [...new Set((known.get(tag) ?? []).filter(fits).map(({ history }) => history))];
    if (possible.length === 0) wrong.push(`${id} was issued to ${who}, and no server had granted it`);
    const all = byNumber.get(key) ?? [];
    byNumber.set(key, all);
    all.push({ id, at, who, possible });
  }
  for (const all of byNumber.values())
    if (all.length > 1 && !canBeTold(all, histories))
      wrong.push(
        `${all[0].id} was issued ${all.length} times, to ${all.map(({ who }) => who).join(" and ")}`,
      );
  return wrong;
}

function rangesByTag(grants, order) {
  const known = new Map();
  for (const { tag, low, high, at, incarnation } of grants) {
    const list = known.get(tag) ?? [];
    known.set(tag, list);
    list.push({ low, high, at, history: order.get(incarnation) ?? 0 });
  }
  return known;
}

/** Whether each issue can come from another history, none of which had inherited the number as issued. */
function canBeTold([first, ...others], histories, chosen = []) {
  if (!first) return true;
  return first.possible.some(
    (history) =>
      chosen.every((other) => areApart({ ...first, history }, other, histories)) &&
      canBeTold(others, histories, [...chosen, { ...first, history }]),
  );
}

function areApart(a, b, histories) {
  if (a.history === b.history) return false;
  const [older, newer] = a.history < b.history ? [a, b] : [b, a];
  return !inherits(histories, newer.history, older.history, older.at);
}

/** Whether a history has what happened in an older one at this time: its backup began later. */
export function inherits(histories, newer, older, at) {
  for (let history = newer; history > older; ) {
    const { parent, began } = histories[history];
    if (parent === older) return at < began;
    // What was in the parent by inheritance is older than its own backup.
    if (parent < older) return false;
    history = parent;
  }
  return newer === older;
}
