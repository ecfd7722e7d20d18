import { resolve } from 'node:path';
import { type Config, effectiveSettings, readNotificationTarget } from '../../config.ts';
import { closeOnFailure } from '../../lib/closing.ts';
import { createLog, type LimitedLog, type Log, reasonOf } from '../../lib/log.ts';
import { systemClock } from '../../lib/time.ts';
import { INSTALLATION } from '../../model/actor.ts';
import { LOG_LIMITS } from '../../model/logEvents.ts';
import type { EffectiveSetting } from '../../model/system.ts';
import type { App } from '../../server/app.ts';
import { version } from '../../version.ts';
import { type Command, ConfigError, type Context, type ExitCode } from '../command.ts';
import {
  FILE_LIMIT_FIX,
  findExposedFolder,
  RECOMMENDED_FILES,
  REQUIRED_FILES,
  readFileLimit,
} from '../startChecks.ts';
import { createStorageError, requireConfig } from '../withServices.ts';
import { type AutomaticHttpsOptions, readAcmeCa } from './automaticHttps.ts';
import { checkCertificate, type Listener, listen, resolvePort } from './listener.ts';
import type { ServiceManager } from './serviceManager.ts';
import { listenForSignals, type StopSignals } from './stopSignals.ts';

/** Time limit for requests that are still running after a signal. */
const DRAIN_MS = 10_000;

const KEYS_WITHOUT_USER =
  'POSTERN_PORTAL_KEY and POSTERN_VERIFY_KEY require a first user; set POSTERN_ADMIN_EMAIL and POSTERN_ADMIN_PASSWORD too';

/** `postern serve`. */
export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Runs the server (the default command).',
  example: 'postern serve --port 8080 --data-dir /srv/postern',
  run,
};

async function run(context: Context): Promise<ExitCode> {
  const given = requireConfig(context);
  const fileLimit = requireFileLimit();
  const usesAcme = given.acmeDomains.length > 0;
  const usesTls = usesAcme || given.tlsCert !== undefined;
  const log = createServerLog(given, context);
  const starting = Promise.withResolvers<Listener>();
  // Registered first, so that a signal during startup does not kill the process while it writes.
  const signals = listenForSignals({
    // On a terminal, SIGHUP has its usual meaning: the terminal was closed. A service manager sends it to reload a server.
    stopsOnHangup: !usesTls && isOnTerminal(),
    reload: usesTls
      ? () => void starting.promise.then((listener) => reload(listener, signals, log))
      : undefined,
    onIgnored: (signal) => log.info('signal-ignored', { signal }),
  });
  const config = await resolvePort(given);
  for (const variable of context.report.unknownVariables) log.warn('setting-unknown', { variable });
  checkCertificate(config);
  const acmeCa = readAcmeCa(config);
  warnOfExposure(config, log);
  if (fileLimit < RECOMMENDED_FILES)
    log.warn('file-limit-low', { limit: fileLimit, recommended: RECOMMENDED_FILES });
  const app = await open(config, log, effectiveSettings({ ...context.report, config }));
  const earlySignal = signals.first();
  if (earlySignal !== undefined) {
    log.info('server-stopping', { signal: earlySignal });
    return close(app, log);
  }
  const listener = await closeOnFailure(app.close, async () => {
    await checkFirstStart(app, config);
    return usesAcme ? listenWithAcme({ app, config, ca: acmeCa, log }) : listen(app, config);
  });
  log.info('server-started', {
    version,
    url: config.baseUrl,
    host: config.host,
    port: listener.port(),
    test_property: config.testProperty ? 'on' : 'off',
  });
  logFirstStart(app, config, log);
  printBanner(app, config, context);
  starting.resolve(listener);
  const serviceManager = await findServiceManager(app, log);
  serviceManager?.ready();
  log.info('server-stopping', { signal: await signals.received });
  serviceManager?.stopping();
  return stop(app, listener, log).finally(serviceManager?.close);
}

const isOnTerminal = () =>
  [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true);

/** @returns undefined if systemd did not start this process */
async function findServiceManager({ threads }: App, log: Log): Promise<ServiceManager | undefined> {
  const target = readNotificationTarget();
  if (target === undefined) return undefined;
  try {
    const { connectToServiceManager } = await import('./serviceManager.ts');
    return connectToServiceManager(target, async () => threads?.ping());
  } catch (error) {
    log.error('service-manager-not-notified', { reason: reasonOf(error) });
    return undefined;
  }
}

/** Loads automatic HTTPS only if it is configured. @see listenWithAcme in automaticHttps.ts */
async function listenWithAcme(options: AutomaticHttpsOptions): Promise<Listener> {
  const automaticHttps = await import('./automaticHttps.ts');
  return automaticHttps.listenWithAcme(options);
}

async function open(config: Config, log: LimitedLog, settings: readonly EffectiveSetting[]): Promise<App> {
  // Loaded here because no other command needs these modules.
  const { openApp } = await import('../../server/app.ts');
  try {
    return await openApp({ config, log, settings });
  } catch (cause) {
    throw createStorageError(config, cause);
  }
}

/** Checks the settings that depend on the stored data. @throws ConfigError */
async function checkFirstStart({ firstStart, services }: App, { invitedPlan }: Config): Promise<void> {
  const planNames = (await services.plans.list(INSTALLATION)).map(({ name }) => name);
  const errors = firstStart.hasOwnerlessKeys ? [KEYS_WITHOUT_USER] : [];
  if (!planNames.includes(invitedPlan)) {
    errors.push(
      `POSTERN_INVITED_PLAN must be the name of an existing plan (${planNames.join(', ')}), not "${invitedPlan}"; create it with "postern plans set ${invitedPlan} --orgs N --properties N"`,
    );
  }
  if (errors.length > 0) throw new ConfigError(errors);
}

/** @returns how many files this process can open @throws ConfigError if a server could not work */
function requireFileLimit(): number {
  const limit = readFileLimit() ?? Number.POSITIVE_INFINITY;
  if (limit >= REQUIRED_FILES) return limit;
  throw new ConfigError([
    `this process can open only ${limit} files, but a server needs ${REQUIRED_FILES}. ${FILE_LIMIT_FIX}`,
  ]);
}

/** Before the start creates the data folder, and before it can fail. */
function warnOfExposure({ dataDir }: Config, log: Log): void {
  const exposed = findExposedFolder(resolve(dataDir));
  if (exposed === undefined) return;
  const { folder, mode, readable, fix } = exposed;
  log.warn('data-folder-exposed', { folder, mode, readable: readable.join(' '), fix });
}

function createServerLog(config: Config, context: Context): LimitedLog {
  const isPretty =
    config.logFormat === 'pretty' || (config.logFormat === 'auto' && process.stderr.isTTY === true);
  const format = isPretty ? 'pretty' : 'json';
  return createLog({ level: config.log, format, clock: systemClock, write: context.err, limits: LOG_LIMITS });
}

/** Does nothing while the server stops, because a listener with a new certificate would accept connections again. */
async function reload(listener: Listener, { first }: StopSignals, log: Log): Promise<void> {
  if (first() !== undefined) return;
  try {
    if (await listener.reload()) log.info('certificate-reloaded');
  } catch (error) {
    log.error('certificate-not-reloaded', { reason: reasonOf(error) });
  }
}

function logFirstStart({ firstStart: { admin, demo }, setupLink }: App, config: Config, log: Log): void {
  if (admin !== undefined) log.info('first-user-ready', { email_domain: admin.email.split('@')[1] ?? '' });
  if (setupLink !== undefined) log.info('setup-pending');
  if (config.demo && demo === undefined)
    log.warn('demo-not-created', { reason: 'the data folder has other users' });
}

/**
 * Prints the setup link, or the address of the portal if there is a user, and the keys of the demo. The link and the keys are secrets,
 * so they do not appear in the log.
 */
function printBanner({ firstStart: { demo }, setupLink }: App, { baseUrl }: Config, { out }: Context): void {
  out(setupLink === undefined ? `Portal:       ${baseUrl}/portal` : `Setup link:   ${setupLink}`);
  if (demo === undefined) return;
  out('');
  out(`Demo page:    ${baseUrl}/demo`);
  out(`Sitekey:      ${demo.sitekey}`);
  out(`Verify key:   ${demo.verifyKey}`);
  out(`Portal key:   ${demo.portalKey}`);
  out('');
}

/** Finishes the running requests, and then closes the files. Every step runs, even if an earlier one fails. */
async function stop(app: App, listener: Listener, log: LimitedLog): Promise<ExitCode> {
  try {
    await drain(app, listener, log);
  } catch (error) {
    log.error('part-not-stopped', { part: 'listener', reason: reasonOf(error) });
    await close(app, log);
    return 1;
  }
  return close(app, log);
}

async function drain(app: App, listener: Listener, log: Log): Promise<void> {
  await app.drain();
  const isDrained = await Promise.race([
    listener.stop().then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), DRAIN_MS)),
  ]);
  if (!isDrained) log.warn('drain-timed-out', { milliseconds: DRAIN_MS });
}

/** @returns 1 if a part could not be closed, which the app has logged */
async function close(app: App, log: LimitedLog): Promise<ExitCode> {
  const code = await app.close().then(
    () => 0 as const,
    () => 1 as const,
  );
  log.flush();
  log.info('server-stopped');
  return code;
}
