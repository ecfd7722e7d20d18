import { describe, expect, test } from 'bun:test';
import { createLog, type LogFields, type LogOptions, reasonOf } from '../../src/lib/log.ts';
import type { Instant } from '../../src/lib/time.ts';
import { formatApiKey } from '../../src/model/apiKey.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';

function open(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const clock = () => Date.UTC(2026, 0, 31, 12) as Instant;
  const log = createLog({
    limits: LOG_LIMITS,
    level: 'info',
    format: 'json',
    clock,
    write: (line) => lines.push(line),
    ...options,
  });
  return { log, lines };
}

function written(fields: LogFields): Record<string, unknown> {
  const { log, lines } = open();
  log.info('event', fields);
  return JSON.parse(lines[0] ?? '');
}

describe('a line', () => {
  test('is a JSON object with time, level, event, and fields', () => {
    const { log, lines } = open();
    log.warn('disk-slow', { milliseconds: 12, path: 'a"b\nc' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: '2026-01-31T12:00:00.000Z',
      level: 'warn',
      event: 'disk-slow',
      milliseconds: 12,
      path: 'a"b\nc',
    });
  });

  test('in pretty format is a single line for any field', () => {
    const { log, lines } = open({ format: 'pretty' });
    log.error('disk-slow', { path: 'a\nb', missing: undefined, count: 3 });
    expect(lines).toEqual(['2026-01-31T12:00:00.000Z ERROR disk-slow path="a\\nb" count=3']);
  });

  test.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('is written at level %s and above', (level, expected) => {
    const { log, lines } = open({ level });
    for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each]('event');
    expect(lines.map((line) => JSON.parse(line).level)).toEqual([...expected]);
    expect(log.isOn('error')).toBe(true);
    expect(log.isOn('debug')).toBe(level === 'debug');
  });
});

describe('secrets', () => {
  test('are masked when an API key occurs in a text', () => {
    const key = formatApiKey('verify', new Uint8Array(32).fill(7));
    const shown = written({ reason: `rejected ${key}, then ${formatApiKey('portal', new Uint8Array(32))}!` });
    expect(shown.reason).toBe('rejected postern_verify_********, then postern_portal_********!');
  });

  test('are masked in the formats of other vendors', () => {
    const digits = '0123456789abcdefABCDEF9876543210';
    expect(written({ reason: `0x00000000${digits}, ES_${digits}.` }).reason).toBe('0x********, ES_********.');
    const hash = `0x${digits}${digits}`;
    expect(written({ hash }).hash).toBe(hash);
  });

  test.each([
    'password',
    'adminPassword',
    'client_secret',
    'csrfToken',
    'api_key',
    'apiKey',
    'Authorization',
    'set-cookie',
  ])('a field named %s is masked', (name) => {
    expect(written({ [name]: 'secret' })[name]).toBe('********');
  });

  test('are not suspected in fields with harmless names', () => {
    expect(written({ name: 'a', keys: 2, path: '/verify' })).toMatchObject({
      name: 'a',
      keys: 2,
      path: '/verify',
    });
  });
});

test('the reason for anything that was thrown is a text', () => {
  expect(reasonOf(new Error('disk full'))).toBe('disk full');
  expect(reasonOf('disk full')).toBe('disk full');
  expect(reasonOf(undefined)).toBe('undefined');
});

describe('the limit of a log', () => {
  /** A log whose minutes the test ends. */
  function openLimited(level: 'debug' | 'info' | 'error' = 'debug') {
    const timers = new Set<() => void>();
    const limits = {
      timer(_: number, run: () => void) {
        timers.add(run);
        return () => timers.delete(run);
      },
      unlimited: ['many'],
      summaryOf: () => ({ level: 'warn', event: 'suppressed' }) as const,
    };
    const { log, lines } = open({ level, limits });
    return {
      log,
      timers,
      take: () => lines.splice(0).map((line) => JSON.parse(line)),
      endMinute() {
        for (const run of [...timers]) {
          timers.delete(run);
          run();
        }
      },
    };
  }

  test('is 30 lines per minute for every event, whatever its name and level', () => {
    const { log, take, endMinute } = openLimited();
    for (const level of ['info', 'warn', 'error'] as const) {
      for (let n = 0; n < 100; n++) log[level](`event-${level}`, { n });
      expect(take().map(({ n }) => n)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    }
    endMinute();
    expect(take()).toMatchObject(
      ['info', 'warn', 'error'].map((level) => ({
        level: 'warn',
        event: 'suppressed',
        kind: `event-${level}`,
        suppressed: 70,
      })),
    );
    log.info('event-info');
    endMinute();
    expect(take().map(({ event }) => event)).toEqual(['event-info']);
  });

  test('does not apply to debug events and to events without a limit', () => {
    const { log, take, timers } = openLimited();
    for (let n = 0; n < 100; n++) {
      log.debug('request');
      log.info('many');
    }
    expect(take()).toHaveLength(200);
    expect(timers.size).toBe(0);
  });

  test('counts only events that the level includes, and reports their number at every level', () => {
    const { log, take, endMinute } = openLimited('error');
    for (let n = 0; n < 40; n++) {
      log.info('ignored');
      log.error('logged');
    }
    expect(take()).toHaveLength(30);
    endMinute();
    expect(take()).toMatchObject([{ kind: 'logged', suppressed: 10 }]);
  });

  test('reports what is left, and what other threads did not send, when the log is flushed', () => {
    const { log, take, timers } = openLimited();
    for (let n = 0; n < 31; n++) log.info('event');
    log.addSuppressed('event', 4);
    log.addSuppressed('other', 2);
    take();
    log.flush();
    expect(take()).toMatchObject([
      { kind: 'event', suppressed: 5 },
      { kind: 'other', suppressed: 2 },
    ]);
    expect(timers.size).toBe(0);
  });
});
