import { describe, expect, test } from 'bun:test';
import { HOT_ROUTES } from '../../src/http/captcha/hotRoutes.ts';
import { PORTAL_ROUTES } from '../../src/portal/portalRoutes.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { sendRaw } from './scenario.ts';

/**
 * Bun's server sets the URL of a request to `/path` or to `http://%/path` if its `Host` header is invalid. Handlers that parsed it
 * returned 500, and the router and the direct routes read different paths from it.
 */

describe.each(['1', '2'])('with POSTERN_THREADS=%s', (threads) => {
  const server = useServer({ settings: { POSTERN_DEMO: 'on', POSTERN_THREADS: threads } });
  const tenant = useTenant(server);

  type Route = { readonly method: string; readonly path: string };

  const OTHERS: readonly string[] = [
    'GET /',
    'GET /livez',
    'GET /readyz',
    'GET /metrics',
    'GET /widget/postern.js',
    'GET /widget/x',
    'GET /widget/lang/de.0123456789abcdef.json',
    'GET /turnstile/v0/b/0123456789abcdef/api.js',
    'GET /recaptcha/x',
    'GET /1/x',
    'GET /docs',
    'GET /docs/reference/api',
    'GET /docs/x.md',
    'GET /docs/search?q=host',
    'GET /demo',
    'GET /swagger',
    'GET /swagger/json',
    'GET /nothing',
    'GET /portal/nothing',
  ];

  const HOSTS: readonly string[] = [
    '%',
    '',
    '[',
    ']',
    '[::1',
    ':',
    'a b',
    'a:99999',
    'h/puzzle',
    'h?sitekey=x&path=/x',
    'a#b',
    'a@b',
    'a\\b',
    '1.2.3.4.5',
    'xn--a',
    'é',
    '..',
    'x'.repeat(300),
    'x'.repeat(14_000),
  ];

  async function routes(): Promise<readonly Route[]> {
    const document = (await (await fetch(`${server.url}/swagger/json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const api = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, 'x'),
      })),
    );
    const portal = PORTAL_ROUTES.map(({ method, path }) => ({ method, path: path.replaceAll(/:\w+/g, 'x') }));
    const others = OTHERS.map((text) => {
      const [method = '', path = ''] = text.split(' ');
      return { method, path };
    });
    return [...HOT_ROUTES, ...api, ...portal, ...others];
  }

  const ask = (method: string, target: string, host: string | undefined, headers = '', body = '') =>
    sendRaw(
      server,
      Buffer.from(
        `${method} ${target} HTTP/1.${host === undefined ? 0 : 1}\r\n${host === undefined ? '' : `Host: ${host}\r\n`}` +
          `${headers}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      ),
    );
  const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
  const failed = () => server.logged.filter(({ event }) => event === 'request-failed');

  /** These pages require a known host. */
  const NEEDS_HOST = /^\/(?:portal|metrics|demo)/;

  test('a missing or invalid Host changes the response of no route, except for pages that require a known host', async () => {
    const all = await routes();
    expect(all.length).toBeGreaterThan(150);
    for (const { method, path } of all) {
      const usual = statusOf(await ask(method, path, 'localhost'));
      await Promise.all(
        [undefined, ...HOSTS].map(async (host) => {
          const status = statusOf(await ask(method, path, host));
          const found = `${method} ${path} ${host?.slice(0, 20)}: ${status}`;
          if (NEEDS_HOST.test(path)) expect(found).toMatch(/: (?:2|3|4)\d\d$/);
          else expect(found).toBe(`${method} ${path} ${host?.slice(0, 20)}: ${usual}`);
        }),
      );
    }
    expect(failed()).toEqual([]);
  }, 300_000);

  test.each(HOSTS.map((host) => [host.slice(0, 30), host]))(
    'the portal, the demo, and the metrics reject the host %j',
    async (_, host) => {
      for (const path of ['/portal', '/portal/login', '/metrics'])
        expect(`${path} ${statusOf(await ask('GET', path, host))}`).toMatch(/ (?:400|403|421)$/);
    },
  );

  test('siteverify accepts a solution with every Host', async () => {
    for (const [path, name] of [
      ['/siteverify', 'response'],
      ['/turnstile/v0/siteverify', 'response'],
      ['/recaptcha/api/siteverify', 'response'],
    ] as const) {
      for (const host of [undefined, '%', '', '[', 'a b', 'h/siteverify']) {
        const response = await fetchAndSolve(server.url, tenant.property.sitekey);
        const query = new URLSearchParams({ secret: tenant.verifyKey, [name]: response }).toString();
        const type = 'Content-Type: application/x-www-form-urlencoded\r\n';
        const answer = await ask('POST', path, host, type, query);
        expect(`${path} ${host} ${answer.split('\r\n\r\n')[1]}`).toMatch(/"success": ?true/);
      }
    }
  });

  test.each([
    ['GET', 'http://'],
    ['GET', 'http:///portal'],
    ['GET', 'http://%/puzzle'],
    ['GET', 'http://evil.example/portal'],
    ['GET', 'https://evil.example:99/metrics'],
    ['GET', 'ftp://x/y'],
    ['GET', '//'],
    ['GET', '///'],
    ['GET', '//evil.example/'],
    ['GET', '//evil.example/portal/login'],
    ['GET', '/\\evil.example'],
    ['GET', '/?'],
    ['GET', '/#x'],
    ['GET', '?x'],
    ['GET', '*'],
    ['OPTIONS', '*'],
    ['OPTIONS', '/'],
    ['CONNECT', 'evil.example:443'],
    ['TRACE', '/'],
    ['GET', '/%'],
    ['GET', '/%00'],
    ['GET', '/widget/%'],
    ['GET', '/widget//'],
    ['GET', '/é'],
    ['GET', '/puzzle?%'],
    ['GET', '/turnstile/v0/siteverify?%=%'],
  ])('the target %s %s gets a response without an error of the server', async (method, target) => {
    for (const host of [undefined, 'localhost', '%', '']) {
      const answer = await ask(method, target, host);
      expect(`${method} ${target} ${host}: ${answer}`).not.toMatch(/: HTTP\/1\.1 5(?!05)/);
      expect(answer).not.toMatch(/\r\nlocation: (?!\/[^/\\])/i);
    }
    expect(failed()).toEqual([]);
  });

  describe('slashes at the beginning of a path', () => {
    // Backends that append a path to a base URL with a slash at the end sent `POST //verify` and got 404.
    test('count as one for every path of the API', async () => {
      const solution = await fetchAndSolve(server.url, tenant.property.sitekey);
      const key = `X-API-Key: ${tenant.verifyKey}\r\n`;
      expect(await ask('POST', '//verify', 'localhost', key, solution)).toContain('"success":true');
      const orgs = await ask('GET', '///orgs?limit=1', 'localhost', `X-API-Key: ${tenant.portalKey}\r\n`);
      expect(orgs).toContain('Organization');
      const puzzle = `//puzzle?sitekey=${tenant.property.sitekey}`;
      expect(await ask('GET', puzzle, 'localhost', 'Origin: https://example.com\r\n')).toStartWith(
        'HTTP/1.1 200',
      );
      const document = (await (await fetch(`${server.url}/swagger/json`)).json()) as {
        paths: Record<string, Record<string, unknown>>;
      };
      const paths = Object.keys(document.paths).filter(
        (path) => !/^\/(?:livez|readyz|widget|swagger)/.test(path),
      );
      for (const path of [...paths, ...HOT_ROUTES.map((route) => route.path)]) {
        for (const method of ['GET', 'POST']) {
          const target = path.replaceAll(/\{\w+\}/g, 'x');
          const usual = statusOf(await ask(method, target, 'localhost'));
          for (const slashes of ['/', '//'])
            expect(`${target} ${statusOf(await ask(method, `${slashes}${target}`, 'localhost'))}`).toBe(
              `${target} ${usual}`,
            );
        }
      }
    });

    test('failures on such a path have the format of the path', async () => {
      const answer = await ask('POST', '//siteverify', 'localhost', '', 'x');
      expect(answer).toContain('"error-codes":["bad-request"]');
    });

    test('are not accepted anywhere else, so that a proxy can restrict the other paths', async () => {
      for (const path of [
        '//portal',
        '//portal/login',
        '//metrics',
        '//demo',
        '//docs',
        '//swagger',
        '//livez',
      ])
        expect(`${path} ${statusOf(await ask('GET', path, 'localhost'))}`).toBe(`${path} 404`);
    });
  });
});
