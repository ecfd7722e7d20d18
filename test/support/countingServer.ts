/**
 * Runs a server whose counter of the data increases every five milliseconds: `bun countingServer.ts FOLDER MARK_FOLDER
 * full|normal`. Prints its URL to standard output when it is ready, and its log to standard error.
 */
import { writeSync } from 'node:fs';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import { openApp } from '../../src/server/app.ts';

const [dataDir = '', markDir = '', durability = ''] = process.argv.slice(2);

const { config, errors } = readConfig(
  {},
  {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_MARK_DIR: markDir,
    POSTERN_REPLAY_DURABILITY: durability,
    POSTERN_THREADS: '1',
  },
);
if (config === undefined) throw new Error(errors.join('; '));
const write = (line: string) => void writeSync(2, `${line}\n`);
const log = createLog({ level: 'info', format: 'json', clock: systemClock, write, limits: LOG_LIMITS });
const app = await openApp({ config, log, countEveryMs: 5 });
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch });
app.setPeer((request) => server.requestIP(request)?.address);
writeSync(1, `${server.url.origin}\n`);
