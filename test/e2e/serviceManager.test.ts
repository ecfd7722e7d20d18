import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from '../../build/build.ts';
import { freePort, killLeftovers, spawnServer } from '../support/binary.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** Prints each notification that a socket receives, with the name of the socket's kind. The distribution's Perl needs no packages. */
const RECEIVER = `
  use Socket;
  my ($path) = @ARGV;
  $path =~ s/^@/\\0/;
  socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die $!;
  bind($socket, pack_sockaddr_un($path)) or die $!;
  $| = 1;
  print "listening\\n";
  while (defined recv($socket, my $message, 4096, 0)) { print "$message\\n" }
`;

for (const [kind, threads] of [
  ['path', '1'],
  ['abstract', '2'],
] as const) {
  test(`systemd learns that the server is ready, works, and stops (${kind} socket, ${threads} threads)`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-notify-'));
    const path = join(folder, 'notify');
    const socket = kind === 'path' ? path : `@${path}`;
    const receiver = Bun.spawn(['perl', '-e', RECEIVER, socket], { stdout: 'pipe' });
    let received = '';
    void receiver.stdout.pipeTo(
      new WritableStream({
        write(chunk) {
          received += new TextDecoder().decode(chunk);
        },
      }),
    );
    await waitUntil('the receiver listens', () => received.includes('listening'));
    const server = spawnServer(buildIfStale(), {
      POSTERN_DATA_DIR: join(folder, 'data'),
      POSTERN_PORT: String(await freePort()),
      POSTERN_THREADS: threads,
      NOTIFY_SOCKET: socket,
      WATCHDOG_USEC: '200000',
    });
    await waitUntil('the watchdog is satisfied', () => received.split('WATCHDOG=1').length > 3);
    expect(await server.end('SIGTERM')).toBe(0);
    await waitUntil('the server has announced its end', () => received.includes('STOPPING=1'));
    receiver.kill();
    expect(received).toMatch(/^listening\nREADY=1\n(WATCHDOG=1\n)+STOPPING=1\n(WATCHDOG=1\n)*$/);
    await killLeftovers();
    rmSync(folder, { recursive: true, force: true });
  });
}
