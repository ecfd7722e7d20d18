import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAYERS } from '../layers.ts';
import { freePort } from '../support/binary.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { BINARY } from './support.ts';

/** Runs every command of the README exactly as it is written there. */
const ROOT = join(import.meta.dir, '../..');
const BLOCKS = blocksOf('README.md');
const COMMANDS = commandsIn(BLOCKS);

type Block = { readonly language: string; readonly text: string };

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = '', code = '']) => ({
    language,
    text: code,
  }));
}

function commandsIn(blocks: readonly Block[]): readonly string[] {
  return blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trim().split('\n'));
}

const CURL =
  'curl -X POST http://localhost:8080/verify -H "X-API-Key: $VERIFY_KEY" -H "X-PC-Sitekey: $SITEKEY" --data-raw "$SOLUTION"';
const BUILD = 'npx --yes bun@1.4.5 run build';
/** Create objects; a shell runs them together. */
const CREATE = [
  './dist/postern users create --email you@example.com --admin',
  `ORG_ID=$(./dist/postern orgs create --user you@example.com --name "My company" | awk '$1 == "id" { print $2 }')`,
  './dist/postern properties create --org "$ORG_ID" --name Login --domain example.com --allow-localhost',
  './dist/postern keys create --user you@example.com --name Backend --scope verify',
];
const SERVE = './dist/postern serve';
/** test/container builds and runs the image. */
const DOCKER = [
  'docker build -t postern .',
  'docker run -p 127.0.0.1:8080:8080 -v postern-data:/data -e POSTERN_DEMO=on postern',
];

/** The commands that the tests below run. If the README gets a new command, the first test fails until it is added here. */
const RUN = ['npm start', 'npm test', ...DOCKER, CURL, BUILD, ...CREATE, SERVE];

/** The machine that runs the tests may be offline. */
const NO_DNS = { POSTERN_DNS_CHECK: 'off' };

function shell(command: string, cwd: string, env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawnSync(['bash', '-c', command], { cwd, env: { ...process.env, ...env } });
  return { exitCode: child.exitCode, out: child.stdout.toString(), err: child.stderr.toString() };
}

test('all commands of the README are tested', () => {
  expect(COMMANDS).toEqual(RUN);
});

test('`npm test` runs this file', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.test).toBe('npx --yes bun@1.4.5 test/run.ts');
  expect(LAYERS.flatMap(({ paths }) => paths)).toContain('e2e');
});

test('the build command creates one file', () => {
  const built = shell(BUILD, ROOT);
  expect(built.exitCode).toBe(0);
  expect(built.out.trim().split('\n').at(-1)).toEndWith('/dist/postern');
}, 120_000);

describe('npm start', () => {
  let folder: string;
  let port: number;
  let started: ReturnType<typeof Bun.spawn>;
  let output = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postern-readme-'));
    port = await freePort();
    // Its own process group, so that one signal ends all of its processes, as Ctrl-C in a terminal does.
    started = Bun.spawn(['setsid', 'npm', 'start'], {
      cwd: ROOT,
      env: { ...process.env, POSTERN_PORT: String(port), POSTERN_DATA_DIR: join(folder, 'data') },
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const reader = (started.stdout as ReadableStream<Uint8Array>).getReader();
    while (!output.includes('Portal key:')) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`npm start ended: ${output}`);
      output += new TextDecoder().decode(value);
    }
  }, 120_000);

  afterAll(async () => {
    process.kill(-started.pid, 'SIGINT');
    await started.exited;
    rmSync(folder, { recursive: true, force: true });
  });

  test('prints the URL of the demo page', async () => {
    const page = /Demo page:\s+(\S+)/.exec(output)?.[1] ?? '';
    expect(page).toBe(`http://localhost:${port}/demo`);
    const response = await fetch(page);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('class="postern-captcha"');
  });

  test('the example code of the README verifies a solution once', async () => {
    const snippet = BLOCKS.find(({ language }) => language === 'html')?.text ?? '';
    const script = /src="([^"]+)"/.exec(snippet)?.[1] ?? '';
    expect((await fetch(script.replace('localhost:8080', `localhost:${port}`))).status).toBe(200);
    expect(snippet).toContain('class="postern-captcha"');

    const sitekey = /Sitekey:\s+(\w+)/.exec(output)?.[1] ?? '';
    const env = {
      SITEKEY: sitekey,
      VERIFY_KEY: /Verify key:\s+(\w+)/.exec(output)?.[1] ?? '',
      SOLUTION: await fetchAndSolve(`http://localhost:${port}`, sitekey, 'http://localhost'),
    };
    const curl = CURL.replace('localhost:8080', `localhost:${port}`).replace('curl', 'curl -s');
    const first = JSON.parse(shell(curl, folder, env).out);
    expect(first).toMatchObject({ success: true, code: 0, origin: 'localhost' });
    expect(JSON.parse(shell(curl, folder, env).out)).toMatchObject({ success: false, code: 8 });
  });

  test('the commands of the tutorial verify a solution once', () => {
    const [start, , , solve = '', curl = ''] = commandsIn(blocksOf('docs/tutorial/first-verification.md'));
    expect(start).toBe('npm start');
    const env = {
      SITEKEY: /Sitekey:\s+(\w+)/.exec(output)?.[1] ?? '',
      VERIFY_KEY: /Verify key:\s+(\w+)/.exec(output)?.[1] ?? '',
    };
    const script = [solve, curl, curl].join('\n').replaceAll('localhost:8080', `localhost:${port}`);
    const { out } = shell(script.replaceAll('curl ', 'curl -s '), ROOT, env);
    expect(out).toContain('"success":true,"code":0');
    expect(out).toContain('"success":false,"code":8');
  });
});

test('the commands for the executable create a property and verify a solution', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-readme-'));
  cpSync(BINARY, join(folder, 'dist/postern'));
  const port = await freePort();
  const env = { POSTERN_PORT: String(port), POSTERN_DATA_DIR: join(folder, 'data'), ...NO_DNS };
  const { exitCode, out } = shell(['set -e', ...CREATE].join('\n'), folder, env);
  expect(exitCode).toBe(0);
  const fieldIn = (name: string) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(out)?.[1] ?? '';
  const sitekey = fieldIn('sitekey');
  const key = fieldIn('key');
  const server = Bun.spawn(['bash', '-c', `exec ${SERVE}`], {
    cwd: folder,
    env: { ...process.env, ...env },
    stderr: 'pipe',
  });
  const reader = server.stderr.getReader();
  let log = '';
  while (!log.includes('server-started')) log += new TextDecoder().decode((await reader.read()).value);
  const solution = await fetchAndSolve(`http://localhost:${port}`, sitekey);
  const curl = CURL.replace('localhost:8080', `localhost:${port}`).replace('curl', 'curl -s');
  const verdict = JSON.parse(
    shell(curl, folder, { SITEKEY: sitekey, VERIFY_KEY: key, SOLUTION: solution }).out,
  );
  expect(verdict).toMatchObject({ success: true, code: 0, origin: 'example.com' });
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  rmSync(folder, { recursive: true, force: true });
}, 120_000);
