import { expect, test } from 'bun:test';
import { BUTTON, FIELD, isIn, useBrowserCase, visit } from '../fixture.ts';

const { postern, website } = useBrowserCase(import.meta.dir);

/** What scripts for tracing and for sessions add to every request of a page. */
const ADDED = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=1',
  baggage: 'userId=alice,serverNode=DF%2028',
  'sentry-trace': '12345678901234567890123456789012-1234567890123456-1',
  'x-datadog-trace-id': '1',
  newrelic: 'e30=',
  'request-id': '|1.2.',
  Authorization: 'Bearer token',
  'X-CSRF-Token': 'token',
  'X-XSRF-TOKEN': 'token',
  'X-Requested-With': 'XMLHttpRequest',
  'X-Unknown': 'a',
};

/** Patches `fetch` and `XMLHttpRequest` like those scripts, before the page's own scripts run. */
const WRAPPERS = `{
  const added = ${JSON.stringify(ADDED)};
  const nativeFetch = window.fetch;
  window.fetch = (input, init = {}) => {
    const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
    for (const [name, value] of Object.entries(added)) headers.set(name, value);
    return nativeFetch(input, { ...init, headers });
  };
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (body) {
    for (const [name, value] of Object.entries(added)) this.setRequestHeader(name, value);
    return send.call(this, body);
  };
}`;

// The preflight allowed only the headers of the widget, so a page with tracing could not get a puzzle.
test('scripts that add headers to all requests of the page do not break the widget', async () => {
  const tab = await visit(website, WRAPPERS);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
  const puzzle = tab.requests.find(({ url }) => url.includes('/puzzle?'));
  expect(puzzle?.headers).toMatchObject({ traceparent: ADDED.traceparent });
  // The German texts are in a file that the widget gets with `fetch`.
  const language = tab.requests.find(({ url }) => url.includes('/widget/lang/de.'));
  expect(language?.headers).toMatchObject({ traceparent: ADDED.traceparent });
  expect(tab.consoleLines.filter((line) => line.includes('CORS'))).toEqual([]);
  tab.close();
});

test('XMLHttpRequest with added headers can request a puzzle and every file of the widget', async () => {
  const tab = await visit(website, WRAPPERS);
  const paths = [
    `/puzzle?sitekey=${postern.sitekey}`,
    '/widget/postern.js',
    '/recaptcha/api.js',
    '/1/api.js',
    '/turnstile/v0/api.js',
  ];
  const statuses =
    await tab.evaluate<unknown>(`Promise.all(${JSON.stringify(paths)}.map((path) => new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', '${postern.url}' + path);
    request.onload = () => resolve(request.status);
    request.onerror = () => resolve('blocked: ' + path);
    request.send();
  })))`);
  expect(statuses).toEqual(paths.map(() => 200));
  tab.close();
});

test('requests that pages of other origins must not send are still blocked', async () => {
  const tab = await visit(website, WRAPPERS);
  for (const [method, path] of [
    ['POST', '/verify'],
    ['POST', '/siteverify'],
    ['GET', '/orgs'],
    ['GET', '/portal'],
  ]) {
    const result = `fetch('${postern.url}${path}', { method: '${method}' }).then(({ status }) => status, () => 'blocked')`;
    expect([path, await tab.evaluate<unknown>(result)]).toEqual([path, 'blocked']);
  }
  tab.close();
});
