import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { reasonOf } from '../../lib/log.ts';
import type { App } from '../../server/app.ts';
import { CommandError } from '../command.ts';

/** A proxy that runs as another user can connect if that user is a member of the file's group. */
const MODE = 0o660;

/** The client address of all connections, which have none of their own. `toConfig` in config.ts trusts it. */
const PEER = '127.0.0.1';

export type UnixListenerOptions = {
  readonly path: string;
  readonly app: Pick<App, 'setPeer'>;
  /** The options of the server, without its address. */
  readonly options: { readonly fetch: App['fetch'] };
};

/**
 * Listens on a Unix socket. Replaces the file of a server that was killed.
 *
 * @returns a function that stops accepting connections and deletes the file. It resolves when the last request is finished
 * @throws (rejects) CommandError if another server listens on the socket, or if the file is not a socket or cannot be created
 */
export async function listenOnUnixSocket({
  path,
  app,
  options,
}: UnixListenerOptions): Promise<() => Promise<void>> {
  const fail = (reason: string, cause?: unknown) =>
    new CommandError(`cannot listen on ${path} (POSTERN_HOST): ${reason}`, { cause });
  await removeStaleSocket(path, fail);
  app.setPeer(() => PEER);
  let server: Bun.Server<undefined>;
  let created: number;
  try {
    server = Bun.serve({ ...options, unix: path });
    chmodSync(path, MODE);
    created = lstatSync(path).ino;
  } catch (cause) {
    throw fail(reasonOf(cause), cause);
  }
  return async () => {
    const stopped = server.stop();
    // If another server has replaced the file, it keeps its file.
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === created) rmSync(path, { force: true });
    await stopped;
  };
}

/** @throws (rejects) the result of `fail` unless the file is missing or is a socket on which no server listens */
async function removeStaleSocket(path: string, fail: (reason: string) => CommandError): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) throw fail('the file exists and is not a socket');
  if (await isListening(path)) throw fail('another server listens on this socket');
  rmSync(path, { force: true });
}

/** @returns false only if no server listens on the socket; a full queue or missing permissions do not prove that */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', (error) => resolve(!('code' in error && error.code === 'ECONNREFUSED')));
  });
}
