import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type Config, effectiveSettings } from '../config.ts';
import { createLog, type Log, reasonOf } from '../lib/log.ts';
import { systemClock } from '../lib/time.ts';
import type { EffectiveSetting } from '../model/system.ts';
import type { App } from '../server/app.ts';
import { version } from '../version.ts';
import { type Command, CommandError, ConfigError, type Context, type ExitCode } from './command.ts';
import { configOf } from './withServices.ts';

/** How long running requests may take once a signal came. */
const DRAIN_MS = 10_000;
/** Seconds after which a silent connection is closed. */
const IDLE_SECONDS = 30;
/** Bodies are limited path by path, each with its own answer; this is only what no path would read. */
const MAX_BODY = Number.MAX_SAFE_INTEGER;

const OWNERLESS_KEYS =
  'POSTERN_PORTAL_KEY and POSTERN_VERIFY_KEY need a first user: set POSTERN_ADMIN_EMAIL and POSTERN_ADMIN_PASSWORD too';

/** `postern serve`: the appliance. */
export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Runs the appliance (the default command).',
  options: {},
  run,
};

async function run(context: Context): Promise<ExitCode> {
  const config = await withPort(configOf(context));
  const log = createServeLog(config, context);
  for (const variable of context.report.unknownVariables) log.warn('setting-unknown', { variable });
  checkCertificate(config);
  const app = await open(config, log, effectiveSettings({ ...context.report, config }));
  if (app.firstStart.hasOwnerlessKeys) {
    await app.close();
    throw new ConfigError([OWNERLESS_KEYS]);
  }
  await checkInvitedPlan(app, config);
  const listener = listen(app, config);
  log.info('server-started', {
    version,
    url: config.baseUrl,
    host: config.host,
    port: listener.port(),
    test_property: config.testProperty ? 'on' : 'off',
  });
  greet(app, config, context, log);
  // Without a certificate there is nothing to take again, and SIGHUP means what a closed terminal means by it.
  if (config.tlsCert !== undefined) process.on('SIGHUP', () => reload(listener, log));
  const signal = await firstSignal(config.tlsCert === undefined ? ['SIGHUP'] : []);
  log.info('server-stopping', { signal });
  return stop(app, listener, log);
}

/** Port 0 is any free one: chosen before the rest is put together, because the base URL names it. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const probe = Bun.serve({ hostname: config.host, port: 0, fetch: () => new Response() });
  const port = probe.port ?? 0;
  await probe.stop(true);
  return { ...config, port, baseUrl: config.baseUrl.replace(/^(https?:\/\/localhost):0$/, `$1:${port}`) };
}

/** Before anything is opened or made. @throws ConfigError */
function checkCertificate(config: Config): void {
  try {
    const { tls } = tlsOf(config);
    if (tls !== undefined) createSecureContext(tls);
  } catch (cause) {
    throw new ConfigError([`POSTERN_TLS_CERT and POSTERN_TLS_KEY cannot be used: ${reasonOf(cause)}`]);
  }
}

/** @throws ConfigError where `POSTERN_INVITED_PLAN` names no plan */
async function checkInvitedPlan({ services, close }: App, { invitedPlan }: Config): Promise<void> {
  const names = (await services.plans.list()).map(({ name }) => name);
  if (names.includes(invitedPlan)) return;
  await close();
  throw new ConfigError([
    `POSTERN_INVITED_PLAN must be the name of an existing plan (${names.join(', ')}), not "${invitedPlan}"; create it with "postern plans set ${invitedPlan} --orgs N --properties N"`,
  ]);
}

async function open(config: Config, log: Log, settings: readonly EffectiveSetting[]): Promise<App> {
  // Only here: no other command needs all of it.
  const { openApp } = await import('../server/app.ts');
  try {
    return await openApp({ config, log, settings });
  } catch (cause) {
    throw new CommandError(`the data folder ${resolve(config.dataDir)} cannot be used: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

function createServeLog(config: Config, context: Context): Log {
  const isPretty =
    config.logFormat === 'pretty' || (config.logFormat === 'auto' && process.stderr.isTTY === true);
  const format = isPretty ? 'pretty' : 'json';
  return createLog({ level: config.log, format, clock: systemClock, write: context.err });
}

type Listener = {
  readonly port: () => number;
  /** Takes the certificate from its file again, if there is one. @throws where it cannot be used; the old one stays */
  readonly reload: () => boolean;
  /** @returns when the last request has its answer */
  readonly stop: () => Promise<void>;
};

function listen(app: App, config: Config): Listener {
  const options = {
    hostname: config.host,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MAX_BODY,
    development: false,
    // Without it Bun lets a second server share the port, and each gets half of the visitors.
    reusePort: false,
    fetch: app.fetch,
  } as const;
  let server = Bun.serve({ ...options, port: config.port, ...tlsOf(config) });
  /** Listeners of earlier certificates, until their last request has its answer. */
  const retired: Promise<void>[] = [];
  app.setPeer((request) => server.requestIP(request)?.address);
  return {
    port: () => server.port ?? 0,
    reload() {
      const tls = tlsOf(config);
      if (tls.tls === undefined) return false;
      // Tried before anything stops: a broken file must not take the listener down.
      createSecureContext(tls.tls);
      const port = server.port ?? config.port;
      const old = server;
      retired.push(old.stop());
      server = Bun.serve({ ...options, port, ...tls });
      return true;
    },
    async stop() {
      await Promise.all([server.stop(), ...retired]);
    },
  };
}

/**
 * TLS 1.2 suites with forward secrecy and authenticated encryption, and no others (RFC 9325, section 4.2). Those of TLS 1.3 all
 * have both; older versions are off in Bun.
 */
const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

type Tls = { readonly cert: string; readonly key: string; readonly ciphers: string };

function tlsOf({ tlsCert, tlsKey }: Config): { tls?: Tls } {
  if (tlsCert === undefined || tlsKey === undefined) return {};
  const [cert, key] = [readFileSync(tlsCert, 'utf8'), readFileSync(tlsKey, 'utf8')];
  return { tls: { cert, key, ciphers: CIPHERS } };
}

function reload(listener: Listener, log: Log): void {
  try {
    if (listener.reload()) log.info('certificate-reloaded');
  } catch (error) {
    log.error('certificate-not-reloaded', { reason: reasonOf(error) });
  }
}

/** What a person at the terminal wants to know first. */
function greet(app: App, config: Config, context: Context, log: Log): void {
  const { demo, admin } = app.firstStart;
  if (admin !== undefined) log.info('first-user-ready', { email_domain: admin.email.split('@')[1] ?? '' });
  if (app.setupLink !== undefined) {
    log.info('set-up-awaited');
    // Not in the log's own lines, which carry no secrets.
    context.out(`Set up:       ${app.setupLink}`);
  }
  if (demo === undefined) {
    if (config.demo) log.warn('demo-not-made', { reason: 'the data folder has other users' });
    return;
  }
  context.out('');
  context.out(`Try it:       ${config.baseUrl}/demo`);
  context.out(`Sitekey:      ${demo.sitekey}`);
  context.out(`Verify key:   ${demo.verifyKey}`);
  context.out(`Portal key:   ${demo.portalKey}`);
  context.out('');
}

async function firstSignal(more: readonly NodeJS.Signals[]): Promise<string> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGTERM', 'SIGINT', ...more] as const) {
      process.on(signal, () => {
        // The second one means now.
        if (isStopping) process.kill(process.pid, 'SIGKILL');
        isStopping = true;
        resolve(signal);
      });
    }
  });
}

/** Requests that run get their answer, then the files are closed. */
async function stop(app: App, listener: Listener, log: Log): Promise<ExitCode> {
  app.drain();
  const isDrained = await Promise.race([
    listener.stop().then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), DRAIN_MS)),
  ]);
  if (!isDrained) log.warn('drain-timed-out', { milliseconds: DRAIN_MS });
  await app.close();
  log.info('server-stopped');
  return 0;
}
