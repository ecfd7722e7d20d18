// Not fetch: that would ask a proxy named in the environment.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Config } from '../config.ts';
import { reasonOf } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import { type Command, type Context, textOption, UsageError, webUrl } from './command.ts';
import { configOf } from './withServices.ts';

/** Shorter than what container runtimes give a health check. */
const TIMEOUT = 3 * SECOND;

/** `postern healthcheck`. */
export const healthcheck: Command = {
  name: 'healthcheck',
  usage: '[--url U]',
  summary: 'Asks a running server whether it can serve; says nothing when it can.',
  options: { url: { type: 'string' } },
  async run(context) {
    const target = targetOf(context);
    const answer = await ask(target);
    const ok = answer.status === 200 && answer.reason === null;
    if (context.isJson) context.out(JSON.stringify({ ok, url: target.url, ...answer }));
    if (ok) return 0;
    const why = answer.reason ?? (answer.troubles.join(', ') || 'not ready');
    context.err(
      `postern: ${target.url} ${answer.status === null ? 'gave nothing' : `answered ${answer.status}`}: ${why}`,
    );
    return 1;
  },
};

type Target = {
  readonly url: string;
  /** Our own server, asked by its address: its certificate names another. */
  readonly acceptsAnyCertificate: boolean;
};

type Answer = {
  /** HTTP status; null where there was no answer. */
  readonly status: number | null;
  /** What the server says is wrong. */
  readonly troubles: readonly string[];
  /** Why there was no answer, or none that can be read. */
  readonly reason: string | null;
};

function targetOf(context: Context): Target {
  const text = textOption(context, 'url');
  if (text === undefined) return ownTarget(configOf(context));
  return { url: `${webUrl('url', text)}/readyz`, acceptsAnyCertificate: false };
}

function ownTarget({ host, port, tlsCert }: Config): Target {
  if (port === 0) throw new UsageError('POSTERN_PORT is 0, which may be any port; give --url');
  const scheme = tlsCert === undefined ? 'http' : 'https';
  return { url: `${scheme}://${reachable(host)}:${port}/readyz`, acceptsAnyCertificate: true };
}

/** Wildcards are listened on, but nobody connects to them. */
function reachable(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (bare === '0.0.0.0') return '127.0.0.1';
  if (/^[0:]+$/.test(bare)) return '[::1]';
  return bare.includes(':') ? `[${bare}]` : bare;
}

async function ask(target: Target): Promise<Answer> {
  const signal = AbortSignal.timeout(TIMEOUT);
  try {
    const response = await get(target, signal);
    const body = await textOf(response);
    return { status: response.statusCode ?? null, ...readBody(body) };
  } catch (error) {
    const reason = signal.aborted ? `no answer within ${TIMEOUT / SECOND} seconds` : reasonOf(error);
    return { status: null, troubles: [], reason };
  }
}

function get({ url, acceptsAnyCertificate }: Target, signal: AbortSignal): Promise<IncomingMessage> {
  const options = { rejectUnauthorized: !acceptsAnyCertificate, signal };
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? httpsRequest(url, options) : httpRequest(url, options);
    request.on('response', resolve);
    request.on('error', reject);
    request.end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** A proxy or a stranger on this port may answer 200 too. */
function readBody(body: string): Pick<Answer, 'troubles' | 'reason'> {
  try {
    const { troubles } = JSON.parse(body) as { troubles?: unknown };
    if (Array.isArray(troubles)) return { troubles: troubles.map(String), reason: null };
  } catch {
    // Told below.
  }
  return { troubles: [], reason: 'this is not what Postern answers' };
}
