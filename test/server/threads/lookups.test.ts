import { describe, expect, test } from 'bun:test';
import type { PropertyId, Sitekey } from '../../../src/model/property.ts';
import type { HotSources } from '../../../src/server/caches.ts';
import { createAnswerLookUp, createRemoteSources } from '../../../src/server/threads/lookups.ts';
import type { LookUp } from '../../../src/server/threads/threadMethods.ts';

/** Sources on the management thread, and those of a request thread that asks them. */
function open(stored: Partial<HotSources>) {
  const sources: HotSources = {
    property: () => undefined,
    principal: () => undefined,
    rules: () => undefined,
    ...stored,
  };
  const failures: unknown[] = [];
  const asked: LookUp[] = [];
  const answer = createAnswerLookUp(sources, (error) => failures.push(error));
  const remote = createRemoteSources(async (keys) => {
    asked.push(keys);
    return structuredClone(await answer(keys));
  });
  return { remote, failures, asked };
}

const sitekey = (digit: string) => digit.repeat(32) as Sitekey;

describe('lookups of a request thread', () => {
  test('of one iteration of the event loop are one message, and equal lookups are sent once', async () => {
    const { remote, asked } = open({
      property: async (key) => ({ sitekey: key }) as never,
      principal: (hash) => (hash === 'known' ? ({ keyId: 7 } as never) : undefined),
      rules: (scope) => (scope === 'installation' ? { revision: 3, json: '[]' } : undefined),
    });
    const found = await Promise.all([
      remote.property(sitekey('a')),
      remote.property(sitekey('b')),
      remote.property(sitekey('a')),
      remote.principal('known'),
      remote.principal('unknown'),
      remote.rules('installation'),
      remote.rules(5 as PropertyId),
      remote.rules('installation'),
    ]);
    expect(found as unknown).toEqual([
      { sitekey: sitekey('a') },
      { sitekey: sitekey('b') },
      { sitekey: sitekey('a') },
      { keyId: 7 },
      undefined,
      { revision: 3, json: '[]' },
      undefined,
      { revision: 3, json: '[]' },
    ]);
    expect(asked).toEqual([
      {
        sitekeys: [sitekey('a'), sitekey('b')],
        keyHashes: ['known', 'unknown'],
        rules: ['installation', 5 as PropertyId],
      },
    ]);
  });

  test('never share the result of a lookup that was sent earlier', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let reads = 0;
    const { remote } = open({
      property: async () => {
        const read = ++reads;
        await promise;
        return { read } as never;
      },
    });
    const first = remote.property(sitekey('a'));
    // The first lookup is sent at the end of this iteration.
    while (reads === 0) await new Promise(setImmediate);
    const second = remote.property(sitekey('a'));
    while (reads === 1) await new Promise(setImmediate);
    resolve();
    expect(await Promise.all([first, second])).toEqual([{ read: 1 }, { read: 2 }] as never);
  });

  test('fail one by one, and the management thread learns about each failure', async () => {
    const { remote, failures } = open({
      property(key) {
        if (key === sitekey('a')) throw new Error('the disk is full');
        return undefined;
      },
      principal: () => Promise.reject(new Error('the connection is closed')),
    });
    const results = await Promise.allSettled([
      remote.property(sitekey('a')),
      remote.property(sitekey('b')),
      remote.principal('hash'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(failures).toHaveLength(2);
  });

  test('fail if the management thread does not answer', async () => {
    const remote = createRemoteSources(() => Promise.reject(new Error('the thread has ended')));
    expect(remote.property(sitekey('a'))).rejects.toThrow('the thread has ended');
    expect(remote.rules('installation')).rejects.toThrow('the thread has ended');
  });
});
