import { reasonOf } from '../../../src/lib/log.ts';
import { violationsOf } from './history.ts';
import { SCENARIOS, type ScenarioName } from './scenarios/scenarios.ts';
import { useSimulation } from './world/globals.ts';
import { createSimulation } from './world/kernel.ts';

/** The result of a schedule. */
export type Result = {
  /** Empty if it satisfies the specification. */
  readonly violations: readonly string[];
  /** Number of events. */
  readonly events: number;
};

/** Runs the schedule of a seed, without waiting. The same seed always gives the same events. */
export function runSchedule(seed: number, scenario: ScenarioName, trace?: (line: string) => void): Result {
  const simulation = createSimulation(seed, trace);
  useSimulation(simulation);
  try {
    return { violations: violationsOf(SCENARIOS[scenario](simulation)), events: simulation.events() };
  } catch (error) {
    return { violations: [`an error ended the schedule: ${reasonOf(error)}`], events: simulation.events() };
  }
}
