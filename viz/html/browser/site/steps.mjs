// The slider of the steps of a training, from the first to the last.
import { element } from "../../../components/shared/elements.mjs";
/** @import { SiteFacts, TrainingStep } from "../contents.mjs" */

/** @param {NonNullable<SiteFacts["training"]>} training @param {(step: TrainingStep) => void} choose */
export function stepsSlider({ label, steps }, choose) {
  const slider = element("input");
  const shown = element("span", "", String(steps[steps.length - 1].step));
  Object.assign(slider, { type: "range", min: "0", max: String(steps.length - 1), value: String(steps.length - 1) });
  const chosen = () => steps[slider.valueAsNumber];
  slider.addEventListener("input", (event) => {
    event.stopPropagation(); // the form's other fields are texts and their settings
    slider.ariaValueText = shown.textContent = String(chosen().step);
  });
  slider.addEventListener("change", () => choose(chosen()));
  return element("label", "steps", `${label}: `, shown, slider);
}
