import type { Usage } from '../../../src/captcha/usage.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/lib/log.ts';
import { systemClock } from '../../../src/lib/time.ts';
import { LOG_LIMITS } from '../../../src/model/logEvents.ts';
import { openApp } from '../../../src/server/app.ts';

/** A server run from source, with statistics unless `COUNTS` is `off`. Prints its port. */

const NO_USAGE: Usage = {
  countPuzzle() {},
  countVerdict() {},
  countKey() {},
  flush: async () => {},
  merge() {},
  addLost() {},
  pending: () => 0,
  takeLost: () => 0,
};

const { config, errors } = readConfig({}, { POSTERN_THREADS: '1', ...process.env });
if (config === undefined) throw new Error(errors.join('; '));
const write = (line: string) => process.stderr.write(`${line}\n`);
const log = createLog({ limits: LOG_LIMITS, level: config.log, format: 'json', clock: systemClock, write });
const app = await openApp({ config, log, ...(process.env.COUNTS === 'off' ? { usage: NO_USAGE } : {}) });
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch });
app.setPeer((request) => server.requestIP(request)?.address);
console.log(server.port);
