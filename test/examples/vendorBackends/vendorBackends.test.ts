import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { addPageData, type PageData } from '../../../src/puzzle/solution.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { fetchAndSolve } from '../../support/visitor.ts';

/** Unmodified backend libraries for other vendors, in Node, PHP, and Python. */

const server = useServer();
const tenant = useTenant(server);
const at = (name: string) => join(import.meta.dir, name);
const solve = () => fetchAndSolve(server.url, tenant.property.sitekey);

/** The environment variables of a backend. @param token the token to verify */
const environment = (token = '') => ({
  ...process.env,
  NODE_NO_WARNINGS: '1',
  POSTERN_URL: server.url,
  POSTERN_SECRET: tenant.verifyKey,
  POSTERN_SITEKEY: tenant.property.sitekey,
  POSTERN_TOKEN: token,
});

const node = (library: string) => ['node', '--require', at('redirect.cjs'), at('backend.cjs'), library];
// The library in Debian 12 causes deprecation warnings in PHP 8.2, which prints them to stdout by default.
const php = (version: string) => ['php', '-d', 'display_errors=stderr', at('backend.php'), version];

async function verifyWith(
  command: readonly string[],
  token: string,
): Promise<Readonly<Record<string, unknown>>> {
  const child = Bun.spawn([...command], { env: environment(token), stdout: 'pipe', stderr: 'pipe' });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0 || output === '') throw new Error(`${command.join(' ')} failed: ${errors}`);
  return JSON.parse(output);
}

const FACTS = { hostname: 'example.com' };
const V3: PageData = { action: 'login' };
const V3_FACTS = { ...FACTS, ...V3, score: 0.9 };

test.each([
  ['recaptcha2', node('recaptcha2'), {}, {}],
  ['hcaptcha', node('hcaptcha'), {}, FACTS],
  ['express-recaptcha v2', node('express-recaptcha v2'), {}, FACTS],
  ['express-recaptcha v3', node('express-recaptcha v3'), V3, V3_FACTS],
  ['google/recaptcha v2', php('v2'), {}, { ...FACTS, codes: [] }],
  ['google/recaptcha v3', php('v3'), V3, { ...V3_FACTS, codes: [] }],
])(
  '%s accepts a solution once',
  async (library, command, pageData, facts) => {
    // A token that is not URL-safe contains characters that some libraries do not encode.
    const token = addPageData(await solve(), pageData);
    expect(await verifyWith(command, token)).toMatchObject({ isAccepted: true, ...facts });
    const again = await verifyWith(command, token);
    expect(again.isAccepted).toBe(false);
    // The library for hCaptcha uses `/siteverify`, which has Postern's own error names.
    expect(again.codes).toContain(
      library === 'hcaptcha' ? 'solution-verified-before' : 'timeout-or-duplicate',
    );
  },
  60_000,
);

test('google/recaptcha rejects a solution with another action, and text that is not a solution', async () => {
  const other = addPageData(await solve(), { action: 'sign-up' });
  expect(await verifyWith(php('v3'), other)).toMatchObject({
    isAccepted: false,
    codes: ['action-mismatch'],
  });
  const garbage = await verifyWith(php('v2'), 'garbage');
  expect(garbage.isAccepted).toBe(false);
  expect(garbage.codes).toContain('invalid-input-response');
}, 60_000);

describe('Flask-WTF', () => {
  let app: Bun.Subprocess<'ignore', 'pipe', 'inherit'> | undefined;
  let url = '';
  beforeAll(async () => {
    // Debian's interpreter, because it finds Debian's packages.
    app = Bun.spawn(['/usr/bin/python3', at('flaskApp.py')], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // The pipe stays open as long as the application runs.
    const { value } = await app.stdout.getReader().read();
    url = new TextDecoder().decode(value).trim();
    if (url === '') throw new Error('the Flask application did not start');
  }, 60_000);
  afterAll(() => app?.kill());

  async function submit(fields: Readonly<Record<string, string>>): Promise<unknown> {
    const body = new URLSearchParams({ name: 'Ann', ...fields });
    return (await fetch(url, { method: 'POST', body })).json();
  }

  const rejection = (error: string) => ({ isAccepted: false, errors: [error] });

  test('renders an element of the class with the configured script', async () => {
    const html = await (await fetch(url)).text();
    expect(html).toContain(`src='${server.url}/recaptcha/api.js'`);
    expect(html).toContain(`class="g-recaptcha" data-sitekey="${tenant.property.sitekey}"`);
  });

  test('accepts a solution once', async () => {
    const token = { 'g-recaptcha-response': await solve() };
    expect(await submit(token)).toEqual({ isAccepted: true });
    // The library has no message for a solution that was already used.
    expect(await submit(token)).toEqual(rejection('The response parameter is missing.'));
  });

  test.each([
    ['a missing field', {}, 'The response parameter is missing.'],
    ['an empty field', { 'g-recaptcha-response': '' }, 'The response parameter is missing.'],
    [
      'text that is not a solution',
      { 'g-recaptcha-response': 'garbage' },
      'The response parameter is invalid or malformed.',
    ],
  ])('rejects %s', async (_name, fields, error) => {
    expect(await submit(fields)).toEqual(rejection(error));
  });
});
