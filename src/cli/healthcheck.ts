import type { IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import { reasonOf } from '../lib/log.ts';
import { socketPathOf } from '../lib/parse.ts';
import { SECOND } from '../lib/time.ts';
import { type Command, type Context, UsageError } from './command.ts';
import { parseWebUrl, textOption } from './options.ts';
import { requireConfig } from './withServices.ts';

/** Shorter than the time limits of container runtimes. */
const TIMEOUT = 3 * SECOND;

/** `postern healthcheck`. */
export const healthcheck: Command = {
  name: 'healthcheck',
  usage: '[--url U]',
  summary: 'Checks whether a running server is ready. Prints nothing if it is.',
  options: { url: 'Public URL of the server. Default: the configured bind address and port.' },
  example: 'postern healthcheck',
  async run(context) {
    const target = findTarget(context);
    const result = await check(target);
    const ok = result.status === 200 && result.reason === null;
    if (context.isJson) context.out(JSON.stringify({ ok, url: target.url, ...result }));
    if (ok) return 0;
    const reason = result.reason ?? (result.problems.join(', ') || 'not ready');
    const response = result.status === null ? 'did not respond' : `returned ${result.status}`;
    context.err(`postern: ${target.socketPath ?? target.url} ${response}: ${reason}`);
    return 1;
  },
};

type Target = {
  readonly url: string;
  /** The Unix socket of the server; undefined for a server with an address. */
  readonly socketPath?: string;
  /** True if the URL comes from the configuration: the certificate is not valid for the bind address. */
  readonly acceptsAnyCertificate: boolean;
};

type Result = {
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  /** The problems that the server reports. */
  readonly problems: readonly string[];
  /** The reason why the response is missing or invalid; null if it is valid. */
  readonly reason: string | null;
};

function findTarget(context: Context): Target {
  const url = textOption(context, 'url');
  if (url === undefined) return configuredTarget(requireConfig(context));
  return { url: `${parseWebUrl('url', url)}/readyz`, acceptsAnyCertificate: false };
}

function configuredTarget({ host, port, tlsCert, acmeDomains }: Config): Target {
  const socketPath = socketPathOf(host);
  if (socketPath !== undefined)
    return { url: 'http://localhost/readyz', socketPath, acceptsAnyCertificate: false };
  if (port === 0) throw new UsageError('POSTERN_PORT is 0, so the port is unknown; use --url');
  const scheme = tlsCert === undefined && acmeDomains.length === 0 ? 'http' : 'https';
  return { url: `${scheme}://${toConnectableHost(host)}:${port}/readyz`, acceptsAnyCertificate: true };
}

/** @returns the loopback address for a wildcard address; IPv6 addresses in brackets */
export function toConnectableHost(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (bare === '0.0.0.0') return '127.0.0.1';
  if (/^[0:]+$/.test(bare)) return '[::1]';
  return bare.includes(':') ? `[${bare}]` : bare;
}

async function check(target: Target): Promise<Result> {
  const signal = AbortSignal.timeout(TIMEOUT);
  try {
    const response = await get(target, signal);
    const body = await readText(response);
    return { status: response.statusCode ?? null, ...parseBody(body) };
  } catch (error) {
    const reason = signal.aborted ? `no response within ${TIMEOUT / SECOND} seconds` : reasonOf(error);
    return { status: null, problems: [], reason };
  }
}

async function get(
  { url, socketPath, acceptsAnyCertificate }: Target,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // Not fetch, because it would use a proxy from the environment. Loaded here because other commands do not need these modules.
  const client = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const options = { rejectUnauthorized: !acceptsAnyCertificate, signal, ...(socketPath && { socketPath }) };
  return new Promise((resolve, reject) => {
    const request = client.request(url, options);
    request.on('response', resolve);
    request.on('error', reject);
    request.end();
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** Another server on this port may also return 200, so the body is checked too. */
function parseBody(body: string): Pick<Result, 'problems' | 'reason'> {
  try {
    const { problems } = JSON.parse(body) as { problems?: unknown };
    if (Array.isArray(problems)) return { problems: problems.map(String), reason: null };
  } catch {
    // Not JSON: reported below.
  }
  return { problems: [], reason: 'the response does not come from Postern' };
}
