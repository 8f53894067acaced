// Elements of HTML and SVG. Texts become text nodes, never markup.

function add(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

const el = (name, attributes, ...children) => add(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
  add(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
const text = (x, y, content, anchor, extra) =>
  svg("text", { x, y, "text-anchor": anchor || "start", ...extra }, content);

export { el, svg, text };
