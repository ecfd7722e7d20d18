import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type RunningBinary, startBinary } from '../../support/binary.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type CommandLine, createCommandLine, PROGRAM } from '../commandLine.ts';
import type { Check } from '../doctor/examine.ts';

let cli: CommandLine;
beforeEach(() => {
  cli = createCommandLine();
});
afterEach(() => cli.remove());

/** The program with other limits of open files. */
const withLimit = (hard: number, soft = hard) =>
  ['sh', '-c', `ulimit -n ${hard}; ulimit -Sn ${soft}; exec "$@"`, 'sh', ...PROGRAM] as const;

const eventsOf = ({ output }: Pick<RunningBinary, 'output'>, event: string) =>
  output()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line));

async function run(limit: number, ...words: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', ...(await cli.environment()) };
  const child = Bun.spawnSync([...withLimit(limit), ...words], { env });
  return { code: child.exitCode, out: child.stdout.toString(), err: child.stderr.toString() };
}

/** Opens connections that send nothing. */
async function openConnections(url: string, count: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  // The kernel accepts them even while the server does not.
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  return sockets;
}

describe('a limit of open files', () => {
  // A server with a lower limit used to listen without ever accepting a connection.
  test('that is too low for a server prevents its start', async () => {
    const { code, err } = await run(48, 'serve');
    expect(code).toBe(2);
    expect(err).toMatch(
      /^postern: this process can open only 48 files, but a server needs 64\. .*LimitNOFILE=/,
    );
  });

  test('below the recommendation is logged at the start', async () => {
    const server = await startBinary(withLimit(512), await cli.environment());
    expect(eventsOf(server, 'file-limit-low')).toMatchObject([
      { level: 'warn', limit: 512, recommended: 4096 },
    ]);
    expect(await server.end('SIGTERM')).toBe(0);
  });

  test('is the hard limit, because Bun raises the soft limit', async () => {
    const server = await startBinary(withLimit(512, 48), await cli.environment());
    expect(readFileSync(`/proc/${server.pid}/limits`, 'utf8')).toMatch(/^Max open files +512 +512 /m);
    expect(eventsOf(server, 'file-limit-low')).toMatchObject([{ limit: 512 }]);
    expect(await server.end('SIGTERM')).toBe(0);
  });

  // At the limit, the server used to leave new connections waiting without logging anything.
  test('that is reached is logged, and the server works again when connections end', async () => {
    const server = await startBinary(withLimit(128), await cli.environment());
    const sockets = await openConnections(server.url, 200);
    await waitUntil('the event is logged', () => eventsOf(server, 'file-limit-reached').length > 0);
    expect(eventsOf(server, 'file-limit-reached')).toMatchObject([{ level: 'error', code: 'EMFILE' }]);
    for (const socket of sockets) socket.destroy();
    await waitUntil('the server responds', async () => (await fetch(`${server.url}/readyz`)).ok);
    expect(await server.end('SIGTERM')).toBe(0);
  });

  test.each([
    [48, { ok: false, warning: false }],
    [512, { ok: true, warning: true }],
    [4096, { ok: true, warning: false }],
  ])('of %d is checked by `doctor`', async (limit, expected) => {
    const { out } = await run(limit, 'doctor', '--json');
    const { checks } = JSON.parse(out) as { checks: readonly Check[] };
    expect(checks.find(({ name }) => name === 'file-limit')).toMatchObject(expected);
  });
});
