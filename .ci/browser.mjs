// What a reader does with the report page, and what the page must never do.
import assert from 'node:assert/strict';
import { openPage, runTests, tooWide } from './browser-lib.mjs';

const [demo, hostile] = process.argv.slice(2).map((path) => `file://${path}`);

// It asks for nothing besides itself.
const open = async (url, options = {}) => {
  const page = await openPage(url, (asked) => asked.split('#')[0] === url, options);
  if (options.javaScriptEnabled !== false) await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  return page;
};

const matching = (page) => page.locator('#matching').textContent();
// What changes the filter, and the number of facts that match then.
const filtered = async (page, change) => {
  const before = await matching(page);
  await change();
  await page.waitForFunction((before) => document.getElementById('matching').textContent !== before, before);
  return +(await matching(page)).match(/\d+/)[0];
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
    const span = () => page.locator('#span input').evaluateAll((inputs) => inputs.filter((it) => it.type === 'text').map((it) => Date.parse(it.value)));
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
    assert.notEqual(await wide(), first);
    await page.locator('#span [aria-label="Show the time shown first"]').click();
    assert.equal(await wide(), first);
    await page.locator('#line .bar').first().click();
    await page.waitForFunction(() => / of /.test(document.getElementById('matching').textContent));
    assert.ok((await page.locator('#list article').count()) > 0);
    return page;
  },
  async 'a technique lists the facts that fit it, and no other'() {
    const page = await open(demo);
    const listed = await page.evaluate(() => {
      const data = JSON.parse(document.getElementById('data').textContent);
      const ids = data.text.split('\n').slice(1).map((line) => line.split(' ')[0]);
      return [...document.querySelectorAll('#attack details.group')].map((group) => {
        const name = group.querySelector('summary').firstChild.textContent.trim();
        const fitting = new Set(data.techniques.find(([it]) => it === name)[1].map((number) => ids[number]));
        const links = [...group.querySelectorAll('a[href^="#proof-"]')].map((it) => it.hash.slice('#proof-'.length));
        return { name, links: links.length, others: links.filter((id) => !fitting.has(id)) };
      });
    });
    assert.ok(listed.length > 3 && listed.every((it) => it.links > 0 && it.others.length === 0), JSON.stringify(listed));
    return page;
  },
  async 'a word leads to what it means'() {
    const page = await open(demo);
    await page.locator('#facts a.word', { hasText: 'one source' }).first().click();
    assert.ok(await page.locator('#word-one + dd').isVisible());
    assert.ok(await page.locator('#word-one').evaluate((it) => { const { top, bottom } = it.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }));
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
  async 'facts are filtered by one source, healed citations and who could have written them, in the list and the timeline'() {
    const page = await open(demo);
    for (const [name, tag] of [['one', 'one source'], ['healed', 'citation healed']]) {
      const box = page.locator(`#filter [name=${name}]`);
      const said = +(await box.locator('..').textContent()).match(/\((\d+)\)/)[1];
      assert.equal(await filtered(page, () => box.check()), said);
      await page.waitForFunction(() => / of /.test(document.getElementById('caption').textContent.split('Filtered')[1] ?? ''));
      const tags = await page.locator('#list article .tags').allTextContents();
      assert.ok(tags.length > 0 && tags.every((it) => it.includes(tag)), tags.join('\n'));
      await filtered(page, () => page.locator('#filter [type=reset]').click());
    }
    await filtered(page, () => page.selectOption('#filter [name=writer]', { label: 'administrator' }));
    const tags = await page.locator('#list article .tags').allTextContents();
    assert.ok(tags.length > 0 && tags.every((it) => it.includes('writable by administrator')), tags.join('\n'));
    await filtered(page, () => page.locator('#span [name=one]').check());
    assert.ok(await page.locator('#filter [name=one]').isChecked());
    return page;
  },
  async 'findings of one source are left alone, and a link to another one shows it'() {
    const page = await open(demo);
    const findings = page.locator('.findings > li');
    const all = await findings.count();
    await page.locator('#only-one').check();
    const visible = async () => (await findings.evaluateAll((items) => items.map((it) => it.checkVisibility()))).filter(Boolean).length;
    assert.ok(await visible() < all);
    assert.deepEqual(await findings.evaluateAll((items) => items.filter((it) => it.checkVisibility() && !it.querySelector('.tag.one')).length), 0);
    const hidden = page.locator('.findings > li:not(.one)').first();
    await page.locator(`svg.net a[href="#${await hidden.getAttribute('id')}"]`).click();
    assert.ok(await hidden.isVisible());
    assert.match(await page.locator('#notice').textContent(), /was cleared/);
    return page;
  },
  async 'a link to a fact that the filters hide clears them, says so, and can be undone'() {
    const page = await open(demo);
    const all = await matching(page);
    await page.locator('#filter [name=text]').fill('sethc');
    await page.waitForFunction((all) => document.getElementById('matching').textContent !== all, all);
    const few = await matching(page);
    const hidden = await page.locator('.told a[href^="#proof-"]').evaluateAll((links) => links.findIndex((it) => !document.getElementById(it.hash.slice(1))));
    const link = page.locator('.told a[href^="#proof-"]').nth(hidden);
    const proof = page.locator(`[id="${(await link.getAttribute('href')).slice(1)}"]`);
    await link.click();
    await proof.waitFor({ state: 'visible' });
    assert.equal(await matching(page), all);
    assert.equal(await page.locator('#filter [name=text]').inputValue(), '');
    assert.match(await page.locator('#notice').textContent(), /filters hid this fact/);
    await filtered(page, () => page.locator('#notice button', { hasText: 'Filter again' }).click());
    assert.equal(await matching(page), few);
    return page;
  },
  async 'the timeline says what it shows, and how much lies outside'() {
    const page = await open(demo);
    const said = async () => (await page.locator('#caption').textContent()).match(/Shown: (\S+) to (\S+) \(UTC\), (\d+) of (\d+) times; (\d+) lie before and (\d+) after/).slice(1);
    const [, , inside, all, before, after] = (await said()).map(Number);
    assert.equal(inside + before + after, all);
    assert.ok(inside >= all / 2 && inside < all, `${inside} of ${all}`);
    await page.locator('#span button', { hasText: 'All times' }).click();
    await page.waitForFunction(() => /; 0 lie before and 0 after/.test(document.getElementById('caption').textContent));
    assert.equal(await page.locator('#caption').getAttribute('aria-live'), 'polite');
    assert.doesNotMatch(await page.locator('#timeline').textContent(), /\d [AP]M/i);
    assert.equal(await page.locator('#span input[type=datetime-local]').count(), 0);
    await page.locator('#span [name=from]').fill('2025-09-16 09:00');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /Shown: 2025-09-16T09:00:00Z/.test(document.getElementById('caption').textContent));
    return page;
  },
  async 'from the facts of a bar a button and a key lead back to the timeline'() {
    const page = await open(demo);
    const times = () => page.locator('#span [name=from], #span [name=to]').evaluateAll((inputs) => inputs.map((it) => it.value).join());
    const [all, first] = [await matching(page), await times()];
    for (const way of ['button', 'key', 'keyboard alone']) {
      if (way === 'keyboard alone') {
        await page.locator('#line').focus();
        await page.keyboard.press('+');
        await page.keyboard.press('Enter');
      } else await page.locator('#line .bar').last().click();
      await page.waitForFunction((all) => document.getElementById('matching').textContent !== all, all);
      await page.waitForFunction((first) => document.querySelector('#span [name=from]').value !== first.split(',')[0], first);
      if (way === 'button') await page.locator('#notice button', { hasText: 'Back to the timeline' }).click();
      else await page.keyboard.press('Escape');
      await page.waitForFunction((all) => document.getElementById('matching').textContent === all, all);
      if (way !== 'keyboard alone') await page.waitForFunction((first) => `${document.querySelector('#span [name=from]').value},${document.querySelector('#span [name=to]').value}` === first, first);
      assert.equal(await page.evaluate(() => document.activeElement.id), 'line');
      assert.equal(await page.locator('#notice').textContent(), '');
    }
    return page;
  },
  async 'it is printed with all answers and the narrative, and the proofs of what they cite as an appendix'() {
    const page = await open(demo);
    await filtered(page, () => page.locator('#filter [name=text]').fill('sethc'));
    const before = await page.locator('#list article').count();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const printed = await page.evaluate(() => {
      const seen = (it) => it.checkVisibility({ contentVisibilityAuto: true });
      const links = [...document.querySelectorAll('#answers, #happened, #findings')].flatMap((it) => [...it.querySelectorAll('a[href^="#proof-"]')]).filter(seen);
      const references = links.map((it) => [getComputedStyle(it, '::after').content, it.hash]);
      const proofs = [...document.querySelectorAll('#list article')].filter(seen);
      return {
        links: links.length,
        unnamed: references.filter(([said, hash]) => !said.includes(hash)),
        leftOut: links.map((it) => it.hash.slice(1)).filter((id) => !seen(document.getElementById(id))),
        folded: proofs.filter((it) => !seen(it.querySelector('table'))).length,
        proofs: proofs.length,
        controls: [...document.querySelectorAll('button, input, nav')].filter(seen).length,
      };
    });
    assert.ok(printed.links > 20 && printed.proofs > 20 && printed.proofs < (await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).columns.agent.length)), JSON.stringify(printed));
    assert.deepEqual([printed.unnamed, printed.leftOut, printed.folded, printed.controls], [[], [], 0, 0]);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.equal(await page.locator('#list article').count(), before);
    assert.equal(await page.locator('#list details[open]').count(), 0);
    const pdf = await page.pdf({ format: 'A4' });
    assert.ok(pdf.length > 50_000, `${pdf.length} bytes`);
    const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
    assert.ok(sheets > 5 && sheets < 40, `${sheets} sheets`);
    return page;
  },
  async 'on 400 pixels nothing is cut or covered, folded or not'() {
    for (const [url, colorScheme] of [[demo, 'light'], [hostile, 'dark']]) {
      const page = await open(url, { viewport: { width: 400, height: 800 }, colorScheme });
      assert.deepEqual(await tooWide(page), []);
      await page.evaluate(() => document.querySelectorAll('details').forEach((it) => { it.open = true; }));
      assert.deepEqual(await tooWide(page), []);
      await page.locator('nav a[href="#timeline"]').click();
      const covered = await page.locator('#timeline-title').evaluate((it) => { const box = it.getBoundingClientRect(); return document.elementFromPoint(box.left + 5, box.top + 5) !== it; });
      assert.ok(!covered, 'the title of the timeline is covered');
      if (url === hostile) return page;
      assert.deepEqual(page.wrong, []);
      await page.context().close();
    }
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
  async 'text has a contrast of at least 4.5 to 1, in the light and in the dark'() {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(demo, { colorScheme });
      await page.locator('.told a[href^="#proof-"]').first().click();
      const faint = await page.evaluate(() => {
        const parts = (color) => color.match(/[\d.]+/g).map(Number);
        const light = (color) => parts(color).slice(0, 3).map((part) => part / 255).map((it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4)).reduce((sum, it, place) => sum + it * [0.2126, 0.7152, 0.0722][place], 0);
        const behind = (it) => { for (let up = it; up; up = up.parentElement) { const back = getComputedStyle(up).backgroundColor; if (parts(back)[3] !== 0) return back; } return 'rgb(255, 255, 255)'; };
        const own = (it) => [...it.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
        const shown = [...document.querySelectorAll('body *')].filter((it) => own(it) && it.checkVisibility() && !it.closest('script, option, title'));
        const contrast = (it) => { const style = getComputedStyle(it); const [one, other] = [light(it.closest('svg') ? style.fill : style.color), light(behind(it))].sort((a, b) => b - a); return (one + 0.05) / (other + 0.05); };
        return [shown.length, ...new Set(shown.filter((it) => contrast(it) < 4.5).map((it) => `${it.tagName} ${it.getAttribute('class')} ${contrast(it).toFixed(1)}`))];
      });
      assert.ok(faint[0] > 500, `${faint[0]} texts`);
      assert.deepEqual(faint.slice(1), [], colorScheme);
      if (colorScheme === 'dark') return page;
      assert.deepEqual(page.wrong, []);
      await page.context().close();
    }
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

await runTests(tests);
