import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { closeAfter } from '../lib/closing.ts';
import { createLog, reasonOf } from '../lib/log.ts';
import { systemClock } from '../lib/time.ts';
import { LOG_LIMITS } from '../model/logEvents.ts';
import { type Command, CommandError } from './command.ts';
import { requireConfig } from './withServices.ts';

/** `postern openapi`: prints the response of `GET /swagger/json` without a server and without the data folder. */
export const openapi: Command = {
  name: 'openapi',
  usage: '',
  summary: 'Prints the OpenAPI document of the HTTP API.',
  example: 'postern openapi',
  async run(context) {
    const text = await fetchDocument(requireConfig(context));
    context.out(context.isJson ? text : JSON.stringify(JSON.parse(text), null, 2));
    return 0;
  },
};

/** The document describes the routes of a server, so this starts one with an empty data folder. */
async function fetchDocument(config: Config): Promise<string> {
  const dataDir = createTemporaryFolder();
  try {
    const { openApp } = await import('../server/app.ts');
    const log = createLog({
      level: 'error',
      format: 'json',
      clock: systemClock,
      write: () => {},
      limits: LOG_LIMITS,
    });
    const app = await openApp({ config: { ...config, ...EMPTY, dataDir }, log });
    return await closeAfter(app.close, async () =>
      (await app.fetch(new Request('http://localhost/swagger/json'))).text(),
    );
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** No first user, no API keys, and no demo, because hashing a password is slow. No request threads, because no port is opened. */
const EMPTY = {
  adminEmail: undefined,
  adminPassword: undefined,
  portalKey: undefined,
  verifyKey: undefined,
  demo: false,
  swagger: 'public',
  threads: 1,
} as const satisfies Partial<Config>;

function createTemporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'postern-openapi-'));
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new CommandError(`cannot create a temporary folder in TMPDIR or /tmp: ${reason}`, { cause });
  }
}
