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
  /** Of a list: the layout of its items. */
  item: Layout | undefined;
  #before;
  #others: Layout[] | undefined;
  #members: Members | undefined;
  #list: Layout | undefined;
  #inside: Layout | undefined;

  /** `inner`: the layout of the last member's own members, if it is an object; or `DATE` or `ODD`, or that of a list. */
  constructor(before?: Layout, name?: string, inner?: Layout) {
    this.#before = before;
    this.name = name;
    this.inner = inner;
    if (before) this.size = before.size + (inner ? inner.size : 1);
  }

  /** This one and one member more, if that was made before. */
  find(name: string, inner: Layout | undefined): Layout | undefined {
    return this.#others?.find((other) => other.name === name && other.inner === inner);
  }

  /** The same, for the first time. */
  and(name: string, inner: Layout | undefined): Layout {
    const made = new Layout(this, name, inner);
    this.#others ??= [];
    this.#others.push(made);
    return made;
  }

  /** With which the layout begins of an object that is the next member, or in a list there. */
  get inside(): Layout {
    this.#inside ??= new Layout();
    return this.#inside;
  }

  /** The layout of a list, which is one value, of objects that have this one. */
  get list(): Layout {
    this.#list ??= single(this);
    return this.#list;
  }

  get members(): Members {
    this.#members ??= this.#read();
    return this.#members;
  }

  #read(): Members {
    const [names, inners]: [string[], (Layout | undefined)[]] = [[], []];
    for (let at: Layout = this; at.#before; at = at.#before) {
      names.unshift(at.name as string);
      inners.unshift(at.inner);
    }
    const dates = names.filter((_, at) => inners[at] === DATE).map((name) => [name, "date"]);
    const notes = dates.length > 0 ? Object.fromEntries(dates) : undefined;
    return { names, inners, notes, isOdd: inners.some(needsNotes) };
  }
}

/** Whether something in a member needs notes, or is odd; a date that is the member itself is neither. */
function needsNotes(inner: Layout | undefined): boolean {
  if (inner === undefined || inner === DATE) return false;
  if (inner === ODD) return true;
  const { isOdd, notes } = (inner.item ?? inner).members;
  return isOdd || notes !== undefined;
}

const single = (item?: Layout) => Object.assign(new Layout(), { size: 1, item });

/** A member that is a date: its time is what is kept. */
export const DATE = single();
/** A member with something inside that JSON cannot show. */
export const ODD = single();
