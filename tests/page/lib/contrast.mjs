// The contrast of what a board shows, measured on a screenshot.

/** The share of a box that a colour has at least, so that the edges of shapes do not count. */
const SHARE = 0.01;

/** The colours of the boxes of a picture, those that fill more than a few pixels. */
async function coloursOf({ picture, boxes, share }) {
  const bytes = await fetch(`data:image/png;base64,${picture}`);
  const image = await createImageBitmap(await bytes.blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  return boxes.map(({ x, y, width, height }) => {
    const { data } = context.getImageData(x, y, width, height), counts = new Map();
    for (let at = 0; at < data.length; at += 4) {
      const colour = data.slice(at, at + 3).join();
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const found = [...counts].filter(([, count]) => count > share * width * height);
    return found.map(([colour]) => colour.split(",").map(Number));
  });
}

/** The relative luminance of WCAG. */
function luminance(colour) {
  const [red, green, blue] = colour.map((value) => value / 255).map((value) =>
    value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [low, high] = [one, other].map(luminance).sort((first, second) => first - second);
  return (high + 0.05) / (low + 0.05);
}

/**
 * The least contrast of elements of the board with their cells: for each, that of the colour in its box that stands out
 * most. The box is somewhat larger than the element. `browser` opens a page that may read pictures.
 */
export async function leastContrast(browser, page, selector) {
  const { boxes, cells } = await page.evaluate((selector) => {
    const box = (element) => {
      const { x, y, width, height } = element.getBoundingClientRect(), more = Math.max(2, width / 8);
      return { x: Math.round(x - more), y: Math.round(y - more), width: Math.ceil(width + 2 * more),
        height: Math.ceil(height + 2 * more) };
    };
    const colour = (cell) => getComputedStyle(cell).fill.match(/\d+/g).map(Number);
    return { boxes: [...document.querySelectorAll(selector)].map(box),
      cells: [...document.querySelectorAll("svg.board .cell")].map(colour) };
  }, selector);
  const picture = (await page.screenshot()).toString("base64");
  const other = await browser.newPage();
  const found = await other.evaluate(coloursOf, { picture, boxes, share: SHARE });
  await other.close();
  const isCell = (colour) => cells.some((cell) => contrast(cell, colour) < 1.02);
  return Math.min(
    ...found.map((colours) =>
      Math.min(
        ...colours.filter(isCell).map((cell) => Math.max(...colours.map((one) => contrast(one, cell)))),
      )
    ),
  );
}
