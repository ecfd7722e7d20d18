import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type EventHandler, toWebHandler } from 'h3';
import { textOf } from '../architecture/tree.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { fetchAndSolve } from '../support/visitor.ts';

/** Runs the examples of docs/how-to/server-frameworks.md, with the functions of docs/how-to/verify-on-your-backend.md that they call. */

const FIELD = 'postern-captcha-solution';

let server: TestServer;
let tenant: Tenant;
let folder: string;
let examples: ReadonlyMap<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postern-server-frameworks-'));
  server = await startServer();
  tenant = await addTenant(server, { level: 1, growth: 'constant' });
  const pages = ['server-frameworks', 'verify-on-your-backend'].map((name) =>
    textOf(`docs/how-to/${name}.md`),
  );
  const blocks = (await Promise.all(pages)).join('\n').matchAll(/^```\w+ title="([^"]+)"\n([\s\S]*?)^```$/gm);
  examples = new Map([...blocks].map(([, title = '', code = '']) => [title, filled(code)]));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function filled(code: string): string {
  return code
    .replaceAll('https://captcha.example.com', server.url)
    .replaceAll('YOUR_VERIFY_KEY', tenant.verifyKey)
    .replaceAll('0123456789abcdef0123456789abcdef', tenant.property.sitekey);
}

/** Bundles an example with `verify.mjs`, and imports it. Paths are in this folder, so that packages are found. */
async function load<Module>(title: string, verify: string): Promise<Module> {
  const at = (name: string) => join(import.meta.dir, name);
  const files = { [at(title)]: examples.get(title) ?? '', [at(verify)]: examples.get('verify.mjs') ?? '' };
  const { outputs } = await Bun.build({ entrypoints: [at(title)], files, target: 'bun', format: 'esm' });
  const file = join(folder, `${title.replaceAll('/', '-')}.mjs`);
  await Bun.write(file, (await outputs[0]?.text()) ?? '');
  return import(file);
}

function formOf(solution: string): Request {
  const body = new FormData();
  body.set('email', 'ada@example.com');
  body.set(FIELD, solution);
  return new Request('http://localhost/signup', { method: 'POST', body });
}

/** @returns the statuses for a solution, the same solution again, and no solution */
async function statusesOf(handle: (request: Request) => Promise<Response>): Promise<readonly number[]> {
  const solution = await fetchAndSolve(server.url, tenant.property.sitekey);
  const statuses: number[] = [];
  for (const sent of [solution, solution, '']) statuses.push((await handle(formOf(sent))).status);
  return statuses;
}

describe('docs/how-to/server-frameworks.md', () => {
  test('the route handler for Next.js accepts a solution once', async () => {
    type Route = { readonly POST: (request: Request) => Promise<Response> };
    const { POST } = await load<Route>('app/signup/route.js', 'lib/verify.mjs');
    expect(await statusesOf(POST)).toEqual([200, 403, 403]);
  });

  test('the route for Nuxt accepts a solution once', async () => {
    type Route = { readonly default: EventHandler };
    const route = await load<Route>('server/routes/signup.post.js', 'server/lib/verify.mjs');
    expect(await statusesOf(toWebHandler(createApp().use('/signup', route.default)))).toEqual([
      200, 403, 403,
    ]);
  });

  describe.each([
    ['express.mjs', 'const server = app.listen(0, () => console.log(server.address().port));'],
    ['fastify.mjs', "console.log(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);"],
  ])('%s', (title, listen) => {
    let app: Bun.Subprocess<'ignore', 'pipe', 'inherit'> | undefined;
    let url = '';
    beforeAll(async () => {
      const at = join(folder, title.replace('.mjs', ''));
      mkdirSync(at);
      symlinkSync(join(import.meta.dir, '../../node_modules'), join(at, 'node_modules'));
      await Bun.write(join(at, title), examples.get(title) ?? '');
      await Bun.write(join(at, 'verify.mjs'), examples.get('verify.mjs') ?? '');
      await Bun.write(join(at, 'main.mjs'), `import { app } from './${title}';\n${listen}`);
      app = Bun.spawn(['node', 'main.mjs'], { cwd: at, stdio: ['ignore', 'pipe', 'inherit'] });
      const { value } = await app.stdout.getReader().read();
      url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}/signup`;
    }, 60_000);
    afterAll(() => app?.kill());

    // `postForm` sends a multipart form. The example used to parse only URL-encoded forms, and responded with status 500.
    test('accepts a solution once, in the form of postForm and of a page without scripts', async () => {
      expect(await statusesOf((request) => fetch(url, request))).toEqual([200, 403, 403]);
      const solution = await fetchAndSolve(server.url, tenant.property.sitekey);
      const body = new URLSearchParams({ email: 'ada@example.com', [FIELD]: solution });
      const response = await fetch(url, { method: 'POST', body });
      expect([response.status, await response.json()]).toEqual([200, { welcome: 'ada@example.com' }]);
    });

    test('rejects other bodies', async () => {
      const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
      const bodies: readonly RequestInit[] = [
        { body: null },
        { body: '{}', headers: { 'Content-Type': 'application/json' } },
        { body: 'garbage', headers },
        { body: 'x'.repeat(200_000), headers },
      ];
      for (const init of bodies) {
        const { status } = await fetch(url, { method: 'POST', ...init });
        expect([403, 413, 415]).toContain(status);
      }
    });
  });

  // Laravel is not installed, so the test replaces what the rule imports.
  if (Bun.which('php') !== null) {
    test('the rule for Laravel accepts what the function for PHP accepts, and fails closed', async () => {
      const program = `<?php
namespace Illuminate\\Contracts\\Validation { interface ValidationRule {} }
namespace {
    class CaptchaUnavailable extends RuntimeException {}
    function verify_captcha(string $solution): bool {
        if ($solution === 'undecided') throw new CaptchaUnavailable();
        return $solution === 'good';
    }
    function report($error) { echo get_class($error), "\\n"; }
    require 'Captcha.php';
    foreach (['good', 'bad', '', null, ['good'], 'undecided'] as $value) {
        $result = 'accepted';
        (new App\\Rules\\Captcha())->validate('${FIELD}', $value, function () use (&$result) { $result = 'rejected'; });
        echo "$result\\n";
    }
}`;
      await Bun.write(join(folder, 'Captcha.php'), examples.get('app/Rules/Captcha.php') ?? '');
      await Bun.write(join(folder, 'main.php'), program);
      const child = Bun.spawn(['php', 'main.php'], { cwd: folder, stdout: 'pipe' });
      const lines = (await new Response(child.stdout).text()).trim().split('\n');
      const expected = ['accepted', 'rejected', 'rejected', 'rejected', 'rejected', 'CaptchaUnavailable'];
      expect(lines).toEqual([...expected, 'rejected']);
    });
  }
});
