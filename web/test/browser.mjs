// Opens every page of a dashboard in headless Chromium and checks what a user would see.
//   node test/browser.mjs LINK EXPECTED.json FOLDER
// EXPECTED.json: for each run, by name, for each page (with parameters after "?") a list of texts that must appear. FOLDER holds the runs
// by name, and gets screenshots. If it holds NAME.report (megascale report NAME), the page Routing of that run must show the figures of
// this report and of metrics.jsonl.
// Fails if a text or a figure is missing, a page logs an error, a request leaves the server, or axe-core finds a violation.
import { existsSync, readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const [link, expected_file, folder] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(expected_file, "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const origin = new URL(link).origin;
const problems = [];
const screenshots = `${folder}/screenshots`;
mkdirSync(screenshots, { recursive: true });

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  timeout: 120000, // ms until it has started; the default of 30 s is too short for the first start on a busy machine
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

// The figures of the experts in the file of metrics: of the newest step, and of the last point of a chart. A chart has at most kPoints
// points; its last one is then the mean of several steps.
const kPoints = 1500;
function routing_figures(name) {
  const lines = readFileSync(`${folder}/${name}/metrics.jsonl`, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const newest = lines.at(-1);
  const of_point = lines.length <= kPoints ? [newest] : lines.slice(Math.floor((kPoints - 1) * lines.length / kPoints));
  const mean = (key) => of_point.reduce((sum, line) => sum + line[key], 0) / of_point.length;
  const { dropped, loads } = newest.routing;
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const most = Math.max(...dropped);
  return {
    steps: lines.length,
    dropped_share: sum(dropped) / sum(loads.map(sum)), // counted here: the field expert_dropped_share must agree
    written_share: newest.expert_dropped_share,
    cost: newest.expert_imbalance_share,
    dropped: sum(dropped),
    most_layer: most === 0 ? null : newest.routing.layers[dropped.indexOf(most)],
    chart: { dropped: mean("expert_dropped_share"), "of the step, for imbalance": mean("expert_imbalance_share") },
  };
}

// Compares the tiles and the last point of the chart "Shares" with metrics.jsonl and with the report.
async function check_routing(page, name) {
  const percent = (text) => (/^\d+\.\d %$/.test(text ?? "") ? Number(text.split(" ")[0]) / 100 : NaN);
  const expect = (what, found, wanted, most = 0.00051) => {
    if (!(Math.abs(found - wanted) <= most)) problems.push(`${at}: ${what}: expected ${wanted}, found ${found}`);
  };
  const figures = routing_figures(name);
  const tiles = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll(".tile")].map((tile) =>
    [".label", ".value", ".detail"].map((part) => tile.querySelector(part).innerText)).map(([label, value, detail]) => [label, { value, detail }])));
  expect("dropped of all choices", percent(tiles.Dropped?.value), figures.dropped_share);
  expect("expert_dropped_share", figures.written_share, figures.dropped_share, 1e-12);
  const detail = figures.dropped === 0 ? "no choice of the newest step" : `${figures.dropped} ${figures.dropped === 1 ? "choice" : "choices"} of the newest step; layer ${figures.most_layer} most`;
  if (tiles.Dropped?.detail !== detail) problems.push(`${at}: dropped choices: expected "${detail}", found "${tiles.Dropped?.detail}"`);
  expect("cost of imbalance", percent(tiles["Cost of imbalance"]?.value), figures.cost);
  const [, cost, dropped] = /; ([\d.]+ %) of the step computes above the mean; ([\d.]+ %) of choices dropped/.exec(readFileSync(`${folder}/${name}.report`, "utf8")) ?? [];
  // Both round to 0.1 %.
  expect("report, cost of imbalance", percent(cost), percent(tiles["Cost of imbalance"]?.value), 0.00101);
  expect("report, dropped", percent(dropped), percent(tiles.Dropped?.value), 0.00101);
  // The legend has the values below the pointer. At the right edge that is the last point.
  const chart = await page.$('section.chart[aria-label="Shares"] .u-over');
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2);
  const legend = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll('section.chart[aria-label="Shares"] .u-series')].map((series) =>
    [".u-label", ".u-value"].map((part) => series.querySelector(part).innerText))));
  if (legend.step !== String(figures.steps)) problems.push(`${at}: the chart Shares ends with step ${legend.step}, the metrics with ${figures.steps}`);
  for (const [label, wanted] of Object.entries(figures.chart)) expect(`chart Shares, ${label}`, percent(legend[label]), wanted);
  await page.mouse.move(0, 0);
}

// Returns the titles of the charts that have no pixel in the colour of the grid, such as those drawn for the other theme.
async function charts_without_grid(page) {
  return page.evaluate(() => {
    const wanted = getComputedStyle(document.documentElement).getPropertyValue("--grid").trim();
    const shows = (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < data.length; i += 4)
        if (`#${[data[i], data[i + 1], data[i + 2]].map((part) => part.toString(16).padStart(2, "0")).join("")}` === wanted) return true;
      return false;
    };
    return [...document.querySelectorAll("section.chart")].filter((chart) => chart.querySelector("canvas") && !shows(chart.querySelector("canvas"))).map((chart) => chart.ariaLabel);
  });
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
        if (title === "routing" && existsSync(`${folder}/${name}.report`)) await check_routing(page, name);
        await new Promise((resolve) => setTimeout(resolve, 400));
        for (const chart of await charts_without_grid(page)) problems.push(`${at}: the chart ${chart} has no line in the colour of this theme's grid`);
        await page.screenshot({ path: `${screenshots}/${name}-${title}-${theme}.png`, fullPage: true });
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
