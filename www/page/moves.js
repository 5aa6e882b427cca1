// Arrow keys in a grid of options that wraps depending on the width of the page.

export class Moves {
  #root;
  #chosen;
  #current = 0;

  /** Calls `chosen(index)` for the option that was moved to or clicked. */
  constructor(root, chosen) {
    this.#root = root;
    this.#chosen = chosen;
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("click", ({ target }) => {
      const option = target.closest("[role=option]");
      if (option) this.#go([...root.children].indexOf(option));
    });
  }

  /** After the options have changed: keeps one of them reachable with the Tab key. */
  keep() {
    const { children } = this.#root;
    this.#current = Math.max(0, Math.min(this.#current, children.length - 1));
    for (const [index, option] of [...children].entries()) {
      option.tabIndex = index === this.#current ? 0 : -1;
      option.setAttribute("aria-selected", String(index === this.#current));
    }
  }

  #key(event) {
    const last = this.#root.children.length - 1;
    const to = {
      ArrowRight: () => Math.min(last, this.#current + 1),
      ArrowLeft: () => Math.max(0, this.#current - 1),
      ArrowDown: () => this.#vertical(1),
      ArrowUp: () => this.#vertical(-1),
      Home: () => 0,
      End: () => last,
    }[event.key];
    if (!to || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.#go(to());
  }

  /** The nearest option of the next row. */
  #vertical(step) {
    const options = [...this.#root.children];
    const { offsetTop, offsetLeft } = options[this.#current];
    const tops = [...new Set(options.map((option) => option.offsetTop))].sort((a, b) => a - b);
    const row = tops[tops.indexOf(offsetTop) + step];
    const near = (index) => Math.abs(options[index].offsetLeft - offsetLeft);
    const there = [...options.keys()].filter((index) => options[index].offsetTop === row);
    return there.sort((a, b) => near(a) - near(b))[0] ?? this.#current;
  }

  #go(index) {
    this.#current = index;
    this.keep();
    this.#root.children[index].focus();
    this.#chosen(index);
  }
}
