import { describe, expect, test } from 'bun:test';
import {
  createErrorList,
  EXPORT_FORMAT,
  EXPORT_MAX_BYTES,
  EXPORT_VERSION,
  EXPORTED_KINDS,
  IMPORT_MAX_ERRORS,
  IMPORT_VERSIONS,
} from '../../src/model/exportDocument.ts';
import { LOG_LIMITS, SECURITY_EVENTS, UNLIMITED_EVENTS } from '../../src/model/logEvents.ts';
import { COUNT_KINDS } from '../../src/model/sharedCounts.ts';
import { StoreFailure } from '../../src/model/storeFailure.ts';
import { parseTaskId } from '../../src/model/task.ts';

describe('the errors of an import', () => {
  test('have a path, a problem, and sometimes a detail', () => {
    const list = createErrorList();
    list.add('$.a', 'member-missing');
    list.add('$.b', 'repeated', '$.a');
    expect(list.all()).toEqual({
      errors: [
        { path: '$.a', problem: 'member-missing' },
        { path: '$.b', problem: 'repeated', detail: '$.a' },
      ],
      total: 2,
    });
    expect(Object.keys(list.all().errors[0] ?? {})).toEqual(['path', 'problem']);
    expect(createErrorList().all()).toEqual({ errors: [], total: 0 });
  });

  test('are all counted, and the first 1,000 are listed', () => {
    const list = createErrorList();
    for (let n = 0; n < IMPORT_MAX_ERRORS + 5; n++) list.add(`$[${n}]`, 'repeated');
    const { errors, total } = list.all();
    expect([errors.length, errors.at(-1)?.path, total]).toEqual([1000, '$[999]', 1005]);
  });
});

test('an export document has a name, readable versions, a size limit, and five kinds of objects', () => {
  expect([EXPORT_FORMAT, EXPORT_VERSION, IMPORT_VERSIONS]).toEqual(['postern-export', 2, [1, 2]]);
  expect(EXPORT_MAX_BYTES).toBe(268_435_456);
  expect(EXPORTED_KINDS).toEqual(['plans', 'users', 'organizations', 'members', 'properties']);
});

describe('the id of a task', () => {
  const id = '0123456789abcdef0123456789abcdef';

  test('has 32 lowercase hex digits', () => {
    expect(parseTaskId(id)).toEqual({ ok: true, value: id as never });
    for (const text of ['', id.slice(1), `${id}0`, `0${id}`, id.toUpperCase(), ` ${id}`, `${id}\n`])
      expect(parseTaskId(text)).toEqual({ ok: false, problem: 'task-unknown' });
  });
});

describe('events that the log leaves out', () => {
  const summaryOf = (event: string) => LOG_LIMITS?.summaryOf(event);

  test('are summed up by events that say whether they concern security', () => {
    for (const event of ['api-key-rejected', 'form-rejected', 'sign-in-throttled'])
      expect(summaryOf(event)).toEqual({ level: 'info', event: 'security-events-suppressed' });
    for (const event of ['request-failed', 'sign-in', ''])
      expect(summaryOf(event)).toEqual({ level: 'warn', event: 'events-suppressed' });
    expect(SECURITY_EVENTS).toEqual(['api-key-rejected', 'form-rejected', 'sign-in-throttled']);
  });

  test('are never those whose number clients cannot raise', () => {
    expect(UNLIMITED_EVENTS).toEqual(['api-key-expiring', 'setting-unknown']);
    expect(LOG_LIMITS?.unlimited).toBe(UNLIMITED_EVENTS);
  });
});

// Late counts of rate limits would reject requests within the limit; a late load only makes puzzles easier for a second.
test('the counts of rate limits are exchanged only while they are useful', () => {
  const timely = Object.entries(COUNT_KINDS).flatMap(([name, { isTimely }]) => (isTimely ? [name] : []));
  expect(timely).toEqual(['puzzleLimit', 'verifyLimit', 'userLimit', 'portalKeyLimit']);
  const ids = Object.values(COUNT_KINDS).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a failure of the storage has a name in the log', () => {
  expect(new StoreFailure('the disk is full')).toMatchObject({
    name: 'StoreFailure',
    message: 'the disk is full',
  });
});
