import { type ConfigReport, effectiveSettings } from '../config.ts';
import { systemClock } from '../lib/time.ts';
import { type Check, checkDataFolder, checkDns, checkTls, failure, warning, well } from './checks.ts';
import type { Command, Context, ExitCode } from './command.ts';

/** `postern doctor`. */
export const doctor: Command = {
  name: 'doctor',
  usage: '',
  summary: 'Shows every setting and what is wrong with it, and looks at the surroundings; changes nothing.',
  options: {},
  async run(context) {
    const { report } = context;
    const checks = [...checksOf(report), await checkDns(report.config)];
    const code = exitCodeOf(report, checks);
    if (context.isJson) showJson(report, checks, code, context);
    else showText(report, checks, context);
    return code;
  },
};

function exitCodeOf({ errors }: ConfigReport, checks: readonly Check[]): ExitCode {
  if (errors.length > 0) return 2;
  return checks.every(({ ok }) => ok) ? 0 : 1;
}

/** What can be looked at, however much of the configuration is wrong. */
function checksOf(report: ConfigReport): readonly Check[] {
  const given = valuesOf(report);
  const now = systemClock();
  const dataDir = given.get('dataDir');
  return [
    checkSettings(report),
    checkVariables(report),
    ...(dataDir === undefined ? [] : checkDataFolder(dataDir, now)),
    checkTlsFiles(given),
    checkExposure(given),
  ];
}

type Values = ReadonlyMap<string, string>;

/** The settings that are there and right, as texts; secrets masked. */
function valuesOf({ settings, config }: ConfigReport): Values {
  const values = new Map<string, string>();
  for (const { key, shown, error } of settings) {
    if (error === undefined && shown !== undefined) values.set(key, shown);
  }
  if (config !== undefined) values.set('baseUrl', config.baseUrl);
  return values;
}

/** The mistakes that belong to no single setting. */
function checkSettings({ settings, errors }: ConfigReport): Check {
  const shown = new Set(settings.map(({ error }) => error));
  const others = errors.filter((error) => !shown.has(error));
  if (others.length > 0) return failure('settings', others.join('; '));
  if (errors.length > 0) return failure('settings', `${errors.length} wrong, see above`);
  return well('settings', 'all can be used');
}

function checkVariables({ unknownVariables }: ConfigReport): Check {
  if (unknownVariables.length === 0) return well('variables', 'none unknown');
  return warning('variables', `there is no setting ${unknownVariables.join(', ')}`);
}

function checkTlsFiles(given: Values): Check {
  const [cert, key] = [given.get('tlsCert'), given.get('tlsKey')];
  if (cert === undefined || key === undefined) return well('tls', 'not used');
  const host = URL.parse(given.get('baseUrl') ?? '')?.hostname;
  return checkTls(cert, key, host === 'localhost' ? undefined : host, systemClock());
}

/** Do the address, the base URL and the proxies fit together? */
function checkExposure(given: Values): Check {
  const baseUrl = given.get('baseUrl');
  if (baseUrl === undefined) return well('exposure', 'not known while settings are wrong');
  const isHttps = baseUrl.startsWith('https:');
  const hasProxies = given.has('trustedProxies');
  const servesTls = given.has('tlsCert');
  if (hasProxies && !isHttps) {
    return warning(
      'exposure',
      `proxies are trusted, but the base URL is ${baseUrl}; visitors most likely use https`,
    );
  }
  if (isHttps && !servesTls && !hasProxies) {
    return warning(
      'exposure',
      'the base URL is https and this server is not, so a proxy is in front; without POSTERN_TRUSTED_PROXIES all visitors share its address, and one rate limit',
    );
  }
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(baseUrl)?.hostname ?? '');
  const isOpen = !['localhost', '127.0.0.1', '::1'].includes(given.get('host') ?? '127.0.0.1');
  if (isOpen && isLocal) {
    return warning(
      'exposure',
      `other machines can connect, but the base URL is ${baseUrl}; set POSTERN_BASE_URL`,
    );
  }
  return well('exposure', baseUrl);
}

function showJson(report: ConfigReport, checks: readonly Check[], code: ExitCode, { out }: Context): void {
  const effective = effectiveSettings(report);
  const settings = report.settings.map(({ setting, error }, at) => ({
    name: setting.flag,
    variable: setting.variable,
    value: effective[at]?.value ?? null,
    source: effective[at]?.source,
    mistake: error ?? null,
  }));
  const shown = checks.map(({ name, ok, isWarning, detail }) => ({ name, ok, warning: isWarning, detail }));
  out(JSON.stringify({ ok: code === 0, settings, checks: shown }));
}

function showText(report: ConfigReport, checks: readonly Check[], { out }: Context): void {
  for (const [at, { variable, value = '-', source }] of effectiveSettings(report).entries()) {
    const error = report.settings[at]?.error;
    out(`${error === undefined ? 'ok   ' : 'WRONG'}  ${variable.padEnd(28)} ${value}  (${source})`);
    if (error !== undefined) out(`       ${error}`);
  }
  out('');
  for (const { name, ok, isWarning, detail } of checks) {
    const mark = isWarning ? 'warning' : ok ? 'ok' : 'WRONG';
    out(`${mark.padEnd(8)} ${name.padEnd(12)} ${detail}`);
  }
}
