import type { History } from '../history.ts';
import type { Simulation } from '../world/kernel.ts';
import { runCountExchange } from './counts.ts';
import { runPostgresLedger, runSqliteLedger } from './ledger.ts';
import { runTasks } from './tasks.ts';

/** The scenarios. A seed selects one of them. */
export const SCENARIOS = {
  sqlite: runSqliteLedger,
  postgres: runPostgresLedger,
  tasks: runTasks,
  counts: runCountExchange,
} as const satisfies Readonly<Record<string, (simulation: Simulation) => History>>;

export type ScenarioName = keyof typeof SCENARIOS;

/** Of ten seeds, four run the ledger on SQLite, three on PostgreSQL, two tasks, and one count exchange. */
const BY_DIGIT: readonly ScenarioName[] = [
  'sqlite',
  'postgres',
  'sqlite',
  'tasks',
  'postgres',
  'sqlite',
  'counts',
  'postgres',
  'sqlite',
  'tasks',
];

export const scenarioOf = (seed: number): ScenarioName => BY_DIGIT[seed % 10] as ScenarioName;
