// What a reader does with the graph of a run in `locard view`.
import assert from 'node:assert/strict';
import { tooWide } from './browser-lib.mjs';

// The drawing that the width shows: its nodes, and those of the table.
const drawn = (page) => page.evaluate(() => {
  const svg = [...document.querySelectorAll('svg.picture')].find((it) => it.getBoundingClientRect().width > 0);
  const keys = (within) => [...within.querySelectorAll('[data-node]')].map((it) => it.dataset.node);
  return { picture: keys(svg), table: keys(document.querySelector('table.twin')) };
});

// Labels of the drawing that lie over each other or beyond it.
const overlapping = (page) => page.evaluate(() => {
  const svg = [...document.querySelectorAll('svg.picture')].find((it) => it.getBoundingClientRect().width > 0);
  const bounds = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].map((it) => ({ text: it.textContent, box: it.getBoundingClientRect() }));
  const wrong = texts.filter(({ box }) => box.left < bounds.left - 1 || box.right > bounds.right + 1).map(({ text }) => `beyond: ${text}`);
  texts.sort((one, other) => one.box.top - other.box.top);
  texts.forEach((one, at) => {
    for (const other of texts.slice(at + 1)) {
      if (other.box.top >= one.box.bottom - 1) break;
      if (one.box.left < other.box.right - 1 && other.box.left < one.box.right - 1) wrong.push(`${one.text} over ${other.text}`);
    }
  });
  return wrong;
});

const focused = (page) => page.evaluate(() => document.activeElement?.dataset?.node);
const visible = (page, key) => page.locator(`svg.picture:visible a.node[data-node="${key}"]`);

// `open` opens a page of the application; `hub` is a run with one account and thousands of neighbours, where there is one.
export const graphTests = (open, origin, demo, hub) => ({
  async 'the graph of a run is searched, and an entity leads to the bytes of each relation'() {
    const page = await open(`/run/${demo}/graph`);
    await page.fill('#entity', 'ScanToPdf-Setup.exe');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/entity\/file-/);
    const relations = page.locator('table.relations').first();
    await relations.locator('a[href*="/fact/"]').first().click();
    await page.waitForURL(/\/fact\/fact-/);
    assert.ok(await page.locator('pre.stored mark').first().isVisible());
    return page;
  },
  async 'a path names its weakest link, and the facts of each hop'() {
    const page = await open(`/run/${demo}/path?from=ScanToPdf-Setup.exe&to=Scan+To+PDF+Update+Service`);
    assert.equal(await page.locator('ol.way li.weak').count(), 1);
    const hops = await page.locator('ol.way li').count();
    assert.equal(await page.locator('ol.way li:has(a[href*="/fact/"])').count(), hops - 1);
    return page;
  },
  async 'a picture is its table, and opens by a click and by keys'() {
    const page = await open(`/run/${demo}/graph?part=hubs`);
    await page.locator('a[href*="/picture?of="]').first().click();
    await page.waitForURL(/\/picture\?of=/);
    const first = await drawn(page);
    assert.deepEqual(first.picture, first.table);
    assert.deepEqual(await overlapping(page), []);
    const closed = await page.locator('svg.picture:visible a.group[aria-expanded="false"]').first().getAttribute('data-node');
    await visible(page, closed).click();
    await page.waitForURL(/open=/);
    await page.waitForFunction((key) => document.activeElement?.dataset?.node === key, closed);
    assert.equal(await visible(page, closed).getAttribute('aria-expanded'), 'true');
    const grown = await drawn(page);
    assert.deepEqual(grown.picture, grown.table);
    assert.ok(grown.picture.length > first.picture.length);
    assert.deepEqual(await overlapping(page), []);
    // By keys: into the group, to a member, and back; left closes it again.
    await page.keyboard.press('ArrowRight');
    const member = await focused(page);
    assert.ok(member.startsWith(`${closed}.`), member);
    await page.keyboard.press('ArrowUp');
    assert.equal(await focused(page), closed);
    assert.notEqual(await visible(page, closed).locator('.hit').evaluate((it) => getComputedStyle(it).stroke), 'rgba(0, 0, 0, 0)');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((key) => document.querySelector(`svg.picture a.node[data-node="${key}"]`)?.getAttribute('aria-expanded') === 'false', closed);
    await page.keyboard.press('Home');
    assert.equal(await focused(page), first.picture[0]);
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), first.picture[1]);
    await page.keyboard.press('Enter');
    await page.waitForLoadState();
    return page;
  },
  async 'a picture stands without JavaScript'() {
    const page = await open(`/run/${demo}/graph?part=hubs`, { javaScriptEnabled: false });
    await page.locator('a[href*="/picture?of="]').first().click();
    await page.locator('svg.picture:visible a.group').first().click();
    await page.waitForURL(/open=/);
    assert.ok(await page.locator('table.twin tr').count() > 2);
    return page;
  },
  async 'thousands of neighbours are groups that open step by step'() {
    const page = await open(hub ? `/run/${hub}/graph?part=hubs` : '/');
    if (!hub) return page;
    await page.locator('a[href*="/picture?of="]').first().click();
    await page.waitForURL(/\/picture\?of=/);
    for (const width of [1440, 400]) {
      await page.setViewportSize({ width, height: 900 });
      await page.reload();
      const begin = await drawn(page);
      assert.deepEqual(begin.picture, begin.table);
      assert.ok(begin.picture.length < 60, `${begin.picture.length}`);
      await page.locator('svg.picture:visible a.group[aria-expanded="false"]').first().click();
      await page.waitForURL(/open=/);
      await page.locator('svg.picture:visible a.more').first().click();
      await page.waitForFunction(() => document.querySelectorAll('table.twin tr').length > 60);
      const grown = await drawn(page);
      assert.deepEqual(grown.picture, grown.table);
      assert.deepEqual(await overlapping(page), []);
      assert.deepEqual(await tooWide(page), []);
      await page.goBack();
      await page.goBack();
    }
    return page;
  },
  async 'the pages of a graph are not cut on 400 pixels, light and dark'() {
    const page = await open(`/run/${demo}/graph`, { viewport: { width: 400, height: 800 }, colorScheme: 'dark' });
    assert.deepEqual(await tooWide(page), []);
    const entity = await page.locator('.ranks a.item').first().getAttribute('href');
    const picture = await page.locator('.ranks a[href*="/picture"]').first().getAttribute('href');
    for (const path of [entity, `${entity}?part=timeline`, `${entity}?part=story`, `${entity}?part=seen`, picture, `/run/${demo}/graph?kind=program`, `/run/${demo}/path?from=mara&to=svchost`]) {
      await page.goto(origin + path);
      assert.deepEqual(await tooWide(page), [], path);
    }
    return page;
  },
});
