// Measures how fast the pages of a run are in headless Chromium with software rendering.
//   node test/speed.mjs LINK RUN FOLDER [PAGES [START]]
// RUN: its number on the command line of serve. PAGES: of "ranks,grid". For each: seconds from opening the address to the first picture
// (a screenshot is taken, so the picture is drawn), and to the one with the numbers of all ranks; pictures a second while the mouse moves
// or turns the grid; and the time from a key to the next picture (Event Timing API: multiples of 8 ms, which come from 16 ms on). Prints
// one JSON object. FOLDER gets screenshots. START, a list in JSON: this command starts the server when the first page is opened.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import puppeteer from "puppeteer-core";

const [link, run, folder, pages = "ranks,grid", start] = process.argv.slice(2);
const kPages = { ranks: [".map canvas", ".readout"], grid: [".space canvas", ".scale .hint"] };
mkdirSync(folder, { recursive: true });
const kSeconds = 4, kKeys = 25;
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"],
});
const result = {};
let server = null;
// Of all keys, of which those below 16 ms are not listed.
const median_of = (sorted) => [...Array(Math.max(0, kKeys - sorted.length)).fill(16), ...sorted][kKeys >> 1];
try {
  for (const title of pages.split(",")) {
    const [canvas, ready] = kPages[title];
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
    const begin = performance.now();
    if (start && !server) server = spawn(JSON.parse(start)[0], JSON.parse(start).slice(1), { stdio: "ignore" });
    for (let opened = false; !opened;) {
      opened = await page.goto(`${link}#/${run}/${title}`, { waitUntil: "domcontentloaded" }).then(() => true, (error) => {
        if (!server || !error.message.includes("REFUSED")) throw error;
        return new Promise((resolve) => setTimeout(() => resolve(false), 5)); // the port is not open yet
      });
    }
    await page.waitForFunction((c, r) => document.querySelector(c) && document.querySelector(r) && window.pictures > 0, { polling: "raf", timeout: 120000 }, canvas, ready);
    await page.screenshot();
    const first = (performance.now() - begin) / 1e3;
    await page.waitForFunction(() => {
      const text = document.querySelector("main").innerText;
      return /stands out|history|show|Simulated with/.test(text) && !text.includes("are read so far");
    }, { timeout: 120000 });
    const complete = (performance.now() - begin) / 1e3;
    await new Promise((resolve) => setTimeout(resolve, 800));
    await page.screenshot({ path: `${folder}/${title}.png` });
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
      key_to_picture_ms: { over_16_ms: delays.length, median: median_of(delays), most: delays.at(-1) ?? 16 } };
    await page.screenshot({ path: `${folder}/${title}-chosen.png` });
    await page.close();
  }
} finally {
  await browser.close();
  server?.kill();
}
console.log(JSON.stringify(result, null, 1));
