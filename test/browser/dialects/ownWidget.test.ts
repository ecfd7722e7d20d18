import { describe, expect, test } from 'bun:test';
import { postJson } from '../../support/dialects.ts';
import { fastClock } from '../fixture.ts';
import { called, fieldValue, record, useDialectPages } from './page.ts';

/** Pages written for ALTCHA or Cap, with Postern's script instead of the vendor's. */

const { postern, shortLived, open } = useDialectPages();

describe('/altcha/altcha.js', () => {
  const head = '<script src="HOST/altcha/altcha.js" async defer type="module"></script>';
  const EVENTS = ['statechange', 'verified', 'expired'] as const;
  const bodyWith = (attributes: string) =>
    `<form><altcha-widget ${attributes}></altcha-widget></form>${record('altcha-widget', ...EVENTS)}`;
  const CHALLENGE = 'challenge="HOST/altcha/v1/challenge?apiKey=KEY"';
  const OLDER = 'challengeurl="HOST/v1/challenge?apiKey=KEY"';
  const verify = (payload: string) =>
    postJson(`${postern.url}/v1/verify/signature`, { payload, secret: postern.verifyKey });

  test.each([CHALLENGE, OLDER, 'sitekey="KEY"'])(
    'fills the field, which the backend accepts once (%s)',
    async (attribute) => {
      const page = await open({ head, body: bodyWith(`${attribute} auto="onload"`) });
      await page.until(`${called('verified')}.length > 0`);
      const payload = await page.evaluate<string>(fieldValue('altcha'));
      expect(await page.evaluate<string>(`${called('verified')}[0][1].payload`)).toBe(payload);
      const states = await page.evaluate<string[]>(`${called('statechange')}.map(([, { state }]) => state)`);
      expect(states).toEqual(['verifying', 'verified']);
      expect(await verify(payload)).toMatchObject({ verified: true, hostname: 'localhost' });
      expect(await verify(payload)).toMatchObject({ verified: false, reason: 'solution-verified-before' });
    },
  );

  test('has the methods of the element, and the name of the field that the page chose', async () => {
    const page = await open({ head, body: bodyWith(`${CHALLENGE} auto="off" name="proof"`) });
    const widget = "document.querySelector('altcha-widget')";
    await page.until(`${widget}.getState?.() === 'unverified'`);
    const payload = await page.evaluate<string>(`${widget}.verify().then(({ payload }) => payload)`);
    expect(await page.evaluate<string>(fieldValue('proof'))).toBe(payload);
    expect(await page.evaluate<string>(`${widget}.getState()`)).toBe('verified');
    await page.evaluate(`${widget}.reset()`);
    expect(await page.evaluate<string>(`${widget}.getState()`)).toBe('unverified');
    expect(await page.evaluate<string>(fieldValue('proof'))).toBe('');
  });

  test('reports errors and expired puzzles', async () => {
    const failing = await open({
      head,
      body: bodyWith('challenge="HOST/altcha/v1/challenge?apiKey=FOREIGN" auto="onload"'),
    });
    await failing.until(`calls.some(([, { state }]) => state === 'error')`);
    failing.close();
    const page = await open({
      head,
      body: bodyWith(`${CHALLENGE} auto="onload"`),
      server: shortLived,
      prelude: fastClock(20),
    });
    await page.until(`${called('expired')}.length > 0`);
    expect(await page.evaluate<boolean>(`calls.some(([, { state }]) => state === 'expired')`)).toBe(true);
  });
});

describe('/cap/widget.js', () => {
  const head = '<script src="HOST/cap/widget.js"></script>';
  const EVENTS = ['solve', 'progress', 'error', 'reset'] as const;
  const bodyWith = (key = 'KEY', attributes = '') =>
    `<form><cap-widget data-cap-api-endpoint="HOST/cap/${key}/" ${attributes}></cap-widget></form>
    ${record('cap-widget', ...EVENTS)}`;
  const widget = "document.querySelector('cap-widget')";
  const solve = `${widget}.solve().then(({ success, token }) => [success, token])`;
  const verify = (response: string) =>
    postJson(`${postern.url}/cap/${postern.sitekey}/siteverify`, { secret: postern.verifyKey, response });

  test('fills the field, which the backend accepts once', async () => {
    const page = await open({ head, body: bodyWith() });
    await page.until(`${widget}.querySelector('[data-postern]') !== null`);
    const [success, token = ''] = await page.evaluate<[boolean, string]>(solve);
    expect(success).toBe(true);
    expect(
      await page.evaluate<string[]>(
        `[${fieldValue('cap-token')}, ${widget}.token, ${called('solve')}[0][1].token]`,
      ),
    ).toEqual([token, token, token]);
    expect(await page.evaluate<number>(`${called('progress')}.at(-1)[1].progress`)).toBeGreaterThan(0);
    expect(await verify(token)).toMatchObject({ success: true, hostname: 'localhost' });
    expect(await verify(token)).toMatchObject({ success: false, error: 'solution-verified-before' });
  });

  test('solves without an element, and in an element of the page', async () => {
    const page = await open({ head, body: bodyWith('KEY', 'data-cap-hidden-field-name="proof"') });
    const endpoint = `{ apiEndpoint: '${postern.url}/cap/${postern.sitekey}/' }`;
    const token = await page.evaluate<string>(
      `(window.cap = new Cap(${endpoint})).solve().then(({ token }) => token)`,
    );
    expect(await page.evaluate<string>('cap.token')).toBe(token);
    expect(await verify(token)).toMatchObject({ success: true });
    await page.evaluate(`new Cap(${endpoint}, ${widget}).solve().then(() => true)`);
    expect(await verify(await page.evaluate<string>(fieldValue('proof')))).toMatchObject({ success: true });
    const missing = await page.evaluate<string>(
      '(() => { try { new Cap(); } catch (error) { return error.message; } })()',
    );
    expect(missing).toMatch('Missing API endpoint');
  });

  test('is reset once by the page and by its form, and reports errors', async () => {
    const page = await open({ head, body: bodyWith() });
    await page.until(`${widget}.querySelector('[data-postern]') !== null`);
    await page.evaluate(solve);
    await page.evaluate(`${widget}.reset()`);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
    expect(await page.evaluate<number>(`${called('reset')}.length`)).toBe(1);
    expect(await page.evaluate<string>(fieldValue('cap-token'))).toBe('');
    await page.evaluate(solve);
    await page.evaluate('document.forms[0].reset()');
    await page.until(`${called('reset')}.length === 2`);
    const failing = await open({ head, body: bodyWith('FOREIGN') });
    await failing.until(`${widget}.querySelector('[data-postern]') !== null`);
    await failing.evaluate(`${solve}.catch(() => undefined)`);
    const [error] = await failing.evaluate<[string, object][]>(called('error'));
    expect(error?.[1]).toMatchObject({ isCap: true, code: 'solve_failed', message: expect.any(String) });
  });
});
