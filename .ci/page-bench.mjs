// Opens a report in Chromium and measures what a reader waits for. Arguments: playwright-core's module, Chromium, the page.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [library, browserPath, page] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(resolve(library)));
const ROUNDS = 5;
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const GOALS = [[/^first paint/, 1000], [/^filter/, 100]];

// What runs in the page: each gives milliseconds, or throws where the page does not do what was asked.
const inPage = {
  // From an input to the frame in which the list and its number are painted.
  filter: async ([changes, expected]) => {
    const form = document.getElementById('filter').elements;
    const status = document.getElementById('matching');
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const changed = () => new Promise((done, fail) => {
      const watch = new MutationObserver(() => { watch.disconnect(); done(); });
      watch.observe(status, { childList: true, characterData: true, subtree: true });
      setTimeout(() => fail(new Error(`nothing matched anew: ${JSON.stringify(changes)}, ${status.textContent}`)), 20000);
    });
    const began = performance.now();
    const done = changed();
    for (const [name, value] of Object.entries(changes)) {
      form[name].value = value;
      form[name].dispatchEvent(new Event(form[name].tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
    }
    await done;
    await painted();
    const took = performance.now() - began;
    if (expected && !new RegExp(expected).test(status.textContent)) throw new Error(`expected ${expected}, found ${status.textContent}`);
    return took;
  },
  // The last fact of all, which is packed in a large run.
  unfold: async () => {
    const { text } = JSON.parse(document.getElementById('data').textContent);
    const id = text.slice(text.lastIndexOf('\n') + 1).split(' ')[0];
    const began = performance.now();
    location.hash = `#proof-${id}`;
    for (;;) {
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const article = document.getElementById(id);
      const box = article && article.getBoundingClientRect();
      if (box && box.top < innerHeight && box.bottom > 0 && article.querySelector('details').open) return performance.now() - began;
      if (performance.now() - began > 20000) throw new Error(`the fact ${id} does not come into view`);
    }
  },
  // One step of a hundred.
  move: async () => {
    const later = document.querySelector('#span button[aria-label="Later"]');
    const earlier = document.querySelector('#span button[aria-label="Earlier"]');
    const began = performance.now();
    for (let step = 0; step < 100; step += 1) {
      (step % 4 < 2 ? later : earlier).click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
    return (performance.now() - began) / 100;
  },
};

const FILTERS = [
  ['filter: a rare word', { text: '-401-7' }],
  ['filter: no fact', { text: 'qqqqqqqq' }],
  ['filter: a frequent word', { text: 'dll' }],
  ['filter: one letter', { text: 'e' }],
  ['filter: two words', { text: 'users mara' }],
  ['filter: all again', { text: '' }],
  ['filter: an agent', { agent: '2' }],
  ['filter: agent and word', { text: 'driver' }],
];

const browser = await chromium.launch({ executablePath: browserPath, args: FLAGS });
const measured = new Map();
const note = (name, value) => measured.set(name, [...(measured.get(name) ?? []), value]);

for (let round = 0; round < ROUNDS; round += 1) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const tab = await context.newPage();
  const wrong = [];
  tab.on('pageerror', (error) => wrong.push(String(error)));
  tab.on('console', (message) => { if (message.type() === 'error') wrong.push(message.text()); });
  tab.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) wrong.push(`asks for ${request.url()}`); });
  const began = Date.now();
  await tab.goto(pathToFileURL(resolve(page)).href, { waitUntil: 'commit' });
  await tab.waitForFunction(() => document.documentElement.dataset.ready === 'yes', null, { timeout: 60000 });
  note('ready, as the browser counts', await tab.evaluate(() => performance.now()));
  await tab.waitForFunction(() => document.getElementById('matching').textContent !== '' && performance.getEntriesByType('paint').length > 0);
  note('first paint', await tab.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
  note('ready, with the browser starting to open it', Date.now() - began);
  await tab.waitForTimeout(500);
  note('filter: half a second after it is ready', await tab.evaluate(inPage.filter, [{ text: '-402-7' }]));
  await tab.waitForTimeout(2500);
  for (const [name, changes] of FILTERS) note(name, await tab.evaluate(inPage.filter, [changes]));
  await tab.evaluate(inPage.filter, [{ agent: '', text: '' }]);
  note('moving the timeline, a step', await tab.evaluate(inPage.move));
  note('unfolding the last fact', await tab.evaluate(inPage.unfold));
  if (wrong.length) throw new Error(wrong.join('\n'));
  await context.close();
}
await browser.close();

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
console.log(`page: ${(statSync(page).size / 1e6).toFixed(1)} MB; medians of ${ROUNDS}, milliseconds`);
for (const [name, values] of measured) {
  const goal = GOALS.find(([pattern]) => pattern.test(name))?.[1];
  const met = goal === undefined ? '' : `  goal ${goal}: ${median(values) < goal ? 'met' : 'MISSED'}`;
  console.log(`${median(values).toFixed(1).padStart(9)}  ${name}${met}  (worst ${Math.max(...values).toFixed(1)})`);
}
