import { expect } from 'bun:test';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { startBinary } from '../support/binary.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { BINARY, testInFolder } from './support.ts';

/** The paths of the scripts that replace other vendors' scripts, and the global variable that each script defines. */
const SCRIPTS = [
  ['/widget/js/privatecaptcha.js', 'privateCaptcha'],
  ['/recaptcha/api.js', 'grecaptcha'],
  ['/recaptcha/enterprise.js', 'grecaptcha'],
  ['/1/api.js', 'hcaptcha'],
  ['/1/secure-api.js', 'hcaptcha'],
  ['/turnstile/v0/api.js', 'turnstile'],
  ['/turnstile/v0/g/abc123/api.js', 'turnstile'],
] as const;

/** The verification paths, and the error for a response that was already used. */
const VERIFY_PATHS = [
  ['/siteverify', 'solution-verified-before'],
  ['/recaptcha/api/siteverify', 'timeout-or-duplicate'],
  ['/hcaptcha/siteverify', 'already-seen-response'],
  ['/turnstile/v0/siteverify', 'timeout-or-duplicate'],
] as const;

async function expectScript(server: string, path: string, global: string): Promise<void> {
  const url = `${server}${path}?render=explicit&onload=loaded`;
  const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  expect([path, plain.status, plain.headers.get('content-encoding')]).toEqual([path, 200, null]);
  expect(Object.fromEntries(plain.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=300, must-revalidate',
    vary: 'Accept-Encoding',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  });
  const text = await plain.text();
  expect(text).toContain(global);
  const zipped = await fetch(url, { headers: { 'accept-encoding': 'gzip' }, decompress: false });
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(Buffer.from(Bun.gunzipSync(await zipped.arrayBuffer())).toString()).toBe(text);
  const tag = plain.headers.get('etag') ?? '';
  const known = await fetch(url, { headers: { 'if-none-match': tag } });
  expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, tag, '']);
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, head.headers.get('etag')]).toEqual([200, tag]);
}

testInFolder('the executable serves the scripts and verification paths of other vendors', async (folder) => {
  const binary = join(folder, 'postern');
  cpSync(BINARY, binary);
  const server = await startBinary([binary], {
    PATH: '/nowhere',
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_DEMO: 'on',
  });
  for (const [path, global] of SCRIPTS) await expectScript(server.url, path, global);

  const output = server.output();
  const sitekey = /Sitekey:\s+(\w+)/.exec(output)?.[1] ?? '';
  const secret = /Verify key:\s+(\w+)/.exec(output)?.[1] ?? '';
  for (const [path, repeated] of VERIFY_PATHS) {
    const response = await fetchAndSolve(server.url, sitekey, 'http://localhost:3000');
    const verify = async (fields: Record<string, string>) => {
      const answer = await fetch(`${server.url}${path}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      });
      const { headers, status } = answer;
      expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
        200,
        'application/json;charset=utf-8',
        'no-store',
      ]);
      return answer.json();
    };
    expect([path, await verify({ secret, response })]).toMatchObject([
      path,
      { success: true, hostname: 'localhost' },
    ]);
    const rejected = { success: false, 'error-codes': [repeated] };
    expect([path, await verify({ secret, response })]).toMatchObject([path, rejected]);
    expect(await verify({ secret })).toMatchObject({ 'error-codes': ['missing-input-response'] });
    expect(await verify({ response })).toMatchObject({ 'error-codes': ['missing-input-secret'] });
  }
  const query = new URLSearchParams({ secret, response: 'garbage' });
  const asked = await fetch(`${server.url}/recaptcha/api/siteverify?${query}`);
  expect([asked.status, await asked.json()]).toMatchObject([
    200,
    { success: false, 'error-codes': ['invalid-input-response'] },
  ]);
  expect(await server.end('SIGTERM')).toBe(0);
});
