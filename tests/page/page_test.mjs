// page_test.mjs WEB_DIR BROWSER WORK: report.html as a reader meets it, opened from disk in Chromium.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [web, executablePath, work] = process.argv.slice(2);
const { chromium } = createRequire(path.join(web, 'package.json'))('playwright-core');

const browser = await chromium.launch({
  executablePath,
  args: [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
  ],
});

/** Opens a report; whatever it complains of or asks for is a failure at the end. */
async function open(name, options = {}) {
  const file = path.join(work, name, 'report.html');
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) {
      complaints.push(`request: ${request.url().slice(0, 200)}`);
    }
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('html[data-ready="yes"]', { state: 'attached' });
  const end = async () => {
    assert.deepEqual(complaints, []);
    await context.close();
  };
  return { page, end };
}

/** How many colours a plot has: an empty one has one or none. */
async function colours(plot) {
  return plot.locator('canvas').first().evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) {
      seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    }
    return [...seen];
  });
}

async function hover(page, plot, across = 0.5, down = 0.4) {
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width * across, box.y + box.height * down);
}

async function saved(page, button) {
  const waiting = page.waitForEvent('download');
  await button.click();
  const file = await waiting;
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

const tests = {
  async 'the page is small and opens without a complaint'() {
    const { page, end } = await open('flagship');
    assert.ok(statSync(path.join(work, 'flagship', 'report.html')).size < 1_500_000);
    assert.match(await page.title(), /Vehicle telemetry/);
    assert.match(await page.locator('.verdict').innerText(), /vin-suffix does best.*burns partition 8/s);
    await end();
  },

  async 'the sections answer in the order of the questions'() {
    const { page, end } = await open('layout');
    const order = await page.locator('main > section').evaluateAll((all) => all.map((s) => s.id));
    assert.deepEqual(order, [
      'verdict', 'findings', 'load', 'variants', 'partitions', 'latency', 'layout', 'keys', 'cost',
      'reproduce',
    ]);
    await end();
  },

  async 'every chart is drawn, in light and in dark'() {
    for (const [name, colorScheme] of [['flagship', 'light'], ['flagship', 'dark'], ['layout', 'light']]) {
      const { page, end } = await open(name, { colorScheme });
      const plots = page.locator('.plot');
      assert.ok((await plots.count()) >= 6);
      for (const plot of await plots.all()) {
        assert.ok((await colours(plot)).length > 4, await plot.getAttribute('aria-label'));
      }
      await end();
    }
  },

  async 'the burning partition is orange in the heat map, and no other'() {
    const { page, end } = await open('flagship');
    const orange = 0xe69f00;
    for (const [variant, burns] of [['date', true], ['vin-suffix', false]]) {
      const plot = page.locator(`#chart-heatmap .panel[data-variant="${variant}"] .plot`);
      assert.equal((await colours(plot)).includes(orange), burns, variant);
    }
    await end();
  },

  async 'a pointer shows what is there, and the other charts the same time'() {
    const { page, end } = await open('flagship');
    const panel = page.locator('#chart-heatmap .panel[data-variant="date"]');
    const box = await panel.locator('.plot').boundingBox();
    await page.mouse.move(0, 0);
    await hover(page, panel.locator('.plot'), 0.5, (box.height - 42 - 1.5 * ((box.height - 52) / 10)) / box.height);
    assert.match(await panel.locator('.tip').innerText(), /partition 8\s*100 % of its share, requests refused/);
    const cursors = page.locator('#chart-throttled .cursor:visible');
    assert.equal(await cursors.count(), 3);
    await page.mouse.move(2, 2);
    assert.equal(await page.locator('.cursor:visible').count(), 0);
    assert.equal(await page.locator('.tip:visible').count(), 0);
    await end();
  },

  async 'bars and percentile curves have tooltips too'() {
    const { page, end } = await open('flagship');
    const bars = page.locator('#chart-variants .panel').first();
    await hover(page, bars.locator('.plot'), 0.5, 0.2);
    assert.match(await bars.locator('.tip').innerText(), /^date/);
    const curve = page.locator('#chart-latency .panel').first();
    await hover(page, curve.locator('.plot'), 0.4, 0.5);
    assert.match(await curve.locator('.tip').innerText(), /%[\s\S]*vin-suffix\s*[\d.]+ ms/);
    await end();
  },

  async 'the variant switch shows one variant everywhere and draws it'() {
    const { page, end } = await open('flagship');
    await page.selectOption('#variant', { label: 'vin-suffix' });
    assert.equal(await page.locator('[data-variant="date"]:visible').count(), 0);
    assert.ok((await page.locator('[data-variant="vin-suffix"]:visible').count()) >= 5);
    await page.selectOption('#variant', { index: 0 });
    assert.ok((await page.locator('[data-variant="date"]:visible').count()) >= 5);
    await end();
  },

  async 'dragging zooms every chart over time, and one button ends it'() {
    const { page, end } = await open('flagship');
    const plot = page.locator('#chart-throttled .plot').first();
    const other = page.locator('#chart-utilization .plot').first();
    const before = await other.locator('canvas').first().evaluate((c) => c.toDataURL());
    await hover(page, plot, 0.3);
    await page.mouse.down();
    await hover(page, plot, 0.5);
    await page.mouse.up();
    await page.mouse.move(2, 2);
    const button = page.getByRole('button', { name: 'Show the whole run' });
    assert.ok(await button.isVisible());
    await page.waitForTimeout(150);
    assert.notEqual(await other.locator('canvas').first().evaluate((c) => c.toDataURL()), before);
    await button.click();
    await page.waitForTimeout(150);
    assert.equal(await other.locator('canvas').first().evaluate((c) => c.toDataURL()), before);
    assert.ok(!(await button.isVisible()));
    await end();
  },

  async 'arrow keys move the cursor, and what it reads is announced'() {
    const { page, end } = await open('flagship');
    const panel = page.locator('#chart-heatmap .panel').first();
    await panel.locator('.plot').focus();
    await page.keyboard.press('ArrowRight');
    for (let i = 0; i < 8; ++i) {
      await page.keyboard.press('ArrowDown');
    }
    const spoken = panel.locator('[aria-live]');
    assert.match(await spoken.innerText(), /1 s to 2 s; partition 8 100 % of its share, requests refused/);
    await end();
  },

  async 'every chart has its numbers as a file and as a table'() {
    const { page, end } = await open('flagship');
    const results = JSON.parse(readFileSync(path.join(work, 'flagship', 'results.json'), 'utf8'));
    for (const figure of await page.locator('figure[data-chart]').all()) {
      const { name, text } = await saved(page, figure.getByRole('button', { name: 'Download the data' }));
      assert.match(name, /^vehicle-telemetry-[a-z-]+\.csv$/);
      assert.ok(text.split('\n').length > 3, name);
    }
    const { text } = await saved(page, page.locator('#chart-heatmap').getByRole('button', { name: 'Download the data' }));
    const burning = text.split('\n').filter((line) => line.startsWith('date,') && line.includes(',8,') && line.endsWith(',1'));
    assert.equal(burning.length, 60);
    await page.locator('#chart-variants summary').click();
    const rows = await page.locator('#chart-variants details table').first().innerText();
    assert.match(rows, /date/);
    assert.ok(results.runs.length === 3);
    await end();
  },

  async 'tables sort by their headings, numbers by value'() {
    const { page, end } = await open('flagship');
    const table = page.locator('#partitions [data-variant="vin-suffix"] table');
    const first = () => table.locator('tbody tr').first().locator('th').innerText();
    assert.equal(await first(), '9');
    await table.getByRole('button', { name: 'partition', exact: true }).click();
    assert.equal(await table.locator('thead th').first().getAttribute('aria-sort'), 'descending');
    await table.getByRole('button', { name: 'partition', exact: true }).click();
    assert.equal(await first(), '0');
    await end();
  },

  async 'dark is a button away and is remembered as pressed'() {
    const { page, end } = await open('flagship', { colorScheme: 'light' });
    const surface = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await surface();
    await page.getByRole('button', { name: 'Dark' }).click();
    assert.notEqual(await surface(), light);
    assert.equal(await page.getByRole('button', { name: 'Dark' }).getAttribute('aria-pressed'), 'true');
    await end();
  },

  async 'a narrow screen scrolls tables, never the page'() {
    const { page, end } = await open('flagship', { viewport: { width: 400, height: 800 } });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400);
    await end();
  },

  async 'on paper nothing is cut off and no control is left'() {
    const { page, end } = await open('flagship', { colorScheme: 'dark' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    const widest = await page.locator('.plot canvas').evaluateAll((all) =>
      Math.max(...all.map((canvas) => canvas.getBoundingClientRect().right)) -
      document.body.getBoundingClientRect().left);
    assert.ok(widest <= 690, `${widest} px of 688`);
    assert.equal(await page.locator('button:visible').filter({ hasText: /Download|CSV|Dark/ }).count(), 0);
    await end();
  },

  async 'without scripts the page still tells everything but its charts'() {
    const file = pathToFileURL(path.join(work, 'flagship', 'report.html')).href;
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(file);
    assert.match(await page.locator('.verdict').innerText(), /vin-suffix does best/);
    assert.match(await page.locator('#partitions').innerText(), /burns/);
    assert.ok((await page.locator('noscript:visible').count()) >= 5);
    assert.equal(await page.locator('#controls:visible').count(), 0);
    await context.close();
  },

  async 'hostile text stays text'() {
    const { page, end } = await open('hostile');
    const title = await page.locator('h1').innerText();
    assert.ok(title.startsWith('</script><script>window.owned=1</script> "quotes" \'and\' `touch canary`'), title);
    assert.equal(await page.evaluate(() => window.owned), undefined);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.evaluate(() => document.scripts.length), 2);
    assert.match(await page.locator('#keys').innerText(), /<script>window\.owned=1<\/script>2/);
    const keys = page.locator('#chart-hot-keys .panel').first().locator('.plot');
    await hover(page, keys, 0.5, 0.2);
    assert.match(await page.locator('.tip:visible').innerText(), /<script>/);
    await end();
  },

  async 'the policy stops what a page could do'() {
    const { page } = await open('flagship');
    const done = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.owned = 1';
      document.body.append(script);
      const reached = await fetch('https://example.invalid/').then(() => true, () => false);
      return { owned: window.owned, reached };
    });
    assert.deepEqual(done, { owned: undefined, reached: false });
    await page.context().close();
  },

  async 'what is needed to run the same again is on the page'() {
    const { page, end } = await open('flagship');
    const results = JSON.parse(readFileSync(path.join(work, 'flagship', 'results.json'), 'utf8'));
    const text = await page.locator('#reproduce').innerText();
    for (const part of [...results.runs.map((run) => run.digest), 'partsim run vehicle-telemetry.yaml', '2018']) {
      assert.ok(text.includes(part), part);
    }
    const { name, text: scenario } = await saved(page, page.getByRole('button', { name: 'Download the scenario' }));
    assert.equal(name, 'vehicle-telemetry.yaml');
    assert.match(scenario, /^[\s\S]*\npartsim: 1\n/);
    await end();
  },
};

let failed = 0;
let passed = 0;
const only = process.argv[5] ?? '';
for (const [name, run] of Object.entries(tests)) {
  if (!name.includes(only)) {
    continue;
  }
  try {
    await run();
    ++passed;
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
