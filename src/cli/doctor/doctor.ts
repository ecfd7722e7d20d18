import { type ConfigReport, effectiveSettings } from '../../config.ts';
import { isLoopbackHost } from '../../lib/address.ts';
import { systemClock } from '../../lib/time.ts';
import type { Command, Context, ExitCode } from '../command.ts';
import { type Check, type Finding, failed, passed, warning } from './check.ts';
import { checkCluster } from './clusterChecks.ts';
import { checkDataFolder } from './dataFolderChecks.ts';
import { checkFileLimit, checkGeoip, checkNativeCode } from './environmentChecks.ts';
import {
  checkDatabaseServers,
  checkDns,
  checkExposure,
  checkTls,
  type ShownSettings,
} from './networkChecks.ts';

/** `postern doctor`. */
export const doctor: Command = {
  name: 'doctor',
  usage: '',
  summary:
    'Shows every setting, and checks the settings, the data folder or the database, and the network. Changes nothing.',
  example: 'postern doctor',
  async run(context) {
    const { report } = context;
    // Loaded here because it imports an HTTP client, which most commands do not need.
    const { checkAcme } = await import('./acmeChecks.ts');
    const checks = [
      ...runChecks(report),
      ...(await checkDatabaseServers(report.config ?? {})),
      ...(await checkCluster(report.config ?? {})),
      { name: 'file-limit', ...checkFileLimit() },
      { name: 'native-code', ...(await checkNativeCode()) },
      { name: 'dns', ...(await checkDns(report.config)) },
      ...(await checkAcme(report.config, systemClock())),
      ...(await checkGeoip(report.config ?? {}, systemClock())),
    ];
    const code = toExitCode(report, checks);
    if (context.isJson) printJson(report, checks, code, context);
    else printText(report, checks, context);
    return code;
  },
};

function toExitCode({ errors }: ConfigReport, checks: readonly Check[]): ExitCode {
  if (errors.length > 0) return 2;
  return checks.every(({ ok }) => ok) ? 0 : 1;
}

/** Runs the checks that the valid settings allow. */
function runChecks(report: ConfigReport): readonly Check[] {
  const settings = toShownSettings(report);
  const dataDir = settings.get('dataDir');
  return [
    { name: 'settings', ...checkSettings(report) },
    { name: 'variables', ...checkVariables(report) },
    // With PostgreSQL, the data folder contains no databases.
    ...(dataDir === undefined || settings.has('database') ? [] : checkDataFolder(dataDir, systemClock())),
    checkTlsFiles(settings),
    ...checkExposure(settings, {
      usesTls: settings.has('tlsCert') || settings.has('acmeDomains'),
      hasClientIpHeader: isSet(report, 'clientIpHeader'),
    }),
  ];
}

function isSet({ settings }: ConfigReport, wanted: string): boolean {
  return settings.some(({ key, source }) => key === wanted && source !== 'default');
}

function toShownSettings({ settings, config }: ConfigReport): ShownSettings {
  const shownByKey = new Map<string, string>();
  for (const { key, shown, error } of settings) {
    if (error === undefined && shown !== undefined) shownByKey.set(key, shown);
  }
  if (config !== undefined) shownByKey.set('baseUrl', config.baseUrl);
  return shownByKey;
}

/** Reports the errors that involve more than one setting; the others are shown with their setting. */
function checkSettings({ settings, errors }: ConfigReport): Finding {
  const shown = new Set(settings.map(({ error }) => error));
  const others = errors.filter((error) => !shown.has(error));
  const fix = 'Correct the settings; docs/configuration.md lists the allowed values.';
  if (others.length > 0) return failed(others.join('; '), fix);
  if (errors.length > 0) return failed(`${errors.length} invalid, see above`, fix);
  return passed('all valid');
}

function checkVariables({ unknownVariables }: ConfigReport): Finding {
  if (unknownVariables.length === 0) return passed('no unknown variables');
  return warning(
    `unknown settings: ${unknownVariables.join(', ')}`,
    'Correct the spelling, or remove the variables.',
  );
}

function checkTlsFiles(settings: ShownSettings): Check {
  const [cert, key] = [settings.get('tlsCert'), settings.get('tlsKey')];
  if (cert === undefined || key === undefined) return { name: 'tls', ...passed('not used') };
  const host = URL.parse(settings.get('baseUrl') ?? '')?.hostname;
  return checkTls(cert, key, host === undefined || isLoopbackHost(host) ? undefined : host, systemClock());
}

function printJson(report: ConfigReport, checks: readonly Check[], code: ExitCode, { out }: Context): void {
  const effective = effectiveSettings(report);
  const settings = report.settings.map(({ setting: { flag, variable }, error }, index) => ({
    name: flag,
    variable,
    value: effective[index]?.value ?? null,
    source: effective[index]?.source,
    error: error ?? null,
  }));
  const shown = checks.map(({ name, ok, isWarning, detail, fix }) => {
    return { name, ok, warning: isWarning, detail, fix: fix ?? null };
  });
  out(JSON.stringify({ ok: code === 0, settings, checks: shown }));
}

function printText(report: ConfigReport, checks: readonly Check[], { out }: Context): void {
  for (const [index, { variable, value = '-', source }] of effectiveSettings(report).entries()) {
    const error = report.settings[index]?.error;
    out(`${error === undefined ? 'ok   ' : 'ERROR'}  ${variable.padEnd(28)} ${value}  (${source})`);
    if (error !== undefined) out(`       ${error}`);
  }
  out('');
  for (const { name, ok, isWarning, detail, fix } of checks) {
    const status = isWarning ? 'warning' : ok ? 'ok' : 'ERROR';
    out(`${status.padEnd(8)} ${name.padEnd(14)} ${detail}`);
    if (fix !== undefined) out(`${' '.repeat(23)} To fix it: ${fix}`);
  }
}
