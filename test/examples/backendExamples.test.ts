import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { Property } from '../../src/model/property.ts';
import { textOf } from '../architecture/tree.ts';
import { freePort } from '../support/binary.ts';
import { addTenant, expectOk, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { PYTHON } from './python.ts';

/** The examples of docs/how-to/verify-on-your-backend.md, run as they are on the page against a running server. */

const PAGE = 'docs/how-to/verify-on-your-backend.md';
const page = await textOf(PAGE);
const EXAMPLES = new Map(
  [...page.matchAll(/^```\w+ title="([^"]+)"\n([\s\S]*?)^```$/gm)].map(([, title = '', code = '']) => [
    title,
    code,
  ]),
);

/** The host, the key, and the sitekey that readers replace. */
const HOST = 'https://captcha.example.com';
const KEY = 'YOUR_VERIFY_KEY';
const SITEKEY = '0123456789abcdef0123456789abcdef';

type Language = {
  readonly file: string;
  /** The program that has to be installed to run the example. */
  readonly needs: string;
  /** A command that fails if the program lacks a part that the example needs. */
  readonly probe?: readonly string[];
  /** Files that call the example with the solution on standard input and print the result, by name. */
  readonly callers: Readonly<Record<string, string>>;
  /** Compiles the example and its caller. */
  readonly build?: readonly string[];
  readonly command: readonly string[];
};

const JAVASCRIPT = `
import { CaptchaUnavailable, verifyCaptcha } from './verify.mjs';
let solution = '';
for await (const chunk of process.stdin) solution += chunk;
try {
  console.log((await verifyCaptcha(solution)) ? 'accepted' : 'rejected');
} catch (error) {
  console.log(error instanceof CaptchaUnavailable ? 'undecided' : String(error));
}`;

const LANGUAGES: Readonly<Record<string, Language>> = {
  curl: {
    file: 'verify.sh',
    needs: 'curl',
    callers: {
      'call.sh': `. ./verify.sh
verify_captcha "$(cat)"
case $? in 0) echo accepted ;; 1) echo rejected ;; 2) echo undecided ;; esac`,
    },
    command: ['sh', 'call.sh'],
  },
  'JavaScript in Node': {
    file: 'verify.mjs',
    needs: 'node',
    callers: { 'call.mjs': JAVASCRIPT },
    command: ['node', 'call.mjs'],
  },
  'JavaScript in Bun': {
    file: 'verify.mjs',
    needs: process.execPath,
    callers: { 'call.mjs': JAVASCRIPT },
    command: [process.execPath, 'call.mjs'],
  },
  Python: {
    file: 'verify.py',
    needs: PYTHON,
    callers: {
      'call.py': `import sys
from verify import CaptchaUnavailable, verify_captcha
try:
    print("accepted" if verify_captcha(sys.stdin.read()) else "rejected")
except CaptchaUnavailable:
    print("undecided")`,
    },
    command: [PYTHON, 'call.py'],
  },
  PHP: {
    file: 'verify.php',
    needs: 'php',
    probe: ['php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);'],
    callers: {
      'call.php': `<?php
require __DIR__ . '/verify.php';
try {
    echo verify_captcha(stream_get_contents(STDIN)) ? 'accepted' : 'rejected';
} catch (CaptchaUnavailable) {
    echo 'undecided';
}`,
    },
    command: ['php', 'call.php'],
  },
  Go: {
    file: 'verify.go',
    needs: 'go',
    callers: {
      'go.mod': 'module example\n',
      'call/main.go': `package main

import (
	"fmt"
	"io"
	"os"

	captcha "example"
)

func main() {
	solution, _ := io.ReadAll(os.Stdin)
	isAccepted, err := captcha.Verify(string(solution))
	if err != nil {
		fmt.Println("undecided")
	} else if isAccepted {
		fmt.Println("accepted")
	} else {
		fmt.Println("rejected")
	}
}
`,
    },
    build: ['go', 'build', '-o', 'call/call', './call'],
    command: ['call/call'],
  },
  Ruby: {
    file: 'verify.rb',
    needs: 'ruby',
    callers: {
      'call.rb': `require_relative 'verify'
begin
  puts verify_captcha($stdin.read) ? 'accepted' : 'rejected'
rescue CaptchaUnavailable
  puts 'undecided'
end`,
    },
    command: ['ruby', 'call.rb'],
  },
  Java: {
    file: 'Captcha.java',
    needs: 'javac',
    callers: {
      'Call.java': `import java.io.IOException;
public final class Call {
    public static void main(String[] arguments) throws IOException, InterruptedException {
        String solution = new String(System.in.readAllBytes());
        try {
            System.out.println(Captcha.verify(solution) ? "accepted" : "rejected");
        } catch (Captcha.CaptchaUnavailable unavailable) {
            System.out.println("undecided");
        }
    }
}`,
    },
    build: ['javac', '-proc:none', 'Call.java', 'Captcha.java'],
    command: ['java', '-XX:TieredStopAtLevel=1', 'Call'],
  },
};

const installed = Object.entries(LANGUAGES).filter(
  ([, { needs, probe }]) =>
    Bun.which(needs) !== null && (probe === undefined || Bun.spawnSync([...probe]).success),
);

let server: TestServer;
let tenant: Tenant;
let front: Awaited<ReturnType<typeof createFront>>;
/** Another property of the same owner. */
let easy: Property;
const folders: string[] = [];

beforeAll(async () => {
  server = await startServer();
  front = await createFront();
  tenant = await addTenant(server);
  const { id: organizationId } = tenant.organization;
  const draft = {
    organizationId,
    name: 'Easy',
    domain: 'example.com',
    level: 1,
    growth: 'constant',
  } as const;
  easy = expectOk(await server.app.services.properties.create(INSTALLATION, draft));
});
afterAll(async () => {
  await front.stop();
  await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Runs a compiled example with a solution. @returns what it prints */
type Verify = (solution: string) => Promise<string>;

/** Writes the example and its caller to a folder, and compiles them. Requests go to `front`. */
async function prepare({ file, callers, build, command }: Language): Promise<Verify> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-example-'));
  folders.push(folder);
  const code = EXAMPLES.get(file) ?? '';
  const filled = code
    .replace(HOST, front.url)
    .replace(KEY, tenant.verifyKey)
    .replace(SITEKEY, tenant.property.sitekey);
  for (const [name, text] of Object.entries({ ...callers, [file]: filled }))
    await Bun.write(join(folder, name), text);
  const run = (words: readonly string[], solution = '') =>
    Bun.spawn([...words], {
      cwd: folder,
      stdin: new TextEncoder().encode(solution),
      stdout: 'pipe',
      stderr: 'inherit',
    });
  if (build !== undefined && (await run(build).exited) !== 0) throw new Error(`${build.join(' ')} failed`);
  return async (solution) => (await new Response(run(command, solution).stdout).text()).trim();
}

/** A server in front of Postern, so that a program that was compiled once can also be tested with failures. */
async function createFront() {
  const port = await freePort();
  let failures = 0;
  const statuses: number[] = [];
  const listen = () =>
    Bun.serve({
      port,
      hostname: '127.0.0.1',
      async fetch(request) {
        const isFailure = failures-- > 0;
        const headers = { ...Object.fromEntries(request.headers), host: '' };
        const body = await request.arrayBuffer();
        const response = isFailure
          ? new Response('unavailable', { status: 503 })
          : await fetch(`${server.url}/verify`, { method: 'POST', headers, body });
        statuses.push(response.status);
        return new Response(await response.arrayBuffer(), { status: response.status });
      },
    });
  let listener = listen();
  return {
    url: `http://127.0.0.1:${port}`,
    /** Fails the next requests with status 503. @returns the statuses of all responses from now on */
    fail(count: number) {
      failures = count;
      statuses.length = 0;
      return statuses;
    },
    stop: () => listener.stop(true),
    restart() {
      listener = listen();
    },
  };
}

const solveOne = () => fetchAndSolve(server.url, tenant.property.sitekey);

describe.each(installed)('the %s example', (_, language) => {
  let verify: Verify;
  beforeAll(async () => {
    verify = await prepare(language);
  });

  test('accepts a solution once', async () => {
    const solution = await solveOne();
    expect(await verify(solution)).toBe('accepted');
    expect(await verify(solution)).toBe('rejected');
  });

  test('rejects an empty, a malformed, and a very long solution', async () => {
    for (const solution of ['', 'ä\n"$(x)', 'A'.repeat(3_000_000)]) {
      expect([solution.length, await verify(solution)]).toEqual([solution.length, 'rejected']);
    }
  });

  test('rejects a solution for another property of the same owner', async () => {
    const solution = await fetchAndSolve(server.url, easy.sitekey);
    expect(await verify(solution)).toBe('rejected');
    // The key may verify the other property, so only the sitekey can be the reason.
    const headers = { 'X-API-Key': tenant.verifyKey, 'X-PC-Sitekey': easy.sitekey };
    const response = await fetch(`${server.url}/verify`, { method: 'POST', headers, body: solution });
    expect(await response.json()).toMatchObject({ success: true });
  });

  test('retries once, and then reports that nothing was decided', async () => {
    const once = front.fail(1);
    expect([await verify(await solveOne()), ...once]).toEqual(['accepted', 503, 200]);
    const twice = front.fail(2);
    expect([await verify(await solveOne()), ...twice]).toEqual(['undecided', 503, 503]);
    const solution = await solveOne();
    await front.stop();
    try {
      expect(await verify(solution)).toBe('undecided');
    } finally {
      front.restart();
    }
  });
});

describe('all examples', () => {
  const LANGUAGES_OF_PAGE = ['curl', 'JavaScript', 'Python', 'PHP', 'Go', 'Ruby', 'Java', 'C#'];

  test('are on the page, one for each language', () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
    expect(headings).toEqual(['Rules', ...LANGUAGES_OF_PAGE, 'Test your integration']);
    expect(EXAMPLES.size).toBe(LANGUAGES_OF_PAGE.length);
  });

  test.each([...EXAMPLES])(
    '%s sends the sitekey, sets a timeout, and contains one of each placeholder',
    (_, code) => {
      for (const placeholder of [HOST, KEY, SITEKEY]) expect(code.split(placeholder)).toHaveLength(2);
      expect(code).toContain('X-PC-Sitekey');
      expect(code).toMatch(/timeout|max-time 5/i);
      expect(code).toMatch(/429|StatusTooManyRequests/);
      // A very long solution can look like a network error, which must not make a backend fail open.
      expect(code).toMatch(/10_?000/);
    },
  );

  test('include at least curl and Bun, which every run of the tests has', () => {
    expect(installed.map(([name]) => name)).toEqual(expect.arrayContaining(['curl', 'JavaScript in Bun']));
  });
});
