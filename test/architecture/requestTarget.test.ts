import { expect, test } from 'bun:test';
import { filesAt, textOf } from './tree.ts';

/**
 * `request.url` is not a valid URL if the `Host` header is missing or invalid. Handlers that parsed it returned 500, and readers that
 * searched it for the path found different paths. So only lib/target.ts reads it.
 */

/** Files that read the URL of a request, with the reason. */
const READERS: Readonly<Record<string, string>> = {
  'src/lib/target.ts': 'reads it for all others',
  'src/http/dispatcher.ts':
    'compares it with the paths of the hot path, from the index that lib/target.ts returns',
  'src/server/threads/forwarding/forwardedRequest.ts': 'passes it on as text',
  'src/server/threads/forwarding/serveForwarded.ts': 'sets it',
  'src/acme/transport.ts': 'its requests are those that Postern sends',
};

const READS_URL = [
  /\b(?:request|req)\??\.url\b/,
  /\{[^{}]*\burl\b[^{}]*\}\s*=\s*(?:visit\.)?request\b/,
  /\(\{[^{}]*\burl\b[^{}]*\}\s*:\s*Request\b/,
];

const files = filesAt('src/**/*.{ts,tsx}').filter((file) => !file.startsWith('src/widget/'));

test('only lib/target.ts reads the URL of a request', async () => {
  const found: string[] = [];
  for (const file of files) {
    // Code for the integration page is in template strings.
    if (file === 'src/portal/properties/snippetTemplates.ts') continue;
    const text = await textOf(file);
    if (READS_URL.some((pattern) => pattern.test(text))) found.push(file);
  }
  expect(found.sort()).toEqual(Object.keys(READERS).sort());
});

test('`new URL` is called only with texts that do not come from a client, because it throws', async () => {
  const found: string[] = [];
  for (const file of files) {
    for (const [, argument = ''] of (await textOf(file)).matchAll(/\bnew URL\(([^)]*)/g))
      found.push(`${file}: ${argument}`);
  }
  const isSafe = (call: string) => /import\.meta\.url$|: baseUrl$|: `https:\/\/\$\{domain\}/.test(call);
  expect(found.filter((call) => !isSafe(call))).toEqual(['src/acme/transport.ts: request.url']);
});
