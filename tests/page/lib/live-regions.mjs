// What a screen reader hears of a page.

/** From now on, the new texts of the live regions; the function that is returned reads them. */
export async function listen(page) {
  await page.evaluate(() => {
    window.heard = [];
    const regionOf = (node) =>
      (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest(
        "[role=status], [role=alert], [aria-live]",
      );
    new MutationObserver((changes) => {
      for (const region of new Set(changes.map(({ target }) => regionOf(target)))) {
        const words = region?.textContent.replace(/\s+/g, " ").trim();
        if (words) window.heard.push(words);
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  return () => page.evaluate(() => window.heard);
}
