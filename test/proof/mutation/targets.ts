import { join } from 'node:path';
import { Glob } from 'bun';

/** What is examined, in this order. */
export type Target = {
  readonly name: string;
  /** Patterns of source files below `src/`. */
  readonly sources: readonly string[];
  /** Patterns of the test files below `test/` that must kill the mutants. */
  readonly tests: readonly string[];
};

export const TARGETS: readonly Target[] = [
  {
    name: 'puzzle',
    sources: ['puzzle/*.ts'],
    tests: ['puzzle/*', 'puzzle/hashwx/check.test.ts', 'vectors/*', 'captcha/**', 'fuzz/payloads.test.ts'],
  },
  {
    name: 'captcha',
    sources: ['captcha/**/*.ts'],
    tests: [
      'captcha/**',
      'jobs/usageFlush.test.ts',
      'platform/rules/*',
      'http/{puzzle,verify}.test.ts',
      'http/dialects/*',
      'http/platform/statistics.test.ts',
      'server/meters.test.ts',
      'architecture/costDocs.test.ts',
    ],
  },
  {
    name: 'model',
    sources: ['model/*.ts', 'model/rules/*.ts'],
    tests: [
      'model/**',
      'captcha/{rules/*,usage.test.ts}',
      'fuzz/{decoders,hostile,rules}.test.ts',
      'platform/{apiKeys,installation,properties,rules,users}/*',
      'architecture/docs.test.ts',
      'config.test.ts',
      'storage/{ruleRows,statisticsRows}.test.ts',
    ],
  },
  {
    name: 'ledgers',
    sources: [
      'storage/sqlite/ledger/*.ts',
      'storage/postgres/ledger/*.ts',
      'storage/ledgerClient/*.ts',
      'server/checkedLedger.ts',
    ],
    tests: [
      'storage/{claimRequests,claims,claimsFile,movedPuzzles,recentClaims}.test.ts',
      'storage/{ledgerClient,ledgerClientQueues,ledgerClients,ledgerFile,ledgerThread}.test.ts',
      'storage/postgres/{claimGroups,claimQueue,connections,holdTime,ledgerFailures,openConnection,openedLedger}.test.ts',
      'server/{checkedLedger,claimWatch,restoredCluster}.test.ts',
      'contract/{memory,postgresLedger}.test.ts',
    ],
  },
  {
    name: 'sessions and guards',
    sources: [
      'platform/authentication/*.ts',
      'portal/kit/{cookies,forms,guards,handler,heldForms,route,sessionStart,tokens}.ts',
      'http/apiKeyGuard.ts',
      'server/keyGuards.ts',
    ],
    tests: [
      'platform/authentication/*',
      'platform/installation/setup.test.ts',
      'portal/kit/{cookies,forms,guards,heldForms,maintenance,route,routes,sessionStart,tokens}.test.ts',
      'portal/account/{settings,signIn,twoFactor}.test.ts',
      'portal/properties/propertyShare.test.ts',
      'http/{apiKeyGuard,keyExpiry,rejectedKeys}.test.ts',
      'http/platform/useStatistics.test.ts',
      'server/keyGuards.test.ts',
    ],
  },
];

const ROOT = join(import.meta.dir, '../../..');

function pathsOf(folder: string, patterns: readonly string[], ending: RegExp): readonly string[] {
  const paths = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(join(ROOT, folder))]);
  return [...new Set(paths)]
    .filter((path) => ending.test(path))
    .map((path) => `${folder}/${path}`)
    .toSorted();
}

/** @returns paths below the root */
export const sourcesOf = ({ sources }: Target) => pathsOf('src', sources, /\.ts$/);

/** @returns paths below the root */
export const testsOf = ({ tests }: Target) => pathsOf('test', tests, /\.test\.tsx?$/);
