import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../architecture/tree.ts';
import { freePort, type ServerProcess, spawnServer } from './binary.ts';
import type { Pebble } from './pebble.ts';
import { waitUntil } from './waitUntil.ts';

/** The domain of the certificates. */
export const DOMAIN = 'captcha.example.com';

export type LogEvent = Readonly<Record<string, string | number>>;

/** A server with automatic HTTPS. */
export type AcmeServer = ServerProcess & {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** All events with this name so far. */
  readonly events: (name: string) => readonly LogEvent[];
  /** Waits for an event. @returns the first one @throws if the server exits or after PATIENCE_MS */
  readonly waitFor: (name: string) => Promise<LogEvent>;
  /** Sends a request to the http port for the domain. */
  readonly http: (path: string, init?: RequestInit) => Promise<Response>;
  /**
   * Sends a request with curl and its options; curl verifies the certificate for the domain. If a certificate was obtained, the function
   * first waits until the port is open.
   *
   * @returns the status and the body
   */
  readonly https: (
    path: string,
    domain?: string,
    ...options: readonly string[]
  ) => Promise<{ status: number; body: string; failure: string }>;
};

/** Starts a server that obtains its certificate from Pebble, and does not wait for it. */
export async function startAcmeServer(
  command: string | readonly string[],
  pebble: Pebble,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<AcmeServer> {
  const httpsPort = Number(settings.POSTERN_PORT ?? (await freePort()));
  const httpPort = Number(settings.POSTERN_ACME_HTTP_PORT ?? pebble.httpPort);
  const server = spawnServer(command, {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_PORT: String(httpsPort),
    POSTERN_ACME_DOMAIN: DOMAIN,
    POSTERN_ACME_EMAIL: 'ops@example.com',
    POSTERN_ACME_HTTP_PORT: String(httpPort),
    POSTERN_ACME_DIRECTORY: pebble.directory,
    POSTERN_ACME_CA: pebble.caFile,
    // One thread uses a certificate as soon as it logs the event.
    POSTERN_THREADS: '1',
    ...settings,
  });
  const events = (name: string) => parseEvents(server.output()).filter(({ event }) => event === name);

  async function waitFor(name: string) {
    await waitUntil(`${name} in ${server.output()}`, () => events(name).length > 0 || server.hasEnded());
    const [first] = events(name);
    if (first === undefined) throw new Error(`the server ended without ${name}: ${server.output()}`);
    return first;
  }

  async function https(path: string, domain = DOMAIN, ...options: readonly string[]) {
    // The port opens a moment later.
    if (events('certificate-obtained').length > 0) await waitFor('https-started');
    const target = `${domain}:${httpsPort}`;
    const { exitCode, output } = await run(
      ...['curl', ...options, '--silent', '--show-error', '--resolve', `${target}:127.0.0.1`],
      ...['--cacert', pebble.rootFile, '--write-out', '\n%{http_code}', `https://${target}${path}`],
    );
    const lines = output.split('\n');
    if (exitCode !== 0) return { status: 0, body: '', failure: output };
    return { status: Number(lines.at(-1)), body: lines.slice(0, -1).join('\n'), failure: '' };
  }

  return {
    ...server,
    httpPort,
    httpsPort,
    events,
    waitFor,
    http: (path, init = {}) =>
      fetch(`http://127.0.0.1:${httpPort}${path}`, {
        redirect: 'manual',
        ...init,
        headers: { Host: DOMAIN, ...init.headers },
      }),
    https,
  };
}

function parseEvents(output: string): readonly LogEvent[] {
  // The last line may be incomplete.
  const lines = output.split('\n').slice(0, -1);
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogEvent);
}

/** The folder of the ACME files in a data folder. */
export function acmeFolderIn(dataDir: string): string {
  const [name = ''] = readdirSync(join(dataDir, 'acme'));
  return join(dataDir, 'acme', name);
}
