import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { describeSqlite } from '../support/testStorage.ts';
import { fetchAndSolve, fetchPuzzle, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { CERTIFICATE, PRIVATE_KEY } from './certificates.ts';
import { addSampleData, PROGRAM, type SampleData, useCommandLine } from './commandLine.ts';

/** Commands that use the data folder of a running server, or connect to one. */

const RATES = { POSTERN_PUZZLE_BURST: '1000000', POSTERN_PUZZLE_RATE: '1000000' };
const UNKNOWN_SITEKEY = '0'.repeat(32);

const cli = useCommandLine();
let server: RunningBinary;
let sample: SampleData;
let annsKey: { id: string; key: string };
let port: string;

beforeAll(async () => {
  server = await startBinary(PROGRAM, { ...RATES, ...(await cli.environment()) });
  port = new URL(server.url).port;
  sample = await addSampleData(cli);
  annsKey = await cli.json('keys create --user ann@example.com --name Backend --scope verify');
});
afterAll(async () => {
  expect(await server.end('SIGTERM')).toBe(0);
});

/** Waits until the server has noticed the change of another process. */
function waitFor(expected: unknown, read: () => Promise<unknown>): Promise<void> {
  return waitUntil(`the value is ${expected}`, async () => (await read()) === expected);
}

/** The verification code of a new solution. */
async function freshCode(key: string): Promise<number> {
  return (await verify(server.url, key, await fetchAndSolve(server.url, sample.sitekey))).code;
}

/** The status of an invalid payload: 400 if the key is accepted. */
async function keyStatus(key: string): Promise<number> {
  return (await verify(server.url, key, 'invalid')).status;
}

async function createKey(more: string): Promise<{ id: string; key: string }> {
  return cli.json(`keys create --name K --scope verify ${more}`);
}

test('a new property issues puzzles, and a new key verifies solutions', async () => {
  const { benOrg } = sample;
  const draft = `--org ${benOrg} --name New --domain new.example --level 1 --growth constant --allow-subdomains`;
  const { sitekey } = await cli.json(`properties create ${draft}`);
  const ask = () =>
    fetch(`${server.url}/puzzle?sitekey=${sitekey}`, { headers: { Origin: 'https://www.new.example' } });
  await waitFor(200, async () => (await ask()).status);
  const { key } = await createKey('--user ben@example.com');
  const payload = await fetchAndSolve(server.url, sitekey, 'https://www.new.example');
  expect(await verify(server.url, key, payload)).toMatchObject({ code: 0, origin: 'www.new.example' });
});

test('a rotated or revoked key stops working', async () => {
  const first = await createKey('--user ann@example.com');
  expect(await keyStatus(first.key)).toBe(400);
  const second = await cli.json(`keys rotate ${first.id} --keep-old 0`);
  await waitFor(401, () => keyStatus(first.key));
  expect(await keyStatus(second.key)).toBe(400);
  await cli.json(`keys revoke ${first.id}`);
  await waitFor(401, () => keyStatus(second.key));
});

test('puzzles stay valid after the signing key is rotated', async () => {
  const before = await fetchAndSolve(server.url, sample.sitekey);
  const { fingerprint } = await cli.json('keys rotate-signing');
  const signer = async () => {
    const [, signature = ''] = (await fetchPuzzle(server.url, sample.sitekey)).split('.');
    return Buffer.from(signature, 'base64').toString('hex').includes(fingerprint);
  };
  await waitFor(true, signer);
  expect(await verify(server.url, annsKey.key, before)).toMatchObject({ success: true, code: 0 });
  expect(await freshCode(annsKey.key)).toBe(0);
});

test('maintenance mode takes effect in the running server', async () => {
  expect(await freshCode(annsKey.key)).toBe(0);
  await cli.json('maintenance on');
  await waitFor(9, () => freshCode(annsKey.key));
  await cli.json('maintenance off');
  await waitFor(0, () => freshCode(annsKey.key));
});

test('a key can verify while its user is a member', async () => {
  const { key } = await createKey('--user ben@example.com');
  const member = `--org ${sample.annOrg} --user ben@example.com`;
  expect(await freshCode(key)).toBe(7);
  await cli.json(`orgs add-member ${member}`);
  await waitFor(0, () => freshCode(key));
  await cli.json(`orgs remove-member ${member}`);
  await waitFor(7, () => freshCode(key));
});

test('a key that is restricted to one organization cannot verify for another organization of the user', async () => {
  const { id } = await cli.json('orgs create --user ann@example.com --name Other');
  const elsewhere = await createKey(`--user ann@example.com --org ${id}`);
  const here = await createKey(`--user ann@example.com --org ${sample.annOrg}`);
  await waitFor(12, () => freshCode(elsewhere.key));
  expect(await freshCode(here.key)).toBe(0);
});

describe('solve', () => {
  const words = (sitekey: string, origin = 'https://example.com', url = server.url) =>
    `solve --url ${url} --sitekey ${sitekey} --origin ${origin}`;

  test('prints a solution that is accepted once', async () => {
    const solved = await cli.json(words(sample.sitekey));
    expect(solved).toEqual({
      solution: expect.stringMatching(/^[\w+/=]+\.[\w+/=]+\.[\w+/=]+$/),
      attempts: expect.any(Number),
      elapsed_ms: expect.any(Number),
    });
    expect(await verify(server.url, annsKey.key, solved.solution)).toMatchObject({ code: 0 });
    expect(await verify(server.url, annsKey.key, solved.solution)).toMatchObject({ code: 8 });
  });

  test('prints only the solution without --json, so that it can be piped', async () => {
    const { code, out } = await cli.run(words(sample.sitekey, 'https://example.com', `${server.url}/`));
    expect(code).toBe(0);
    // With the trailing line break, as `curl --data-binary @-` sends it.
    expect(await verify(server.url, annsKey.key, out)).toMatchObject({ success: true, code: 0 });
  });

  test('solves the test puzzle', async () => {
    const solved = await cli.json(words('aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'));
    expect(solved.attempts).toBe(0);
    expect(await verify(server.url, annsKey.key, solved.solution)).toMatchObject({ code: 10 });
  });

  test.each([
    ['an unknown sitekey', () => words(UNKNOWN_SITEKEY), 'HTTP 403: There is no active property'],
    ['an invalid sitekey', () => words('a&b'), 'HTTP 400: The sitekey must be 32 hexadecimal digits'],
    ['another page', () => words(sample.sitekey, 'https://example.org'), 'HTTP 403: This page is not on'],
    [
      'an unknown path',
      () => words('a', 'https://a.example', `${server.url}/x`),
      'HTTP 404: This path does not exist',
    ],
    ['no server', () => words('a', 'https://a.example', 'http://127.0.0.1:1'), 'cannot fetch a puzzle from'],
  ])('fails with the reason: %s', async (_, line, sentence) => {
    const { code, out, err } = await cli.run(`${line()} --json`);
    expect(err).toContain(sentence);
    expect({ code, out }).toEqual({ code: 1, out: '' });
  });

  test('fails if the response is not a puzzle', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello.world') });
    const { code, err } = await cli.run(words('a', 'https://a.example', `http://127.0.0.1:${other.port}`));
    expect(err).toContain('did not return a puzzle that this command supports');
    expect(code).toBe(1);
    await other.stop(true);
  });
});

describe('healthcheck', () => {
  const ready = { code: 0, out: '', err: '' };

  test('prints nothing if the server is ready, at the configured address or at --url', async () => {
    // A proxy in the environment is not used.
    const proxy = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' };
    const settings = { ...proxy, POSTERN_PORT: port };
    expect(await cli.spawn('healthcheck', { settings })).toEqual(ready);
    expect(await cli.spawn('healthcheck --host 0.0.0.0', { settings })).toEqual(ready);
    expect(await cli.run(`healthcheck --url ${server.url}/`)).toEqual(ready);
    expect(await cli.json(`healthcheck --url ${server.url}`)).toEqual({
      ok: true,
      url: `${server.url}/readyz`,
      status: 200,
      problems: [],
      reason: null,
    });
  });

  test('prints why the server is not ready', async () => {
    const unreachable = await cli.run('healthcheck --url http://127.0.0.1:1 --json');
    expect(unreachable.code).toBe(1);
    expect(JSON.parse(unreachable.out)).toMatchObject({ ok: false, status: null });
    expect(unreachable.err).toContain('http://127.0.0.1:1/readyz did not respond: ');
    const draining = { status: 'unavailable', problems: ['draining'] };
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.includes('/other/') ? new Response('Welcome') : Response.json(draining, { status: 503 }),
    });
    const unready = await cli.run('healthcheck', { settings: { POSTERN_PORT: String(other.port) } });
    const err = `postern: http://127.0.0.1:${other.port}/readyz returned 503: draining\n`;
    expect(unready).toEqual({ code: 1, out: '', err });
    const unrelated = await cli.run(`healthcheck --url http://127.0.0.1:${other.port}/other`);
    expect(unrelated).toMatchObject({ code: 1, out: '' });
    expect(unrelated.err).toContain('returned 200: the response does not come from Postern');
    await other.stop(true);
  });

  test('accepts any certificate from the configured server, and only valid certificates at --url', async () => {
    const tls = {
      POSTERN_TLS_CERT: join(cli.folder, 'cert.pem'),
      POSTERN_TLS_KEY: join(cli.folder, 'key.pem'),
    };
    writeFileSync(tls.POSTERN_TLS_CERT, CERTIFICATE);
    writeFileSync(tls.POSTERN_TLS_KEY, PRIVATE_KEY);
    const secure = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: { cert: CERTIFICATE, key: PRIVATE_KEY },
      fetch: () => Response.json({ status: 'ok', problems: [] }),
    });
    const settings = { ...tls, POSTERN_PORT: String(secure.port) };
    expect(await cli.run('healthcheck', { settings })).toEqual(ready);
    expect((await cli.run(`healthcheck --url https://127.0.0.1:${secure.port}`)).code).toBe(1);
    await secure.stop(true);
  });
});

describeSqlite('doctor', () => {
  test('checks the data folder of a running server', async () => {
    const { ok, checks } = await cli.json('doctor', { settings: { POSTERN_DNS_CHECK: 'off' } });
    expect(ok).toBe(true);
    const database = checks.find(({ name }: { name: string }) => name === 'database');
    expect(database).toMatchObject({ ok: true, detail: expect.stringMatching(/^schema version \d+$/) });
  });
});
