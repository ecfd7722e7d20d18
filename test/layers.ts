/**
 * The tests that `npm test` runs, in layers: each is one run of `bun test`. Several layers run at the same time.
 *
 * This file runs before any package is installed, so it imports only a file that does the same.
 */
import { type Browser, browserFiles } from './browsers.ts';

export type Layer = {
  readonly name: string;
  /** Files and folders below `test/`. */
  readonly paths: readonly string[];
  readonly engine: 'sqlite' | 'postgres';
  /** The browser of `openTab`; otherwise, Chromium. */
  readonly browser?: Browser;
  /** Whether it runs only if this clone has no record that it passed with the same files. @see records.ts */
  readonly isRecorded?: true;
  /** Whether temporary files are on disk, because the tests kill servers while they write; otherwise, in memory. @see memoryFolder.ts */
  readonly isOnDisk?: true;
};

/**
 * The tests in `test/http`, `test/portal`, and `test/cli` that run a second time, on PostgreSQL. `test/contract` proves that
 * the stores of both engines behave alike; these tests cover what involves more than one call of a store: concurrent requests,
 * tasks, claims, data that nodes share, exports, imports, and commands beside a running server.
 */
const ON_POSTGRES: readonly string[] = [
  'cli/exports/export.test.ts',
  'cli/exports/import.test.ts',
  'cli/server.test.ts',
  'http/authentication.test.ts',
  'http/delayedClaims.test.ts',
  'http/internalError.test.ts',
  'http/keyExpiry.test.ts',
  'http/maintenance.test.ts',
  'http/metrics.test.ts',
  'portal/account/interruptedForms.test.ts',
  'portal/account/signIn.test.ts',
  'http/rejectedKeys.test.ts',
  'http/replay.test.ts',
  'http/rules.test.ts',
  'http/tasks.test.ts',
  'http/tasksQueue.test.ts',
  'http/tasksStorageFailure.test.ts',
];

/** In the order in which they start: the longest ones first. */
export const LAYERS: readonly Layer[] = [
  { name: 'browser', paths: ['browser'], engine: 'sqlite', isRecorded: true },
  {
    name: 'main',
    paths: [
      'config.test.ts',
      'lib',
      'puzzle',
      'model',
      'captcha',
      'simulation',
      'analysis',
      'bench',
      'clients',
      'compare',
      'conformance',
      'platform',
      'geoip',
      'jobs',
      'metrics',
      'server',
      'support',
      'threads',
      'vectors',
      'fuzz',
      'http',
      'portal',
      'jsx',
      'widget',
    ],
    engine: 'sqlite',
  },
  { name: 'e2e', paths: ['e2e'], engine: 'sqlite', isRecorded: true, isOnDisk: true },
  { name: 'processes', paths: ['acme', 'backup', 'cli', 'contract', 'storage'], engine: 'sqlite' },
  { name: 'architecture', paths: ['architecture'], engine: 'sqlite' },
  { name: 'proof', paths: ['proof'], engine: 'sqlite', isRecorded: true },
  {
    name: 'release',
    paths: ['release', 'debian/package.test.ts', 'debian/service.test.ts', 'mounts'],
    engine: 'sqlite',
    isRecorded: true,
    isOnDisk: true,
  },
  { name: 'PostgreSQL', paths: ON_POSTGRES, engine: 'postgres' },
  { name: 'deploy', paths: ['deploy', 'container'], engine: 'sqlite', isRecorded: true, isOnDisk: true },
  { name: 'examples', paths: ['examples', 'npm'], engine: 'sqlite', isRecorded: true },
  {
    name: 'Firefox',
    paths: browserFiles('firefox', 'main'),
    engine: 'sqlite',
    browser: 'firefox',
    isRecorded: true,
  },
  {
    name: 'WebKit',
    paths: browserFiles('webkit', 'main'),
    engine: 'sqlite',
    browser: 'webkit',
    isRecorded: true,
  },
  { name: 'complete browser', paths: ['completeBrowser'], engine: 'sqlite', isRecorded: true },
];
