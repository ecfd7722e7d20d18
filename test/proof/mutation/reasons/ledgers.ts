import type { Reason } from './reason.ts';

export const LEDGERS: readonly Reason[] = [
  {
    file: 'server/checkedLedger.ts',
    mutants: ["read: 'utf8' → ''"],
    reason: 'The parser also reads bytes.',
  },
  {
    file: 'server/checkedLedger.ts',
    mutants: [
      "parseMark: typeof counter === 'number' && Number.isInteger(counter) && counter >= 0 → Number.isInteger(counter) && counter >= 0",
    ],
    reason: 'Other types are not whole numbers either.',
  },
  {
    file: 'server/checkedLedger.ts',
    mutants: ['replaceFile: await handle.sync() → nothing'],
    reason: 'Only the loss of power shows the difference.',
  },
  {
    file: 'storage/ledgerClient/claimRequests.ts',
    mutants: [
      'sendSoon: isScheduled → false',
      'sendSoon: isScheduled = true → nothing',
      'sendSoon: true → false',
      'settle: gathering.length > 0 → true',
      'settle: gathering.length > 0 → gathering.length >= 0',
      'claim: unanswered < maxUnanswered → true',
      'claim: unanswered < maxUnanswered → unanswered <= maxUnanswered',
    ],
    reason: 'The call that sends claims checks whether there are any, and whether it may.',
  },
  {
    file: 'storage/ledgerClient/client.ts',
    mutants: ['createLedgerClient: thread === undefined → false'],
    reason:
      'A client that has no connection is closed, so it sends no claims, but the compiler cannot infer this.',
  },
  {
    file: 'storage/ledgerClient/clients.ts',
    mutants: ["connect: 'client' → ''"],
    reason: 'The name appears only in the error of calls to a client that has ended, and nothing reads it.',
  },
  {
    file: 'storage/postgres/ledger/claims.ts',
    mutants: [
      'countGroup: purges.size > 0 → true',
      'countGroup: purges.size > 0 → purges.size >= 0',
      'numbersOf: repeated.size > 0 → true',
      'numbersOf: repeated.size > 0 → repeated.size >= 0',
    ],
    reason: 'It only saves work; the result is the same.',
  },
  {
    file: 'storage/postgres/ledger/claims.ts',
    mutants: ['isPurged: purges.get(keyFingerprint) ?? 0 → purges.get(keyFingerprint)'],
    reason: 'No number is less than a missing one.',
  },
  {
    file: 'storage/postgres/ledger/connections.ts',
    mutants: ['createUser: users++ → users--', "createUser: '' → 'mutant'"],
    reason: 'Any other number or text identifies the user and the group, too.',
  },
  {
    file: 'storage/postgres/ledger/connections.ts',
    mutants: ['runOn: running.delete(limit.abort) → nothing'],
    reason: 'Work that has ended cannot end again.',
  },
  {
    file: 'storage/postgres/ledger/connections.ts',
    mutants: ['connected: slot.connection = undefined → nothing'],
    reason: 'A connection that is closed is replaced in any case.',
  },
  {
    file: 'storage/postgres/ledger/groups.ts',
    mutants: ['claim: isScheduled → false', 'claim: isScheduled = true → nothing', 'claim: true → false'],
    reason: 'A second call finds that a group is requested already.',
  },
  {
    file: 'storage/postgres/ledger/groups.ts',
    mutants: ["commitNext: [] → ['mutant']"],
    reason: 'The group is replaced before it is used.',
  },
  {
    file: 'storage/postgres/ledger/ledger.ts',
    mutants: [
      'rejectIfClosed: groups.isClosed() → false',
      'claimOnce: rejectIfClosed() → nothing',
      'recall: rejectIfClosed() → nothing',
      'purge: rejectIfClosed() → nothing',
      'purgedBefore: rejectIfClosed() → nothing',
    ],
    reason: 'The connections, which are closed then, reject calls, too.',
  },
  {
    file: 'storage/postgres/ledger/ledger.ts',
    mutants: ['openLedger: connections.close() → nothing'],
    reason:
      'The connection was closed after its error. It would matter only if another attempt to connect were in progress.',
  },
  {
    file: 'storage/postgres/ledger/openConnection.ts',
    mutants: ['close: isOpen = false → nothing', 'close: false → true'],
    reason: 'Bun reports the end of the connection before its `close` returns, but does not document it.',
  },
  {
    file: 'storage/sqlite/ledger/claims.ts',
    mutants: [
      `openClaims: database.run(\`PRAGMA synchronous = \${durability === 'full' ? 'FULL' : 'NORMAL'}\`) → nothing`,
      "openClaims: durability === 'full' → true",
      "openClaims: durability === 'full' → false",
    ],
    reason: 'Only the loss of power shows the difference.',
  },
  {
    file: 'storage/sqlite/ledger/ledgerThread.ts',
    mutants: ["connect: 'client' → ''"],
    reason: "The name appears only in the error of calls to the client's functions, and the client has none.",
  },
  {
    file: 'storage/sqlite/ledger/ledgerThread.ts',
    mutants: ['count: waiting.length === 1 → true'],
    reason: 'A second call finds that no groups are waiting.',
  },
  {
    file: 'storage/sqlite/ledger/ledgerThread.ts',
    mutants: ['commit: messages[0]?.id ?? 0 → messages[0]?.id', 'commit: messages[0]?.id → messages[0].id'],
    reason: 'The value is never missing, but the compiler cannot infer this.',
  },
  {
    file: 'storage/sqlite/ledger/lifecycle.ts',
    mutants: [
      'hasLostLog: existsSync(file) && !hasLog() && isFileMarkedOpen(file) && !hasLog() → !hasLog() && isFileMarkedOpen(file) && !hasLog()',
      'hasLostLog: existsSync(file) && !hasLog() && isFileMarkedOpen(file) && !hasLog() → existsSync(file) && isFileMarkedOpen(file) && !hasLog()',
      'hasLostLog: existsSync(file) && !hasLog() && isFileMarkedOpen(file) && !hasLog() → existsSync(file) && !hasLog() && isFileMarkedOpen(file)',
    ],
    reason: 'Another check has the same result, unless the log is deleted at the same moment.',
  },
  {
    file: 'storage/sqlite/ledger/movedPuzzles.ts',
    mutants: [
      'mayContain: expiration <= latest && words !== undefined && has(words, firstBit(key)) && has(words, sec… → expiration <= latest && has(words, firstBit(key)) && has(words, secondBit(key))',
    ],
    reason: 'The expiration of a puzzle is later only if there is a filter.',
  },
  {
    file: 'storage/sqlite/ledger/movedPuzzles.ts',
    mutants: ['add: BITS / 32 → BITS * 32'],
    reason: 'It only allocates more memory.',
  },
  {
    file: 'storage/sqlite/ledger/recentClaims.ts',
    mutants: [
      'read: (sql.latest.values()[0]?.[0] as number | null) ?? 0 → (sql.latest.values()[0]?.[0] as number | null)',
      'read: sql.latest.values()[0]?.[0] → sql.latest.values()[0][0]',
      'refresh: sql.version.values()[0]?.[0] → sql.version.values()[0][0]',
      'count: purged.get(view.getUint32(at + FINGERPRINT, true)) ?? 0 → purged.get(view.getUint32(at + FINGERPRINT, true))',
    ],
    reason: 'The value is never missing, but the compiler cannot infer this.',
  },
  {
    file: 'storage/sqlite/ledger/recentClaims.ts',
    mutants: [
      'count: size < at → true',
      'count: size < at → size <= at',
      'createLookup: !mayContain(key) → false',
      "createMover: [] → ['mutant']",
      'move: keys = [] → nothing',
      "move: [] → ['mutant']",
    ],
    reason: 'It only saves work; the result is the same.',
  },
];
