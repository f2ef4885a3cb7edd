// A view of `viz/components` on a page without Streamlit: it gets a root of its own and the data that Python would
// send.
import cellMap from "../../components/cell_map/view.mjs";
import headMap from "../../components/head_map/view.mjs";
import headView from "../../components/head_view/view.mjs";
import neuronView from "../../components/neuron_view/view.mjs";
import routes from "../../components/routes/view.mjs";
import { element } from "../../components/shared/elements.mjs";
import { pictureOf } from "../../components/shared/picture_view.mjs";
/** @import { MountArguments, SetTriggerValue } from "../../components/shared/types.mjs" */

const MOUNTS = {
  cell_map: { mount: cellMap, classes: "view" },
  head_map: { mount: headMap, classes: "view" },
  head_view: { mount: headView, classes: "view head-view" },
  neuron_view: { mount: neuronView, classes: "view neuron" },
  routes: { mount: routes, classes: "view routes" },
};

/** @typedef {keyof typeof MOUNTS} ComponentName */
/** @typedef {{ mount: (given: MountArguments<any>) => () => void, classes: string, send?: SetTriggerValue }} Mounted */

export class MountedView {
  #close = () => {};
  #mount;
  #root;
  #send;

  /** @param {string} name @param {Mounted} how it is mounted */
  constructor(name, { mount, classes, send = () => {} } = MOUNTS[/** @type {ComponentName} */ (name)]) {
    this.name = name;
    this.#mount = mount;
    this.#send = send;
    this.element = element("div", name);
    this.#root = this.element.attachShadow({ mode: "open" });
    this.#root.append(element("div", classes));
  }

  /** Show other data, or the same in another theme. The element must be on the page. @param {object} data */
  show(data) {
    /** @type {MountArguments<unknown>} */
    const given = { name: this.name, data, parentElement: this.#root, setTriggerValue: this.#send };
    this.#close = this.#mount(given);
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
