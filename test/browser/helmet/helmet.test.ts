import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { BROWSER } from '../../browsers.ts';
import {
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  isIn,
  serveWebsite,
  startPostern,
  type TestPostern,
  visit,
  WATCH_VIOLATIONS,
  type Website,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

/** The default headers of Helmet 8 that affect a page with a script from another host. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'default-src': "'self'",
  'base-uri': "'self'",
  'font-src': "'self' https: data:",
  'form-action': "'self'",
  'frame-ancestors': "'self'",
  'img-src': "'self' data:",
  'object-src': "'none'",
  'script-src': "'self'",
  'script-src-attr': "'none'",
  'style-src': "'self' https: 'unsafe-inline'",
  // WebKit also upgrades the requests to localhost, where the tests run without TLS. The page about the widget says so.
  ...(BROWSER === 'webkit' ? {} : { 'upgrade-insecure-requests': '' }),
};

/** The directives of the example in docs/reference/widget.md. */
async function documentedDirectives(): Promise<Readonly<Record<string, string>>> {
  const page = await Bun.file(join(import.meta.dir, '../../../docs/reference/widget.md')).text();
  const [, code = ''] = /^```js title="helmet.js"\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const found = [...code.matchAll(/'([\w-]+)': \[([^\]]*)\]/g)].map(([, name = '', values = '']) => {
    const sources = [...values.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, a, b]) => a ?? b ?? '');
    return [name, sources.join(' ').replaceAll('https://captcha.example.com', '{{postern}}')] as const;
  });
  return Object.fromEntries(found);
}

let postern: TestPostern;
const websites: Website[] = [];
beforeAll(async () => {
  postern = await startPostern();
});
afterAll(async () => {
  for (const website of websites) await website.stop();
  await postern.stop();
});

async function serve(directives: Readonly<Record<string, string>>): Promise<Website> {
  const policy = Object.entries(directives).map(([name, sources]) => `${name} ${sources}`.trim());
  const values = { postern: postern.url, sitekey: postern.sitekey };
  const website = await serveWebsite(import.meta.dir, values, {
    'Content-Security-Policy': policy.join(';'),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  });
  websites.push(website);
  return website;
}

test("with the documented directives, the widget works at full speed under Helmet's policy and violates nothing", async () => {
  const directives = await documentedDirectives();
  expect(Object.keys(directives)).toEqual(['script-src', 'connect-src', 'worker-src']);
  const tab = await visit(await serve({ ...DEFAULTS, ...directives }), WATCH_VIOLATIONS);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  expect(parsePayload(payload)?.metadata?.usedWasm).toBe(true);
  expect(await postern.verify(payload)).toMatchObject({ success: true });
  expect(await tab.evaluate<string[]>('violations')).toEqual([]);
  tab.close();
});
