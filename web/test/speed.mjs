// Measures how fast the pages of a run are in headless Chromium with software rendering.
//   node test/speed.mjs LINK RUN_NAME [FOLDER]
// For the heat map and the 3D page: seconds from the click to the first picture (a screenshot is taken, so the
// picture is drawn), pictures a second while the mouse moves or turns the grid, and the time from a key to the
// next picture (Event Timing API: multiples of 8 ms). Prints one JSON object. FOLDER gets screenshots.
import { mkdirSync } from "node:fs";
import puppeteer from "puppeteer-core";

const [link, name, folder] = process.argv.slice(2);
if (folder) mkdirSync(folder, { recursive: true });
const kSeconds = 4, kKeys = 25;
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"],
});
const result = {};
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  page.on("pageerror", (error) => console.error(error.message));
  await page.evaluateOnNewDocument(() => {
    window.pictures = 0; // drawn by a canvas of either kind
    window.delays = [];
    for (const [type, method] of [[WebGL2RenderingContext, "drawElementsInstanced"], [CanvasRenderingContext2D, "drawImage"]]) {
      const draw = type.prototype[method];
      type.prototype[method] = function (...all) {
        window.pictures += 1;
        return draw.apply(this, all);
      };
    }
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === "keydown") window.delays.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16 });
  });
  await page.goto(link, { waitUntil: "domcontentloaded" });
  const run = (await page.evaluate(async () => (await (await fetch("/api/runs")).json()).runs)).find((one) => one.name === name);
  for (const [title, canvas, ready] of [["ranks", ".map canvas", ".readout"], ["grid", ".space canvas", ".scale .hint"]]) {
    await page.evaluate((hash) => { location.hash = hash; }, `#/${run.id}/cluster`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const begin = performance.now();
    await page.evaluate((hash) => { window.pictures = 0; location.hash = hash; }, `#/${run.id}/${title}`);
    await page.waitForFunction((c, r) => document.querySelector(c) && document.querySelector(r) && window.pictures > 0, { polling: "raf", timeout: 120000 }, canvas, ready);
    await page.screenshot();
    const first = (performance.now() - begin) / 1e3;
    await page.waitForFunction(() => /Outliers first|stands out|show|Simulated with/.test(document.querySelector("main").innerText), { timeout: 120000 });
    const complete = (performance.now() - begin) / 1e3;
    await new Promise((resolve) => setTimeout(resolve, 800));
    if (folder) await page.screenshot({ path: `${folder}/${name}-${title}.png` });
    const box = await (await page.$(canvas)).boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height / 2, 250)];
    await page.mouse.move(x, y);
    if (title === "grid") await page.mouse.down();
    await page.evaluate(() => { window.pictures = 0; });
    const from = performance.now();
    for (let i = 0; performance.now() - from < kSeconds * 1e3; ++i) await page.mouse.move(x + 180 * Math.sin(i / 20), y + 60 * Math.cos(i / 20));
    const pictures = (await page.evaluate(() => window.pictures)) / ((performance.now() - from) / 1e3);
    if (title === "grid") await page.mouse.up();
    await page.focus(title === "grid" ? ".space-holder" : canvas);
    await page.evaluate(() => { window.delays = []; });
    for (let i = 0; i < kKeys; ++i) {
      await page.keyboard.press("ArrowRight");
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    const delays = (await page.evaluate(() => window.delays)).sort((a, b) => a - b);
    result[title] = { first_picture_seconds: first, with_values_seconds: complete, pictures_per_second: pictures, keys: kKeys,
      key_to_picture_ms: { over_16_ms: delays.length, median: delays[delays.length >> 1] ?? "below 16", most: delays.at(-1) ?? "below 16" } };
    if (folder) await page.screenshot({ path: `${folder}/${name}-${title}-chosen.png` });
  }
} finally {
  await browser.close();
}
console.log(JSON.stringify(result, null, 1));
