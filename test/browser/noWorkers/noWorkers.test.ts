import { expect, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { BUTTON, COLLECT_GARBAGE, FIELD, isIn, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

test.each([
  ['blocks workers', "worker-src 'none'"],
  ['requires trusted types', "require-trusted-types-for 'script'"],
  ['allows only the trusted type of the widget', "require-trusted-types-for 'script'; trusted-types postern"],
])('the page solves the puzzle if the policy %s', async (_, policy) => {
  const tab = await visit(await serve({}, { 'Content-Security-Policy': policy }));
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  expect(parsePayload(payload)?.metadata?.usedWasm).toBe(true);
  const files = tab.requests.map(({ url }) => /\/widget\/(extras|solver)\./.exec(url)?.[1]).filter(Boolean);
  expect(files).toEqual(['extras', 'solver']);
  expect(await postern.verify(payload)).toMatchObject({ success: true });
  tab.close();
});

/** Serves Postern's files, but the response to the first request for this one waits. */
function delayFile(name: string) {
  const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = Bun.serve({
    port: 0,
    async fetch({ url, headers: sent }) {
      const { pathname, search } = new URL(url);
      if (pathname.startsWith(`/widget/${name}.`)) {
        requested.resolve();
        await released.promise;
      }
      const { body, status, headers } = await fetch(`${postern.url}${pathname}${search}`, {
        headers: { Origin: sent.get('Origin') ?? '' },
      });
      headers.delete('Content-Encoding');
      return new Response(body, { status, headers });
    },
  });
  return {
    url: `http://localhost:${server.port}`,
    requested: requested.promise,
    release: released.resolve,
    stop: () => server.stop(true),
  };
}

// WebKit collected the element of the script with its listeners, and the check never ended.
test.each(['extras', 'solver'])(
  'the page solves the puzzle if garbage is collected while %s.js loads',
  async (name) => {
    const files = delayFile(name);
    const policy = { 'Content-Security-Policy': "worker-src 'none'" };
    const tab = await visit(await serve({ postern: files.url }, policy));
    await tab.click(BUTTON);
    await files.requested;
    await tab.evaluate(COLLECT_GARBAGE);
    files.release();
    await tab.until(isIn('verified'));
    expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
    tab.close();
    await files.stop();
  },
);
