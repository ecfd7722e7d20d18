import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createLog, reasonOf } from '../lib/log.ts';
import { systemClock } from '../lib/time.ts';
import { type Command, CommandError } from './command.ts';
import { configOf } from './withServices.ts';

/** `postern openapi`: what `GET /swagger/json` answers, without a server and without the data folder. */
export const openapi: Command = {
  name: 'openapi',
  usage: '',
  summary: 'Prints the OpenAPI document of the HTTP API.',
  options: {},
  async run(context) {
    const text = await documentFor(configOf(context));
    context.out(context.isJson ? text : JSON.stringify(JSON.parse(text), null, 2));
    return 0;
  },
};

/** The document comes from the routes of a whole appliance, here one with nothing in it. */
async function documentFor(config: Config): Promise<string> {
  const dataDir = temporaryFolder();
  try {
    const { openApp } = await import('../server/app.ts');
    const log = createLog({ level: 'error', format: 'json', clock: systemClock, write: () => {} });
    const app = await openApp({ config: { ...config, ...NOBODY, dataDir }, log });
    try {
      return await (await app.fetch(new Request('http://localhost/swagger/json'))).text();
    } finally {
      await app.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** No first user, no keys, no demo: hashing a password takes its time. */
const NOBODY = {
  adminEmail: undefined,
  adminPassword: undefined,
  portalKey: undefined,
  verifyKey: undefined,
  demo: false,
  swagger: 'public',
} as const satisfies Partial<Config>;

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'postern-openapi-'));
  } catch (cause) {
    throw new CommandError(`a temporary folder is needed, TMPDIR or /tmp: ${reasonOf(cause)}`, { cause });
  }
}
