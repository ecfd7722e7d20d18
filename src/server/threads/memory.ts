import { availableParallelism } from 'node:os';
import { createDraining, DRAINING_CELLS, type Draining } from '../../http/draining.ts';
import type { Allocate, SharedMemory } from '../../lib/sharedMemory.ts';
import type { Generation } from '../../storage/readCache.ts';
import type { OldestClaim } from '../claimWatch.ts';
import { divideMeterMemory, METER_CELLS, type MeterMemory } from '../meters.ts';

/** Maximum of the default number of request threads. The setting has the same maximum. */
const MAX_THREADS = 4;

/**
 * @param setting undefined for the default: the number of cores, at most 4, but 1 on two cores, because the ledger thread and the kernel need
 *   part of the second core (docs/project/decisions/0013-request-threads.md)
 * @returns the number of request threads
 */
export function threadCountOf(setting: number | undefined, cores = availableParallelism()): number {
  return setting ?? (cores <= 2 ? 1 : Math.min(cores, MAX_THREADS));
}

/** The state of a server that all of its request threads read, apart from the tables of rates, load, and claims. */
export type ThreadState = {
  /** The generation of the caches. Only the management thread advances it. */
  readonly generation: Generation;
  readonly maintenance: { readonly isOn: () => boolean; readonly set: (isOn: boolean) => void };
  readonly draining: Draining;
  /** Of the management thread, and of each request thread by its number plus 1. */
  readonly oldestClaims: readonly [OldestClaim, ...OldestClaim[]];
};

/** Opens the state in memory that threads may share. */
export function openThreadState({ allocate }: SharedMemory): ThreadState {
  const generation = new Float64Array(allocate('generation')(Float64Array.BYTES_PER_ELEMENT));
  const maintenance = openCells(allocate('maintenance'), 1);
  return {
    generation: {
      current: () => generation[0] as number,
      advance() {
        generation[0] = (generation[0] as number) + 1;
      },
    },
    maintenance: {
      isOn: () => Atomics.load(maintenance, 0) === 1,
      set: (isOn) => void Atomics.store(maintenance, 0, isOn ? 1 : 0),
    },
    draining: createDraining(openCells(allocate('draining'), DRAINING_CELLS)),
    oldestClaims: openOldestClaims(allocate('oldest_claims')),
  };
}

/** A cell contains a time, or 0 if no claim waits. */
function openOldestClaims(allocate: Allocate): ThreadState['oldestClaims'] {
  const cells = new Float64Array(allocate((1 + MAX_THREADS) * Float64Array.BYTES_PER_ELEMENT));
  const oldestOf = (index: number): OldestClaim => ({
    get: () => cells[index] || undefined,
    set(since = 0) {
      cells[index] = since;
    },
  });
  return [oldestOf(0), ...Array.from({ length: MAX_THREADS }, (_, slot) => oldestOf(1 + slot))];
}

/** Opens the memory of the counters of a request thread. */
export function openMeterMemory({ allocate }: SharedMemory, slot: number): MeterMemory {
  const bytes = METER_CELLS * Float64Array.BYTES_PER_ELEMENT;
  return divideMeterMemory(new Float64Array(allocate(`meters_${slot}`)(bytes)));
}

function openCells(allocate: (bytes: number) => ArrayBufferLike, count: number): Int32Array {
  return new Int32Array(allocate(count * Int32Array.BYTES_PER_ELEMENT));
}
