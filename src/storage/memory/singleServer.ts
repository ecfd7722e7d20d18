import type { SharedState } from '../storage.ts';
import { createMemoryAttempts } from './attempts.ts';
import { createMemoryUsedForms } from './usedForms.ts';

const ALWAYS_HELD = { isHeld: () => true };

/** The shared state of an installation with one server: in memory, and without locks. */
export function createSingleServerState(): SharedState {
  return {
    attempts: createMemoryAttempts(),
    usedForms: createMemoryUsedForms(),
    exclusively: (_, work) => work(ALWAYS_HELD),
    isClustered: false,
  };
}
