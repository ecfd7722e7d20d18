import { type Load, type Measurement, measure } from '../clients/wrk.ts';
import type { BenchServer, Windows } from './lab.ts';
import type { PayloadFile } from './payloads.ts';

/** The loads that several parts send with wrk. */

/** Requests that are sent or in preparation when wrk stops, for each connection. */
const UNFINISHED = 2;
/** More verifications than a server can answer in a second, before a window has been measured. */
const FIRST_ESTIMATE = 60_000;
const CONNECTIONS = 32;

/** `GET /puzzle` for a page of the property's domain. */
export function puzzleLoad({ duration }: Windows, { sitekey }: BenchServer): Load {
  return { path: `/puzzle?sitekey=${sitekey}`, script: 'get.lua', seconds: duration.seconds };
}

/**
 * Measures a window of `POST /verify`. Each solution is sent to the server once.
 *
 * @throws if the server does not accept the first solution, because rejections cost less
 */
export async function measureVerifications(
  { duration, payloads }: Windows,
  server: Pick<BenchServer, 'url' | 'pid' | 'secret' | 'sent'>,
  perSecond = FIRST_ESTIMATE,
  connections = CONNECTIONS,
): Promise<Measurement> {
  await payloads.ensure(Math.ceil(server.sent + 1 + 1.5 * perSecond * duration.seconds));
  await expectAccepted(server, payloads);
  const env = {
    PAYLOADS: payloads.path,
    OFFSET: String(server.sent * (payloads.length + 1)),
    KEY: server.secret,
  };
  const load = { path: '/verify', script: 'post.lua', env, seconds: duration.seconds, connections };
  const measured = await measure(server, load);
  server.sent += measured.requests + UNFINISHED * connections;
  return measured;
}

async function expectAccepted(
  server: Pick<BenchServer, 'url' | 'secret' | 'sent'>,
  { path, length }: PayloadFile,
): Promise<void> {
  const start = server.sent * (length + 1);
  const body = await Bun.file(path)
    .slice(start, start + length)
    .text();
  const headers = { 'content-type': 'text/plain', 'x-api-key': server.secret };
  const response = await fetch(new URL('/verify', server.url), { method: 'POST', headers, body });
  const verdict = await response.text();
  if (!verdict.startsWith('{"success":true')) throw new Error(`not accepted: ${response.status} ${verdict}`);
  server.sent++;
}

/** A POST of the same size as a verification, for the baseline. */
export function postLoad({ duration, payloads }: Windows, { secret }: Pick<BenchServer, 'secret'>): Load {
  const env = { PAYLOADS: payloads.path, REPEAT: '1', KEY: secret };
  return { path: '/verify', script: 'post.lua', env, seconds: duration.seconds };
}
