// Opens each report as a reader would: wide and on a phone, light and dark, with and without scripts, with mouse and keyboard.
// Nothing may be fetched, logged as an error, cut off or drawn over something else.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const reports = process.argv.slice(2).map((path) => resolve(path));
const screenshots = resolve(process.env.SCREENSHOTS);
mkdirSync(screenshots, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const failures = [];
const profile = mkdtempSync(join(tmpdir(), "lookalike-browser-"));

const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM,
  headless: true,
  offline: true,
  // A report's policy lets no script in but its own; axe-core comes in past it.
  bypassCSP: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

for (const path of reports) {
  for (const [device, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"]) {
      await look(path, device, viewport, colorScheme);
    }
  }
}
await withoutScripts();
await browser.close();
rmSync(profile, { recursive: true, force: true });

if (failures.length) {
  console.error(`test-browser: ${failures.length} failure(s)`);
  failures.slice(0, 60).forEach((failure) => console.error(`  ${failure}`));
  process.exit(1);
}
console.log(`test-browser: ${reports.length} report(s) are clean; screenshots in ${screenshots}`);

async function look(path, device, viewport, colorScheme) {
  const name = `${basename(path, ".html")} ${device} ${colorScheme}`;
  const fail = (what) => failures.push(`${name}: ${what}`);
  const page = await browser.newPage();
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  page.on("console", (message) => message.type() === "error" && fail(`console: ${message.text()}`));
  page.on("pageerror", (error) => fail(`script: ${error.message}`));
  page.on("request", (request) => request.url().startsWith("file:") || fail(`asked for ${request.url()}`));
  await page.goto(pathToFileURL(path).href);

  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (overflow > 0) fail(`the page is ${overflow} px too wide`);
  (await page.evaluate(checkPictures)).forEach(fail);
  (await page.evaluate(checkContrast)).forEach(fail);
  const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
  found.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .forEach((one) => fail(`axe ${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join("; ")}`));
  await useKeyboard(page, fail);
  if (await page.locator("#risk-utility-map").count()) await chooseOnMap(page, fail, device);
  await page.goto(pathToFileURL(path).href);
  await page.screenshot({ path: join(screenshots, `${name.replaceAll(" ", "-")}.png`), fullPage: true });
  await page.close();
}

// A point leads to its contestant, and other axes move the points.
async function chooseOnMap(page, fail, device) {
  const link = page.locator("#map-points a").nth(2);
  const target = (await link.getAttribute("href")).slice(1);
  await link.focus();
  if (!(await page.locator("#map-told").textContent())) fail("a point says nothing when it is focused");
  await link.press("Enter");
  await page.waitForFunction((id) => document.getElementById(id)?.open, target, { timeout: 2000 }).catch(() => fail(`#${target} does not open`));
  if (device === "desktop") {
    const last = page.locator("#map-points a").last();
    await last.locator(".mark").click({ force: true });
  }
  const places = () => page.locator("#map-points a .mark").evaluateAll((marks) => marks.map((mark) => mark.getAttribute("transform")).join());
  const before = await places();
  const other = await page.locator("#map-risk option:not([selected])").first().getAttribute("value");
  await page.selectOption("#map-risk", other);
  await page.selectOption("#map-utility", { index: (await page.locator("#map-utility option").count()) - 1 });
  if ((await places()) === before) fail("other axes do not move the points");
  if (await page.locator("#map-front").isVisible()) fail("the front of other axes is shown");
  (await page.evaluate(checkPictures)).forEach((problem) => fail(`after choosing axes: ${problem}`));
  await page.locator("#risk-utility-map").screenshot({ path: join(screenshots, `map-other-axes-${device}.png`) });
}

async function useKeyboard(page, fail) {
  await page.keyboard.press("Tab");
  const seen = [];
  for (let step = 0; step < 8; step++) {
    seen.push(await page.evaluate(() => document.activeElement?.getAttribute("href") ?? document.activeElement?.tagName));
    await page.keyboard.press("Tab");
  }
  if (new Set(seen).size < 4) fail(`the keyboard does not get on: ${seen.join(" ")}`);
}

async function withoutScripts() {
  const folder = mkdtempSync(join(tmpdir(), "lookalike-browser-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM, headless: true, offline: true, javaScriptEnabled: false,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });
  for (const path of reports) {
    const fail = (what) => failures.push(`${basename(path)} without scripts: ${what}`);
    const page = await context.newPage();
    await page.goto(pathToFileURL(path).href);
    if (!(await page.locator("h2").count())) fail("there are no sections");
    if (await page.locator("#risk-utility-map").count()) {
      if (!(await page.locator("#map-points a").first().isVisible())) fail("the map is empty");
      if (await page.locator("#map-axes").isVisible()) fail("axes are offered that cannot be chosen");
      const href = await page.locator("#map-points a").first().getAttribute("href");
      await page.locator("#map-points a").first().focus();
      await page.keyboard.press("Enter");
      if (!page.url().endsWith(href)) fail("a point does not lead to its contestant");
    }
    await page.close();
  }
  await context.close();
  rmSync(folder, { recursive: true, force: true });
}

// Every text of a picture lies inside it, and no two texts cover each other.
function checkPictures() {
  const problems = [];
  for (const svg of document.querySelectorAll("svg.picture")) {
    const name = svg.closest("figure")?.id ?? "a picture";
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => {
      const box = text.getBoundingClientRect();
      return { box, text: [...text.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("") };
    });
    for (const { box, text } of boxes) {
      const out = Math.max(frame.left - box.left, frame.top - box.top, box.right - frame.right, box.bottom - frame.bottom);
      if (out > 0.5) problems.push(`${name}: "${text}" is cut by ${out.toFixed(1)} px`);
    }
    const sorted = [...boxes].sort((one, other) => one.box.left - other.box.left);
    for (let at = 0; at < sorted.length; at++) {
      const { box, text } = sorted[at];
      for (let next = at + 1; next < sorted.length && sorted[next].box.left < box.right; next++) {
        const other = sorted[next].box;
        const wide = Math.min(box.right, other.right) - other.left;
        const high = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (wide > 1.5 && high > 3.5) problems.push(`${name}: "${text}" and "${sorted[next].text}" overlap by ${wide.toFixed(1)} x ${high.toFixed(1)} px`);
      }
    }
  }
  return problems;
}

// Text stands out from the page: a contrast of at least 4.5 (WCAG 2, AA).
function checkContrast() {
  const parse = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
  const light = (colour) => {
    const [r, g, b] = parse(colour).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const problems = new Set();
  const check = (element, colour) => {
    const ink = light(colour);
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) problems.add(`${element.tagName} .${element.getAttribute("class")}: contrast ${contrast.toFixed(1)}`);
  };
  document.querySelectorAll("p, li, dt, dd, th, td, a, summary, strong, h1, h2, h3, footer").forEach((element) => {
    if (element.textContent.trim() && !element.closest("svg")) check(element, getComputedStyle(element).color);
  });
  document.querySelectorAll("svg.picture text:not(.on-dark)").forEach((element) => check(element, getComputedStyle(element).fill));
  return [...problems];
}
