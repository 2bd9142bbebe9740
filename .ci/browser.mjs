// What a reader does with the report page, and what the page must never do.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const [demo, hostile] = process.argv.slice(2).map((path) => `file://${path}`);
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });

// A page that complains, asks for anything besides itself, or opens a dialogue fails its test.
const open = async (url, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.wrong = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.wrong.push(message.text()); });
  page.on('pageerror', (error) => page.wrong.push(String(error)));
  page.on('dialog', (dialog) => { page.wrong.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (request.url().split('#')[0] !== url) page.wrong.push(`request ${request.url()}`); });
  await page.goto(url);
  if (options.javaScriptEnabled !== false) await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  return page;
};

const tests = {
  async 'a sentence leads to the highlighted bytes by one click'() {
    const page = await open(demo);
    const link = page.locator('.told li a[href^="#proof-"]').first();
    const id = (await link.getAttribute('href')).slice(1);
    await link.click();
    const mark = page.locator(`[id="${id}"] pre.record mark`).first();
    await mark.waitFor({ state: 'visible' });
    assert.ok(await mark.evaluate((it) => { const box = it.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }), 'the mark is not in view');
    await page.goBack();
    return page;
  },
  async 'a fact is found by its words, its agent and its kind of source'() {
    const page = await open(demo);
    const all = await page.locator('#matching').textContent();
    await page.keyboard.press('/');
    await page.keyboard.type('sethc');
    await page.waitForFunction((all) => document.getElementById('matching').textContent !== all, all);
    const texts = await page.locator('#list article').allTextContents();
    assert.ok(texts.length > 0 && texts.every((text) => /sethc/i.test(text)), texts.join('\n'));
    await page.locator('#filter [type=reset]').click();
    await page.waitForFunction((all) => document.getElementById('matching').textContent === all, all);
    await page.selectOption('#filter [name=agent]', { label: 'persistence' });
    await page.waitForFunction((all) => document.getElementById('matching').textContent !== all, all);
    const agents = await page.locator('#list article .tags .tag:first-child').allTextContents();
    assert.ok(agents.length > 0 && agents.every((agent) => agent === 'persistence'), agents.join());
    return page;
  },
  async 'the timeline is zoomed, moved, brushed and clicked'() {
    const page = await open(demo);
    const span = () => page.locator('#span input').evaluateAll((inputs) => inputs.map((it) => Date.parse(`${it.value}Z`)));
    const wide = async () => { const [from, to] = await span(); return to - from; };
    const first = await wide();
    await page.locator('#span [aria-label="Zoom in"]').click();
    assert.ok((await wide()) < first);
    const [before] = await span();
    await page.locator('#line').focus();
    await page.keyboard.press('ArrowRight');
    assert.ok((await span())[0] > before);
    const strip = await page.locator('#overview svg').boundingBox();
    await page.mouse.move(strip.x + strip.width * 0.3, strip.y + 10);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width * 0.7, strip.y + 10, { steps: 5 });
    await page.mouse.up();
    assert.ok((await wide()) > first);
    await page.locator('#span [aria-label="Show the time shown first"]').click();
    assert.equal(await wide(), first);
    await page.locator('#line .bar').first().click();
    await page.waitForFunction(() => / of /.test(document.getElementById('matching').textContent));
    assert.ok((await page.locator('#list article').count()) > 0);
    return page;
  },
  async 'a node of the graph shows what it rests on'() {
    const page = await open(demo);
    const node = page.locator('svg.net .node.c3').first();
    await node.focus();
    const on = await page.locator('svg.net .node.on').count();
    const all = await page.locator('svg.net .node').count();
    assert.ok(on >= 4 && on < all, `${on} of ${all}`);
    return page;
  },
  async 'it is printed with all answers and the narrative'() {
    const page = await open(demo);
    const pdf = await page.pdf({ format: 'A4' });
    assert.ok(pdf.length > 50_000, `${pdf.length} bytes`);
    return page;
  },
  async 'without its script everything can be read and every proof unfolded'() {
    const page = await open(demo, { javaScriptEnabled: false });
    const facts = await page.locator('#list article').count();
    assert.ok(facts > 200, `${facts}`);
    assert.equal(await page.locator('pre.record').count(), facts);
    const link = page.locator('.told li a[href^="#proof-"]').first();
    const id = (await link.getAttribute('href')).slice(1);
    await link.click();
    await page.locator(`[id="${id}"] pre.record mark`).first().waitFor({ state: 'visible' });
    return page;
  },
  async 'every control has a name, headings leave out no level, and the first stop skips to the answers'() {
    const page = await open(demo);
    const bare = await page.locator('button, input, select, a').evaluateAll((all) => all.filter((it) => !(it.textContent.trim() || it.getAttribute('aria-label') || it.labels?.length)).map((it) => it.outerHTML));
    assert.deepEqual(bare, []);
    const levels = await page.locator('h1, h2, h3, h4').evaluateAll((all) => all.map((it) => +it.tagName[1]));
    levels.reduce((before, level) => { assert.ok(level <= before + 1, levels.join()); return level; }, 0);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    return page;
  },
  async 'in the dark text stays readable'() {
    const page = await open(demo, { colorScheme: 'dark' });
    const [text, back] = await page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]);
    const light = (color) => color.match(/[\d.]+/g).slice(0, 3).reduce((sum, part) => sum + +part, 0);
    assert.ok(light(text) > 500 && light(back) < 150, `${text} on ${back}`);
    return page;
  },
  async 'hostile evidence stays text'() {
    const page = await open(hostile);
    const text = await page.locator('#list').textContent();
    assert.ok(text.includes('<script>alert(1)</script>') && text.includes('onerror=alert(3)'), text.slice(0, 2000));
    for (const summary of await page.locator('#list summary').all()) await summary.click();
    assert.equal(await page.locator('img, iframe, object, embed, link, #list script').count(), 0);
    return page;
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    const page = await test();
    assert.deepEqual(page.wrong, []);
    await page.context().close();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
await browser.close();
console.log(`${Object.keys(tests).length - failed} of ${Object.keys(tests).length} passed`);
process.exitCode = failed ? 1 : 0;
