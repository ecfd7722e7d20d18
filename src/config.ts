import { readFileSync } from 'node:fs';
import { readCommonPasswords } from './commonPasswords.ts';
import { type Cidr, isLoopbackHost, parseDnsServers } from './lib/address.ts';
import { LOG_LEVELS, type LogLevel } from './lib/log.ts';
import { valueOrUndefined } from './lib/outcome.ts';
import { parseCidrs, parseHost, parseHosts, parseInteger, parseOrigin, parseRate } from './lib/parse.ts';
import { parseEmail, parsePassword } from './model/account.ts';
import { parseApiKey } from './model/apiKey.ts';
import { parseNewPassword } from './model/newPassword.ts';
import { parsePlanName } from './model/plan.ts';
import { PROBLEMS } from './model/problems.ts';
import { TWO_FACTOR_RULES, type TwoFactorRule } from './model/secondFactor.ts';

/**
 * Every setting: one row feeds the parser, `doctor` and docs/configuration.md (a test compares). Flags win over the
 * environment, the environment over the fallback. Nothing outside this file reads the environment.
 */
export type Config = {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  /** As `URL.hostname` has them. */
  readonly allowedHosts: readonly string[];
  readonly dataDir: string;
  readonly adminEmail: string | undefined;
  readonly adminPassword: string | undefined;
  readonly portalKey: string | undefined;
  readonly verifyKey: string | undefined;
  readonly trustedProxies: readonly Cidr[];
  readonly clientIpHeader: string;
  readonly dnsCheck: boolean;
  readonly dnsServers: readonly string[] | undefined;
  readonly dnsTimeoutMs: number;
  /** With `auto` resolved: true if the base URL has a loopback host or the demo is on. */
  readonly testProperty: boolean;
  readonly maintenance: boolean;
  readonly puzzleRate: number;
  readonly puzzleBurst: number;
  readonly verifyRate: number;
  readonly verifyBurst: number;
  readonly portalRate: number;
  readonly portalBurst: number;
  readonly planOrganizations: number;
  readonly planProperties: number;
  readonly invitedPlan: string;
  readonly auditDays: number;
  readonly sessionIdleHours: number;
  readonly sessionMaxDays: number;
  readonly requireTwoFactor: TwoFactorRule;
  readonly replayDurability: 'full' | 'normal';
  readonly demo: boolean;
  readonly swagger: 'public' | 'signed-in' | 'off';
  readonly hstsSubdomains: boolean;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly log: LogLevel;
  readonly logFormat: 'auto' | 'json' | 'pretty';
};

export type Setting = {
  readonly key: keyof Config;
  /** The environment variable; the flag is the same without prefix, in kebab case. */
  readonly variable: string;
  /** As an operator would write it; undefined for none. */
  readonly fallback: string | undefined;
  /** What is allowed, to end the sentence "NAME must be ...". */
  readonly expectation: string;
  /** One line for the docs. */
  readonly meaning: string;
  /** Masked wherever it is shown, and readable from the file that `NAME_FILE` names. */
  readonly isSecret: boolean;
  /** @returns undefined for what is not allowed */
  readonly parse: (text: string) => unknown;
};

function setting(
  key: keyof Config,
  variable: string,
  fallback: string | undefined,
  kind: Kind,
  meaning: string,
): Setting {
  return { key, variable, fallback, isSecret: false, ...kind, meaning };
}

type Kind = Pick<Setting, 'parse' | 'expectation'> & { readonly isSecret?: boolean };

const text: Kind = {
  parse: (value) => (value === '' ? undefined : value),
  expectation: 'something, not nothing',
};
const FLAGS = new Map([
  ['on', true],
  ['off', false],
]);
const host: Kind = {
  parse: parseHost,
  expectation: 'an IP address or a host name',
};
const flag: Kind = { parse: (value) => FLAGS.get(value), expectation: 'on or off' };
const count = wholeFrom(1, 1_000_000_000);
const quota = wholeFrom(0, 1_000_000_000);
const hours = wholeFrom(1, 720);
const sessionDays = wholeFrom(1, 365);
const days: Kind = {
  parse: (value) => parseInteger(value, 1, 3650),
  expectation: 'a whole number of days from 1 to 3650',
};
const rate: Kind = { parse: parseRate, expectation: 'a number above 0, at most 1000000000' };

function wholeFrom(min: number, max: number): Kind {
  return {
    parse: (value) => parseInteger(value, min, max),
    expectation: `a whole number from ${min} to ${max}`,
  };
}

function secret(kind: Kind): Kind {
  return { ...kind, isSecret: true };
}

function oneOf(...allowed: readonly string[]): Kind {
  return {
    parse: (value) => allowed.find((known) => known === value),
    expectation: `one of ${allowed.join(', ')}`,
  };
}

const port: Kind = {
  parse: (value) => (/^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined),
  expectation: 'a port number from 0 (any free one) to 65535',
};
const baseUrl: Kind = {
  parse: parseOrigin,
  expectation: 'an http or https URL without path, query and user, such as https://captcha.example.com',
};
const email: Kind = {
  parse: (value) => valueOrUndefined(parseEmail(value)),
  expectation: 'an e-mail address',
};
const password: Kind = {
  parse: (value) => valueOrUndefined(parsePassword(value)),
  expectation: 'a password of 8 to 256 characters',
};
const apiKey: Kind = {
  parse: (value) => valueOrUndefined(parseApiKey(value)),
  expectation: 'a key of 32 to 256 printable characters without spaces',
};
const planName: Kind = {
  parse: (value) => valueOrUndefined(parsePlanName(value)),
  expectation: 'the name of a plan: 1 to 64 of a-z, 0-9 and -, not starting with -',
};
const cidrs: Kind = {
  parse: parseCidrs,
  expectation: 'addresses or CIDR blocks separated by commas, such as 10.0.0.0/8,::1',
};
const dnsServers: Kind = {
  parse: parseDnsServers,
  expectation: 'IP addresses, each with a port or without, separated by commas, such as 10.0.0.53,[::1]:5353',
};
const hosts: Kind = {
  parse: parseHosts,
  expectation:
    'host names or IP addresses without port, separated by commas, such as captcha.lan,192.168.1.5',
};
const dnsTimeout: Kind = {
  parse: (value) => parseInteger(value, 100, 60_000),
  expectation: 'a whole number of milliseconds from 100 to 60000',
};
const headerName: Kind = {
  parse: (value) => (/^[A-Za-z0-9-]{1,64}$/.test(value) ? value : undefined),
  expectation: 'the name of a header, such as X-Forwarded-For',
};

// biome-ignore format: a table reads best with a row on a line
export const SETTINGS: readonly Setting[] = [
  setting('host', 'POSTERN_HOST', '127.0.0.1', host, 'Address to listen on.'),
  setting('port', 'POSTERN_PORT', '8080', port, 'Port to listen on.'),
  setting('baseUrl', 'POSTERN_BASE_URL', undefined, baseUrl, 'How the world reaches it; `http://localhost:PORT` where it is not set.'),
  setting('allowedHosts', 'POSTERN_ALLOWED_HOSTS', undefined, hosts, 'Additional host names under which the portal answers, besides the base URL\'s and loopback names.'),
  setting('dataDir', 'POSTERN_DATA_DIR', './data', text, 'The folder with everything that must be kept.'),
  setting('adminEmail', 'POSTERN_ADMIN_EMAIL', undefined, email, 'Makes the first user at the first start, together with the password.'),
  setting('adminPassword', 'POSTERN_ADMIN_PASSWORD', undefined, secret(password), 'The password of that first user.'),
  setting('portalKey', 'POSTERN_PORTAL_KEY', undefined, secret(apiKey), 'An API key of scope `portal` for the first user, made at the first start.'),
  setting('verifyKey', 'POSTERN_VERIFY_KEY', undefined, secret(apiKey), 'An API key of scope `verify` for the first user, made at the first start.'),
  setting('trustedProxies', 'POSTERN_TRUSTED_PROXIES', undefined, cidrs, 'Proxies whose word on the visitor\'s address is believed; none where it is not set.'),
  setting('clientIpHeader', 'POSTERN_CLIENT_IP_HEADER', 'X-Forwarded-For', headerName, 'The header in which they say it.'),
  setting('dnsCheck', 'POSTERN_DNS_CHECK', 'on', flag, 'Whether the domain of a property must be in the DNS.'),
  setting('dnsServers', 'POSTERN_DNS_SERVERS', undefined, dnsServers, 'The DNS servers to ask, in this order; the system\'s where it is not set.'),
  setting('dnsTimeoutMs', 'POSTERN_DNS_TIMEOUT_MS', '3000', dnsTimeout, 'Milliseconds to wait for an answer about one domain, all servers together.'),
  setting('testProperty', 'POSTERN_TEST_PROPERTY', 'auto', oneOf('auto', 'on', 'off'), 'Whether the test sitekey works. With `auto`, it works only if the base URL has a loopback host or the demo is on.'),
  setting('maintenance', 'POSTERN_MAINTENANCE', 'off', flag, 'Start in maintenance.'),
  setting('puzzleRate', 'POSTERN_PUZZLE_RATE', '2', rate, 'Puzzles a second for one address (IPv6: one /64).'),
  setting('puzzleBurst', 'POSTERN_PUZZLE_BURST', '40', count, 'Puzzles at once for one address.'),
  setting('verifyRate', 'POSTERN_VERIFY_RATE', '1000', rate, 'Verifications per second for one API key.'),
  setting('verifyBurst', 'POSTERN_VERIFY_BURST', '2000', count, 'Verifications at once for one API key.'),
  setting('portalRate', 'POSTERN_PORTAL_RATE', '20', rate, 'Platform API requests per second for one user, across all keys of the user.'),
  setting('portalBurst', 'POSTERN_PORTAL_BURST', '100', count, 'Platform API requests at once for one user.'),
  setting('planOrganizations', 'POSTERN_PLAN_ORGS', '100', quota, 'Organizations that a user may own, on the plan `default`, until `postern plans set` changes it.'),
  setting('planProperties', 'POSTERN_PLAN_PROPERTIES', '10000', quota, 'Properties in all organizations that a user owns, on the same plan.'),
  setting('invitedPlan', 'POSTERN_INVITED_PLAN', 'invited', planName, 'The plan of users who create their account through an invitation. The built-in plan `invited` includes no organizations.'),
  setting('auditDays', 'POSTERN_AUDIT_DAYS', '365', days, 'Days for which the audit log is kept.'),
  setting('sessionIdleHours', 'POSTERN_SESSION_IDLE_HOURS', '12', hours, 'Hours after which the portal signs out who was not seen.'),
  setting('sessionMaxDays', 'POSTERN_SESSION_MAX_DAYS', '7', sessionDays, 'Days after which it signs out everybody else.'),
  setting('requireTwoFactor', 'POSTERN_REQUIRE_TWO_FACTOR', 'off', oneOf(...TWO_FACTOR_RULES), 'Who must use two-factor authentication in the portal: no one (`off`), administrators (`admins`), or every user (`everyone`).'),
  setting('replayDurability', 'POSTERN_REPLAY_DURABILITY', 'full', oneOf('full', 'normal'), 'Claims survive a power cut (`full`) or a killed process (`normal`).'),
  setting('demo', 'POSTERN_DEMO', 'off', flag, 'On an empty data folder makes an organization, a property for `example.com` that allows localhost, and keys; serves `/demo`.'),
  setting('swagger', 'POSTERN_SWAGGER', 'public', oneOf('public', 'signed-in', 'off'), 'Who can read `/swagger` and `/swagger/json`: everyone (`public`), users who are signed in to the portal (`signed-in`), or no one (`off`).'),
  setting('hstsSubdomains', 'POSTERN_HSTS_SUBDOMAINS', 'off', flag, 'Whether `Strict-Transport-Security` also covers the subdomains of the base URL\'s host.'),
  setting('tlsCert', 'POSTERN_TLS_CERT', undefined, text, 'Certificate chain, a PEM file; serves https together with the key.'),
  setting('tlsKey', 'POSTERN_TLS_KEY', undefined, text, 'The certificate\'s private key, a PEM file.'),
  setting('log', 'POSTERN_LOG', 'info', oneOf(...LOG_LEVELS), 'The least level that is logged.'),
  setting('logFormat', 'POSTERN_LOG_FORMAT', 'auto', oneOf('auto', 'json', 'pretty'), 'JSON lines, or text for people; `auto` is text on a terminal.'),
];

/** A setting as it stands: where it came from, and what is wrong with it. */
export type SettingReport = {
  readonly setting: Setting;
  readonly source: 'flag' | 'environment' | 'file' | 'default';
  /** The text that was given, or the fallback; secrets masked. */
  readonly shown: string | undefined;
  readonly mistake: string | undefined;
};

export type ConfigReport = {
  readonly settings: readonly SettingReport[];
  /** All of them, a sentence each; empty when the configuration can be used. */
  readonly mistakes: readonly string[];
  /** POSTERN_ variables that are no setting: most likely misspelt. */
  readonly unknownVariables: readonly string[];
  /** Undefined while there are mistakes. */
  readonly config: Config | undefined;
};

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads every setting and reports all mistakes at once.
 *
 * @param flags by variable name, as the command line gave them
 * @param environment the process's, unless a test brings its own
 */
export function readConfig(flags: Environment = {}, environment: Environment = process.env): ConfigReport {
  const values: Record<string, unknown> = {};
  const settings = SETTINGS.map((row) => {
    const { report, value } = readSetting(row, flags, environment);
    values[row.key] = value;
    return report;
  });
  const mistakes = settings.flatMap((report) => report.mistake ?? []);
  mistakes.push(...crossMistakes(values, settings));
  values.baseUrl ??= `${values.tlsCert === undefined ? 'http' : 'https'}://localhost:${values.port}`;
  values.trustedProxies ??= [];
  values.allowedHosts ??= [];
  values.testProperty = isTestPropertyOn(values);
  return {
    settings,
    mistakes,
    unknownVariables: unknownVariables(environment),
    config: mistakes.length === 0 ? Object.freeze(values as Config) : undefined,
  };
}

/** @param values parsed settings; a base URL that is missing or wrong counts as public */
function isTestPropertyOn({ testProperty, demo, baseUrl }: Readonly<Record<string, unknown>>): boolean {
  if (testProperty !== 'auto') return testProperty === 'on';
  const host = typeof baseUrl === 'string' ? URL.parse(baseUrl)?.hostname : undefined;
  return demo === true || (host !== undefined && isLoopbackHost(host));
}

/** The flag of a setting: `POSTERN_DATA_DIR` is `data-dir`. */
export function flagOf(setting: Setting): string {
  return setting.variable.slice('POSTERN_'.length).toLowerCase().replaceAll('_', '-');
}

function readSetting(row: Setting, flags: Environment, environment: Environment) {
  const given = find(row, flags, environment);
  const value = given.text === undefined ? undefined : row.parse(given.text);
  const isWrong = given.text !== undefined && value === undefined;
  const shown = row.isSecret && given.text !== undefined ? '********' : given.text;
  const got = row.isSecret ? '' : `, not ${JSON.stringify(given.text)}`;
  const mistake = given.mistake ?? (isWrong ? `${row.variable} must be ${row.expectation}${got}` : undefined);
  return { value, report: { setting: row, source: given.source, shown, mistake } };
}

type Given = Pick<SettingReport, 'source'> & { readonly text: string | undefined; readonly mistake?: string };

function find(row: Setting, flags: Environment, environment: Environment): Given {
  const fromFlag = flags[row.variable];
  if (fromFlag !== undefined) return { source: 'flag', text: fromFlag };
  const fromEnvironment = environment[row.variable];
  const file = row.isSecret ? environment[`${row.variable}_FILE`] : undefined;
  if (fromEnvironment !== undefined && file !== undefined) {
    const mistake = `${row.variable} and ${row.variable}_FILE are both set; set one of them`;
    return { source: 'environment', text: undefined, mistake };
  }
  if (fromEnvironment !== undefined) return { source: 'environment', text: fromEnvironment };
  if (file === undefined) return { source: 'default', text: row.fallback };
  try {
    return { source: 'file', text: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { source: 'file', text: undefined, mistake: `${row.variable}_FILE cannot be read: ${reason}` };
  }
}

function crossMistakes(
  values: Readonly<Record<string, unknown>>,
  settings: readonly SettingReport[],
): string[] {
  const mistakes: string[] = [];
  // Given, if perhaps wrongly: one mistake is not two.
  const given = new Set(
    settings.filter((report) => report.source !== 'default').map((report) => report.setting.key),
  );
  const isAlone = (a: keyof Config, b: keyof Config) => given.has(a) !== given.has(b);
  if (isAlone('adminEmail', 'adminPassword')) {
    mistakes.push('POSTERN_ADMIN_EMAIL and POSTERN_ADMIN_PASSWORD belong together; set both or none');
  }
  mistakes.push(...weakPassword(values));
  if (isAlone('tlsCert', 'tlsKey')) {
    mistakes.push('POSTERN_TLS_CERT and POSTERN_TLS_KEY belong together; set both or none');
  }
  if (values.portalKey !== undefined && values.portalKey === values.verifyKey) {
    mistakes.push('POSTERN_PORTAL_KEY and POSTERN_VERIFY_KEY must be different keys');
  }
  return mistakes;
}

/** The list of common passwords is read only where a password is configured. */
function weakPassword({ adminEmail, adminPassword }: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof adminPassword !== 'string' || typeof adminEmail !== 'string') return [];
  const context = { email: adminEmail, organizationNames: [] };
  const accepted = parseNewPassword(adminPassword, context, readCommonPasswords());
  return accepted.ok
    ? []
    : [`POSTERN_ADMIN_PASSWORD is not accepted: ${PROBLEMS[accepted.problem].sentence}`];
}

function unknownVariables(environment: Environment): string[] {
  const known = new Set(
    SETTINGS.flatMap((row) => [row.variable, ...(row.isSecret ? [`${row.variable}_FILE`] : [])]),
  );
  return Object.keys(environment)
    .filter((name) => name.startsWith('POSTERN_') && !known.has(name))
    .sort();
}
