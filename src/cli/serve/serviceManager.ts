import { dlopen, ptr } from 'bun:ffi';
import type { NotificationTarget } from '../../config.ts';

/** systemd, as its services see it (sd_notify(3)). */
export type ServiceManager = ReturnType<typeof connectToServiceManager>;

// socket(2) and unix(7) on Linux.
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
/** Drops the message instead of waiting if the queue of the socket is full. */
const MSG_DONTWAIT = 0x40;
/** The length of `sockaddr_un.sun_path`. */
const MAX_PATH = 108;

/**
 * Connects to systemd. Bun and Node.js do not support Unix datagram sockets, so this calls the C library.
 *
 * @param isWorking resolves if all threads respond; while it does not, the watchdog gets no notification
 * @throws if the C library or the socket cannot be used
 */
export function connectToServiceManager(
  { socket, watchdogMs }: NotificationTarget,
  isWorking: () => Promise<void>,
) {
  const send = openSender(socket);
  let timer: Timer | undefined;
  return {
    /** Reports that the server accepts connections. From then on, reports at half of the watchdog's interval that the server works. */
    ready(): void {
      send('READY=1');
      if (watchdogMs === undefined) return;
      const prove = () =>
        void isWorking().then(
          () => send('WATCHDOG=1'),
          () => {},
        );
      timer = setInterval(prove, watchdogMs / 2);
    },
    /** Reports that the server has begun to stop. */
    stopping: (): void => send('STOPPING=1'),
    /** Sends no further notifications. */
    close: (): void => clearInterval(timer),
  };
}

/** @returns a function that sends one datagram, and ignores failures, because systemd may be restarting */
function openSender(path: string): (message: string) => void {
  const { symbols } = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
  });
  const address = toSocketAddress(path);
  const descriptor = symbols.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw new Error('the socket for notifications could not be created');
  return (message) => {
    const bytes = Buffer.from(message);
    symbols.sendto(descriptor, ptr(bytes), bytes.length, MSG_DONTWAIT, ptr(address), address.length);
  };
}

/** @returns a `sockaddr_un`; a path that begins with `@` belongs to the abstract namespace */
function toSocketAddress(path: string): Buffer {
  const name = Buffer.from(path.startsWith('@') ? `\0${path.slice(1)}` : path);
  if (name.length >= MAX_PATH) throw new RangeError('the path of the socket for notifications is too long');
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer);
  return Buffer.concat([family, name, Buffer.alloc(path.startsWith('@') ? 0 : 1)]);
}
