// Opens every page of a dashboard in headless Chromium and checks what a user would see.
//   node test/browser.mjs LINK EXPECTED.json FOLDER
// EXPECTED.json: for each run, by name, for each page (with parameters after "?") a list of texts that must appear. FOLDER gets screenshots.
// Fails if a text is missing, a page logs an error, a request leaves the server, or axe-core finds a violation.
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const [link, expected_file, folder] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(expected_file, "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const origin = new URL(link).origin;
const problems = [];
mkdirSync(folder, { recursive: true });

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  // WebGL in software: the page 3D needs it.
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--force-color-profile=srgb"],
});

// Chooses a rank of the heat map by keys, and opens it.
async function open_a_rank(page) {
  await page.waitForFunction(() => document.querySelector(".slowest tbody tr"), { timeout: 15000 }).catch(() => problems.push(`${at}: no outliers`));
  await page.focus(".map canvas");
  for (const key of ["ArrowRight", "Enter"]) await page.keyboard.press(key);
}

// Chooses a rank of the grid by keys, and waits for its groups.
async function choose_a_rank(page) {
  await page.waitForFunction(() => document.querySelector(".space canvas") || document.querySelector(".notice"), { timeout: 15000 });
  if (!(await page.$(".space canvas"))) return;
  await page.focus(".space-holder");
  for (const key of ["ArrowRight", "PageUp"]) await page.keyboard.press(key);
  await page.waitForFunction(() => document.querySelector(".groups tbody tr"), { timeout: 15000 }).catch(() => problems.push(`${at}: no groups of the chosen rank`));
}

let at = "start";
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.setBypassCSP(false);
  // Answers that say that a run lacks something are expected: 404.
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("404")) problems.push(`${at}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`${at}: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) problems.push(`${at}: request to ${request.url()}`);
  });
  await page.goto(link, { waitUntil: "domcontentloaded" });
  if (page.url().includes("token")) problems.push("the address still has the token");
  const runs = await page.evaluate(async () => (await (await fetch("/api/runs")).json()).runs);
  for (const [name, pages] of Object.entries(expected)) {
    const run = runs.find((one) => one.name === name);
    if (!run) {
      problems.push(`${name}: no such run`);
      continue;
    }
    for (const [place, texts] of Object.entries(pages)) {
      const [title] = place.split("?");
      for (const theme of ["light", "dark"]) {
        at = `${name}/${title} (${theme})`;
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
        await page.evaluate((hash) => { location.hash = hash; }, `#/${run.id}/${place}`);
        if (title === "ranks" && texts.includes("Outliers first")) await open_a_rank(page);
        if (title === "grid") await choose_a_rank(page);
        for (const text of texts) {
          try {
            await page.waitForFunction((wanted) => document.body.innerText.includes(wanted), { timeout: 15000 }, text);
          } catch {
            problems.push(`${at}: the text "${text}" does not appear; there is: ${(await page.evaluate(() => document.body.innerText)).slice(0, 400)}`);
          }
        }
        if (title === "timeline" && texts.includes("Whole step")) {
          for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
          await page.waitForFunction(() => /Waited for/.test(document.querySelector(".details")?.innerText ?? ""), { timeout: 15000 }).catch(() => problems.push(`${at}: a chosen task has no details`));
        }
        await new Promise((resolve) => setTimeout(resolve, 400));
        await page.screenshot({ path: `${folder}/${name}-${title}-${theme}.png`, fullPage: true });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) problems.push(`${at}: the page is ${wide} pixels too wide`);
        // As a program of the test, not of the page, axe may be run beside the policy of the page.
        const found = await page.evaluate(`(() => { ${axe}; return axe.run(document, { resultTypes: ["violations"] }); })()`);
        for (const violation of found.violations)
          problems.push(`${at}: axe ${violation.id} (${violation.impact}): ${violation.nodes.slice(0, 2).map((node) => node.html.slice(0, 120)).join(" | ")}`);
      }
    }
  }
} finally {
  await browser.close();
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "all pages are as expected" : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
