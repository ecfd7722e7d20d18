import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { verifyServerSignature } from 'altcha-lib';
import { verifySolution } from 'altcha-lib/v1';
import { ROOT } from '../../architecture/tree.ts';
import { postJson } from '../../support/dialects.ts';
import { fastClock } from '../fixture.ts';
import { called, fieldValue, record, useDialectPages } from './page.ts';

/** The unmodified widgets of ALTCHA and Cap on pages of another origin than Postern. */

const { postern, shortLived, open } = useDialectPages({ level: 64 });

/** @param path of the widget in `node_modules` */
const read = async (path: string) =>
  (await Bun.file(join(ROOT, 'node_modules', path)).text()).replaceAll('</script', '<\\/script');

describe('the widget of ALTCHA', () => {
  const widget = read('altcha/dist/main/altcha.umd.min.cjs');
  const EVENTS = ['statechange', 'verified', 'expired', 'serververification'] as const;
  const bodyWith = (query: string, key = 'KEY') =>
    `<form><altcha-widget challenge="HOST/altcha/v1/challenge?apiKey=${key}${query}" auto="onload"></altcha-widget></form>
    ${record('altcha-widget', ...EVENTS)}`;
  const signature = (payload: string) =>
    postJson(`${postern.url}/v1/verify/signature`, { payload, secret: postern.verifyKey });

  test.each(['', '&version=2'])(
    'solves a challenge, and the backend accepts the field once (%s)',
    async (query) => {
      const page = await open({ script: await widget, body: bodyWith(query) });
      await page.until(`${called('verified')}.length > 0`);
      const payload = await page.evaluate<string>(fieldValue('altcha'));
      const decoded = JSON.parse(atob(payload));
      expect(decoded).toMatchObject({ verified: true, apiKey: postern.sitekey });
      const offline = await verifyServerSignature({ payload: decoded, hmacSecret: postern.offlineSecret });
      expect(offline).toMatchObject({ verified: true });
      expect(await signature(payload)).toMatchObject({ verified: true, hostname: 'localhost' });
      expect(await signature(payload)).toMatchObject({ verified: false, reason: 'solution-verified-before' });
      const paths = page.requests
        .map(({ url }) => new URL(url))
        .filter(({ pathname }) => pathname.startsWith('/altcha'));
      expect(paths.map(({ pathname }) => pathname)).toEqual(['/altcha/v1/challenge', '/altcha/v1/verify']);
    },
  );

  test('keeps its own payload for backends that verify offline', async () => {
    const page = await open({ script: await widget, body: bodyWith('&verify=offline') });
    await page.until(`${called('verified')}.length > 0`);
    const payload = await page.evaluate<string>(fieldValue('altcha'));
    expect(await verifySolution(payload, postern.offlineSecret)).toBe(true);
    expect(page.requests.filter(({ url }) => url.includes('/altcha/v1/verify'))).toEqual([]);
    expect(await signature(payload)).toMatchObject({ verified: true });
  });

  test('shows an error for a property of another domain', async () => {
    const page = await open({ script: await widget, body: bodyWith('', 'FOREIGN') });
    await page.until(`calls.some(([, { state }]) => state === 'error')`);
    expect(await page.evaluate<string>(`${fieldValue('altcha')} ?? ''`)).toBe('');
  });

  test('empties its field when the challenge expires', async () => {
    const page = await open({
      script: await widget,
      body: bodyWith(''),
      server: shortLived,
      prelude: fastClock(20),
    });
    await page.until(`${called('expired')}.length > 0`);
    expect(await page.evaluate<number>(`${called('verified')}.length`)).toBeGreaterThan(0);
  });
});

describe('the widget of Cap', () => {
  const widget = read('@cap.js/widget/cap.min.js');
  const EVENTS = ['solve', 'progress', 'error', 'reset'] as const;
  const bodyWith = (key = 'KEY') =>
    `<form><cap-widget data-cap-api-endpoint="HOST/cap/${key}/"></cap-widget></form>${record('cap-widget', ...EVENTS)}`;
  const solve = "void document.querySelector('cap-widget').solve().catch(() => undefined)";
  const verify = (response: string, sitekey = postern.sitekey) =>
    postJson(`${postern.url}/cap/${sitekey}/siteverify`, { secret: postern.verifyKey, response });

  /** The file with the WebAssembly solver. */
  async function wasmUrl(): Promise<string> {
    const file = Bun.file(join(ROOT, 'node_modules/@cap.js/wasm/browser/cap_wasm_bg.wasm'));
    return `data:application/wasm;base64,${Buffer.from(await file.arrayBuffer()).toString('base64')}`;
  }

  /** Counts the instances of the WebAssembly solver in the widget's workers. */
  const COUNT_INSTANCES = `
    window.instances = 0;
    new BroadcastChannel('instances').onmessage = () => { instances += 1; };
    window.Worker = class extends Worker {
      constructor(url) {
        const count = \`
          const { Instance } = WebAssembly;
          WebAssembly.Instance = function (...given) {
            const instance = new Instance(...given);
            new BroadcastChannel('instances').postMessage('created');
            return instance;
          };
          importScripts(\${JSON.stringify(url)});\`;
        super(URL.createObjectURL(new Blob([count])));
      }
    };`;

  test.each(['WebAssembly', 'JavaScript'])(
    'solves a challenge in %s, and the backend accepts the field once',
    async (language) => {
      const usesWasm = language === 'WebAssembly';
      const setUrl = usesWasm ? `window.CAP_CUSTOM_WASM_URL = '${await wasmUrl()}';` : '';
      const page = await open({
        script: await widget,
        body: bodyWith(),
        prelude: COUNT_INSTANCES + setUrl,
      });
      await page.evaluate(solve);
      await page.until(`${called('solve')}.length > 0`);
      if (usesWasm) await page.until('instances > 0');
      else expect(await page.evaluate<number>('instances')).toBe(0);
      const token = await page.evaluate<string>(fieldValue('cap-token'));
      expect(await page.evaluate<string>(`${called('solve')}[0][1].token`)).toBe(token);
      expect(await verify(token, postern.foreignSitekey)).toMatchObject({ success: false });
      expect(await verify(token)).toMatchObject({ success: true, hostname: 'localhost' });
      expect(await verify(token)).toMatchObject({ success: false, error: 'solution-verified-before' });
    },
  );

  test('solves a challenge without an element', async () => {
    const page = await open({ script: await widget, body: '' });
    const token = await page.evaluate<string>(
      `new Cap({ apiEndpoint: '${postern.url}/cap/${postern.sitekey}/' }).solve().then(({ token }) => token)`,
    );
    expect(await verify(token)).toMatchObject({ success: true });
  });

  test('shows an error for a property of another domain', async () => {
    const page = await open({ script: await widget, body: bodyWith('FOREIGN') });
    await page.evaluate(solve);
    await page.until(`${called('error')}.length > 0`);
    expect(await page.evaluate<string>(`${fieldValue('cap-token')} ?? ''`)).toBe('');
  });

  test('resets itself when the token expires', async () => {
    const page = await open({
      script: await widget,
      body: bodyWith(),
      server: shortLived,
      prelude: fastClock(20),
    });
    await page.evaluate(solve);
    await page.until(`${called('solve')}.length > 0 && ${called('reset')}.length > 0`);
    expect(await page.evaluate<string>(`${fieldValue('cap-token')} ?? ''`)).toBe('');
  });
});
