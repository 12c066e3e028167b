// Evicts a host on the page Cluster, as an operator does.
//   node test/evict.mjs LINK HOST REASON FOLDER
// Fails unless the page says that the driver was told, and shows the host as blocked. FOLDER gets a screenshot.
import puppeteer from "puppeteer-core";

const [link, host, reason, folder] = process.argv.slice(2);
const kPatience = { timeout: 120000 };
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  page.on("pageerror", (error) => { throw error; });
  await page.goto(link, { waitUntil: "domcontentloaded" });
  await page.evaluate(() => { location.hash = "#/0/cluster"; });
  await page.waitForFunction((name) => [...document.querySelectorAll("[aria-label=Hosts] button")].some((one) => one.closest("tr").innerText.startsWith(name)), kPatience, host);
  const button = await page.evaluateHandle((name) => [...document.querySelectorAll("[aria-label=Hosts] button")].find((one) => one.closest("tr").innerText.startsWith(name)), host);
  await button.click();
  await page.waitForSelector("dialog[open] input");
  await page.screenshot({ path: `${folder}/question.png` });
  await page.type("dialog[open] input", reason);
  await page.click("dialog[open] button.danger");
  await page.waitForFunction((name) => document.body.innerText.includes(`The driver was told to evict ${name}.`), kPatience, host);
  await page.waitForFunction((name) => [...document.querySelectorAll("[aria-label=Hosts] tbody tr")].some((row) => row.innerText.startsWith(name) && row.innerText.includes("blocked")), kPatience, host);
  await page.waitForFunction((text) => document.querySelector("[aria-label=Incidents]")?.innerText.includes(text), kPatience, reason);
  await page.screenshot({ path: `${folder}/evicted.png` });
} finally {
  await browser.close();
}
