import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createPayloadGenerator } from '../bench/payloads.ts';
import { startBinary } from '../support/binary.ts';
import { waitUntil } from '../support/patience.ts';
import { openTestServices } from '../support/services.ts';
import { verify } from '../support/visitor.ts';
import { AMPLE, BINARY, makeSite, withFolder } from './support.ts';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 30);
const CONNECTIONS = 24;
/** Verifications that each server accepts before it is killed, however slow the machine is. */
const ENOUGH = 20;

/** Solved payloads of the folder's own property, made without asking a server. */
async function mintFor(dataDir: string): Promise<() => string> {
  const services = await openTestServices(dataDir);
  const [property] = await services.properties.list();
  await services.close();
  if (property === undefined) throw new Error('the folder has no property');
  return createPayloadGenerator(dataDir, property);
}

describe('a server that is killed at a random instant', () => {
  test(
    `accepts nothing twice: ${ROUNDS} rounds of SIGKILL at full rate`,
    () =>
      withFolder(async (dataDir) => {
        const site = await makeSite(dataDir, '--validity-seconds', '3600');
        const mint = await mintFor(dataDir);
        const settings = { POSTERN_DATA_DIR: dataDir, ...AMPLE };
        let accepted: string[] = [];
        let total = 0;
        for (let round = 0; round < ROUNDS; round++) {
          const server = await startBinary(BINARY, settings);
          // What the last server accepted before it was killed must be spent for this one.
          const again = await Promise.all(
            accepted.map((payload) => verify(server.url, site.verifyKey, payload)),
          );
          expect(again.filter((verdict) => verdict.success)).toEqual([]);
          expect(new Set(again.map((verdict) => verdict.code))).toEqual(
            new Set(accepted.length > 0 ? [8] : []),
          );
          accepted = await verifyUntilKilled(server, site.verifyKey, mint, Math.random() * 160);
          total += accepted.length;
        }
        // A loop that accepted nothing would prove nothing.
        expect(total).toBeGreaterThanOrEqual(ROUNDS * ENOUGH);
      }),
    600_000,
  );
});

type Server = Awaited<ReturnType<typeof startBinary>>;

/** @param afterMs from the moment when enough was accepted @returns every payload whose acceptance reached us */
async function verifyUntilKilled(
  server: Server,
  key: string,
  mint: () => string,
  afterMs: number,
): Promise<string[]> {
  const accepted: string[] = [];
  let isDead = false;
  const client = async () => {
    while (!isDead) {
      const payload = mint();
      try {
        if ((await verify(server.url, key, payload)).code === 0) accepted.push(payload);
      } catch {
        // The connection broke: nobody was told that this one was accepted.
        return;
      }
    }
  };
  const clients = Array.from({ length: CONNECTIONS }, client);
  await waitUntil('enough is accepted', () => accepted.length >= ENOUGH);
  await Bun.sleep(afterMs); // the instant is the point, not a wait for something
  await server.kill();
  isDead = true;
  await Promise.all(clients);
  return accepted;
}

describe('a full disk', () => {
  test(
    'is 503 with code 1, and what was accepted before it stays spent',
    () =>
      withFolder(async (dataDir) => {
        const site = await makeSite(dataDir);
        const mint = await mintFor(dataDir);
        const settings = { POSTERN_DATA_DIR: dataDir, ...AMPLE };
        // No file of this process may grow beyond 200 kB: writes fail as on a full disk, without needing one.
        const limited = ['bash', '-c', `trap '' XFSZ; ulimit -f 200; exec "${BINARY}" "$@"`, 'postern'];
        const server = await startBinary(limited, settings);
        const accepted: string[] = [];
        const refused: string[] = [];
        // Now and then a write finds room in what is there already, and all is well until the next one.
        let hasSaidSo = false;
        for (let round = 0; round < 400 && !(refused.length >= 50 && hasSaidSo); round++) {
          const payloads = Array.from({ length: 50 }, mint);
          const verdicts = await Promise.all(
            payloads.map((payload) => verify(server.url, site.verifyKey, payload)),
          );
          verdicts.forEach((verdict, i) => {
            if (verdict.success) accepted.push(payloads[i] as string);
            else {
              expect(verdict).toMatchObject({ status: 503, success: false, code: 1 });
              refused.push(payloads[i] as string);
            }
          });
          const ready = await fetch(`${server.url}/readyz`);
          const { troubles } = (await ready.json()) as { troubles: string[] };
          if (ready.status === 503) hasSaidSo = troubles.includes('claims-not-writable');
        }
        expect(hasSaidSo).toBe(true);
        expect(refused.length).toBeGreaterThan(0);
        expect(accepted.length).toBeGreaterThan(0);
        expect(server.output()).toContain('"event":"claim-failed"');
        await server.kill();

        const after = await startBinary(BINARY, settings);
        for (const payload of accepted) {
          expect((await verify(after.url, site.verifyKey, payload)).code).toBe(8);
        }
        for (const payload of refused.slice(0, 20)) {
          expect((await verify(after.url, site.verifyKey, payload)).code).toBe(0);
        }
        await after.kill();
      }),
    120_000,
  );
});

describe('claims of an earlier run', () => {
  test(
    'are kept in a file of their own',
    () =>
      withFolder(async (dataDir) => {
        const site = await makeSite(dataDir);
        const mint = await mintFor(dataDir);
        const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...AMPLE });
        const payload = mint();
        expect((await verify(server.url, site.verifyKey, payload)).code).toBe(0);
        expect(await server.end('SIGTERM')).toBe(0);
        expect(await Bun.file(join(dataDir, 'claims.sqlite')).exists()).toBe(true);
        const next = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...AMPLE });
        expect((await verify(next.url, site.verifyKey, payload)).code).toBe(8);
        await next.kill();
      }),
    120_000,
  );
});
