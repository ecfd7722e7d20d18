import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { Property } from '../../src/model/property.ts';
import {
  addProperty,
  addPropertyOwner,
  DEFAULT_FIELDS,
  type PropertyOwner,
  propertyPath,
} from '../support/propertyOwner.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { PYTHON } from './python.ts';

/** Copies the code from the integration page and runs it. */

const FIELD = 'postern-captcha-solution';

let server: TestServer;
let folder: string;
let owner: PropertyOwner;
let key: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postern-snippets-'));
  server = await startServer();
  owner = await addPropertyOwner(server);
  const { account } = owner;
  const rest = { organizationId: undefined, isReadOnly: false, expiresAt: undefined };
  const made = await server.app.services.apiKeys.create(INSTALLATION, {
    account,
    name: 'Key',
    scope: 'verify',
    ...rest,
  });
  key = made.ok ? made.value.secret : '';
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function plain(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** @returns the text that the copy button copies, with a key, and with the address of the test's server */
async function copied(id: string, path: string, withKey = key): Promise<string> {
  const { text } = await owner.browser.get(`${path}/integration`);
  const [, code = ''] = new RegExp(`<code id="snippet-${id}">([\\s\\S]*?)</code>`).exec(text) ?? [];
  const { baseUrl } = baseOf(text);
  return plain(code.replaceAll(/<[^>]*>/g, ''))
    .replaceAll('YOUR_VERIFY_KEY', withKey)
    .replaceAll(baseUrl, server.url);
}

function baseOf(text: string) {
  return { baseUrl: /<code id="value-script">(http[^<]*)\/widget\/postern\.js</.exec(text)?.[1] ?? 'none' };
}

/** A program that runs a snippet with each of its arguments as the solution, and prints a line with `good` or `bad` for each. */
type Runner = {
  readonly id: string;
  readonly program: string | undefined;
  readonly file: string;
  /** A second file that the program needs. */
  readonly beside?: { readonly file: string; readonly text: string };
  readonly wrap: (code: string) => string;
};

const GO_MAIN = `package main

import (
	"fmt"
	"net/url"
	"os"
)

func main() {
	for _, solution := range os.Args[1:] {
		good, _ := VerifyCaptcha(url.Values{"${FIELD}": {solution}})
		fmt.Println(map[bool]string{true: "good", false: "bad"}[good])
	}
}
`;

const JAVA_MAIN = `
class Main {
    public static void main(String[] arguments) throws Exception {
        for (var solution : arguments)
            System.out.println(Captcha.verify(java.util.Map.of("${FIELD}", solution)) ? "good" : "bad");
    }
}
`;

const RUNNERS: readonly Runner[] = [
  {
    id: 'curl',
    program: 'sh',
    file: 'check.sh',
    wrap: (code) =>
      `${code}\nfor solution; do if verify_captcha "$solution"; then echo good; else echo bad; fi; done\n`,
  },
  {
    id: 'javascript',
    program: process.execPath,
    file: 'check.mjs',
    wrap: (code) =>
      `${code}\nfor (const solution of process.argv.slice(2))\n  console.log((await verifyCaptcha(new URLSearchParams({ '${FIELD}': solution }))) ? 'good' : 'bad');\n`,
  },
  {
    id: 'python',
    program: PYTHON,
    file: 'check.py',
    wrap: (code) =>
      `import sys\n${code}\n\n\nfor solution in sys.argv[1:]:\n    print("good" if verify_captcha({"${FIELD}": solution}) else "bad")\n`,
  },
  {
    id: 'php',
    program: 'php',
    file: 'check.php',
    wrap: (code) =>
      `${code}\nforeach (array_slice($argv, 1) as $solution)\n    echo verify_captcha(['${FIELD}' => $solution]) ? "good\\n" : "bad\\n";\n`,
  },
  {
    id: 'ruby',
    program: 'ruby',
    file: 'check.rb',
    wrap: (code) =>
      `${code}\nARGV.each { |solution| puts verify_captcha({ "${FIELD}" => solution }) ? "good" : "bad" }\n`,
  },
  {
    id: 'java',
    program: 'javac',
    file: 'Main.java',
    wrap: (code) => `${code}\n${JAVA_MAIN}`,
  },
  {
    id: 'go',
    program: 'go',
    file: 'check.go',
    beside: { file: 'main.go', text: GO_MAIN },
    wrap: (code) => code,
  },
];

// Skips languages that are not installed; curl and JavaScript always are.
const installed = RUNNERS.filter(({ program = '' }) => Bun.which(program) !== null);

/** Runs the program of a property's page. It verifies the solutions one after another. */
async function run(
  { id, program = '', file, beside, wrap }: Runner,
  path: string,
  solutions: readonly string[],
  withKey?: string,
) {
  const place = join(folder, file);
  const code = wrap(await copied(id, path, withKey));
  await Bun.write(place, code);
  if (id === 'java') return runJava(place, code, solutions);
  if (beside !== undefined) await Bun.write(join(folder, beside.file), beside.text);
  const command = beside === undefined ? [place] : ['run', place, join(folder, beside.file)];
  return output([program, ...command, ...solutions]);
}

/** Compiles each program once, because compiling takes seconds. */
async function runJava(place: string, code: string, solutions: readonly string[]) {
  const classes = join(folder, Bun.hash(code).toString(36));
  if (!existsSync(classes)) await output(['javac', '-proc:none', '-d', classes, place]);
  return output(['java', '-XX:TieredStopAtLevel=1', '-cp', classes, 'Main', ...solutions]);
}

async function output(command: readonly string[]) {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'pipe' });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { said: out.trim().split('\n'), errors };
}

test('a shell and JavaScript are always available', () => {
  expect(installed.map(({ id }) => id)).toEqual(expect.arrayContaining(['curl', 'javascript']));
});

describe.each(installed.map((one) => [one.id, one] as const))('the snippet in %s', (id, runner) => {
  /** The tests that do not change the code share a property, so that its program is compiled once. */
  let shared: Property;
  let path: string;
  beforeAll(async () => {
    shared = await addProperty(server, owner, { name: `For ${id}`, level: 1, growth: 'constant' });
    path = propertyPath(server, owner, shared);
  });

  test('accepts a solution of this property once, and rejects everything else', async () => {
    const other = await addProperty(server, owner, { name: `Not for ${id}`, level: 1, growth: 'constant' });
    const solution = await fetchAndSolve(server.url, shared.sitekey);
    const foreign = await fetchAndSolve(server.url, other.sitekey);
    const test = await fetchAndSolve(server.url, 'aaaaaaaabbbbccccddddeeeeeeeeeeee');
    expect(await run(runner, path, [solution, solution, '', 'x.y.z', foreign, test])).toEqual({
      said: ['good', 'bad', 'bad', 'bad', 'bad', 'bad'],
      errors: '',
    });
    const fresh = await fetchAndSolve(server.url, shared.sitekey);
    expect((await run(runner, path, [fresh], 'wrong-key-wrong-key-wrong-key-wrong')).said).toEqual(['bad']);
  });

  test('accepts subdomains and localhost if the property allows them', async () => {
    const draft = { level: 1, growth: 'constant', allowsSubdomains: true, allowsLocalhost: true } as const;
    const property = await addProperty(server, owner, { name: `Wide, for ${id}`, ...draft });
    const solutions = await Promise.all(
      [
        'https://example.com',
        'https://a.b.example.com',
        'http://localhost:3000',
        'http://127.0.0.1',
        'http://[::1]:8080',
        'http://shop.localhost:3000',
      ].map((origin) => fetchAndSolve(server.url, property.sitekey, origin)),
    );
    const { said } = await run(runner, propertyPath(server, owner, property), solutions);
    expect(said).toEqual(solutions.map(() => 'good'));
  });

  test('accepts only hosts that the property accepts', async () => {
    const draft = { level: 1, growth: 'constant', allowsLocalhost: true } as const;
    const wide = await addProperty(server, owner, {
      name: `Once wide, for ${id}`,
      ...draft,
      allowsSubdomains: true,
    });
    const solutions = await Promise.all(
      ['https://www.example.com', 'http://localhost:3000', 'http://[::1]', 'http://a.localhost'].map(
        (origin) => fetchAndSolve(server.url, wide.sitekey, origin),
      ),
    );
    await server.raw.query(
      'UPDATE properties SET allows_subdomains = FALSE, allows_localhost = FALSE WHERE id = ?',
      [wide.id],
    );
    const { said } = await run(runner, propertyPath(server, owner, wide), solutions);
    expect(said).toEqual(solutions.map(() => 'bad'));
  });

  // Backends that insisted on code 0 rejected every form during maintenance.
  test('accepts a solution during maintenance, once', async () => {
    await server.app.services.maintenance.set(INSTALLATION, true);
    const solution = await fetchAndSolve(server.url, shared.sitekey);
    const { said } = await run(runner, path, [solution, solution]);
    await server.app.services.maintenance.set(INSTALLATION, false);
    expect(said).toEqual(['good', 'bad']);
  });

  test('accepts the repeats that the property permits', async () => {
    const fields = { ...DEFAULT_FIELDS, name: shared.name, level: '1', growth: 'constant' };
    await owner.browser.fill(`${path}/settings`, { ...fields, accept_repeated: 'on', max_replay_count: '2' });
    const solution = await fetchAndSolve(server.url, shared.sitekey);
    expect((await run(runner, path, [solution, solution, solution])).said).toEqual(['good', 'good', 'bad']);
  });
});

describe('the integration page', () => {
  test('has the script, the pinned script with its integrity, and the widget with the sitekey', async () => {
    const property = await addProperty(server, owner, { name: 'PageResponse' });
    const path = propertyPath(server, owner, property);
    const page = await copied('page', path);
    const script = /src="([^"]*)"/.exec(page)?.[1] ?? '';
    expect(script).toBe(`${server.url}/widget/postern.js`);
    const pinned = await copied('pinned', path);
    const [, address = '', integrity = ''] = /src="([^"]*)"\s+integrity="sha384-([^"]*)"/.exec(pinned) ?? [];
    const file = await (await fetch(address)).arrayBuffer();
    expect(new Bun.CryptoHasher('sha384').update(file).digest('base64')).toBe(integrity);
    expect(page).toContain(`class="postern-captcha" data-sitekey="${property.sitekey}"`);
    expect(page).toContain('<noscript>');
  });

  test('shows no API key, and where to create one', async () => {
    const property = await addProperty(server, owner, { name: 'Keyless' });
    const { text } = await owner.browser.get(`${propertyPath(server, owner, property)}/integration`);
    expect(text).toContain('href="/portal/settings/api-keys"');
    expect(text).toContain('YOUR_VERIFY_KEY');
    expect(text).not.toContain('postern_verify_');
  });
});

describe('the code for other vendors', () => {
  test.each([
    ['recaptcha', 'g-recaptcha-response'],
    ['recaptcha-v3', 'g-recaptcha-response'],
    ['hcaptcha', 'h-captcha-response'],
    ['turnstile', 'cf-turnstile-response'],
    ['altcha', 'altcha'],
    ['cap', 'cap-token'],
    ['private-captcha', 'private-captcha-solution'],
  ])(
    'for %s loads a script that exists, and verifies at a URL that accepts solutions',
    async (vendor, field) => {
      const property = await addProperty(server, owner, { name: vendor, level: 1, growth: 'constant' });
      const path = propertyPath(server, owner, property);
      const page = await copied(`${vendor}-page`, path);
      expect(page).toContain(property.sitekey);
      const [, script = ''] = /src="([^"]+)"/.exec(page) ?? [];
      const loaded = await fetch(script);
      expect([loaded.status, loaded.headers.get('Access-Control-Allow-Origin')]).toEqual([200, '*']);
      expect((await owner.browser.get(`${path}/integration`)).text).toContain(`<code>${field}</code>`);
      const solution = await fetchAndSolve(server.url, property.sitekey);
      const url = await copied(`${vendor}-url`, path);
      const init = url.endsWith('/verify')
        ? { headers: { 'X-API-Key': key }, body: solution }
        : vendor === 'altcha'
          ? { body: JSON.stringify({ secret: key, payload: solution }) }
          : { body: new URLSearchParams({ secret: key, response: solution }) };
      const response = await fetch(url, { method: 'POST', ...init });
      const accepted = vendor === 'altcha' ? { verified: true } : { success: true };
      expect(await response.json()).toMatchObject(accepted);
    },
  );
});
