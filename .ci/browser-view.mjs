// What a reader does with `locard view`, and what its pages must never do. Arguments: locard, a folder of runs (one of the demo case, one of hostile evidence, maybe one with an account of many neighbours), a case.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { graphTests } from './browser-graph.mjs';
import { openPage, runTests, tooWide } from './browser-lib.mjs';

const [locard, runs, demoCase] = process.argv.slice(2);
const names = () => readdirSync(runs).filter((name) => !name.startsWith('.')).sort();
const [demo] = names().filter((name) => name.endsWith('-demo'));
const [hub] = names().filter((name) => name.endsWith('-hub'));
const [hostile] = names().filter((name) => !name.endsWith('-demo') && !name.endsWith('-hub'));

const server = spawn(locard, ['view', '--runs', runs, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
const address = await new Promise((done, fail) => {
  let said = '';
  server.stdout.on('data', (bytes) => {
    said += bytes;
    const found = said.match(/http:\/\/127\.0\.0\.1:\d+\/\?token=\w+/);
    if (found) done(found[0]);
  });
  server.on('exit', (code) => fail(new Error(`locard view ended with ${code}: ${said}`)));
});
const { origin } = new URL(address);

// Nothing leaves the address that was printed.
const open = async (path = '/', options = {}) => {
  const page = await openPage(address, (asked) => new URL(asked).origin === origin, options);
  if (path !== '/') await page.goto(origin + path);
  return page;
};
const until = (child, event) => new Promise((done) => { child.once(event, done); });

const tests = {
  ...graphTests(open, origin, demo, hub),
  async 'the runs are listed, and without the address nobody gets in'() {
    const page = await open();
    assert.deepEqual((await page.locator('a.item').allTextContents()).sort(), names());
    const stranger = await page.context().browser().newContext();
    assert.equal((await stranger.request.get(`${origin}/`)).status(), 403);
    await stranger.close();
    return page;
  },
  async 'the log of a run grows while the run works, and says when it is sealed'() {
    const before = names();
    const run = spawn(locard, ['run', demoCase, '--runs', runs, '--quiet'], { stdio: 'ignore' });
    const ended = until(run, 'exit');
    const added = () => names().find((name) => !before.includes(name));
    while (!added() && run.exitCode === null) await new Promise((done) => { setTimeout(done, 5); });
    // Held still until the page is open, however fast the machine is.
    run.kill('SIGSTOP');
    const page = await openPage(address, (asked) => new URL(asked).origin === origin);
    try {
      for (let tries = 0; ; tries += 1) {
        const answer = await page.goto(`${origin}/run/${added()}/follow`);
        if (answer.ok() && (await page.locator('#log[data-news]').count())) break;
        assert.ok(tries < 50 && run.exitCode === null, 'the run was sealed before its log was opened');
        run.kill('SIGCONT');
        await page.waitForTimeout(20);
        run.kill('SIGSTOP');
      }
      // Before the run can be read there is no such page.
      page.wrong = page.wrong.filter((it) => !/Failed to load resource/.test(it));
      const first = await page.locator('#log li').count();
      run.kill('SIGCONT');
      await page.waitForFunction((first) => document.querySelectorAll('#log li').length > first, first);
      await page.waitForFunction(() => /sealed: nothing will be added/.test(document.getElementById('state').textContent), null, { timeout: 120000 });
      assert.equal(await ended, 0);
      const grown = await page.locator('#log li').allTextContents();
      await page.goto(`${origin}/run/${added()}/follow?from=0`);
      const whole = await page.locator('#log li').allTextContents();
      const plain = (texts) => texts.map((text) => text.replace(/\s+/g, ' ').trim());
      assert.deepEqual(plain(grown).slice(0, whole.length), plain(whole), 'what grew is what a fresh page says');
    } finally {
      run.kill('SIGCONT');
    }
    return page;
  },
  async 'a search finds what stands in an output, and leads to the record'() {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('SCANTOPDF');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=SCANTOPDF/);
    const marks = await page.locator('dl.hits mark').allTextContents();
    assert.ok(marks.length > 0 && marks.every((it) => /^scantopdf$/i.test(it)), marks.join());
    await page.locator('a.item').first().click();
    await page.waitForURL(/\/inv\/inv-/);
    const target = page.locator(':target');
    await target.waitFor({ state: 'visible' });
    assert.match(await target.textContent(), /scantopdf/i);
    return page;
  },
  async 'a call opens with its arguments and records, and its output as text'() {
    const page = await open(`/run/${demo}/calls`);
    await page.locator('a.item').first().click();
    await page.waitForURL(/\/inv\/inv-/);
    assert.match(await page.locator('dl.facts').first().textContent(), /Outcome.*Arguments/s);
    const output = page.locator('a[href$="/output"]');
    if (await output.count()) {
      const answer = await page.context().request.get(origin + (await output.getAttribute('href')));
      assert.match(answer.headers()['content-type'], /^text\/plain/);
    }
    return page;
  },
  async 'a fact shows the stored bytes in which its values stand'() {
    const page = await open(`/run/${demo}/facts`);
    await page.locator('a.item').first().click();
    await page.waitForURL(/\/fact\/fact-/);
    assert.ok(await page.locator('mark').first().isVisible());
    return page;
  },
  async 'two runs are compared'() {
    const page = await open();
    await page.selectOption('#before', demo);
    await page.selectOption('#after', hostile);
    await page.locator('form.compare button').click();
    await page.waitForURL(/\/compare\?/);
    assert.match(await page.locator('main').textContent(), /recorded different things/);
    await page.goto(`${origin}/compare?before=${demo}&after=${demo}`);
    assert.match(await page.locator('main').textContent(), /Both runs recorded the same/);
    return page;
  },
  async 'pages are turned and lists walked by keys, unless they are switched off'() {
    const page = await open(`/run/${demo}/facts`);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    assert.ok(await page.locator('a.item').first().evaluate((it) => it === document.activeElement));
    await page.keyboard.press('n');
    await page.waitForURL(/from=100/);
    await page.keyboard.press('p');
    await page.waitForURL((url) => !/from=100/.test(url.href));
    await page.locator('#keys-on').uncheck();
    const here = page.url();
    await page.locator('h1').click();
    await page.keyboard.press('n');
    await page.keyboard.press('/');
    await page.waitForTimeout(300);
    assert.equal(page.url(), here);
    assert.notEqual(await page.evaluate(() => document.activeElement.id), 'q');
    await page.goto(`${origin}/`);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    return page;
  },
  async 'the report opens under its own policy, and works'() {
    const page = await open(`/run/${demo}/report`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
    await page.locator('.told a[href^="#proof-"]').first().click();
    await page.locator('pre.record mark:visible').first().waitFor();
    return page;
  },
  async 'hostile evidence stays text on every page'() {
    const page = await open(`/run/${hostile}`);
    const read = async (path) => {
      await page.goto(origin + path);
      assert.equal(await page.locator('img, iframe, object, embed, main script, main style').count(), 0, path);
      return page.locator('body').textContent();
    };
    assert.match(await read(`/run/${hostile}/facts`), /<script>alert\(1\)<\/script>/);
    const links = await page.locator('a.item').evaluateAll((items) => items.map((it) => it.getAttribute('href')));
    for (const link of links) await read(link);
    for (const part of ['calls', 'refused', 'follow']) await read(`/run/${hostile}/${part}`);
    const sought = '"><img src=x onerror=alert(4)>';
    assert.ok((await read(`/search?q=${encodeURIComponent(sought)}`)).includes(sought));
    assert.match(await read('/search?q=onerror'), /onerror=alert\(3\)/);
    await read(`/compare?before=${demo}&after=${hostile}`);
    return page;
  },
  async 'on 400 pixels no page is cut'() {
    const page = await open('/', { viewport: { width: 400, height: 800 } });
    for (const path of ['/', `/run/${demo}`, `/run/${demo}/facts`, `/run/${demo}/calls`, `/run/${demo}/refused`, `/run/${demo}/follow`, '/search?q=svchost', `/compare?before=${demo}&after=${hostile}`]) {
      await page.goto(origin + path);
      assert.deepEqual(await tooWide(page), [], path);
    }
    return page;
  },
};

try {
  await runTests(tests);
} finally {
  server.kill('SIGTERM');
}
