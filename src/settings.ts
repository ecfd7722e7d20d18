import { isCronExpression } from './cron.ts';
import { parseDnsServers } from './lib/address.ts';
import { LOG_LEVELS } from './lib/log.ts';
import { done, type Outcome, reject, valueOrUndefined } from './lib/outcome.ts';
import {
  parseBindAddress,
  parseCidrs,
  parseHosts,
  parseInteger,
  parseOrigin,
  parseRate,
  parseSecureUrl,
} from './lib/parse.ts';
import { parsePassword, TWO_FACTOR_RULES } from './model/account.ts';
import { parseApiKey } from './model/apiKey.ts';
import { type DatabaseUrl, parseDatabaseUrl } from './model/databaseUrl.ts';
import { parseDomains } from './model/domain.ts';
import { parseEmail, toAsciiEmail } from './model/email.ts';
import { PASSPHRASE_RULE, parsePassphrase } from './model/newPassword.ts';
import { parsePlanName } from './model/plan.ts';
import type { SettingGroup } from './model/system.ts';
import { TRAFFIC_DETAILS } from './model/traffic.ts';

/** A setting that an environment variable or a flag sets. */
export type Setting<Value = unknown> = {
  /** The environment variable. */
  readonly variable: string;
  /** The flag of the command line, without the dashes: `data-dir` for `POSTERN_DATA_DIR`. */
  readonly flag: string;
  /** The default in the format of the variable; undefined if there is none. */
  readonly default: string | undefined;
  /** The allowed values; completes the sentence "NAME must be ...". */
  readonly allowed: string;
  /** The effect of the setting, for help texts, the documentation, and the portal. */
  readonly meaning: string;
  /** Whether the value is masked in all output and can be read from the file that `NAME_FILE` names. */
  readonly isSecret: boolean;
  /** @param text undefined if the setting is not set @returns the value, or the default if there is no text */
  readonly parse: (text: string | undefined) => Outcome<Value, 'invalid'>;
};

/** The value that a setting has after parsing. */
export type ValueOf<S> = S extends Setting<infer Value> ? Value : never;

/** A kind of value, which several settings can share. */
type Kind<Value> = {
  /** @returns undefined if the text is invalid */
  readonly parse: (text: string) => Value | undefined;
  readonly allowed: string;
  readonly isSecret?: boolean;
};

/** A setting with a default. @param text the default in the format of the variable */
function setting<Value>(variable: string, kind: Kind<Value>, text: string, meaning: string): Setting<Value> {
  return { ...describe(variable, kind, meaning), default: text, parse: (given = text) => parse(kind, given) };
}

/** A setting without default. @param missing the value if the setting is not set */
function optional<Value, Missing>(
  variable: string,
  kind: Kind<Value>,
  missing: Missing,
  meaning: string,
): Setting<Value | Missing> {
  return {
    ...describe(variable, kind, meaning),
    default: undefined,
    parse: (given) => (given === undefined ? done(missing) : parse(kind, given)),
  };
}

function describe(variable: string, { allowed, isSecret = false }: Kind<unknown>, meaning: string) {
  const flag = variable.slice('POSTERN_'.length).toLowerCase().replaceAll('_', '-');
  return { variable, flag, allowed, isSecret, meaning };
}

function parse<Value>(kind: Kind<Value>, text: string): Outcome<Value, 'invalid'> {
  const value = kind.parse(text);
  return value === undefined ? reject('invalid') : done(value);
}

function wholeNumber(min: number, max: number, unit = ''): Kind<number> {
  return {
    parse: (text) => parseInteger(text, min, max),
    allowed: `a whole number${unit} from ${min} to ${max}`,
  };
}

function oneOf<const Choice extends string>(...choices: readonly Choice[]): Kind<Choice> {
  return {
    parse: (text) => choices.find((choice) => choice === text),
    allowed: `one of ${choices.join(', ')}`,
  };
}

function secret<Value>(kind: Kind<Value>): Kind<Value> {
  return { ...kind, isSecret: true };
}

const SWITCH_POSITIONS: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['off', false],
]);
const onOff: Kind<boolean> = { parse: (text) => SWITCH_POSITIONS.get(text), allowed: 'on or off' };
const path: Kind<string> = { parse: (text) => (text === '' ? undefined : text), allowed: 'a path' };
/** Enough for files with countries and ASNs of several vendors. */
const MAX_PATHS = 8;
const paths: Kind<readonly string[]> = {
  parse(text) {
    const parts = text.split(',').map((part) => part.trim());
    return parts.length <= MAX_PATHS && parts.every((part) => part !== '') ? parts : undefined;
  },
  allowed: `up to ${MAX_PATHS} paths, separated by commas`,
};
const host: Kind<string> = {
  parse: parseBindAddress,
  allowed:
    'an IP address, a host name, or unix: and the absolute path of a socket, which can have at most 107 bytes',
};
const count = wholeNumber(1, 1_000_000_000);
const quota = wholeNumber(0, 1_000_000_000);
const rate: Kind<number> = { parse: parseRate, allowed: 'a number greater than 0 and at most 1000000000' };
const port: Kind<number> = {
  parse: (text) => (/^\d{1,5}$/.test(text) ? parseInteger(text, 0, 65_535) : undefined),
  allowed: 'a port number from 0 to 65535',
};
const fixedPort: Kind<number> = {
  parse: (text) => port.parse(text) || undefined,
  allowed: 'a port number from 1 to 65535',
};
const origin: Kind<string> = {
  parse: parseOrigin,
  allowed:
    'an http or https URL without a path, query, or user, such as https://captcha.example.com (Postern needs a host name of its own)',
};
const email: Kind<string> = {
  parse: (text) => valueOrUndefined(parseEmail(text)),
  allowed: 'an email address',
};
/** For mail servers without support for international addresses. */
const asciiEmail: Kind<string> = {
  parse(text) {
    const parsed = parseEmail(text);
    return parsed.ok ? toAsciiEmail(parsed.value) : undefined;
  },
  allowed: 'an email address',
};
const password: Kind<string> = {
  parse: (text) => valueOrUndefined(parsePassword(text)),
  allowed: 'a password of 8 to 256 characters',
};
const apiKey: Kind<string> = {
  parse: (text) => valueOrUndefined(parseApiKey(text)),
  allowed: 'a key of 32 to 256 printable characters without spaces',
};
/** The characters of a bearer token (RFC 6750, section 2.1). */
const bearerToken: Kind<string> = {
  parse: (text) => (/^[A-Za-z0-9._~+/=-]{16,256}$/.test(text) ? text : undefined),
  allowed: 'a token of 16 to 256 letters, digits, and the characters - . _ ~ + / =',
};
const planName: Kind<string> = {
  parse: (text) => valueOrUndefined(parsePlanName(text)),
  allowed: 'a plan name of 1 to 64 lowercase letters, digits, and dashes that starts with a letter or digit',
};
const cidrs = {
  parse: parseCidrs,
  allowed: 'IP addresses or CIDR blocks, separated by commas, such as 10.0.0.0/8,::1',
};
const dnsServers = {
  parse: parseDnsServers,
  allowed: 'IP addresses with optional ports, separated by commas, such as 10.0.0.53,[::1]:5353',
};
const hosts = {
  parse: parseHosts,
  allowed: 'host names or IP addresses without ports, separated by commas, such as captcha.lan,192.168.1.5',
};
const cronExpression: Kind<string> = {
  parse: (text) => (isCronExpression(text) ? text : undefined),
  allowed: 'a cron expression with five fields in UTC, such as 30 3 * * *',
};
const passphrase: Kind<string> = {
  parse: (text) => valueOrUndefined(parsePassphrase(text)),
  allowed: PASSPHRASE_RULE,
};
/** The maximum number of names in a certificate of Let's Encrypt (letsencrypt.org/docs/rate-limits). */
const MAX_ACME_DOMAINS = 100;
const domains: Kind<readonly string[]> = {
  parse: (text) => parseDomains(text, MAX_ACME_DOMAINS),
  allowed: `up to ${MAX_ACME_DOMAINS} different domain names, separated by commas, without wildcards, IP addresses, or localhost`,
};
const secureUrl: Kind<string> = {
  parse: parseSecureUrl,
  allowed: 'an https URL of at most 200 characters without a user or fragment; http only for loopback hosts',
};
const databaseUrl: Kind<DatabaseUrl> = {
  parse: parseDatabaseUrl,
  allowed:
    'a URL such as postgres://user@db.example.com:5432/postern, with up to ten hosts separated by commas; the only parameter is sslmode=disable or sslmode=verify-full',
};
const databasePassword: Kind<string> = {
  parse: (text) => (text !== '' && text.length <= 1000 ? text : undefined),
  allowed: 'a password of 1 to 1000 characters',
};
const headerName: Kind<string> = {
  parse: (text) => (/^[A-Za-z0-9-]{1,64}$/.test(text) ? text : undefined),
  allowed: 'a header name, such as X-Forwarded-For',
};

/** Every setting, by its key in the configuration. */
// biome-ignore format: one row for each setting
export const SETTINGS_BY_KEY = {
  host: setting('POSTERN_HOST', host, '127.0.0.1', 'Bind address, or a [Unix socket](how-to/reverse-proxy.md#unix-socket), such as `unix:/run/postern/http.sock`.'),
  port: setting('POSTERN_PORT', port, '8080', 'Port to listen on. 0 selects a free port.'),
  baseUrl: optional('POSTERN_BASE_URL', origin, undefined, 'Public URL of the server. If not set, it is `http://localhost:PORT`, `https://localhost:PORT` with TLS certificate files, or the https URL of the first domain of `POSTERN_ACME_DOMAIN`.'),
  allowedHosts: optional('POSTERN_ALLOWED_HOSTS', hosts, [], 'Additional host names under which users can open the portal, besides the base URL\'s host and loopback names.'),
  trustedProxies: optional('POSTERN_TRUSTED_PROXIES', cidrs, [], 'Proxies whose client address header is trusted. If not set, the header is ignored.'),
  clientIpHeader: setting('POSTERN_CLIENT_IP_HEADER', headerName, 'X-Forwarded-For', 'Header in which the trusted proxies send the client address.'),
  tlsCert: optional('POSTERN_TLS_CERT', path, undefined, 'PEM file with the certificate chain. If it and `POSTERN_TLS_KEY` are set, the server uses https.'),
  tlsKey: optional('POSTERN_TLS_KEY', path, undefined, 'PEM file with the private key of the certificate.'),
  acmeDomains: optional('POSTERN_ACME_DOMAIN', domains, [], 'Domains for which the server obtains and renews a certificate. By setting it, you agree to the CA\'s terms of service. Requires `POSTERN_ACME_EMAIL` and `POSTERN_PORT`.'),
  acmeEmail: optional('POSTERN_ACME_EMAIL', asciiEmail, undefined, 'Contact address of the account at the CA.'),
  acmeHttpPort: setting('POSTERN_ACME_HTTP_PORT', fixedPort, '80', 'Port for the CA\'s validation requests and the redirect to https. The CA must reach it as port 80 of each domain.'),
  acmeDirectory: setting('POSTERN_ACME_DIRECTORY', secureUrl, 'https://acme-v02.api.letsencrypt.org/directory', 'URL of the CA\'s ACME directory.'),
  acmeCa: optional('POSTERN_ACME_CA', path, undefined, 'PEM file with the certificates that are trusted for connections to a private ACME server, instead of the public CAs.'),
  hstsSubdomains: setting('POSTERN_HSTS_SUBDOMAINS', onOff, 'off', 'Whether `Strict-Transport-Security` also covers the subdomains of the base URL\'s host.'),
  dataDir: setting('POSTERN_DATA_DIR', path, './data', 'Folder for all persistent data.'),
  markDir: optional('POSTERN_MARK_DIR', path, undefined, 'Existing folder outside of the data folder, in which the server stores a small file that shows how new the data is. If not set, it is the first folder of `CACHE_DIRECTORY`, which systemd sets; without both, there is no such file.'),
  replayDurability: setting('POSTERN_REPLAY_DURABILITY', oneOf('full', 'normal'), 'full', 'Whether claims survive a power failure (`full`), or only the killing of Postern\'s process (`normal`).'),
  database: optional('POSTERN_DATABASE_URL', secret(databaseUrl), undefined, 'PostgreSQL database that replaces the databases in the data folder, and that several nodes can share. Postern verifies the server\'s certificate, except on loopback addresses and Unix sockets, or with `sslmode=disable`.'),
  databasePassword: optional('POSTERN_DATABASE_PASSWORD', secret(databasePassword), undefined, 'Password for the PostgreSQL database, if the URL contains none.'),
  databaseCaFile: optional('POSTERN_DATABASE_CA', path, undefined, 'PEM file with the CA certificates that Postern trusts for connections to the PostgreSQL database, instead of the public CAs.'),
  backupSchedule: optional('POSTERN_BACKUP_SCHEDULE', cronExpression, undefined, 'When the server creates backups, as a cron expression in UTC, such as `30 3 * * *`. Requires `POSTERN_BACKUP_DIR`.'),
  backupDir: optional('POSTERN_BACKUP_DIR', path, undefined, 'Existing folder for the scheduled backups.'),
  backupKeep: setting('POSTERN_BACKUP_KEEP', wholeNumber(1, 10_000, ' of backups'), '7', 'Number of scheduled backups to keep. The server deletes older scheduled backups of this installation, but no other files.'),
  backupPassphrase: optional('POSTERN_BACKUP_PASSPHRASE', secret(passphrase), undefined, 'Passphrase that encrypts and decrypts backups.'),
  adminEmail: optional('POSTERN_ADMIN_EMAIL', email, undefined, 'Email address of the first user, which is created at the first start. Requires `POSTERN_ADMIN_PASSWORD`.'),
  adminPassword: optional('POSTERN_ADMIN_PASSWORD', secret(password), undefined, 'Password of the first user.'),
  portalKey: optional('POSTERN_PORTAL_KEY', secret(apiKey), undefined, 'API key with the `portal` scope for the first user, created at the first start.'),
  verifyKey: optional('POSTERN_VERIFY_KEY', secret(apiKey), undefined, 'API key with the `verify` scope for the first user, created at the first start.'),
  planOrganizations: setting('POSTERN_PLAN_ORGS', quota, '100', 'Number of organizations that a user on the `default` plan can own, until `postern plans set default` changes the quota.'),
  planProperties: setting('POSTERN_PLAN_PROPERTIES', quota, '10000', 'Number of properties that all organizations of a user on the `default` plan can have in total, until `postern plans set default` changes the quota.'),
  invitedPlan: setting('POSTERN_INVITED_PLAN', planName, 'invited', 'Plan for users who create their account through an invitation. The built-in plan `invited` does not include any organizations.'),
  auditDays: setting('POSTERN_AUDIT_DAYS', wholeNumber(1, 3650, ' of days'), '365', 'Number of days for which audit log entries are retained.'),
  sessionIdleHours: setting('POSTERN_SESSION_IDLE_HOURS', wholeNumber(1, 720, ' of hours'), '12', 'Session idle timeout in hours: the portal signs out users who are inactive for this long.'),
  sessionMaxDays: setting('POSTERN_SESSION_MAX_DAYS', wholeNumber(1, 365, ' of days'), '7', 'Maximum session lifetime in days: users must sign in to the portal again after this time, even if they are active.'),
  requireTwoFactor: setting('POSTERN_REQUIRE_TWO_FACTOR', oneOf(...TWO_FACTOR_RULES), 'off', 'Users who must use two-factor authentication in the portal: no one (`off`), administrators (`admins`), or all users (`everyone`).'),
  dnsCheck: setting('POSTERN_DNS_CHECK', onOff, 'on', 'Whether the domain of a property must resolve.'),
  dnsServers: optional('POSTERN_DNS_SERVERS', dnsServers, undefined, 'DNS servers, in the order in which they are queried. If not set, the system\'s DNS servers are used.'),
  dnsTimeoutMs: setting('POSTERN_DNS_TIMEOUT_MS', wholeNumber(100, 60_000, ' of milliseconds'), '3000', 'Time limit in milliseconds for resolving one domain. All DNS servers share it.'),
  testProperty: setting('POSTERN_TEST_PROPERTY', oneOf('auto', 'on', 'off'), 'auto', 'Whether the test sitekey works. With `auto`, it works only if the base URL has a loopback host or the demo is on.'),
  geoipFiles: optional('POSTERN_GEOIP_FILES', paths, [], 'Files in the MaxMind DB format, from which rules get the countries and ASNs of addresses. The server reads a file again when it changes.'),
  trafficDetails: setting('POSTERN_TRAFFIC_DETAILS', oneOf(...TRAFFIC_DETAILS), 'without-networks', 'What the server keeps in memory about [recent requests](reference/portal.md#traffic): nothing (`off`), the reason, host, browser, and country (`without-networks`), or also the visitor\'s /24 (IPv4) or /48 (IPv6) network (`on`).'),
  puzzleRate: setting('POSTERN_PUZZLE_RATE', rate, '2', 'Number of puzzles per second for each client address (IPv6: each /64 network).'),
  puzzleBurst: setting('POSTERN_PUZZLE_BURST', count, '40', 'Number of puzzles that each client address can request in a burst.'),
  verifyRate: setting('POSTERN_VERIFY_RATE', rate, '1000', 'Number of verifications per second for each API key.'),
  verifyBurst: setting('POSTERN_VERIFY_BURST', count, '2000', 'Number of verifications that each API key can request in a burst.'),
  portalRate: setting('POSTERN_PORTAL_RATE', rate, '20', 'Number of Platform API requests per second for each user, across all of the user\'s keys. Pages of the portal have the same limit, but at least 20, for each user, and for each client address without a session.'),
  portalBurst: setting('POSTERN_PORTAL_BURST', count, '100', 'Number of Platform API requests that each user can send in a burst. Pages of the portal have the same burst, but at least 100.'),
  argon2Parallelism: optional('POSTERN_ARGON2_PARALLELISM', wholeNumber(1, 64), undefined, 'Number of argon2id solutions that the server verifies at the same time. Each uses one core at low priority and 16 MiB of memory. If not set, it is the number of cores minus one, at least 1 and at most 16.'),
  argon2Queue: setting('POSTERN_ARGON2_QUEUE', wholeNumber(1, 10_000), '64', 'Number of argon2id solutions that can wait for verification. A verification takes about 40 ms, and `POSTERN_ARGON2_PARALLELISM` of them run at the same time. Further verifications get status 429.'),
  threads: optional('POSTERN_THREADS', wholeNumber(1, 4, ' of threads'), undefined, 'Number of threads that respond to requests for puzzles and verifications. With more than one, another thread manages the server, and each request thread uses about 20 MB more memory under load. If not set, it is the number of cores, at most 4, but 1 on two cores.'),
  maintenance: setting('POSTERN_MAINTENANCE', onOff, 'off', 'With `on`, the server is always in maintenance mode. With `off`, `postern maintenance` and the portal control it.'),
  demo: setting('POSTERN_DEMO', onOff, 'off', 'Whether the server creates demo data in an empty data folder (an organization, a property for `example.com` that allows localhost, and API keys) and serves `/demo`.'),
  swagger: setting('POSTERN_SWAGGER', oneOf('public', 'signed-in', 'off'), 'public', 'Users who can read `/swagger` and `/swagger/json`: everyone (`public`), users who are signed in to the portal (`signed-in`), or no one (`off`).'),
  metricsToken: optional('POSTERN_METRICS_TOKEN', secret(bearerToken), undefined, 'Bearer token for `GET /metrics`. If not set, only requests from the same machine can read the metrics.'),
  log: setting('POSTERN_LOG', oneOf(...LOG_LEVELS), 'info', 'Lowest level of events to log.'),
  logFormat: setting('POSTERN_LOG_FORMAT', oneOf('auto', 'json', 'pretty'), 'auto', 'Log format. `auto` is `pretty` on a terminal and `json` otherwise.'),
} satisfies Readonly<Record<string, Setting>>;

/** The settings in the order of their table. */
export const SETTINGS: readonly Setting[] = Object.values(SETTINGS_BY_KEY);

/** Each group of settings with its heading in the documentation, and the key of its first setting. */
// biome-ignore format: one row for each group
const GROUPS: readonly (readonly [group: SettingGroup, heading: string, first: keyof typeof SETTINGS_BY_KEY])[] = [
  ['address', 'Address', 'host'],
  ['reverseProxy', 'Reverse proxy', 'trustedProxies'],
  ['https', 'HTTPS', 'tlsCert'],
  ['data', 'Data', 'dataDir'],
  ['postgresql', 'PostgreSQL', 'database'],
  ['backups', 'Backups', 'backupSchedule'],
  ['firstUser', 'First user', 'adminEmail'],
  ['users', 'Users and plans', 'planOrganizations'],
  ['properties', 'Properties', 'dnsCheck'],
  ['rates', 'Rate limits and threads', 'puzzleRate'],
  ['operation', 'Operation', 'maintenance'],
];

/** The settings in groups, in the order of their tables. */
export const SETTING_GROUPS = GROUPS.map(([group, heading, first], at) => {
  const keys = Object.keys(SETTINGS_BY_KEY);
  const next = GROUPS[at + 1]?.[2];
  const end = next === undefined ? keys.length : keys.indexOf(next);
  return { group, heading, settings: SETTINGS.slice(keys.indexOf(first), end) };
});
