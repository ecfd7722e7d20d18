import { isLoopbackHost } from '../lib/address.ts';

/** How to reach a PostgreSQL database. */
export type DatabaseUrl = {
  /** In the order in which they are tried. A host that starts with `/` is the directory of a Unix socket. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  /** Undefined if the URL contains no password. */
  readonly password: string | undefined;
  readonly database: string;
  /** Whether connections use TLS and verify the certificate of the server, including its host name. */
  readonly isEncrypted: boolean;
};

const DEFAULT_PORT = 5432;
const MAX_LENGTH = 2000;
/** A primary server and its replicas. */
const MAX_HOSTS = 10;

/** User information, hosts, database, and parameters of a connection URI (PostgreSQL 15 documentation, section 34.1.1.2). */
const FORMAT = /^postgres(?:ql)?:\/\/([^@/?#]+)@([^@/?#]+)\/([^@/?#]+)(?:\?sslmode=(disable|verify-full))?$/;
/** An IPv6 address in brackets, or another host, and a port. */
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[^[\]:]+)(?::(\d{1,5}))?$/;

/**
 * Parses `postgres://user[:password]@host[:port][,host[:port]…]/database[?sslmode=…]`. Reserved characters are percent-encoded,
 * including the slashes in the directory of a Unix socket. Without `sslmode`, connections use TLS unless all hosts are loopback
 * addresses or Unix sockets.
 *
 * @returns undefined if the URL is invalid or has other parameters
 */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, userInfo = '', hostList = '', path = '', sslMode] = FORMAT.exec(text) ?? [];
  const [name = '', secret, ...rest] = userInfo.split(':');
  const user = decode(name);
  const password = secret === undefined ? undefined : decode(secret);
  const database = decode(path);
  const hosts = hostList.split(',').map(parseHost);
  const isComplete = user !== undefined && database !== undefined && rest.length === 0;
  if (!isComplete || (secret !== undefined && password === undefined)) return undefined;
  if (hosts.length > MAX_HOSTS || !hosts.every((host) => host !== undefined)) return undefined;
  const isLocal = hosts.every(({ host }) => host.startsWith('/') || isLoopbackHost(host));
  const isEncrypted = sslMode === undefined ? !isLocal : sslMode === 'verify-full';
  return { hosts, user, password, database, isEncrypted };
}

function parseHost(text: string): DatabaseUrl['hosts'][number] | undefined {
  const [, name, portText] = HOST.exec(text) ?? [];
  const host = name === undefined ? undefined : decode(name);
  const port = portText === undefined ? DEFAULT_PORT : Number(portText);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** @returns undefined if the text is empty, contains a control character, or is not percent-encoded correctly */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return decoded === '' || /\p{Cc}/u.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}
