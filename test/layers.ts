/**
 * The tests that `npm test` runs, in layers: each is one run of `bun test`.
 *
 * This file runs before any package is installed, so it imports nothing.
 */

export type Layer = {
  readonly name: string;
  /** Files and folders below `test/`. */
  readonly paths: readonly string[];
  /** The layers of a lane run one after another; the two lanes run at the same time. `wait` mostly waits for browsers and processes. */
  readonly lane: 'compute' | 'wait';
  readonly engine: 'sqlite' | 'postgres';
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
  'http/platform/statistics.test.ts',
  'portal/account/interruptedForms.test.ts',
  'portal/account/signIn.test.ts',
  'http/rejectedKeys.test.ts',
  'http/replay.test.ts',
  'http/rules.test.ts',
  'http/tasks.test.ts',
  'http/tasksQueue.test.ts',
  'http/tasksStorageFailure.test.ts',
];

export const LAYERS: readonly Layer[] = [
  { name: 'architecture', paths: ['architecture'], lane: 'compute', engine: 'sqlite' },
  {
    name: 'main',
    paths: [
      'config.test.ts',
      'lib',
      'acme',
      'puzzle',
      'model',
      'captcha',
      'simulation',
      'bench',
      'platform',
      'storage',
      'backup',
      'contract',
      'geoip',
      'jobs',
      'metrics',
      'server',
      'support',
      'threads',
      'vectors',
      'fuzz',
      'proof',
      'http',
      'portal',
      'jsx',
      'cli',
      'widget',
    ],
    lane: 'compute',
    engine: 'sqlite',
  },
  { name: 'PostgreSQL', paths: ON_POSTGRES, lane: 'compute', engine: 'postgres' },
  { name: 'browser', paths: ['browser'], lane: 'wait', engine: 'sqlite' },
  { name: 'e2e', paths: ['e2e'], lane: 'wait', engine: 'sqlite', isOnDisk: true },
  { name: 'examples', paths: ['examples'], lane: 'wait', engine: 'sqlite' },
  {
    name: 'release',
    paths: ['release', 'debian/package.test.ts', 'debian/service.test.ts', 'mounts'],
    lane: 'wait',
    engine: 'sqlite',
    isRecorded: true,
    isOnDisk: true,
  },
  {
    name: 'deploy',
    paths: ['deploy', 'container'],
    lane: 'wait',
    engine: 'sqlite',
    isRecorded: true,
    isOnDisk: true,
  },
];
