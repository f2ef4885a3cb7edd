// The menu of the lessons, which are pages of their own.
import { element } from "../../../components/shared/elements.mjs";

/** @param {readonly { title: string, address: string }[]} lessons */
export function lessonsMenu(lessons) {
  const links = lessons.map(({ title, address }) => {
    const link = element("a", "", title);
    link.href = address;
    return element("li", "", link);
  });
  return element("details", "lessons", element("summary", "tool", "Lessons"), element("ul", "", ...links));
}
