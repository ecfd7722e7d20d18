import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { solveCap } from '../support/capSolver.ts';
import {
  type Altcha2,
  encodeAltcha,
  fetchAltcha,
  fetchCap,
  postJson,
  solveAltcha1,
  solveAltcha2,
} from '../support/dialects.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

/** The paths of ALTCHA and Cap in the executable: claims are durable, on both engines. */

const ORIGIN = 'http://localhost:3000';

type Keys = { readonly sitekey: string; readonly secret: string };

/** Solves a challenge, with the widget's requests. @returns the value of the form's field */
type Solve = (url: string, sitekey: string) => Promise<string>;

const altcha1: Solve = async (url, sitekey) =>
  encodeAltcha(solveAltcha1(await fetchAltcha(url, sitekey, '', ORIGIN)));

const altcha2: Solve = async (url, sitekey) =>
  encodeAltcha(solveAltcha2(await fetchAltcha<Altcha2>(url, sitekey, '&version=2', ORIGIN)));

const signed: Solve = async (url, sitekey) => {
  const payload = await altcha1(url, sitekey);
  return String((await postJson(`${url}/altcha/v1/verify`, { payload }, { Origin: ORIGIN })).payload);
};

const cap: Solve = async (url, sitekey) => {
  const challenge = await fetchCap(url, sitekey, ORIGIN);
  const body = { token: challenge.token, solutions: solveCap(challenge) };
  const redeemed = await postJson(`${url}/cap/${sitekey}/redeem`, body, { Origin: ORIGIN });
  return String(redeemed.token);
};

/** The backend's request. @returns whether the solution is accepted, and the reason if it is not */
type Verify = (url: string, token: string, keys: Keys) => Promise<readonly unknown[]>;

const verifyAltcha: Verify = async (url, payload, { secret, sitekey }) => {
  const { verified, reason } = await postJson(`${url}/v1/verify/signature`, {
    payload,
    secret,
    apiKey: sitekey,
  });
  return [verified, reason];
};

const verifyCap: Verify = async (url, response, { secret, sitekey }) => {
  const { success, error } = await postJson(`${url}/cap/${sitekey}/siteverify`, { secret, response });
  return [success, error];
};

const DIALECTS = [
  ['ALTCHA, version 1', altcha1, verifyAltcha],
  ['ALTCHA, version 2', altcha2, verifyAltcha],
  ['ALTCHA, signed by the server', signed, verifyAltcha],
  ['Cap', cap, verifyCap],
] as const;

const ACCEPTED = [true, undefined];
const USED = [false, 'solution-verified-before'];

let database: PostgresServer;
beforeAll(async () => {
  database = await startPostgres();
});
afterAll(() => database.remove());

const ENGINES = [
  ['SQLite', async (folder: string) => ({ POSTERN_DATA_DIR: folder })],
  ['PostgreSQL', async () => ({ POSTERN_DATABASE_URL: (await database.createDatabase()).url })],
] as const;

/** The keys of the demo property, which stay the same when the server starts again. */
function keysOf({ output }: RunningBinary): Keys {
  const [, sitekey = ''] = /Sitekey:\s+(\w+)/.exec(output()) ?? [];
  const [, secret = ''] = /Verify key:\s+(\w+)/.exec(output()) ?? [];
  return { sitekey, secret };
}

describe.each(ENGINES)('the executable with %s', (_, settingsIn) => {
  testInFolder('accepts a solution of ALTCHA or Cap once, and rejects it after SIGKILL', async (folder) => {
    const settings = {
      POSTERN_DEMO: 'on',
      POSTERN_DNS_CHECK: 'off',
      ...HIGH_LIMITS,
      ...(await settingsIn(folder)),
    };
    const first = await startBinary(BINARY, settings);
    const keys = keysOf(first);
    const used: { readonly name: string; readonly token: string; readonly verify: Verify }[] = [];
    for (const [name, solve, verify] of DIALECTS) {
      const token = await solve(first.url, keys.sitekey);
      // Of concurrent verifications, one is accepted.
      const verdicts = await Promise.all([1, 2, 3].map(() => verify(first.url, token, keys)));
      expect([name, verdicts.toSorted().toReversed()]).toEqual([name, [ACCEPTED, USED, USED]]);
      used.push({ name, token, verify });
    }
    await first.kill();
    const second = await startBinary(BINARY, settings);
    for (const { name, token, verify } of used) {
      expect([name, await verify(second.url, token, keys)]).toEqual([name, USED]);
    }
    const [, solve, verify] = DIALECTS[0];
    expect(await verify(second.url, await solve(second.url, keys.sitekey), keys)).toEqual(ACCEPTED);
    expect(await second.end('SIGTERM')).toBe(0);
  });
});
