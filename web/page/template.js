// Parts of the document.

// The elements of a part of the document that have an id, by it.
const partsOf = (root) =>
  Object.fromEntries([...root.querySelectorAll("[id]")].map((part) => [part.id, part]));

// A copy of a template of the document: its elements, and `parts`, those with an id.
function template(id) {
  const content = document.getElementById(id).content.cloneNode(true);
  return { element: [...content.children], parts: partsOf(content) };
}

// Sets the text of an element. An element that has it already does not change, so that a reader
// keeps the place.
function setText(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

export { partsOf, setText, template };
