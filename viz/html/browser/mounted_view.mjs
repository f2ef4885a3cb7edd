// A view of `viz/components` on a page without Streamlit: it gets a root of its own and the data that Python would
// send.
import cellMap from "../../components/cell_map/view.mjs";
import headMap from "../../components/head_map/view.mjs";
import headView from "../../components/head_view/view.mjs";
import neuronView from "../../components/neuron_view/view.mjs";
import { element } from "../../components/shared/elements.mjs";
import { pictureOf } from "../../components/shared/picture_view.mjs";
/** @import { MountArguments } from "../../components/shared/types.mjs" */

const MOUNTS = {
  cell_map: { mount: cellMap, classes: "view" },
  head_map: { mount: headMap, classes: "view" },
  head_view: { mount: headView, classes: "view head-view" },
  neuron_view: { mount: neuronView, classes: "view neuron" },
};

/** @typedef {keyof typeof MOUNTS} ComponentName */

export class MountedView {
  #close = () => {};
  #root;

  /** @param {ComponentName} name */
  constructor(name) {
    this.name = name;
    this.element = element("div", name);
    this.#root = this.element.attachShadow({ mode: "open" });
    this.#root.append(element("div", MOUNTS[name].classes));
  }

  /** Show other data, or the same in another theme. The element must be on the page. @param {object} data */
  show(data) {
    /** @type {MountArguments<unknown>} */
    const mount = { name: this.name, data, parentElement: this.#root, setTriggerValue: () => {} };
    this.#close = MOUNTS[this.name].mount(mount);
  }

  /** The picture to save, or null. */
  get picture() {
    const root = this.#root.firstElementChild;
    return root && pictureOf(root);
  }

  close() {
    this.#close();
    this.element.remove();
  }
}
