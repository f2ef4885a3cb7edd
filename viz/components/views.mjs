// All views that Streamlit mounts, by component name. `make bundle` bundles them into views.js: one file, because every
// request delays the server's first render of the page.
import cellMap from "./cell_map/view.mjs";
import headCard from "./head_card/view.mjs";
import headMap from "./head_map/view.mjs";
import headView from "./head_view/view.mjs";
import host from "./wires/host/view.mjs";
import keptTour from "./wires/kept_tour/view.mjs";
import neuronView from "./neuron_view/view.mjs";
import numberKeys from "./wires/number_keys/view.mjs";
import pageWatch from "./wires/page_watch/view.mjs";
import paintReport from "./wires/paint_report/view.mjs";
import plotClicks from "./wires/plot_clicks/view.mjs";
import routes from "./routes/view.mjs";
import stage from "./stage/view.mjs";
import store from "./wires/store/view.mjs";
import textFields from "./text_fields/view.mjs";
import tokenStrip from "./token_strip/view.mjs";

export const VIEWS = {
  cell_map: cellMap,
  head_card: headCard,
  head_map: headMap,
  head_view: headView,
  host,
  kept_tour: keptTour,
  neuron_view: neuronView,
  number_keys: numberKeys,
  page_watch: pageWatch,
  paint_report: paintReport,
  plot_clicks: plotClicks,
  routes,
  stage,
  store,
  text_fields: textFields,
  token_strip: tokenStrip,
};
