// Opens pages in a real Chromium, and records everything that a page must not do.

import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const PROGRAM = process.env.CHROMIUM ?? "/usr/bin/chromium";

// The tests run as root in a container, where Chromium's own sandbox cannot start.
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  "--font-render-hinting=none",
];

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Widths and heights in CSS pixels. */
export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 360, height: 740 };

export function launch() {
  return chromium.launch({ executablePath: PROGRAM, args: FLAGS });
}

/**
 * Opens a file in a context of its own. `problems` of the answer lists console messages of the
 * levels error and warning, exceptions, violations of the page's policy, dialogs, new windows,
 * and every request other than that for the file and those that `allows` accepts. `file` may also
 * be an address. `started` is when the navigation began. `script` runs before those of the page.
 */
export async function open(browser, file, options = {}) {
  const { size = WIDE, scheme = "light", touch = false, hash = "", allows = () => false, script } = options;
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, hasTouch: touch,
    isMobile: touch, reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(15_000);
  const problems = [];
  const address = file.startsWith("http:") ? file : pathToFileURL(file).href;
  await context.exposeBinding("__violation", (_source, text) => problems.push(`policy: ${text}`));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation",
      (event) => window.__violation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  if (script) await context.addInitScript(script);
  const page = await context.newPage();
  context.on("page", (other) => problems.push(`window: ${other.url()}`));
  page.on("console", (message) => {
    if (["error", "warning", "assert"].includes(message.type())) {
      problems.push(`console: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.stack}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address && !allows(request.url())) {
      problems.push(`request: ${request.url().slice(0, 200)}`);
    }
  });
  const started = performance.now();
  await page.goto(address + hash);
  // The page of a report reads its games a moment later.
  await page.waitForFunction(() =>
    !document.getElementById("data") || document.documentElement.classList.contains("scripted")
    || document.querySelector("[role=alert]")
  );
  const devtools = await context.newCDPSession(page);
  return { page, context, devtools, problems, address, started, close: () => context.close() };
}

/** The accessibility tree as Chromium hands it to a screen reader: all nodes that are not ignored. */
export async function accessibilityTree({ devtools }) {
  const { nodes } = await devtools.send("Accessibility.getFullAXTree");
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const value = (field) => field?.value ?? "";
  const simple = (node) => ({ role: value(node.role), name: value(node.name),
    description: value(node.description), value: value(node.value),
    properties: Object.fromEntries((node.properties ?? []).map((it) => [it.name, it.value?.value])),
    children: (node.childIds ?? []).flatMap((id) => visible(byId.get(id))) });
  const visible = (node) => {
    if (!node) return [];
    if (!node.ignored) return [simple(node)];
    return (node.childIds ?? []).flatMap((id) => visible(byId.get(id)));
  };
  return visible(nodes[0])[0];
}

/** All nodes of a tree, parents before their children. */
export function* walk(node) {
  yield node;
  for (const child of node.children) yield* walk(child);
}

/** All nodes of a tree with a role and, if given, a name that fits the pattern. */
export function nodes(tree, role, name = /(?:)/) {
  return [...walk(tree)].filter((node) => node.role === role && name.test(node.name));
}

/** The violations that axe-core finds, as text. */
export async function axe({ devtools }) {
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await devtools.send("Runtime.evaluate", { expression,
      awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  if (!(await evaluate('typeof window.axe !== "undefined"'))) await evaluate(`${AXE};0`);
  const violations = await evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations)',
  );
  return violations.map(({ id, help, nodes: where }) =>
    `${id}: ${help}: ${
      where.slice(0, 3).map((node) =>
        `${node.html.slice(0, 200)} (${node.failureSummary.split("\n").slice(1).join(" ").trim()})`
      ).join("; ")
    }`
  );
}
