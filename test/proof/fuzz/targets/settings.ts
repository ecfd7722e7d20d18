import { effectiveSettings, readConfig, readNotificationTarget } from '../../../../src/config.ts';
import { parseInteger, parseRate } from '../../../../src/lib/parse.ts';
import { SETTINGS } from '../../../../src/settings.ts';
import { must, mustEqual, type Target } from '../engine/target.ts';

/** The environment of the process: one variable on each line. */

const lines = (...all: readonly string[]) => all.join('\n');

const settings: Target = {
  name: 'settings',
  kind: 'text',
  seeds: [
    lines(
      'POSTERN_PORT=443',
      'POSTERN_BASE_URL=https://captcha.example.com',
      'POSTERN_TRUSTED_PROXIES=10.0.0.0/8,::1',
    ),
    lines(
      'POSTERN_ADMIN_EMAIL=ann@example.com',
      'POSTERN_ADMIN_PASSWORD=correct horse battery',
      'POSTERN_THREADS=2',
    ),
    lines(
      'POSTERN_HOST=unix:/run/x',
      'POSTERN_BASE_URL=http://localhost',
      'POSTERN_MARK_DIR=/var/lib/x',
      'CACHE_DIRECTORY=/a:/b',
    ),
    lines(
      'POSTERN_ACME_DOMAIN=a.example.com',
      'POSTERN_ACME_EMAIL=a@b.example',
      'POSTERN_PORT=443',
      'POSTERN_DNS_SERVERS=1.1.1.1,[::1]:53',
    ),
    lines(
      'POSTERN_DATABASE_URL=postgres://u:p@db/x?sslmode=verify-full',
      'POSTERN_PUZZLE_RATE=0.5',
      'POSTERN_UNKNOWN=1',
    ),
    lines('NOTIFY_SOCKET=@x', 'WATCHDOG_USEC=30000000', 'POSTERN_DATA_DIR=', 'POSTERN_AUDIT_DAYS=3651'),
  ],
  tokens: [
    '\n',
    '=',
    ...SETTINGS.map(({ variable }) => `\n${variable}=`),
    'on',
    'off',
    'full',
    'everyone',
    ',',
  ],
  maxLength: 800,
  share: 0.2,
  cost: { fixed: 400_000, perCharacter: 400 },
  check(input) {
    const pairs = input.split('\n').map((line) => {
      const equals = line.indexOf('=');
      return [line.slice(0, Math.max(0, equals)), line.slice(equals + 1)] as const;
    });
    // Another target tests the schedule of backups, which is slow to parse; files must not be read.
    const environment = Object.fromEntries(pairs.filter(([name]) => !/_FILE$|_SCHEDULE$/.test(name)));
    const report = readConfig({}, environment);
    mustEqual(report.config === undefined, report.errors.length > 0, 'whether there is a configuration');
    for (const error of report.errors)
      must(/^[A-Z'"].{10}/s.test(error), `an error without a sentence: ${error}`);
    for (const { setting, shown, source } of report.settings) {
      must(!setting.isSecret || shown === undefined || shown === '********', `${setting.variable} is shown`);
      must(
        source === 'default' || environment[setting.variable] !== undefined,
        `the source of ${setting.variable}`,
      );
    }
    mustEqual(effectiveSettings(report).length, SETTINGS.length, 'the number of settings');
    const target = readNotificationTarget(environment);
    must(target?.watchdogMs === undefined || target.watchdogMs > 0, 'the interval of the watchdog');
    const integer = parseInteger(input, 0, 65_535);
    must(integer === undefined || (integer >= 0 && integer <= 65_535), 'an integer that is out of range');
    const rate = parseRate(input);
    must(rate === undefined || (rate > 0 && rate <= 1e9), 'a rate that is out of range');
    return [report.errors, report.unknownVariables, target, integer, rate];
  },
};

export const SETTING_TARGETS: readonly Target[] = [settings];
