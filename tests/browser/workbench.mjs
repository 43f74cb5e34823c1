// Walks through the workbench as a custodian would, by the keyboard alone: from a table to a release. Every page is looked at on the way:
// nothing may be fetched from elsewhere, logged as an error, too wide, or a serious finding of axe-core.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const program = process.argv[2];
const screenshots = resolve(process.env.SCREENSHOTS);
mkdirSync(screenshots, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const failures = [];
const root = mkdtempSync(join(tmpdir(), "lookalike-workbench-"));
const run = (...words) => new Promise((done, fail) => {
  spawn(program, words, { cwd: root, stdio: "ignore" }).on("exit", (code) => (code === 0 ? done() : fail(new Error(`${words.join(" ")}: ${code}`))));
});
await run("town", "--people", "300", "--out", ".", "--quiet");
rmSync(join(root, "town.schema.toml"));

const served = spawn(program, ["workbench", "--no-browser", "--root", root], { stdio: ["ignore", "pipe", "ignore"] });
const link = await new Promise((found) => {
  let text = "";
  served.stdout.on("data", (bytes) => { text += bytes; const line = text.match(/http:\/\/127\.0\.0\.1:\d+\/enter\S+/); if (line) found(line[0]); });
});
const origin = new URL(link).origin;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"] });
// Pages of ours obey a policy that lets nothing in; axe-core comes in past it.
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true });
const page = await context.newPage();
let where = "the start", presses = 0;
const fail = (what) => failures.push(`${where}: ${what}`);
page.on("console", (message) => message.type() === "error" && fail(`console: ${message.text()}`));
page.on("pageerror", (error) => fail(`script: ${error.message}`));
page.on("request", (request) => request.url().startsWith(`${origin}/`) || request.url() === "about:blank" || fail(`asked for ${request.url()}`));

try {
  await page.goto(link);
  await look("projects");
  await follow("town.csv");
  await look("open");
  await fill("folder", "mine");
  await fill("public_because", "it is made up");
  await send("Begin");
  await look("project");
  await follow("Schema");
  await look("schema");
  await follow("Plan");
  await look("plan");
  await follow("Frontier");
  await look("frontier-before");
  await fill("grid", '[[recipe]]\nmethod = "catall"\n\n[[recipe]]\nmethod = "pairwise"\n');
  await send("Check and save the recipes");
  await fill("limits", "tables.farther_mean_s_pmse:2 <= 100000");
  await send("Save the limits");
  await fill("repeat", "2");
  await send("Run the frontier");
  // Its map is drawn anew every second: it is looked at once, and not photographed.
  where = "frontier-live";
  await page.waitForSelector("#job");
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (over > 0) fail(`${over} px too wide`);
  await page.waitForFunction(() => document.querySelector("#risk-utility-map") && !document.querySelector("#job"), null, { timeout: 240000 });
  await look("frontier");
  await moveLimits();
  await send("Save these limits and judge anew");
  await page.waitForFunction(() => document.querySelector("#risk-utility-map") && !document.querySelector("#job"), null, { timeout: 240000 });
  await look("frontier-judged");
  await follow("pairwise");
  await look("point");
  await follow("Release pairwise");
  await look("release-before");
  await fill("accepted_by", "The board");
  await send("Release", true);
  await page.waitForFunction(() => document.querySelector("#job")?.dataset.over === "yes", null, { timeout: 240000 });
  if ((await page.locator("#state").textContent()) !== "finished") fail(`the release ended as ${await page.locator("#lines").textContent()}`);
  await look("job");
  await follow("To the release");
  await look("release");
  await follow("Log");
  await look("log");
  await page.goto(`${origin}/point?project=mine&name=pairwise&beside=catall`);
  await look("compare");
} catch (error) {
  fail(error.message);
}
await browser.close();
served.kill();
rmSync(root, { recursive: true, force: true });
if (failures.length) {
  console.error(`test-browser: ${failures.length} failure(s) of the workbench`);
  failures.slice(0, 60).forEach((failure) => console.error(`  ${failure}`));
  process.exit(1);
}
console.log(`test-browser: the workbench is clean from table to release in ${presses} key presses besides texts; screenshots in ${screenshots}`);

// The page as it is, wide and narrow, light and dark, and what axe-core finds serious.
async function look(name) {
  where = name;
  await page.waitForLoadState("load");
  for (const [width, scheme] of [[1280, "light"], [390, "light"], [1280, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (over > 0) fail(`${over} px too wide at ${width} px`);
    await page.screenshot({ path: join(screenshots, `workbench-${name}-${width}-${scheme}.png`), fullPage: true, timeout: 60000 })
      .catch(() => console.log(`test-browser: no screenshot of ${name}, the machine was too slow`));
    const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"], iframes: false })`);
    found.violations.filter((one) => ["serious", "critical"].includes(one.impact))
      .forEach((one) => fail(`axe ${one.id} at ${width} px ${scheme}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join("; ")}`));
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
}

// A limit is moved by the keyboard and by the mouse; the versions that keep it and the text of the form follow.
async function moveLimits() {
  const limits = () => page.locator("textarea[name=limits]").inputValue();
  const told = () => page.locator("#limits-told").textContent();
  const hollow = () => page.locator("#map-points .mark.refused").count();
  await page.evaluate(() => document.activeElement?.blur());
  await reach("the limit on utility", () => document.activeElement?.matches(".handle.up"));
  await page.keyboard.press("Home");
  presses++;
  if (!(await told()).startsWith("0 of the 2")) fail(`a limit that none keeps: ${await told()}`);
  if ((await hollow()) !== 2) fail("versions that break a moved limit are not hollow");
  const strict = await limits();
  if (!/^tables\.farther_mean_s_pmse:2 <= [\d.]+$/.test(strict) || strict.endsWith("100000")) fail(`the form says ${strict}`);
  const grip = await page.locator(".handle.up .grip").boundingBox(), field = await page.locator("#risk-utility-map .handle:not(.up) .grip").boundingBox();
  await page.mouse.move(grip.x + grip.width / 3, grip.y + grip.height / 2);
  await page.mouse.down();
  await page.mouse.move(grip.x + grip.width / 3, field.y + 3, { steps: 4 });
  await page.mouse.up();
  if (!(await told()).startsWith("2 of the 2")) fail(`a limit that all keep: ${await told()}`);
  if ((await hollow()) !== 0 || (await limits()) === strict) fail("a limit cannot be dragged");
  const over = await page.locator(".handle.up").getAttribute("aria-valuetext");
  if (!over.startsWith("limit ")) fail(`a screen reader hears ${over}`);
}

// Presses Tab until what has the focus is wanted.
async function reach(what, wanted, argument) {
  for (let step = 0; step < 400; step++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(wanted, argument)) { presses++; return; }
  }
  throw new Error(`${what} cannot be reached by the keyboard`);
}
async function follow(text) {
  await page.evaluate(() => document.activeElement?.blur());
  await reach(`the link ${text}`, (text) => document.activeElement?.tagName === "A" && document.activeElement.textContent.trim() === text, text);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  presses++;
}
async function fill(name, text) {
  await page.evaluate(() => document.activeElement?.blur());
  await reach(`the field ${name}`, (name) => document.activeElement?.name === name, name);
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}
async function send(text) {
  await reach(`the button ${text}`, (text) => document.activeElement?.tagName === "BUTTON" && document.activeElement.textContent === text, text);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  presses++;
}
