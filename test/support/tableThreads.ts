import { createSharedMemory } from '../../src/lib/sharedMemory.ts';
import { openTables, type TableStep } from './tableThread.ts';

/** A thread that uses the tables of tableThread.ts in shared memory. */
export type TableThread = {
  readonly run: (step: TableStep) => Promise<unknown>;
  readonly terminate: () => Promise<void>;
};

/** Starts threads that share all tables. This thread uses them too, with `run`. */
export async function openTableThreads(count: number) {
  const memory = createSharedMemory();
  const run = openTables(memory);
  const counter = new Float64Array(memory.buffers.get('counter') ?? new ArrayBuffer(72), 64);
  const all = Array.from({ length: count }, () => openThread());
  await Promise.all(all.map(({ send }) => send(memory.buffers)));
  return {
    all: all as readonly TableThread[],
    run,
    /** The number of increments. */
    counter: () => counter[0] as number,
    async close() {
      await Promise.all(all.map(({ terminate }) => terminate()));
    },
  };
}

function openThread() {
  const worker = new Worker(new URL('tableThread.ts', import.meta.url).href);
  const ended = new Promise<void>((resolve) => worker.addEventListener('close', () => resolve()));
  /** Calls must not overlap. */
  const send = (message: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message: text }) => reject(new Error(text));
      worker.postMessage(message);
    });
  return {
    send,
    run: send,
    async terminate() {
      worker.terminate();
      await ended;
    },
  };
}
