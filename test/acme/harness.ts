import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificate, createChallenges } from '../../src/acme/certificate.ts';
import { type Renewer, startRenewer } from '../../src/acme/renewer.ts';
import { createLog } from '../../src/lib/log.ts';
import { type Instant, later } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import type { LogEvent } from '../support/acmeServer.ts';

/** A renewer with a clock that the test advances. */
export type TestRenewer = Renewer & {
  readonly folder: string;
  readonly now: () => Instant;
  /** The certificates that were applied. */
  readonly certificates: readonly Certificate[];
  readonly events: (name: string) => readonly LogEvent[];
  /** Waits until the renewer waits for its next step. */
  readonly settle: () => Promise<void>;
  /** Advances the clock, runs the steps that become due, and waits until the renewer waits again. */
  readonly advance: (milliseconds: number) => Promise<void>;
};

export type TestRenewerOptions = {
  readonly directory: string;
  readonly ca?: string;
  readonly folder?: string;
  readonly startAt?: Instant;
  /** The port on which the responses to challenges are served; 0 for none. */
  readonly httpPort: number;
  /** Called before the response to each challenge. */
  readonly onChallenge?: (folder: string) => void;
  readonly random?: () => number;
};

const DOMAINS = ['captcha.example.com'];

export function startTestRenewer(options: TestRenewerOptions): TestRenewer {
  const { directory, ca, httpPort, onChallenge, random = () => 0.5 } = options;
  const folder = options.folder ?? join(mkdtempSync(join(tmpdir(), 'postern-renewer-')), 'acme');
  let now = options.startAt ?? (Date.now() as Instant);
  const clock = () => now;
  const challenges = createChallenges();
  const certificates: Certificate[] = [];
  const lines: LogEvent[] = [];
  let waiting: { readonly until: Instant; readonly wake: () => void } | undefined;
  let settled = Promise.withResolvers<void>();
  const http = serveChallenges(httpPort, (token) => {
    onChallenge?.(folder);
    return challenges.find(token);
  });

  const renewer = startRenewer({
    directory,
    ca,
    folder,
    challenges,
    domains: DOMAINS,
    email: 'ops@example.com',
    onCertificate: (certificate) => void certificates.push(certificate),
    log: createLog({
      limits: LOG_LIMITS,
      level: 'info',
      format: 'json',
      clock,
      write: (line) => void lines.push(JSON.parse(line)),
    }),
    clock,
    random,
    wait: (milliseconds, signal) =>
      new Promise<void>((wake) => {
        waiting = { until: later(now, milliseconds), wake };
        settled.resolve();
        signal.addEventListener('abort', () => wake());
        if (signal.aborted) wake();
      }),
  });
  const settle = () => settled.promise;

  async function advance(milliseconds: number): Promise<void> {
    const end = later(now, milliseconds);
    await settle();
    while (waiting !== undefined && waiting.until <= end) {
      const { until, wake } = waiting;
      now = until;
      waiting = undefined;
      settled = Promise.withResolvers<void>();
      wake();
      await settle();
    }
    now = end;
  }

  return {
    ...renewer,
    folder,
    certificates,
    now: clock,
    events: (name) => lines.filter(({ event }) => event === name),
    settle,
    advance,
    async stop() {
      await renewer.stop();
      await http?.stop(true);
    },
  };
}

function serveChallenges(port: number, find: (token: string) => string | undefined) {
  if (port === 0) return undefined;
  return Bun.serve({
    hostname: '127.0.0.1',
    port,
    fetch: ({ url }) => new Response(find(new URL(url).pathname.split('/').at(-1) ?? '') ?? 'unknown'),
  });
}
