import type { ScenarioName } from './scenarios/scenarios.ts';

/** A fault that a change could introduce into the product. The module hook injects it into the source when the file is loaded. */
export type Fault = {
  readonly name: string;
  /** What the fault changes, for the documentation. */
  readonly about: string;
  /** Path below `src/`. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly scenario: ScenarioName;
};

export const FAULTS: readonly Fault[] = [
  {
    name: 'missing-fsync',
    about: 'A commit to the claims file does not wait for `fsync`.',
    file: 'storage/sqlite/ledger/claims.ts',
    find: "durability === 'full' ? 'FULL' : 'NORMAL'",
    replace: "'NORMAL'",
    scenario: 'sqlite',
  },
  {
    name: 'claim-before-check',
    about: 'A verification counts the claim before it compares the sitekey.',
    file: 'captcha/verify.ts',
    find: "if (!isExpected(sitekey, expectedSitekey)) return concludeEarly('property-invalid', signed, principal);",
    replace: `if (!isExpected(sitekey, expectedSitekey)) {
      const { puzzleId, expiresAtSeconds } = payload.puzzle;
      const counted = { puzzleId, expiresAtSeconds, keyFingerprint: signed.fields.keyFingerprint };
      return attempt(
        () => deps.guard.claim(counted, 1),
        () => concludeEarly('property-invalid', signed, principal),
        (error) => failToClaim(signed, error),
      );
    }`,
    scenario: 'sqlite',
  },
  {
    name: 'accepting-cache',
    about: 'The replay cache accepts a puzzle that it contains, without asking the ledger.',
    file: 'captcha/replay.ts',
    find: "if (cache.lookUp(claim, maxCount) >= maxCount) return 'spent';",
    replace: `const known = cache.lookUp(claim, maxCount);
      if (known >= maxCount) return 'spent';
      if (known > 0) return 'repeat';`,
    scenario: 'postgres',
  },
  {
    name: 'confused-puzzles',
    about: "The replay cache compares only half of a puzzle's id.",
    file: 'captcha/replayCache.ts',
    find: 'if (words[row] !== low || words[row + COLUMN.high] !== high) continue;',
    replace: 'if (words[row] !== low || high < 0) continue;',
    scenario: 'sqlite',
  },
  {
    name: 'kept-counts',
    about: 'The counts in memory are kept after a failed transaction.',
    file: 'storage/sqlite/ledger/claims.ts',
    find: 'recent.forget();',
    replace: '',
    scenario: 'sqlite',
  },
  {
    name: 'unseen-process',
    about: 'The ledger does not detect commits by another process.',
    file: 'storage/sqlite/ledger/recentClaims.ts',
    find: 'if (current !== version) read();',
    replace: 'if (version === undefined) read();',
    scenario: 'sqlite',
  },
  {
    name: 'unfiltered-move',
    about: 'The filter does not contain the puzzles that were moved to the table.',
    file: 'storage/sqlite/ledger/recentClaims.ts',
    find: 'moved.add(key);',
    replace: '',
    scenario: 'sqlite',
  },
  {
    name: 'purge-without-record',
    about: 'A purge deletes claims, but does not record its time.',
    file: 'storage/sqlite/ledger/claims.ts',
    find: 'record.run(known, beforeSeconds);',
    replace: '',
    scenario: 'sqlite',
  },
  {
    name: 'early-purge',
    about: 'A purge deletes claims an hour before their puzzles expire.',
    file: 'storage/postgres/ledger/purge.ts',
    find: 'const claims = await deleteClaims(sql, beforeSeconds);',
    replace: 'const claims = await deleteClaims(sql, beforeSeconds + 2 * 3600);',
    scenario: 'postgres',
  },
  {
    name: 'lost-request',
    about: 'After a group gets its connection, the next group cannot request one (PostgreSQL).',
    file: 'storage/postgres/ledger/groups.ts',
    find: '      isRequested = false;\n',
    replace: '',
    scenario: 'postgres',
  },
  {
    name: 'lost-timer',
    about: 'The timer for claims that wait for a larger group does not send them (PostgreSQL).',
    file: 'storage/postgres/ledger/groups.ts',
    find: '        schedule(true);\n',
    replace: '',
    scenario: 'postgres',
  },
  {
    name: 'repeated-group',
    about: 'A group whose result is unknown is sent again (PostgreSQL).',
    file: 'storage/postgres/ledger/groups.ts',
    find: 'run((sql) => commit(sql, group), { onGranted })',
    replace: 'run((sql) => commit(sql, group), { onGranted }).catch(() => run((sql) => commit(sql, group)))',
    scenario: 'postgres',
  },
  {
    name: 'unlocked-key',
    about: 'Requests with the same idempotency key do not wait for each other (PostgreSQL).',
    file: 'storage/postgres/ledger/repeats.ts',
    find: '      await sql.unsafe(LOCK, [key.hash]);\n',
    replace: '',
    scenario: 'postgres',
  },
  {
    name: 'forgotten-calls',
    about: 'When a thread ends, the calls that wait for its answer are not rejected.',
    file: 'threads/protocol.ts',
    find: '    for (const id of [...handlers.keys()]) settle({ reason }, id, 1);\n',
    replace: '',
    scenario: 'sqlite',
  },
  {
    name: 'lost-tasks',
    about: 'After a failure of the database, the task runner does not continue.',
    file: 'jobs/taskRunner.ts',
    find: '      hasFailed = false;\n      void periodic.run();',
    replace: '      void periodic.run();',
    scenario: 'tasks',
  },
  {
    name: 'dropped-plan',
    about: 'A planned task is dropped if its result cannot be stored.',
    file: 'jobs/taskRunner.ts',
    find: 'planned.unshift(next);',
    replace: '',
    scenario: 'tasks',
  },
  {
    name: 'new-batch',
    about: 'Counts are sent again with a new number if it is unknown whether they were stored.',
    file: 'jobs/countExchange.ts',
    find: '{ node, sequence: pending.sequence, payload },',
    replace: '{ node, sequence: ++sequence, payload },',
    scenario: 'counts',
  },
];
