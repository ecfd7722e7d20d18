import { expect, test } from 'bun:test';
import { textOf } from '../architecture/tree.ts';
import { useServer } from '../support/useServer.ts';
import { sendRaw } from './scenario.ts';

const server = useServer();

const END = 'Connection: close\r\n\r\n';
const get = (headers: string) => `GET /livez HTTP/1.1\r\nHost: x\r\n${headers}${END}`;
const post = (headers: string, body = '') => `POST /verify HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`;

/** Requests that Bun rejects itself, by the rows of docs/reference/api.md. */
const ROWS: readonly (readonly [row: string, status: string, requests: readonly string[]])[] = [
  [
    'is not HTTP, has a malformed request line or header, or has a header that spans two lines',
    '400',
    [
      'hello\r\n\r\n',
      get('X\r\n'),
      get('X : a\r\n'),
      get('X: a\r\n b\r\n'),
      get('X: a\0b\r\n'),
      `OPTIONS * HTTP/1.1\r\nHost: x\r\n${END}`,
    ],
  ],
  ['has HTTP/1.1 and no `Host`', '400', [`GET /livez HTTP/1.1\r\n${END}`, `POST /verify HTTP/1.1\r\n${END}`]],
  [
    'has an invalid `Content-Length`, two of them, one together with `Transfer-Encoding`, a coding other than `chunked`, or a malformed chunk',
    '400',
    [
      post('Content-Length: x\r\n'),
      post('Content-Length: -1\r\n'),
      post('Content-Length: 1\r\nContent-Length: 2\r\n', 'ab'),
      post('Content-Length: 1\r\nContent-Length: 01\r\n', 'a'),
      post('Content-Length: 1, 1\r\n', 'a'),
      post('Content-Length: 1, 2\r\n', 'ab'),
      post('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
      post('Transfer-Encoding: gzip\r\n'),
      post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
      `POST /siteverify HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ],
  [
    'has a request line and headers of more than 16 KiB together, or more than about 200 headers',
    '431',
    [
      `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n${END}`,
      get(`X: ${'a'.repeat(17_000)}\r\n`),
      get('X: a\r\n'.repeat(300)),
    ],
  ],
  [
    'has a version other than HTTP/1.0 or HTTP/1.1',
    '505',
    [`GET /livez HTTP/2.0\r\nHost: x\r\n${END}`, 'GET /livez\r\n\r\n'],
  ],
  ['has a method that Bun does not know', 'none', [`FOO /livez HTTP/1.1\r\nHost: x\r\n${END}`]],
];

const cases = ROWS.flatMap(([row, status, requests]) =>
  requests.map((request) => [row, status, request.slice(0, 60), request] as const),
);

test.each(cases)(
  'a request that %s: status %s, without our headers and body: %j',
  async (_, status, __, request) => {
    const answer = await sendRaw(server, request);
    if (status === 'none') {
      expect(answer).toBe('');
      return;
    }
    expect(answer).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} [A-Za-z ]+\\r\\n(?:Connection: close\\r\\n)?\\r\\n$`),
    );
  },
);

// Bun joins them to "1, 1", which is not a number, so the limits of bodies did not apply.
test.each([
  ['GET', '/livez'],
  ['POST', '/verify'],
  ['POST', '/siteverify'],
  ['POST', '/org/x/properties'],
  ['POST', '/portal/sign-in'],
  ['POST', '/nothing'],
])('two identical Content-Length headers lead to status 400 without a body: %s %s', async (method, path) => {
  for (const lengths of [
    'Content-Length: 1\r\nContent-Length: 1',
    'Content-Length: 1\r\nX: a\r\ncontent-length: 1',
  ]) {
    const answer = await sendRaw(server, `${method} ${path} HTTP/1.1\r\nHost: x\r\n${lengths}\r\n\r\na`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*Connection: close\r\n/i);
    expect(answer).toMatch(/Content-Length: 0\r\n[\s\S]*\r\n$/);
    expect(answer).not.toContain('X-Request-Id');
  }
});

test.each([
  ['100 headers', get('X: a\r\n'.repeat(100))],
  ['headers of 15,000 bytes', get(`X: ${'a'.repeat(15_000)}\r\n`)],
  ['HTTP/1.0 without Host', 'GET /livez HTTP/1.0\r\n\r\n'],
  ['an empty Host', `GET /livez HTTP/1.1\r\nHost: \r\n${END}`],
])('Postern responds to a request with %s', async (_, request) => {
  expect(await sendRaw(server, request)).toMatch(/^HTTP\/1\.1 200 [\s\S]*X-Request-Id: /i);
});

test('docs/reference/api.md has the same table', async () => {
  const text = await textOf('docs/reference/api.md');
  for (const [row, status] of ROWS) expect(text).toContain(`| ${row} | ${status} |`);
});

test.each(['/demo', '/puzzle', '/orgs', '/swagger', '/', '/portal', '/nothing'])(
  'a malformed Host breaks nothing at %s',
  async (path) => {
    // `GET /demo` returned 500 because it parsed the URL of the request.
    for (const host of ['[', 'a b', '%', 'x:99999', '']) {
      const answer = await sendRaw(server, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${END}`);
      expect(`${host} ${answer}`).not.toMatch(/^\S* HTTP\/1\.1 5/);
    }
  },
);
