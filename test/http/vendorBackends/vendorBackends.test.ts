import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { addPageData } from '../../../src/puzzle/solution.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { fetchAndSolve } from '../../support/visitor.ts';

/** Backend libraries of other vendors, unmodified, in Node. */

const server = useServer();
const tenant = useTenant(server);

async function verifyWith(library: string, token: string): Promise<Readonly<Record<string, unknown>>> {
  const at = (name: string) => join(import.meta.dir, name);
  const child = Bun.spawn(['node', '--require', at('redirect.cjs'), at('backend.cjs'), library], {
    env: {
      ...process.env,
      NODE_NO_WARNINGS: '1',
      POSTERN_URL: server.url,
      POSTERN_SECRET: tenant.verifyKey,
      POSTERN_SITEKEY: tenant.property.sitekey,
      POSTERN_TOKEN: token,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0 || output === '') throw new Error(`${library} failed: ${errors}`);
  return JSON.parse(output);
}

test.each([
  ['recaptcha2', {}, {}],
  ['hcaptcha', {}, { hostname: 'example.com' }],
  ['express-recaptcha v2', {}, { hostname: 'example.com' }],
  ['express-recaptcha v3', { action: 'login' }, { hostname: 'example.com', action: 'login', score: 0.9 }],
])(
  '%s accepts a solution once',
  async (library, pageData, facts) => {
    // A token that is not URL-safe contains characters that some libraries do not encode.
    const token = addPageData(await fetchAndSolve(server.url, tenant.property.sitekey), pageData);
    expect(await verifyWith(library, token)).toMatchObject({ isAccepted: true, ...facts });
    const again = await verifyWith(library, token);
    // The library for hCaptcha uses `/siteverify`, which has our own error names.
    const codes = library === 'hcaptcha' ? ['solution-verified-before'] : ['timeout-or-duplicate'];
    expect(again).toMatchObject({ isAccepted: false, codes });
  },
  60_000,
);
