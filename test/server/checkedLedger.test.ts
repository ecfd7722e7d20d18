import { afterEach, describe, expect, jest, test } from 'bun:test';
import { existsSync, mkdirSync, promises, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClosing } from '../../src/lib/closing.ts';
import { type Instant, toIso } from '../../src/lib/time.ts';
import type { Counters } from '../../src/model/dataCounter.ts';
import { type CheckedLedgerOptions, openCheckedLedger } from '../../src/server/checkedLedger.ts';
import { useFolders } from '../storage/folder.ts';
import { openFilesIn } from '../support/openFiles.ts';
import { createVirtualTime } from '../support/virtualTime.ts';
import { waitUntil } from '../support/waitUntil.ts';

const makeFolder = useFolders();
const NOW = Date.UTC(2026, 0, 31) as Instant;
const INSTALLATION = 'abc';
const SAME: Counters = { main: 0, claims: 0, claimsBase: 0, mainAfterward: 0 };

const closings: ReturnType<typeof createClosing>[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const closing of closings.splice(0)) await closing.close();
});

type Given = {
  readonly found?: Counters | undefined;
  readonly hasLostClaims?: boolean;
  /** Whether another node has already rejected the puzzles. */
  readonly isReplaced?: boolean;
  readonly folders?: Partial<CheckedLedgerOptions['config']>;
  readonly countEveryMs?: number;
};

/** Opens the ledger of a server, and returns what the server did and logged. */
async function open({
  found = SAME,
  hasLostClaims = false,
  isReplaced = false,
  folders = {},
  countEveryMs = 3_600_000,
}: Given) {
  const state = { now: NOW, isPaused: false, failures: 0 };
  const purged: unknown[] = [];
  const logged: unknown[][] = [];
  const advanced: number[] = [];
  const meters = { recordCommit() {}, areClaimsLost: false, isDataRolledBack: false };
  let onThread: (event: 'ended' | 'replaced', reason?: string) => void = () => {};
  let onLoss = async () => {};
  const counter = {
    found,
    async advance(value: number) {
      if (state.failures-- > 0) throw new Error('the disk is full');
      advanced.push(value);
      return value;
    },
  };
  const ledger = {
    hasLostClaims: () => hasLostClaims,
    counter: found === null ? undefined : counter,
    purge: async (...args: unknown[]) => void purged.push(args),
    claim: async () => 1,
    claimOnce: async () => 1,
    recall: async () => undefined,
    isHealthy: () => true,
    reportDelay() {},
    close: async () => void logged.push(['closed']),
  };
  const note = (level: string) => (event: string, fields?: unknown) =>
    void logged.push(fields === undefined ? [level, event] : [level, event, fields]);
  const keys = [{ fingerprint: Uint8Array.of(1, 0, 0, 0) }, { fingerprint: Uint8Array.of(2, 0, 0, 0) }];
  const options = {
    config: { replayDurability: 'full', markDir: undefined, cacheDir: undefined, ...folders },
    services: {
      installationId: INSTALLATION,
      maintenance: { hasFailed: () => state.isPaused },
      signingKeys: { list: async () => keys, replaceAfterLoss: async () => !isReplaced },
      storage: {
        async openLedger(given: { durability: string; onThread: typeof onThread; onLoss: typeof onLoss }) {
          ({ onThread, onLoss } = given);
          return ledger;
        },
      },
    },
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    clock: () => state.now,
    meters,
    oldestClaims: [{ get: () => undefined, set() {} }],
    countEveryMs,
    claimTime: createVirtualTime(),
  } as unknown as CheckedLedgerOptions;
  const closing = createClosing();
  closings.push(closing);
  const opened = await openCheckedLedger(options, closing, 'ledger');
  return {
    opened,
    closing,
    state,
    purged,
    logged,
    advanced,
    meters,
    onThread: (...args: Parameters<typeof onThread>) => onThread(...args),
    onLoss: () => onLoss(),
  };
}

/** All puzzles of both keys are rejected. */
const ALL = [[2 ** 32 - 1, [1, 2]]];

describe('a server that starts', () => {
  test('with its data counts from the current time, and rejects nothing', async () => {
    const { purged, logged, advanced, meters, opened, closing } = await open({});
    expect([purged, logged, advanced]).toEqual([[], [], [NOW]]);
    expect([meters.areClaimsLost, meters.isDataRolledBack]).toEqual([false, false]);
    expect(opened.isHealthy()).toBe(true);
    await closing.close();
    expect(logged).toEqual([['closed']]);
  });

  test('counts from the greatest counter if the clock was set back', async () => {
    const later = NOW + 5000;
    const found = { main: later, claims: later + 1, claimsBase: later, mainAfterward: later };
    expect((await open({ found })).advanced).toEqual([later + 1]);
  });

  test('without its claims rejects all earlier puzzles', async () => {
    const { purged, logged, meters } = await open({ hasLostClaims: true });
    expect(purged).toEqual(ALL);
    expect(logged).toEqual([['error', 'claims-lost']]);
    expect([meters.areClaimsLost, meters.isDataRolledBack]).toEqual([true, false]);
  });

  test('reports a loss only once if several nodes find it', async () => {
    const { purged, logged, meters } = await open({ hasLostClaims: true, isReplaced: true });
    expect(purged).toEqual(ALL);
    expect([logged, meters.areClaimsLost]).toEqual([[], false]);
  });

  test('with an older main database rejects all earlier puzzles', async () => {
    const found = { main: 1000, claims: 5000, claimsBase: 4000, mainAfterward: 1000 };
    const { purged, logged, meters } = await open({ found });
    expect(purged).toEqual(ALL);
    expect(logged).toEqual([
      [
        'error',
        'data-rolled-back',
        { files: 'postern.sqlite', data_time: toIso(1000 as Instant), newest_time: toIso(5000 as Instant) },
      ],
    ]);
    expect([meters.areClaimsLost, meters.isDataRolledBack]).toEqual([false, true]);
  });

  test('on a storage without counters does not count', async () => {
    const { advanced, purged, meters } = await open({ found: null as never });
    expect([advanced, purged, meters.isDataRolledBack]).toEqual([[], [], false]);
  });
});

test('a running server whose ledger thread finds no claims rejects all earlier puzzles, and counts', async () => {
  const { onLoss, state, purged, logged, advanced, meters } = await open({});
  state.now = (NOW + 1000.5) as Instant;
  await onLoss();
  expect(purged).toEqual(ALL);
  expect(logged).toEqual([['error', 'claims-lost']]);
  expect(advanced).toEqual([NOW, NOW + 1001]);
  expect(meters.areClaimsLost).toBe(true);
});

test('a running server whose storage has no counters rejects all earlier puzzles, too', async () => {
  const { onLoss, purged, logged } = await open({ found: null as never });
  await onLoss();
  expect([purged, logged]).toEqual([ALL, [['error', 'claims-lost']]]);
});

describe('the counter of the data', () => {
  test('rises while the server runs, except while maintenance has failed', async () => {
    const { state, advanced } = await open({ countEveryMs: 5 });
    state.now = (NOW + 0.5) as Instant;
    await waitUntil('the counter rises', async () => advanced.length > 1);
    expect(advanced.slice(0, 2)).toEqual([NOW, NOW + 1]);
    state.isPaused = true;
    state.now = (NOW + 1000) as Instant;
    await Bun.sleep(20);
    const { length } = advanced;
    state.isPaused = false;
    await waitUntil('the counter rises again', async () => advanced.length > length);
    expect(advanced.at(-1)).toBe(NOW + 1000);
  });

  test('rises again after a failure', async () => {
    const { state, advanced } = await open({ countEveryMs: 5 });
    state.failures = 2;
    await waitUntil('the counter rises', async () => advanced.length > 1);
    expect(state.failures).toBeLessThan(0);
  });
});

describe('the mark outside of the data folder', () => {
  const fileIn = (folder: string) => join(folder, `postern-${INSTALLATION}.json`);
  const written = (folder: string) => JSON.parse(readFileSync(fileIn(folder), 'utf8'));

  test('is written with each count, in one step', async () => {
    const folder = makeFolder();
    await open({ folders: { markDir: folder } });
    await waitUntil('the mark is written', async () => existsSync(fileIn(folder)));
    expect(written(folder)).toEqual({ installation: INSTALLATION, counter: NOW });
    expect(readFileSync(fileIn(folder), 'utf8')).toEndWith('}\n');
    expect(readdirSync(folder)).toEqual([`postern-${INSTALLATION}.json`]);
    expect(openFilesIn(folder)).toEqual([]);
  });

  test('is not written a second time while the file system does not respond', async () => {
    const folder = makeFolder();
    const held = Promise.withResolvers<never>();
    const opened = jest.spyOn(promises, 'open').mockReturnValue(held.promise);
    const { advanced } = await open({ folders: { markDir: folder }, countEveryMs: 5 });
    await waitUntil('the counter rises', async () => advanced.length > 3);
    expect(opened).toHaveBeenCalledTimes(1);
    opened.mockRestore();
    held.reject(new Error('an I/O error'));
    await waitUntil('the mark is written', async () => existsSync(fileIn(folder)));
  });

  test('is replaced when the counter rises', async () => {
    const folder = makeFolder();
    const { state } = await open({ folders: { markDir: folder }, countEveryMs: 5 });
    for (const later of [1000, 2000, 3000]) {
      state.now = (NOW + later) as Instant;
      await waitUntil(
        'the mark has risen',
        async () => existsSync(fileIn(folder)) && written(folder).counter === NOW + later,
      );
    }
  });

  test('is in the folder for caches unless it has its own', async () => {
    const [markDir, cacheDir] = [makeFolder(), makeFolder()];
    await open({ folders: { cacheDir } });
    await waitUntil('the mark is written', async () => existsSync(fileIn(cacheDir)));
    await open({ folders: { markDir, cacheDir: makeFolder() } });
    await waitUntil('the mark is written', async () => existsSync(fileIn(markDir)));
  });

  test.each([
    [
      'with a folder that is older as a whole',
      { main: 1000, claims: 2000, claimsBase: 900, mainAfterward: 1000 },
      'postern.sqlite claims.sqlite',
      2000,
    ],
    [
      'with an older main database',
      { main: 1000, claims: 9000, claimsBase: 900, mainAfterward: 1000 },
      'postern.sqlite',
      1000,
    ],
    [
      'with a folder from before the first count',
      { ...SAME, mainAfterward: 0 },
      'postern.sqlite claims.sqlite',
      undefined,
    ],
  ])('makes a server %s reject all earlier puzzles', async (_, found, files, time) => {
    const markDir = makeFolder();
    writeFileSync(fileIn(markDir), JSON.stringify({ installation: INSTALLATION, counter: 5000 }));
    const { purged, logged, advanced } = await open({ found, folders: { markDir } });
    expect(purged).toEqual(ALL);
    const newest = toIso(Math.max(found.claims, 5000) as Instant);
    const fields = {
      files,
      data_time: time === undefined ? 'unknown' : toIso(time as Instant),
      newest_time: newest,
    };
    expect(logged).toEqual([['error', 'data-rolled-back', fields]]);
    expect(advanced).toEqual([NOW]);
  });

  test('can be as great as the counters, and is the least value that the next count has', async () => {
    const markDir = makeFolder();
    const later = NOW + 5000;
    writeFileSync(fileIn(markDir), JSON.stringify({ installation: INSTALLATION, counter: later }));
    const found = { main: later, claims: later, claimsBase: later, mainAfterward: later };
    const { purged, advanced } = await open({ found, folders: { markDir } });
    expect([purged, advanced]).toEqual([[], [later]]);
  });

  test.each([
    ['is not JSON', 'no JSON'],
    ['is of another installation', JSON.stringify({ installation: 'other', counter: 5000 })],
    ['has no counter', JSON.stringify({ installation: INSTALLATION })],
    ['has a negative counter', JSON.stringify({ installation: INSTALLATION, counter: -1 })],
    ['has a fraction', JSON.stringify({ installation: INSTALLATION, counter: 1.5 })],
    ['has a text', JSON.stringify({ installation: INSTALLATION, counter: '5000' })],
    [
      'has a counter after the latest time',
      JSON.stringify({ installation: INSTALLATION, counter: 8.64e15 + 1 }),
    ],
  ])('is ignored, reported once, and replaced if it %s', async (_, text) => {
    const markDir = makeFolder();
    writeFileSync(fileIn(markDir), text);
    const { purged, logged } = await open({ folders: { markDir } });
    expect(purged).toEqual([]);
    expect(logged).toEqual([
      ['warn', 'data-mark-failed', { file: fileIn(markDir), reason: expect.any(String) }],
    ]);
    await waitUntil('the mark is replaced', async () => readFileSync(fileIn(markDir), 'utf8') !== text);
    expect(written(markDir)).toEqual({ installation: INSTALLATION, counter: NOW });
  });

  test('can have the counter 0 and the latest time, and can be missing', async () => {
    for (const counter of [0, 8.64e15]) {
      const markDir = makeFolder();
      writeFileSync(fileIn(markDir), JSON.stringify({ installation: INSTALLATION, counter }));
      const found = { main: 8.64e15, claims: 8.64e15, claimsBase: 0, mainAfterward: 8.64e15 };
      expect((await open({ found, folders: { markDir } })).logged).toEqual([]);
    }
    expect((await open({ folders: { markDir: makeFolder() } })).logged).toEqual([]);
  });

  test('that cannot be written is reported once, and only in a folder that the operator chose', async () => {
    const missing = join(makeFolder(), 'missing');
    const chosen = await open({ folders: { markDir: missing }, countEveryMs: 5 });
    await waitUntil(
      'the failure is logged and the counter rises',
      async () => chosen.advanced.length > 3 && chosen.logged.length > 0,
    );
    expect(chosen.logged).toEqual([
      ['warn', 'data-mark-failed', { file: fileIn(missing), reason: expect.any(String) }],
    ]);
    const usual = await open({ folders: { cacheDir: missing }, countEveryMs: 5 });
    await waitUntil('the counter rises', async () => usual.advanced.length > 3);
    expect(usual.logged).toEqual([]);
  });
});

test('a mark that cannot be replaced leaves no other file', async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, `postern-${INSTALLATION}.json`));
  const opened = jest.spyOn(promises, 'open');
  const { logged } = await open({ folders: { markDir: folder }, countEveryMs: 5 });
  await waitUntil('the first attempt has failed', async () => opened.mock.calls.length > 1);
  expect(existsSync(String(opened.mock.calls[0]?.[0]))).toBe(false);
  expect(logged).toMatchObject([['warn', 'data-mark-failed', {}]]);
});

test('the end and the replacement of the thread of the ledger are logged', async () => {
  const { logged, onThread } = await open({});
  onThread('ended', 'out of memory');
  onThread('replaced');
  expect(logged).toEqual([
    ['error', 'ledger-ended', { reason: 'out of memory' }],
    ['info', 'ledger-replaced'],
  ]);
});
