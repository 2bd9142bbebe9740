// Opens pages in Chromium and runs tests over them: one that complains, asks for what it may not, or opens a dialogue fails its test.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });

// `allowed` says which addresses the page may ask for.
export const openPage = async (url, allowed, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.wrong = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.wrong.push(message.text()); });
  page.on('pageerror', (error) => page.wrong.push(String(error)));
  page.on('dialog', (dialog) => { page.wrong.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!allowed(request.url())) page.wrong.push(`request ${request.url()}`); });
  await page.goto(url);
  return page;
};

// What reaches beyond a narrow page, each by the beginning of its markup.
export const tooWide = (page) => page.evaluate(() => {
  const beyond = (it) => it.getBoundingClientRect().right > innerWidth + 1 && it.checkVisibility() && !it.closest('.scroll, .wide, .hidden');
  const wide = [...document.querySelectorAll('body *')].filter(beyond).map((it) => it.outerHTML.slice(0, 120));
  return document.documentElement.scrollWidth > innerWidth ? [`${document.documentElement.scrollWidth} wide`, ...wide] : wide;
});

export const runTests = async (tests) => {
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
  const all = Object.keys(tests).length;
  console.log(`${all - failed} of ${all} passed`);
  process.exitCode = failed ? 1 : 0;
};
