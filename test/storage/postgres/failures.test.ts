import { describe, expect, test } from 'bun:test';
import { StoreFailure } from '../../../src/model/storeFailure.ts';
import { reportFailures } from '../../../src/storage/postgres/failures.ts';

/** The error of the client if a connection is lost. */
const lost = () => Object.assign(new Error('Connection closed'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' });

describe('after a lost connection', () => {
  test.each([
    ['a read is repeated once', 'properties', 'read', 2],
    ['a write is not repeated', 'properties', 'write', 1],
    ['an export is not repeated, because its visitor has received a part of it', 'exports', 'read', 1],
  ] as const)('%s', async (_, store, kind, expected) => {
    let calls = 0;
    const call = reportFailures({
      store,
      kind,
      async method() {
        calls++;
        throw lost();
      },
    });
    const error = await Promise.resolve(call()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreFailure);
    expect(calls).toBe(expected);
  });
});
