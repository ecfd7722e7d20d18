/**
 * `bun release.ts [--target NAME]... [--format tar|deb|rpm]... [--output FOLDER]` builds a release in dist/release.
 *
 * The time in all archives is `SOURCE_DATE_EPOCH`, or the time of the last commit. This file runs before any package is installed,
 * so it imports only Bun, Node, and build.ts. The rest runs in its own process: Bun does not find packages that were installed
 * while it was running.
 */
import { join } from 'node:path';
import { install } from './build.ts';

install();
const { exitCode } = Bun.spawnSync(
  [process.execPath, join(import.meta.dir, 'release/main.ts'), ...process.argv.slice(2)],
  { stdio: ['inherit', 'inherit', 'inherit'] },
);
process.exitCode = exitCode;
