import { readFileSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { readCommonPasswords } from './commonPasswords.ts';
import { isLoopbackHost } from './lib/address.ts';
import { parseCidrs, socketPathOf } from './lib/parse.ts';
import { parseNewPassword } from './model/newPassword.ts';
import { PROBLEMS } from './model/problems.ts';
import type { EffectiveSetting } from './model/system.ts';
import { SETTING_GROUPS, SETTINGS, SETTINGS_BY_KEY, type Setting, type ValueOf } from './settings.ts';

type Key = keyof typeof SETTINGS_BY_KEY;
type Values = { readonly [K in Key]: ValueOf<(typeof SETTINGS_BY_KEY)[K]> };
/** The settings with valid values. */
type ValidValues = { -readonly [K in Key]?: Values[K] };
const ROWS: { readonly [K in Key]: Setting<Values[K]> } = SETTINGS_BY_KEY;
const KEYS: readonly Key[] = Object.keys(SETTINGS_BY_KEY).filter(isKey);

/**
 * The settings of this process. Only this file reads the environment.
 *
 * `allowedHosts` has the format of `URL.hostname`.
 */
export type Config = Omit<Values, 'baseUrl' | 'testProperty'> & {
  readonly baseUrl: string;
  /** `auto` is resolved: true if the base URL has a loopback host or the demo is on. */
  readonly testProperty: boolean;
  /** The first folder of `CACHE_DIRECTORY`, which systemd sets for a service with a cache; undefined if there is none. */
  readonly cacheDir: string | undefined;
};

/** The source of a setting, its value, and the error if the value is invalid. */
export type SettingReport = {
  readonly key: Key;
  readonly setting: Setting;
  readonly source: EffectiveSetting['source'];
  /** The value in the format of the variable; masked if it is a secret. */
  readonly shown: string | undefined;
  readonly error: string | undefined;
};

export type ConfigReport = {
  /** In the order of the settings table. */
  readonly settings: readonly SettingReport[];
  /** One sentence for each error; empty if the configuration is valid. */
  readonly errors: readonly string[];
  /** Variables that start with POSTERN_ but are not settings, for example because of a typo. */
  readonly unknownVariables: readonly string[];
  /** Undefined if there are errors. */
  readonly config: Config | undefined;
};

/** Where systemd expects notifications, and how often its watchdog expects them (sd_notify(3), sd_watchdog_enabled(3)). */
export type NotificationTarget = {
  /** The path of a Unix socket; `@` is the abstract namespace. */
  readonly socket: string;
  /** The longest time between two notifications, in milliseconds; undefined without a watchdog. */
  readonly watchdogMs: number | undefined;
};

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads every setting, and reports all errors at once. Flags override environment variables, which override defaults.
 *
 * @param flags the flags of the command line, by the name of their variable
 * @param environment the environment of the process, except in tests
 */
export function readConfig(flags: Environment = {}, environment: Environment = process.env): ConfigReport {
  const values: ValidValues = {};
  const settings = KEYS.map((key) => readSetting(key, values, flags, environment));
  const errors = [...settings.flatMap(({ error }) => error ?? []), ...combinationErrors(values, settings)];
  return {
    settings,
    errors,
    unknownVariables: unknownVariables(environment),
    config: errors.length === 0 && isComplete(values) ? toConfig(values, environment) : undefined,
  };
}

/** The value and the source of every setting; secrets are masked, and the base URL is resolved. */
export function effectiveSettings({ settings, config }: ConfigReport): readonly EffectiveSetting[] {
  const groups = SETTING_GROUPS.flatMap(({ group, settings: all }) =>
    all.map(({ variable }) => [variable, group] as const),
  );
  const groupOf = new Map(groups);
  return settings.map(({ key, setting: { variable, meaning }, shown, source }) => {
    const value = shown ?? (key === 'baseUrl' ? config?.baseUrl : undefined);
    return { group: groupOf.get(variable) ?? 'operation', variable, value, source, meaning };
  });
}

/** @returns undefined if systemd did not start this process, or does not wait for notifications */
export function readNotificationTarget(
  environment: Environment = process.env,
): NotificationTarget | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC, WATCHDOG_PID } = environment;
  if (socket === undefined || !/^[/@]/.test(socket)) return undefined;
  const isOwn = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid);
  const watchdogMs = Number(WATCHDOG_USEC ?? Number.NaN) / 1000;
  return { socket, watchdogMs: isOwn && watchdogMs > 0 ? watchdogMs : undefined };
}

function isKey(name: string): name is Key {
  return Object.hasOwn(SETTINGS_BY_KEY, name);
}

function isComplete(values: ValidValues): values is Values {
  return KEYS.every((key) => key in values);
}

function toConfig(values: Values, { CACHE_DIRECTORY }: Environment): Config {
  const baseUrl = values.baseUrl ?? defaultBaseUrl(values);
  const isLocal = isLoopbackHost(new URL(baseUrl).hostname);
  const testProperty = values.testProperty === 'auto' ? values.demo || isLocal : values.testProperty === 'on';
  const cacheDir = CACHE_DIRECTORY?.split(':')[0] || undefined;
  const trustedProxies = [...values.trustedProxies, ...(isUnixSocket(values) ? SOCKET_PEERS : [])];
  return Object.freeze({ ...values, baseUrl, testProperty, cacheDir, trustedProxies });
}

/** Connections to a Unix socket have this address. Only a proxy can open them, because the file's mode excludes other users. */
const SOCKET_PEERS = parseCidrs('127.0.0.1') ?? [];

function isUnixSocket({ host }: Pick<ValidValues, 'host'>): boolean {
  return host !== undefined && socketPathOf(host) !== undefined;
}

function defaultBaseUrl({ tlsCert, acmeDomains: [domain], port }: Values): string {
  // `URL` omits the default port.
  if (domain !== undefined) return new URL(`https://${domain}:${port}`).origin;
  return `${tlsCert === undefined ? 'http' : 'https'}://localhost:${port}`;
}

/** Reads one setting, and adds its value to the others if it is valid. */
function readSetting<K extends Key>(
  key: K,
  values: ValidValues,
  flags: Environment,
  environment: Environment,
): SettingReport {
  const setting = ROWS[key];
  const { source, text, error } = findText(setting, flags, environment);
  const parsed = setting.parse(text);
  if (error === undefined && parsed.ok) values[key] = parsed.value;
  const shown = text ?? setting.default;
  const isMasked = setting.isSecret && shown !== undefined;
  return {
    key,
    setting,
    source,
    shown: isMasked ? '********' : shown,
    error: error ?? (parsed.ok ? undefined : describeInvalid(setting, text)),
  };
}

function describeInvalid({ variable, allowed, isSecret }: Setting, text: string | undefined): string {
  return `${variable} must be ${allowed}${isSecret ? '' : `, not ${JSON.stringify(text)}`}`;
}

type Found = Pick<SettingReport, 'source'> & { readonly text?: string; readonly error?: string };

function findText({ variable, isSecret }: Setting, flags: Environment, environment: Environment): Found {
  const flag = flags[variable];
  if (flag !== undefined) return { source: 'flag', text: flag };
  const text = environment[variable];
  const file = isSecret ? environment[`${variable}_FILE`] : undefined;
  if (text !== undefined && file !== undefined) {
    const error = `${variable} and ${variable}_FILE are both set; set only one of them`;
    return { source: 'environment', error };
  }
  if (text !== undefined) return { source: 'environment', text };
  if (file === undefined) return { source: 'default' };
  try {
    return { source: 'file', text: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { source: 'file', error: `${variable}_FILE cannot be read: ${reason}` };
  }
}

/** Errors that involve more than one setting. */
function combinationErrors(values: ValidValues, settings: readonly SettingReport[]): readonly string[] {
  // Includes settings with invalid values, so that they are not reported as missing too.
  const given = new Set(settings.filter(({ source }) => source !== 'default').map(({ key }) => key));
  const errors: string[] = [];
  for (const [a, b] of [
    ['adminEmail', 'adminPassword'],
    ['tlsCert', 'tlsKey'],
    ['backupSchedule', 'backupDir'],
    ['acmeDomains', 'acmeEmail'],
  ] as const) {
    if (given.has(a) === given.has(b)) continue;
    errors.push(`${ROWS[a].variable} and ${ROWS[b].variable} must be set together`);
  }
  if (given.has('backupKeep') && !given.has('backupSchedule')) {
    errors.push('POSTERN_BACKUP_KEEP requires POSTERN_BACKUP_SCHEDULE');
  }
  errors.push(...markErrors(values));
  if (isUnixSocket(values)) errors.push(...unixSocketErrors(values, given));
  errors.push(...acmeErrors(values, given), ...databaseErrors(values, given), ...passwordErrors(values));
  if (values.portalKey !== undefined && values.portalKey === values.verifyKey) {
    errors.push('POSTERN_PORTAL_KEY and POSTERN_VERIFY_KEY must be different keys');
  }
  return errors;
}

/** A file in the data folder would be part of each copy of the folder, so it could not show that the folder is old. */
function markErrors({ markDir, dataDir }: ValidValues): readonly string[] {
  if (markDir === undefined || dataDir === undefined) return [];
  const isInside = `${resolve(markDir)}${sep}`.startsWith(`${resolve(dataDir)}${sep}`);
  return isInside ? ['POSTERN_MARK_DIR must be a folder outside of the data folder'] : [];
}

function unixSocketErrors({ threads }: ValidValues, given: ReadonlySet<Key>): readonly string[] {
  const errors = (['port', 'tlsCert', 'acmeDomains'] as const)
    .filter((key) => given.has(key))
    .map((key) => `${ROWS[key].variable} cannot be combined with a Unix socket in POSTERN_HOST`);
  if (!given.has('baseUrl')) errors.push('POSTERN_BASE_URL is required if POSTERN_HOST is a Unix socket');
  if (threads !== undefined && threads > 1) {
    errors.push(
      'POSTERN_THREADS must be 1 if POSTERN_HOST is a Unix socket, on which only one thread can listen',
    );
  }
  return errors;
}

function databaseErrors({ database }: ValidValues, given: ReadonlySet<Key>): readonly string[] {
  if (!given.has('database')) {
    return (['databasePassword', 'databaseCaFile'] as const)
      .filter((key) => given.has(key))
      .map((key) => `${ROWS[key].variable} requires POSTERN_DATABASE_URL`);
  }
  const errors: string[] = [];
  if (given.has('markDir')) errors.push('POSTERN_MARK_DIR cannot be combined with POSTERN_DATABASE_URL');
  if (given.has('backupSchedule')) {
    errors.push(
      "POSTERN_BACKUP_SCHEDULE cannot be combined with POSTERN_DATABASE_URL; use PostgreSQL's tools for backups",
    );
  }
  if (database?.password !== undefined && given.has('databasePassword')) {
    errors.push('POSTERN_DATABASE_URL contains a password, so POSTERN_DATABASE_PASSWORD must not be set');
  }
  if (database?.isEncrypted === false && given.has('databaseCaFile')) {
    errors.push(
      'POSTERN_DATABASE_CA requires TLS, which POSTERN_DATABASE_URL does not use; add ?sslmode=verify-full to the URL',
    );
  }
  return errors;
}

function acmeErrors(values: ValidValues, given: ReadonlySet<Key>): readonly string[] {
  if (!given.has('acmeDomains')) {
    return (['acmeHttpPort', 'acmeDirectory', 'acmeCa'] as const)
      .filter((key) => given.has(key))
      .map((key) => `${ROWS[key].variable} requires POSTERN_ACME_DOMAIN`);
  }
  const errors: string[] = [];
  const { baseUrl, acmeDomains, port, acmeHttpPort } = values;
  if (given.has('tlsCert') || given.has('tlsKey')) {
    errors.push('POSTERN_ACME_DOMAIN cannot be combined with POSTERN_TLS_CERT and POSTERN_TLS_KEY');
  }
  if (!given.has('port') || port === 0) {
    errors.push('POSTERN_ACME_DOMAIN requires POSTERN_PORT, the port for https, which is usually 443');
  } else if (port !== undefined && port === acmeHttpPort) {
    errors.push('POSTERN_PORT and POSTERN_ACME_HTTP_PORT must be different ports');
  }
  const url = URL.parse(baseUrl ?? '');
  if (url !== null && url.protocol !== 'https:') {
    errors.push('POSTERN_BASE_URL must begin with https if POSTERN_ACME_DOMAIN is set');
  }
  if (url !== null && acmeDomains?.every((domain) => domain !== url.hostname)) {
    errors.push(
      `The host of POSTERN_BASE_URL, ${url.hostname}, must be one of the domains of POSTERN_ACME_DOMAIN`,
    );
  }
  return errors;
}

/** Loads the list of common passwords only if a password is set. */
function passwordErrors({ adminEmail, adminPassword }: ValidValues): readonly string[] {
  if (adminPassword === undefined || adminEmail === undefined) return [];
  const context = { email: adminEmail, organizationNames: [] };
  const accepted = parseNewPassword(adminPassword, context, readCommonPasswords());
  return accepted.ok
    ? []
    : [`POSTERN_ADMIN_PASSWORD is not accepted: ${PROBLEMS[accepted.problem].sentence}`];
}

function unknownVariables(environment: Environment): readonly string[] {
  const known = new Set(
    SETTINGS.flatMap(({ variable, isSecret }) => (isSecret ? [variable, `${variable}_FILE`] : [variable])),
  );
  return Object.keys(environment)
    .filter((name) => name.startsWith('POSTERN_') && !known.has(name))
    .sort();
}
