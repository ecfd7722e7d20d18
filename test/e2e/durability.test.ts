import { describe, expect } from 'bun:test';
import { join } from 'node:path';
import { createPayloadGenerator } from '../bench/payloads.ts';
import { startBinary } from '../support/binary.ts';
import { openTestServices } from '../support/services.ts';
import { verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 20);
const CONNECTIONS = 24;
/** The number of verifications that each server accepts before it is killed. */
const MIN_ACCEPTED = 20;

/** Creates solved payloads for the property in the folder, without a server. */
async function createPayloads(dataDir: string): Promise<() => string> {
  const services = await openTestServices(dataDir);
  const [property] = await services.stores.properties.list();
  await services.close();
  if (property === undefined) throw new Error('the folder has no property');
  return createPayloadGenerator(dataDir, property);
}

describe('a server that is killed at a random moment', () => {
  testInFolder(
    `never accepts a solution twice: ${ROUNDS} rounds of SIGKILL under load`,
    async (dataDir) => {
      const property = await addProperty(dataDir, '--validity-seconds', '3600');
      const nextPayload = await createPayloads(dataDir);
      const settings = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS };
      let accepted: string[] = [];
      let total = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const server = await startBinary(BINARY, settings);
        // The solutions that the previous server accepted before it was killed are already used.
        const again = await Promise.all(
          accepted.map((payload) => verify(server.url, property.verifyKey, payload)),
        );
        expect(again.filter((verdict) => verdict.success)).toEqual([]);
        expect(new Set(again.map((verdict) => verdict.code))).toEqual(
          new Set(accepted.length > 0 ? [8] : []),
        );
        accepted = await verifyUntilKilled(server, property.verifyKey, nextPayload, Math.random() * 160);
        total += accepted.length;
      }
      // Otherwise, the test proves nothing.
      expect(total).toBeGreaterThanOrEqual(ROUNDS * MIN_ACCEPTED);
    },
    600_000,
  );
});

type Server = Awaited<ReturnType<typeof startBinary>>;

/**
 * Verifies payloads until the server is killed.
 *
 * @param afterMs the time between enough accepted payloads and the kill
 * @returns every payload whose verification was reported as accepted
 */
async function verifyUntilKilled(
  server: Server,
  key: string,
  nextPayload: () => string,
  afterMs: number,
): Promise<string[]> {
  const accepted: string[] = [];
  let isDead = false;
  const client = async () => {
    while (!isDead) {
      const payload = nextPayload();
      try {
        if ((await verify(server.url, key, payload)).code === 0) accepted.push(payload);
      } catch {
        // The connection failed, so the verification of this payload was not reported.
        return;
      }
    }
  };
  const clients = Array.from({ length: CONNECTIONS }, client);
  await waitUntil('enough is accepted', () => accepted.length >= MIN_ACCEPTED);
  await Bun.sleep(afterMs); // a random moment, not a wait for an event
  await server.kill();
  isDead = true;
  await Promise.all(clients);
  return accepted;
}

describe('a full disk', () => {
  testInFolder('leads to status 503 and code 1, and accepted solutions stay used', async (dataDir) => {
    const property = await addProperty(dataDir);
    const nextPayload = await createPayloads(dataDir);
    const settings = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS };
    // Limits the size of each file, so that writes fail as on a full disk, but not those of the start.
    const limited = ['bash', '-c', `trap '' XFSZ; ulimit -f 1000; exec "${BINARY}" "$@"`, 'postern'];
    const server = await startBinary(limited, settings);
    const accepted: string[] = [];
    const rejected: string[] = [];
    // Sometimes a write fits into the existing file, and the server is ready until the next write.
    let wasReported = false;
    const startedAt = performance.now();
    for (let round = 0; round < 400 && !(rejected.length >= 200 && wasReported); round++) {
      const payloads = Array.from({ length: 50 }, nextPayload);
      const verdicts = await Promise.all(
        payloads.map((payload) => verify(server.url, property.verifyKey, payload)),
      );
      verdicts.forEach((verdict, i) => {
        if (verdict.success) accepted.push(payloads[i] as string);
        else {
          expect(verdict).toMatchObject({ status: 503, success: false, code: 1 });
          rejected.push(payloads[i] as string);
        }
      });
      const ready = await fetch(`${server.url}/readyz`);
      const { problems } = (await ready.json()) as { problems: string[] };
      if (ready.status === 503) wasReported = problems.includes('claims-not-writable');
    }
    expect(wasReported).toBe(true);
    expect(rejected.length).toBeGreaterThan(0);
    expect(accepted.length).toBeGreaterThan(0);
    // Each failure used to write a line. An event is logged at most 30 times a minute.
    const lines = server.output().split('"event":"claim-failed"').length - 1;
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThanOrEqual(30 * Math.ceil((performance.now() - startedAt) / 60_000 + 1));
    await server.kill();

    const after = await startBinary(BINARY, settings);
    for (const payload of accepted) {
      expect((await verify(after.url, property.verifyKey, payload)).code).toBe(8);
    }
    for (const payload of rejected.slice(0, 20)) {
      expect((await verify(after.url, property.verifyKey, payload)).code).toBe(0);
    }
    await after.kill();
  });
});

describe('claims of an earlier run', () => {
  testInFolder('are stored in a separate file', async (dataDir) => {
    const property = await addProperty(dataDir);
    const nextPayload = await createPayloads(dataDir);
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
    const payload = nextPayload();
    expect((await verify(server.url, property.verifyKey, payload)).code).toBe(0);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(await Bun.file(join(dataDir, 'claims.sqlite')).exists()).toBe(true);
    const next = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
    expect((await verify(next.url, property.verifyKey, payload)).code).toBe(8);
    await next.kill();
  });
});
