/**
 * `bun run soak:alerts [ALERT or FAULT…]`: injects faults into real servers that Prometheus scrapes with the files in
 * `deploy/prometheus`, and measures how long the alerts take to fire. Runs all faults at the same time, which takes about 25 minutes.
 * Needs root, and the Debian packages prometheus, faketime, strace, haproxy, and postgresql. Exits with code 1 if an alert does not
 * fire, or fires without a fault.
 *
 * The rules are the shipped ones, except that delays of an hour are shortened to a minute.
 */
import { withFolder } from '../../e2e/support.ts';
import { type Alert, RULES, startPrometheus, writeConfiguration } from '../../support/prometheus.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { CLUSTER_FAULTS } from './clusterFaults.ts';
import { SERVER_FAULTS } from './serverFaults.ts';
import { createTemplate, type Fault, type Target } from './targets.ts';

/** The slowest alerts take half an hour: a rate over 15 minutes, which must be too high for 15 minutes. */
const LIMIT_MS = Number(process.env.ALERT_MINUTES ?? 45) * 60_000;
/** Long enough for several scrapes, so that the rules have values from before the faults. */
const HEALTHY_MS = 60_000;
const POLL_MS = 500;
/** Alerts that fire without a fault on a busy machine. */
const OF_BUSY_MACHINES = ['PosternEventLoopLag', 'PosternSlowCommits', 'PosternSlowVerifications'];
const SHORTENED = RULES.replaceAll('for: 1h', 'for: 1m');

type Running = Fault & Target & { faultAt: number; readonly firedAfter: Map<string, number> };

const note = (line: string) => process.stderr.write(`${line}\n`);
const text = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;

/** Starts the servers of the faults one after another. */
async function startAll(faults: readonly Fault[], folder: string): Promise<readonly Running[]> {
  const template = await createTemplate(folder);
  const running: Running[] = [];
  for (const fault of faults) {
    const target = await fault.start(template);
    note(`started: ${fault.name}`);
    running.push({ ...fault, ...target, faultAt: Number.POSITIVE_INFINITY, firedAfter: new Map() });
  }
  return running;
}

/** The `instance` label of a target is the name of its fault. */
function configure(folder: string, running: readonly Running[]): string {
  const targets = running.map(({ name, url }) => {
    const { host, protocol } = new URL(url);
    return { targets: [host], labels: { instance: name, __scheme__: protocol.replace(':', '') } };
  });
  const changes = {
    'static_configs:\n      - targets:\n          - captcha.example.com:443': `static_configs: ${JSON.stringify(targets)}`,
    'scheme: https': 'tls_config:\n      insecure_skip_verify: true',
  };
  return writeConfiguration(folder, changes, SHORTENED);
}

function record(running: readonly Running[], alerts: readonly Alert[]): void {
  for (const { labels, state } of alerts) {
    const owner = running.find(({ name }) => name === labels.instance);
    if (state !== 'firing' || owner === undefined || owner.firedAfter.has(labels.alertname)) continue;
    const after = performance.now() - owner.faultAt;
    owner.firedAfter.set(labels.alertname, after);
    note(`${labels.alertname}: ${text(after)} after "${owner.name}"`);
  }
}

const missingIn = ({ alerts, firedAfter }: Running) => alerts.filter((alert) => !firedAfter.has(alert));
const othersIn = ({ alerts, firedAfter }: Running) =>
  [...firedAfter]
    .filter(([alert]) => !alerts.includes(alert))
    .map(([alert, after]) => `${alert} ${text(after)}`);

function print(running: readonly Running[]): void {
  console.log('\n| fault | alert | fired after |\n|---|---|---|');
  for (const one of running) {
    for (const alert of one.alerts) {
      const after = one.firedAfter.get(alert);
      console.log(`| ${one.name} | \`${alert}\` | ${after === undefined ? 'not' : text(after)} |`);
    }
    if (othersIn(one).length > 0) console.log(`| ${one.name} | also: ${othersIn(one).join(', ')} | |`);
  }
}

async function measure(faults: readonly Fault[], folder: string): Promise<boolean> {
  const running = await startAll(faults, folder);
  const prometheus = await startPrometheus(folder, configure(folder, running));
  try {
    await waitUntil('all servers are scraped', async () => {
      const { data } = await prometheus.query('up == 1');
      return data.result.length === running.length;
    });
    await Bun.sleep(HEALTHY_MS);
    record(running, await prometheus.alerts());
    const isQuiet = running.every(({ firedAfter }) => firedAfter.size === 0);
    for (const one of running) {
      one.faultAt = performance.now();
      void Promise.resolve(one.inject()).catch((error) => note(`${one.name}: ${error}`));
    }
    const deadline = performance.now() + LIMIT_MS;
    while (running.some((one) => missingIn(one).length > 0) && performance.now() < deadline) {
      await Bun.sleep(POLL_MS);
      record(running, await prometheus.alerts());
    }
    print(running);
    const hasFalseAlarm = running
      .filter(({ alerts }) => alerts.length === 0)
      .some(({ firedAfter }) => firedAfter.keys().some((alert) => !OF_BUSY_MACHINES.includes(alert)));
    return isQuiet && !hasFalseAlarm && running.every((one) => missingIn(one).length === 0);
  } finally {
    await prometheus.stop();
    for (const { stop } of running) await stop();
  }
}

const wanted = process.argv.slice(2);
const faults = [...SERVER_FAULTS, ...CLUSTER_FAULTS].filter(
  ({ name, alerts }) => wanted.length === 0 || [name, ...alerts].some((word) => wanted.includes(word)),
);
const isComplete = await withFolder((folder) => measure(faults, folder));
process.exit(isComplete ? 0 : 1);
