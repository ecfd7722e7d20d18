import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { waitUntil } from '../support/patience.ts';
import { fetchAndSolve, fetchPuzzle, verify } from '../support/visitor.ts';
import { CERTIFICATE, PRIVATE_KEY } from './certificates.ts';
import { createDesk, type Furniture, PROGRAM } from './commandLine.ts';

/** The commands beside a server that runs on the same folder. */

const RATES = { POSTERN_PUZZLE_BURST: '1000000', POSTERN_PUZZLE_RATE: '1000000' };
const UNKNOWN_SITEKEY = '0'.repeat(32);

const desk = createDesk();
let server: RunningBinary;
let furniture: Furniture;
let annsKey: { id: string; key: string };
let port: string;

beforeAll(async () => {
  server = await startBinary(PROGRAM, { ...RATES, POSTERN_DATA_DIR: desk.dataDir });
  port = new URL(server.url).port;
  furniture = await desk.furnish();
  annsKey = await desk.json('keys create --user ann@example.com --name Site --scope verify');
});
afterAll(async () => {
  expect(await server.end('SIGTERM')).toBe(0);
  desk.remove();
});

/** Asks until the answer is the expected one: the server notices what another process changed. */
function noticed(expected: unknown, ask: () => Promise<unknown>): Promise<void> {
  return waitUntil(`the answer is ${expected}`, async () => (await ask()) === expected);
}

/** The code of one fresh solution. */
async function freshCode(key: string): Promise<number> {
  return (await verify(server.url, key, await fetchAndSolve(server.url, furniture.sitekey))).code;
}

/** The status that a key gets for rubbish: 400 where it is accepted. */
async function keyStatus(key: string): Promise<number> {
  return (await verify(server.url, key, 'rubbish')).status;
}

async function createKey(more: string): Promise<{ id: string; key: string }> {
  return desk.json(`keys create --name K --scope verify ${more}`);
}

test('a property that was just made gives puzzles, and a key that was just made verifies', async () => {
  const { bensOrg } = furniture;
  const draft = `--org ${bensOrg} --name New --domain new.example --level 1 --growth constant --allow-subdomains`;
  const { sitekey } = await desk.json(`properties create ${draft}`);
  const ask = () =>
    fetch(`${server.url}/puzzle?sitekey=${sitekey}`, { headers: { Origin: 'https://www.new.example' } });
  await noticed(200, async () => (await ask()).status);
  const { key } = await createKey('--user ben@example.com');
  const payload = await fetchAndSolve(server.url, sitekey, 'https://www.new.example');
  expect(await verify(server.url, key, payload)).toMatchObject({ code: 0, origin: 'www.new.example' });
});

test('a key that is rotated or revoked stops', async () => {
  const first = await createKey('--user ann@example.com');
  expect(await keyStatus(first.key)).toBe(400);
  const second = await desk.json(`keys rotate ${first.id}`);
  await noticed(401, () => keyStatus(first.key));
  expect(await keyStatus(second.key)).toBe(400);
  await desk.json(`keys revoke ${first.id}`);
  await noticed(401, () => keyStatus(second.key));
});

test('a new signing key leaves puzzles valid that were issued before', async () => {
  const before = await fetchAndSolve(server.url, furniture.sitekey);
  const { fingerprint } = await desk.json('keys rotate-signing');
  const signer = async () => {
    const [, signature = ''] = (await fetchPuzzle(server.url, furniture.sitekey)).split('.');
    return Buffer.from(signature, 'base64').toString('hex').includes(fingerprint);
  };
  await noticed(true, signer);
  expect(await verify(server.url, annsKey.key, before)).toMatchObject({ success: true, code: 0 });
  expect(await freshCode(annsKey.key)).toBe(0);
});

test('maintenance is on and off', async () => {
  expect(await freshCode(annsKey.key)).toBe(0);
  await desk.json('maintenance on');
  await noticed(9, () => freshCode(annsKey.key));
  await desk.json('maintenance off');
  await noticed(0, () => freshCode(annsKey.key));
});

test('a member may verify as long as they are one', async () => {
  const { key } = await createKey('--user ben@example.com');
  const member = `--org ${furniture.annsOrg} --user ben@example.com`;
  expect(await freshCode(key)).toBe(7);
  await desk.json(`orgs add-member ${member}`);
  await noticed(0, () => freshCode(key));
  await desk.json(`orgs remove-member ${member}`);
  await noticed(7, () => freshCode(key));
});

test('a key of one organization does not reach another of the same user', async () => {
  const { id } = await desk.json('orgs create --user ann@example.com --name Other');
  const elsewhere = await createKey(`--user ann@example.com --org ${id}`);
  const here = await createKey(`--user ann@example.com --org ${furniture.annsOrg}`);
  await noticed(12, () => freshCode(elsewhere.key));
  expect(await freshCode(here.key)).toBe(0);
});

describe('solve', () => {
  const words = (sitekey: string, origin = 'https://example.com', url = server.url) =>
    `solve --url ${url} --sitekey ${sitekey} --origin ${origin}`;

  test('gives a solution that is accepted once', async () => {
    const solved = await desk.json(words(furniture.sitekey));
    expect(solved).toEqual({
      solution: expect.stringMatching(/^[\w+/=]+\.[\w+/=]+\.[\w+/=]+$/),
      attempts: expect.any(Number),
      elapsed_ms: expect.any(Number),
    });
    expect(await verify(server.url, annsKey.key, solved.solution)).toMatchObject({ code: 0 });
    expect(await verify(server.url, annsKey.key, solved.solution)).toMatchObject({ code: 8 });
  });

  test('writes the solution alone, for people and pipes', async () => {
    const { code, out } = await desk.run(words(furniture.sitekey, 'https://example.com', `${server.url}/`));
    expect(code).toBe(0);
    // With its line break, as `curl --data-binary @-` sends it.
    expect(await verify(server.url, annsKey.key, out)).toMatchObject({ success: true, code: 0 });
  });

  test('solves the test puzzle', async () => {
    const solved = await desk.json(words('aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'));
    expect(solved.attempts).toBe(0);
    expect(await verify(server.url, annsKey.key, solved.solution)).toMatchObject({ code: 10 });
  });

  test.each([
    ['an unknown sitekey', () => words(UNKNOWN_SITEKEY), 'HTTP 403: There is no active property'],
    ['a malformed sitekey', () => words('a&b'), 'HTTP 400: The sitekey must be 32 hexadecimal digits'],
    ['a wrong page', () => words(furniture.sitekey, 'https://example.org'), 'HTTP 403: This page is not on'],
    ['a wrong path', () => words('a', 'https://a.example', `${server.url}/x`), 'HTTP 404: There is nothing'],
    ['nobody there', () => words('a', 'https://a.example', 'http://127.0.0.1:1'), 'gave no puzzle'],
  ])('tells why it cannot: %s', async (_, line, sentence) => {
    const { code, out, err } = await desk.run(`${line()} --json`);
    expect(err).toContain(sentence);
    expect({ code, out }).toEqual({ code: 1, out: '' });
  });

  test('tells what is no puzzle', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello.world') });
    const { code, err } = await desk.run(words('a', 'https://a.example', `http://127.0.0.1:${other.port}`));
    expect(err).toContain('answered with no puzzle that this command solves');
    expect(code).toBe(1);
    await other.stop(true);
  });
});

describe('healthcheck', () => {
  const well = { code: 0, out: '', err: '' };

  test('says nothing where all is well, at the configured address or another', async () => {
    // A proxy in the environment is not asked for the way to this machine.
    const proxy = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' };
    const settings = { ...proxy, POSTERN_PORT: port };
    expect(await desk.spawn('healthcheck', { settings })).toEqual(well);
    expect(await desk.spawn('healthcheck --host 0.0.0.0', { settings })).toEqual(well);
    expect(await desk.run(`healthcheck --url ${server.url}/`)).toEqual(well);
    expect(await desk.json(`healthcheck --url ${server.url}`)).toEqual({
      ok: true,
      url: `${server.url}/readyz`,
      status: 200,
      troubles: [],
      reason: null,
    });
  });

  test('says what is wrong', async () => {
    const nobody = await desk.run('healthcheck --url http://127.0.0.1:1 --json');
    expect(nobody.code).toBe(1);
    expect(JSON.parse(nobody.out)).toMatchObject({ ok: false, status: null });
    expect(nobody.err).toContain('http://127.0.0.1:1/readyz gave nothing: ');
    const draining = { status: 'unavailable', troubles: ['draining'] };
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.includes('/stranger/') ? new Response('Welcome') : Response.json(draining, { status: 503 }),
    });
    const sick = await desk.run('healthcheck', { settings: { POSTERN_PORT: String(other.port) } });
    const err = `postern: http://127.0.0.1:${other.port}/readyz answered 503: draining\n`;
    expect(sick).toEqual({ code: 1, out: '', err });
    const stranger = await desk.run(`healthcheck --url http://127.0.0.1:${other.port}/stranger`);
    expect(stranger).toMatchObject({ code: 1, out: '' });
    expect(stranger.err).toContain('answered 200: this is not what Postern answers');
    await other.stop(true);
  });

  test('takes the certificate of this server whatever name it has, and of no other', async () => {
    const tls = {
      POSTERN_TLS_CERT: join(desk.folder, 'cert.pem'),
      POSTERN_TLS_KEY: join(desk.folder, 'key.pem'),
    };
    writeFileSync(tls.POSTERN_TLS_CERT, CERTIFICATE);
    writeFileSync(tls.POSTERN_TLS_KEY, PRIVATE_KEY);
    const secure = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: { cert: CERTIFICATE, key: PRIVATE_KEY },
      fetch: () => Response.json({ status: 'ok', troubles: [] }),
    });
    const settings = { ...tls, POSTERN_PORT: String(secure.port) };
    expect(await desk.run('healthcheck', { settings })).toEqual(well);
    expect((await desk.run(`healthcheck --url https://127.0.0.1:${secure.port}`)).code).toBe(1);
    await secure.stop(true);
  });
});

test('doctor looks at the folder of a running server', async () => {
  const { ok, checks } = await desk.json('doctor', { settings: { POSTERN_DNS_CHECK: 'off' } });
  expect(ok).toBe(true);
  const database = checks.find(({ name }: { name: string }) => name === 'database');
  expect(database).toMatchObject({ ok: true, detail: expect.stringMatching(/^schema version \d+$/) });
});
