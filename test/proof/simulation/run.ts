/**
 * `bun run simulate:schedules`: runs the ledgers, the task runner, and count exchange with simulated disks, connections, and clocks,
 * and checks the results against a sequential specification (docs/project/simulation.md).
 *
 * --seeds N          number of schedules (1000)
 * --from S           the first seed (1)
 * --seed S           runs one schedule, and prints a trace of its events
 * --scenario NAME    runs this scenario for all seeds: sqlite, postgres, tasks, or counts
 * --fault NAME       injects a fault of faults.ts into the product
 *
 * Exits with 1 at the first violation, and with 2 if an argument is wrong.
 */
import { parseArgs } from 'node:util';
import { FAULTS } from './faults.ts';
import { changeModules } from './modules.ts';
import { installGlobals, real } from './world/globals.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    scenario: { type: 'string' },
    fault: { type: 'string' },
  },
});

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= 0
    ? number
    : fail(`--${name} must be a whole number, not ${text}`);
}

const fault = FAULTS.find(({ name }) => name === values.fault);
if (values.fault !== undefined && fault === undefined)
  fail(`--fault must be one of ${FAULTS.map(({ name }) => name).join(', ')}`);
const [from, count] =
  values.seed === undefined
    ? [wholeNumber('from', values.from), wholeNumber('seeds', values.seeds)]
    : [wholeNumber('seed', values.seed), 1];

const findMissing = changeModules(fault);
installGlobals();
const { runSchedule } = await import('./schedule.ts');
const { SCENARIOS, scenarioOf } = await import('./scenarios/scenarios.ts');
const missing = findMissing();
if (missing.length > 0)
  fail(`modules.ts and faults.ts change files that do not exist: ${missing.join(', ')}`);
const wanted = Object.keys(SCENARIOS).find((name) => name === values.scenario) as keyof typeof SCENARIOS;
if (values.scenario !== undefined && wanted === undefined)
  fail(`--scenario must be one of ${Object.keys(SCENARIOS).join(', ')}`);

/** The errors of promises that nothing handles, which Bun reports after the schedule. */
const unhandled: string[] = [];
process.on('unhandledRejection', (error) => void unhandled.push(`an unhandled rejection: ${String(error)}`));

const startedAt = real.now();
const totals = { schedules: 0, events: 0 };

function summary(): string {
  const seconds = (real.now() - startedAt) / 1000;
  return `${totals.schedules} schedules from seed ${from}, ${totals.events} events, ${seconds.toFixed(1)} s`;
}

async function runOne(seed: number): Promise<void> {
  const scenario = wanted ?? scenarioOf(seed);
  const trace = values.seed === undefined ? undefined : (line: string) => console.log(line);
  const { violations, events } = runSchedule(seed, scenario, trace);
  await new Promise((resolve) => real.setImmediate(resolve));
  totals.schedules++;
  totals.events += events;
  const found = [...violations, ...unhandled];
  if (found.length === 0) return;
  for (const violation of found) console.log(`seed ${seed} (${scenario}): ${violation}`);
  const options = [values.scenario && ` --scenario ${scenario}`, fault && ` --fault ${fault.name}`];
  console.log(`Repeat it: bun run simulate:schedules --seed ${seed}${options.filter(Boolean).join('')}`);
  console.log(`${summary()}: a violation`);
  process.exit(1);
}

for (let seed = from; seed < from + count; seed++) {
  await runOne(seed);
  if (totals.schedules % 10_000 === 0) console.log(summary());
}
console.log(`${summary()}: no violation`);
