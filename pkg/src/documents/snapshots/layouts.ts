// Layouts: the names of an object's members in order, and the kind of each value. Objects with the same members share a layout.

/** The members of an object, in order. */
export interface Members {
  names: string[];
  /** The layout of each value that is an object; `undefined` for other values. */
  inners: (Layout | undefined)[];
  /** `@nested-object-types` for members that are dates; `undefined` without dates. */
  notes: Record<string, string> | undefined;
  /** Whether other values that JSON does not have are inside. */
  isOdd: boolean;
}

export class Layout {
  /** The number of values. */
  size = 0;
  /** The last layout that was made from this one: often the next one that is needed. */
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

  /** This one and one member more, which is made now. */
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

/** The layout of a date, which is kept as its time. */
export const DATE = single();
/** The layout of a value that JSON does not have, or that contains one. */
export const ODD = single();
