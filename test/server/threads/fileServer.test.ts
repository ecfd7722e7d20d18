import { expect, test } from 'bun:test';
import { createFailures } from '../../../src/http/failures.ts';
import type { FileContents } from '../../../src/http/fileHandler.ts';
import { createRequestMeter } from '../../../src/http/requestMeter.ts';
import { createFileServer } from '../../../src/server/threads/fileServer.ts';
import { createRemoteLog } from '../../../src/server/threads/remoteLog.ts';

const CONTENTS: FileContents = {
  type: 'text/css',
  etag: '"1"',
  isPublic: false,
  plain: new TextEncoder().encode('a {}'),
  zipped: undefined,
};

/** A server of one file. @param load loads its contents */
function open(load: () => Promise<FileContents>) {
  const log = createRemoteLog(
    'error',
    { take: () => true },
    async () => {},
    () => {},
  );
  const requestMeter = createRequestMeter();
  const serve = createFileServer({
    files: [{ path: '/a.css', caching: 'no-cache', route: '/a.css' }],
    load,
    log,
    requestMeter,
    draining: { isOn: () => false, closeConnection() {} },
    bodies: { discard: async () => true, hold: () => ({ end: () => undefined }) },
    failures: createFailures({
      requestContext: { idOf: () => 'id' },
      commonHeaders: {},
      failureOf: () => undefined,
      log,
      onStoreFailure() {},
    }),
  });
  const send = async () => {
    const response = await serve(new Request('http://a/a.css'), () => new Response('forwarded'));
    return response?.text();
  };
  return { send, requestMeter };
}

test('concurrent requests for a file share one load', async () => {
  let loads = 0;
  const { send, requestMeter } = open(async () => {
    loads++;
    return CONTENTS;
  });
  expect(await Promise.all([send(), send(), send()])).toEqual(['a {}', 'a {}', 'a {}']);
  expect(await send()).toBe('a {}');
  expect(loads).toBe(1);
  expect(
    requestMeter.read().map(({ method, route, statuses }) => [method, route, statuses.get(200)]),
  ).toEqual([['GET', '/a.css', 4]]);
});

test('a request for a file that cannot be loaded is forwarded, and the next request loads the file again', async () => {
  let loads = 0;
  const { send, requestMeter } = open(async () => {
    if (loads++ === 0) throw new Error('the management thread is gone');
    return CONTENTS;
  });
  expect(await send()).toBe('forwarded');
  // The management thread counts forwarded requests.
  expect(requestMeter.read()).toEqual([]);
  expect(await send()).toBe('a {}');
});
