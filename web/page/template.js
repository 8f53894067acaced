// Parts of the document that are shown when they are needed.

// A copy of a template of the document: its elements, and `parts`, those with an id by it.
function template(id) {
  const content = document.getElementById(id).content.cloneNode(true);
  const parts = Object.fromEntries([...content.querySelectorAll("[id]")].map((part) => [part.id, part]));
  return { element: [...content.children], parts };
}

export { template };
