import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BackendClient, Language } from './client.ts';
import { phpSettings } from './network.ts';
import type { Postern } from './postern.ts';

/** Runs the libraries of backends in their own processes. */

type Program = {
  readonly extension: string;
  readonly command: (file: string, folder: string) => readonly string[];
  /** @returns the program that calls `verify` with each token, and prints the results as a JSON list in its last line */
  readonly program: (code: string) => string;
};

/** What each program reads. */
const NODE_KIT = `
import http from 'node:http';
const { POSTERN_URL: url, POSTERN_HTTPS: https, POSTERN_SECRET: secret, POSTERN_SITEKEY: sitekey } = process.env;
const offlineSecret = process.env.POSTERN_OFFLINE_SECRET;
/** Serves the handler, and sends a form. Returns whether the status is below 400. */
async function submit(handler, fields, headers = {}) {
  const server = http.createServer(handler);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const body = new URLSearchParams(fields);
  const address = 'http://127.0.0.1:' + server.address().port + '/';
  const response = await fetch(address, { method: 'POST', body, headers, redirect: 'manual' });
  server.close();
  return response.status < 400;
}`;

const PROGRAMS: Readonly<Record<Language, Program>> = {
  node: {
    extension: 'mjs',
    command: (file) => ['node', file],
    program: (code) => `${NODE_KIT}
${code}
const results = [];
for (const token of JSON.parse(process.env.POSTERN_TOKENS)) results.push((await verify(token)) === true);
process.stdout.write('\\n' + JSON.stringify(results) + '\\n', () => process.exit(0));`,
  },
  php: {
    extension: 'php',
    command: (file, folder) => ['php', '-d', 'display_errors=stderr', ...phpSettings(folder), file],
    program: (code) => `<?php
$url = getenv('POSTERN_URL');
$secret = getenv('POSTERN_SECRET');
${code}
echo "\\n" . json_encode(array_map('verify', json_decode(getenv('POSTERN_TOKENS')))) . "\\n";`,
  },
  perl: {
    extension: 'pl',
    command: (file) => ['perl', file],
    program: (code) => `use strict; use warnings; use JSON::PP;
my ($url, $secret) = ($ENV{POSTERN_URL}, $ENV{POSTERN_SECRET});
${code}
my @results = map { verify($_) ? 'true' : 'false' } @{decode_json($ENV{POSTERN_TOKENS})};
print "\\n[" . join(',', @results) . "]\\n";`,
  },
  python: {
    extension: 'py',
    // Debian's interpreter, because it finds Debian's packages.
    command: (file) => ['/usr/bin/python3', file],
    program: (code) => `import json, os
url, secret, sitekey = (os.environ["POSTERN_" + name] for name in ("URL", "SECRET", "SITEKEY"))
${code}
print("\\n" + json.dumps([verify(token) for token in json.loads(os.environ["POSTERN_TOKENS"])]))`,
  },
  ruby: {
    extension: 'rb',
    command: (file) => ['ruby', file],
    program: (code) => `require 'json'
${code}
puts "\\n" + JSON.parse(ENV['POSTERN_TOKENS']).map { |token| verify(token) }.to_json`,
  },
  go: {
    extension: 'go',
    command: (file) => ['go', 'run', file],
    program: (code) => `package main
import ("encoding/json"; "fmt"; "os")
${code}
func main() {
	var tokens []string
	json.Unmarshal([]byte(os.Getenv("POSTERN_TOKENS")), &tokens)
	results := []bool{}
	for _, token := range tokens { results = append(results, verify(token)) }
	text, _ := json.Marshal(results)
	fmt.Println("\\n" + string(text))
}`,
  },
};

/** Verifies a solution, the same one again, and a text that is none. @throws with the reason if a result is wrong */
export async function runBackend(client: BackendClient, folder: string, postern: Postern): Promise<void> {
  const { language, group, code, token: kind, repeats = false } = client;
  const { extension, command, program } = PROGRAMS[language];
  const at = join(folder, group);
  mkdirSync(at, { recursive: true });
  const file = join(at, `client.${extension}`);
  await Bun.write(file, program(code));
  const token = await postern.solve(kind);
  const { url, https, secret, sitekey, offlineSecret } = postern.settings;
  const child = Bun.spawn([...command(file, folder)], {
    cwd: at,
    env: {
      ...process.env,
      NODE_NO_WARNINGS: '1',
      GO111MODULE: 'off',
      GOPATH: '/usr/share/gocode',
      POSTERN_URL: url.replace('localhost', '127.0.0.1'),
      POSTERN_HTTPS: https,
      POSTERN_SECRET: secret,
      POSTERN_SITEKEY: sitekey,
      POSTERN_OFFLINE_SECRET: offlineSecret,
      POSTERN_TOKENS: JSON.stringify([token, token, 'garbage']),
    },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 120_000,
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const last = output.trim().split('\n').at(-1) ?? '';
  const expected = JSON.stringify([true, repeats, false]);
  if (last.replaceAll(' ', '') === expected) return;
  throw new Error(`${last} instead of ${expected}: ${errors.slice(-600)}`);
}
