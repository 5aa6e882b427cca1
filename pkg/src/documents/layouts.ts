// The names of an object's members in order, and what kind of value each has; objects that are alike share one.

/** What a layout says of an object's members, in order. */
export interface Members {
  names: string[];
  /** The layout of each value's own members, `undefined` for what is one value. */
  inners: (Layout | undefined)[];
  /** Of members that are dates, for a document's metadata, if there are any. */
  notes: Record<string, string> | undefined;
  /** Whether something else is inside that JSON cannot show. */
  isOdd: boolean;
}

export class Layout {
  /** How many values it has. */
  size = 0;
  /** The layout that was made of this one last: mostly it is wanted again. */
  next: Layout | undefined;
  name: string | undefined;
  inner: Layout | undefined;
  #before;
  #others: Layout[] | undefined;
  #members: Members | undefined;

  /** `inner`: the layout of the last member's own members, if it is an object; or `DATE` or `ODD`. */
  constructor(before?: Layout, name?: string, inner?: Layout) {
    this.#before = before;
    this.name = name;
    this.inner = inner;
    if (before) this.size = before.size + (inner ? inner.size : 1);
  }

  /** This one and one member more; `made` is called for one that was not there before. */
  and(name: string, inner: Layout | undefined, made: () => void): Layout {
    let found = this.#others?.find((other) => other.name === name && other.inner === inner);
    if (!found) {
      found = new Layout(this, name, inner);
      this.#others ??= [];
      this.#others.push(found);
      made();
    }
    this.next = found;
    return found;
  }

  get members(): Members {
    this.#members ??= this.#list();
    return this.#members;
  }

  #list(): Members {
    const [names, inners]: [string[], (Layout | undefined)[]] = [[], []];
    for (let at: Layout = this; at.#before; at = at.#before) {
      names.unshift(at.name as string);
      inners.unshift(at.inner);
    }
    const dates = names.filter((_, at) => inners[at] === DATE).map((name) => [name, "date"]);
    const notes = dates.length > 0 ? Object.fromEntries(dates) : undefined;
    const isOdd = inners.some((inner) => inner === ODD || inner?.members.isOdd || inner?.members.notes);
    return { names, inners, notes, isOdd };
  }
}

const single = () => Object.assign(new Layout(), { size: 1 });

/** A member that is a date: its time is what is kept. */
export const DATE = single();
/** A member with something inside that JSON cannot show. */
export const ODD = single();
