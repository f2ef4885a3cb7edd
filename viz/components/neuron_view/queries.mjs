// The list of queries above the picture: one is chosen, by click or by key.
import { element } from "../shared/elements.mjs";
import { scrolledTo } from "./moves.mjs";

export class QueryList {
  constructor(choose) {
    this.root = element("div", "queries");
    this.root.setAttribute("role", "listbox");
    this.root.setAttribute("aria-label", "Query");
    this.root.setAttribute("aria-orientation", "horizontal");
    this.root.addEventListener("click", (event) => {
      const chip = event.target.closest(".query");
      if (chip) choose(Number(chip.dataset.position));
    });
  }

  /** Show the tokens at `positions` with one of them chosen. */
  show({ labels, special }, positions, chosen) {
    const signature = JSON.stringify([labels, positions]);
    if (signature !== this.signature) {
      const focused = this.root.contains(this.root.getRootNode().activeElement);
      this.root.replaceChildren(
        ...positions.map((position) => {
          const chip = element("div", special[position] ? "query special" : "query", labels[position]);
          chip.dataset.position = position;
          chip.title = `${labels[position]}, position ${position}`;
          chip.setAttribute("role", "option");
          return chip;
        }),
      );
      Object.assign(this, { signature, chosen: null });
      this.mark(chosen, focused);
    } else if (chosen !== this.chosen) {
      this.mark(chosen, this.root.contains(this.root.getRootNode().activeElement));
    }
  }

  mark(chosen, focus) {
    this.chosen = chosen;
    const { root } = this;
    for (const chip of root.children) {
      const selected = Number(chip.dataset.position) === chosen;
      chip.setAttribute("aria-selected", String(selected));
      chip.tabIndex = selected ? 0 : -1;
      if (!selected) continue;
      if (focus) chip.focus({ preventScroll: true });
      root.scrollTop = scrolledTo(root.scrollTop, root.clientHeight, chip.offsetTop - 3, chip.offsetHeight + 6);
    }
  }
}
