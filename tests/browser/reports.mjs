// Opens each report as a reader would: wide, middling and on a phone, light and dark, on paper, with and without scripts, with mouse and keyboard.
// Nothing may be fetched, logged as an error, cut off or drawn over something else; on a phone nothing has to be scrolled sideways.
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

const sizes = { desktop: { width: 1400, height: 900 }, tablet: { width: 800, height: 1000 }, phone: { width: 400, height: 844 } };

for (const path of reports) {
  for (const [device, viewport] of Object.entries(sizes)) {
    // What is drawn does not depend on colours: the middle size is looked at in light alone.
    for (const colorScheme of device === "tablet" ? ["light"] : ["light", "dark"]) {
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
  if (device === "phone") (await page.evaluate(checkSideways)).forEach(fail);
  if (device === "desktop" && colorScheme === "light") await onPaper(path, name, fail);
  const found = device === "tablet" ? { violations: [] } : await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
  found.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .forEach((one) => fail(`axe ${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join("; ")}`));
  await useKeyboard(page, fail);
  if (await page.locator("#risk-utility-map").count()) await (device === "desktop" ? chooseOnMap(page, fail) : lookAtMap(page, fail, device));
  await page.goto(pathToFileURL(path).href);
  // Pictures of pages are for people to look at: a machine that is too busy to take one has still tested the page.
  await page.screenshot({ path: join(screenshots, `${name.replaceAll(" ", "-")}.png`), fullPage: true, timeout: 60000 })
    .catch(() => console.log(`test-browser: no screenshot of ${name}, the machine was too slow`));
  await page.close();
}

// A point leads to its contestant, and other axes move the points.
async function chooseOnMap(page, fail) {
  const link = page.locator("#map-points a").nth(2);
  const target = (await link.getAttribute("href")).slice(1);
  await link.focus();
  if (!(await page.locator("#map-told").textContent())) fail("a point says nothing when it is focused");
  await link.press("Enter");
  await page.waitForFunction((id) => document.getElementById(id)?.open, target, { timeout: 2000 }).catch(() => fail(`#${target} does not open`));
  const last = page.locator("#map-points a").last();
  await last.locator(".mark").click({ force: true });
  const places = () => page.locator("#map-points a .mark").evaluateAll((marks) => marks.map((mark) => mark.getAttribute("transform")).join());
  const before = await places();
  const other = await page.locator("#map-risk option:not([selected])").first().getAttribute("value");
  await page.selectOption("#map-risk", other);
  await page.selectOption("#map-utility", { index: (await page.locator("#map-utility option").count()) - 1 });
  if ((await places()) === before) fail("other axes do not move the points");
  if (await page.locator("#map-front").isVisible()) fail("the front of other axes is shown");
  (await page.evaluate(checkPictures)).forEach((problem) => fail(`after choosing axes: ${problem}`));
  await page.locator("#risk-utility-map").screenshot({ path: join(screenshots, "map-other-axes.png") });
}

// A phone has a map of its own, whose points lead on too; other sizes have the wide one.
async function lookAtMap(page, fail, device) {
  const [shown, hidden] = device === "phone" ? [".map-narrow", ".map-wide"] : [".map-wide", ".map-narrow"];
  if (!(await page.locator(shown).first().isVisible()) || (await page.locator(hidden).first().isVisible())) fail("the wrong map is shown");
  const link = page.locator(`${shown} svg a`).first();
  const target = (await link.getAttribute("href")).slice(1);
  await link.focus();
  await link.press("Enter");
  if (!page.url().endsWith(`#${target}`)) fail("a point does not lead to its version");
}

// On paper: what is folded is left out, nothing is wider than the sheet, and the pages are kept to be looked at.
async function onPaper(path, name, fail) {
  const page = await browser.newPage();
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 680, height: 1000 });
  await page.goto(pathToFileURL(path).href);
  const wide = await page.evaluate(() => [...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest("svg")).length);
  if (wide) fail(`${wide} parts are wider than a sheet of paper`);
  if (await page.locator("nav").first().isVisible()) fail("the links are printed");
  // Whatever a picture draws on a screen it draws on paper; a phone's map is of another size.
  const hidden = await page.evaluate(() => [...document.querySelectorAll("svg.picture")].filter((svg) => svg.getBoundingClientRect().width)
    .flatMap((svg) => [...svg.querySelectorAll("g, rect, path, line, circle, text")]).filter((one) => getComputedStyle(one).display === "none").length);
  if (hidden) fail(`${hidden} parts of pictures are not printed`);
  const thin = await page.evaluate(() => [...document.querySelectorAll("th, td")].filter((cell) => cell.offsetParent && cell.clientWidth < 22 && cell.textContent.trim().length > 6).length);
  if (thin) fail(`${thin} cells of tables are too thin to be read`);
  const pdf = await page.pdf({ path: join(screenshots, `${name.replaceAll(" ", "-")}.pdf`), preferCSSPageSize: true });
  if (pdf.subarray(0, 5).toString() !== "%PDF-") fail("it cannot be printed");
  await page.close();
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

// Nothing but programs has to be scrolled sideways.
function checkSideways() {
  return [...document.querySelectorAll(".frame, .panels")].filter((frame) => frame.offsetParent && frame.scrollWidth > frame.clientWidth + 1)
    .map((frame) => `${frame.getAttribute("aria-label") ?? frame.closest("figure")?.id}: ${frame.scrollWidth - frame.clientWidth} px are out of sight`);
}

// Every text of a picture lies inside it, and no two texts cover each other.
function checkPictures() {
  const problems = [];
  for (const svg of document.querySelectorAll("svg.picture")) {
    const name = svg.closest("figure")?.id ?? "a picture";
    const frame = svg.getBoundingClientRect();
    if (!frame.width) continue;
    // Small pictures are drawn smaller: so is what counts as cut or covered.
    const unit = frame.width / svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => {
      const box = text.getBoundingClientRect();
      return { box, text: [...text.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("") };
    });
    for (const { box, text } of boxes) {
      const out = Math.max(frame.left - box.left, frame.top - box.top, box.right - frame.right, box.bottom - frame.bottom);
      if (out > 0.5 * unit) problems.push(`${name}: "${text}" is cut by ${out.toFixed(1)} px`);
    }
    const sorted = [...boxes].sort((one, other) => one.box.left - other.box.left);
    for (let at = 0; at < sorted.length; at++) {
      const { box, text } = sorted[at];
      for (let next = at + 1; next < sorted.length && sorted[next].box.left < box.right; next++) {
        const other = sorted[next].box;
        const wide = Math.min(box.right, other.right) - other.left;
        const high = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (wide > 1.5 * unit && high > 3.5 * unit) problems.push(`${name}: "${text}" and "${sorted[next].text}" overlap by ${wide.toFixed(1)} x ${high.toFixed(1)} px`);
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
