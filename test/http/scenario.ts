import { expect, test } from 'bun:test';
import type { TestServer } from '../support/server.ts';

/** An HTTP request and the expected response. */
export type Scenario = {
  readonly title: string;
  readonly ask: Ask | (() => Ask | Promise<Ask>);
  readonly status: number;
  /** Expected members of the JSON body. */
  readonly json?: object;
  /** Texts in the body. */
  readonly has?: readonly (string | RegExp)[];
  /** Texts that are neither in the body nor in the headers. */
  readonly hasNot?: readonly (string | RegExp)[];
  /** Whether the body may name parts of the server, such as its database, as the documentation does. Default: false. */
  readonly mayNameInternals?: boolean;
  /** Expected headers; undefined for a header that must be missing. */
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>;
  /** Number of verifications that are counted; nothing else is written. Default: 0. */
  readonly claims?: number;
  /** Names of the logged errors. Default: none. */
  readonly errors?: readonly string[];
  /** Names of errors that are logged unless a background check has reported them before. Default: none. */
  readonly possibleErrors?: readonly string[];
};

export type Ask = {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Exclude<RequestInit['body'], undefined>;
};

/** Internal details that no response contains: stack traces, names of files and modules, SQL, keys. */
const INTERNALS = [
  /\bat .*:\d+:\d+/,
  /node_modules|\.ts\b|\.mjs\b/,
  /elysia|\bbun\b/i,
  /sqlite|postgres/i,
  /\bSELECT\b/,
  /\b(?:Type|Range|Syntax|Reference)Error\b/,
  /postern_(?:verify|portal)_/,
];

/** Declares a test for each row. */
export function runScenarios(server: TestServer, scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) {
    test(scenario.title, () => runScenario(server, scenario));
  }
}

async function runScenario(server: TestServer, scenario: Scenario): Promise<void> {
  const ask = typeof scenario.ask === 'function' ? await scenario.ask() : scenario.ask;
  const before = await server.written();
  const logged = server.logged.length;
  const response = await send(server.url, ask);
  const body = await response.text();
  const shown = `${[...response.headers].join('\n')}\n\n${body}`;
  expect({ status: response.status, body }).toEqual({ status: scenario.status, body });
  for (const text of scenario.has ?? []) expect(body).toMatch(text);
  const internals = scenario.mayNameInternals === true ? [] : INTERNALS;
  for (const text of [...(scenario.hasNot ?? []), ...internals]) expect(shown).not.toMatch(text);
  for (const [name, value] of Object.entries(scenario.headers ?? {})) expectHeader(response, name, value);
  if (scenario.json !== undefined) expect(JSON.parse(body)).toMatchObject(scenario.json);
  expectCommonHeaders(response);
  const after = await server.written();
  // The job that purges claims can delete earlier ones in the meantime.
  expect({ commits: after.commits, claims: Math.max(0, after.claims - before.claims) }).toEqual({
    commits: before.commits,
    claims: scenario.claims ?? 0,
  });
  const isUnsure = (event: unknown) => scenario.possibleErrors?.some((name) => name === event) ?? false;
  const errors = server.logged
    .slice(logged)
    .filter(({ level, event }) => level === 'error' && !isUnsure(event));
  expect(errors.map(({ event }) => event)).toEqual([...(scenario.errors ?? [])]);
}

export function send(url: string, { path, ...init }: Ask): Promise<Response> {
  return fetch(`${url}${path}`, { redirect: 'manual', ...init });
}

function expectHeader(response: Response, name: string, value: string | RegExp | undefined): void {
  const given = response.headers.get(name);
  if (value === undefined) expect([name, given]).toEqual([name, null]);
  else if (typeof value === 'string') expect([name, given]).toEqual([name, value]);
  else expect(`${name}: ${given}`).toMatch(value);
}

/** Asserts the headers of every response. A puzzle has an id only if the request had one. */
export function expectCommonHeaders({ headers, status, url }: Response): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  const isPuzzle = status === 200 && URL.parse(url)?.pathname === '/puzzle';
  if (!isPuzzle) expect(headers.get('x-request-id')).toMatch(/^[\w.:-]{1,128}$/);
  expect(headers.get('x-trace-id')).toBe(headers.get('x-request-id'));
  expect(headers.get('cross-origin-resource-policy')).toMatch(/^(?:same|cross)-origin$/);
  expect(headers.has('server') || headers.has('x-powered-by')).toBe(false);
}

/** The envelope of an error. */
export function errorEnvelope(code: number): object {
  return {
    meta: {
      code,
      description: expect.stringMatching(/^[A-Z].*\.$/),
      request_id: expect.stringMatching(/^[\w.:-]{1,128}$/),
    },
    data: null,
  };
}

/**
 * Sends bytes to the server and reads until the server closes the connection. The request must have `Connection: close` or be
 * invalid HTTP.
 */
export async function sendRaw(
  { url }: TestServer,
  ...parts: readonly (string | Uint8Array)[]
): Promise<string> {
  const { hostname, port } = new URL(url);
  const closed = Promise.withResolvers<string>();
  let got = '';
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_socket, bytes) => {
        got += Buffer.from(bytes).toString('latin1');
      },
      close: () => closed.resolve(got),
      error: (_socket, error) => closed.reject(error),
    },
  });
  for (const part of parts) {
    socket.write(part);
    socket.flush();
    // Wait a turn of the event loop, so that the parts are sent separately.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return closed.promise;
}
