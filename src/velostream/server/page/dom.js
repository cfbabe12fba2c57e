// Elements from data. All text goes in as text nodes: nothing that comes from outside is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function made(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) (element.handlers ||= {})[name] = element[name] = value;
    else if (name === "style") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

// An element of HTML: h("a", {href: "#/"}, "text", child, …).
export const h = (tag, props, ...children) => made(document.createElement(tag), props, children);

// An element of SVG.
export const s = (tag, props, ...children) => made(document.createElementNS(SVG, tag), props, children);

// Makes what is shown look like what is wanted, and leaves alone what is alike: focus, scroll and selection stay.
export function morph(from, to) {
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || keyOf(from) !== keyOf(to)) {
    from.replaceWith(to);
    return to;
  }
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return from;
  }
  if (from.hasAttribute("data-keep")) return from;
  for (const { name } of [...from.attributes]) {
    if (name !== "style" && name !== "open" && !to.hasAttribute(name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (name !== "style" && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  if (from.style.cssText !== to.style.cssText) from.style.cssText = to.style.cssText;
  for (const name of Object.keys(from.handlers || {})) if (!to.handlers?.[name]) from[name] = null;
  for (const [name, handler] of Object.entries(to.handlers || {})) from[name] = handler;
  from.handlers = to.handlers;
  if (from.nodeName === "SELECT" || from.nodeName === "OPTION") {
    if (from !== document.activeElement && from.nodeName === "SELECT") queueMicrotask(() => { from.value = to.value; });
  }
  if (from.nodeName === "INPUT" && from.type === "checkbox") from.checked = to.checked || to.hasAttribute("checked");
  if (from.nodeName !== "TEXTAREA") children(from, [...to.childNodes]);
  return from;
}

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("data-key") : null);

function children(from, wanted) {
  const keyed = new Map();
  for (const child of from.childNodes) if (keyOf(child)) keyed.set(keyOf(child), child);
  let place = from.firstChild;
  for (const next of wanted) {
    const known = keyOf(next) ? keyed.get(keyOf(next)) : null;
    if (known && known !== place) {
      from.insertBefore(known, place);
      place = known;
    } else if (!known && keyOf(next)) {
      from.insertBefore(next, place);
      continue;
    }
    if (!place) {
      from.append(next);
      continue;
    }
    place = morph(place, next).nextSibling;
  }
  while (place) {
    const after = place.nextSibling;
    place.remove();
    place = after;
  }
}

// Shows elements in a container, in place of what was shown there.
export function show(container, ...wanted) {
  const list = wanted.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false);
  children(container, list.map((each) => (each instanceof Node ? each : document.createTextNode(String(each)))));
}
