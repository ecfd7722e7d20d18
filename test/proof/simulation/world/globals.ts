import type { Simulation, Thread } from './kernel.ts';
import { createChannel, SimulatedPort } from './ports.ts';

/**
 * Replaces the timers, clocks, and message ports of this process with those of the current simulation, so that the product runs in
 * virtual time without changes. No other code in this process may use them.
 */

/** The start of every schedule in Unix milliseconds: 2027-01-15T08:00:10Z, seven seconds before the next purge of claims. */
export const EPOCH_MS = 1_800_000_010_000;

let simulation: Simulation | undefined;

/** The originals, for the code that runs the simulations. */
export const real = {
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
};

export function useSimulation(next: Simulation): void {
  simulation = next;
}

function active(): Simulation {
  if (simulation === undefined) throw new Error('no simulation is active');
  return simulation;
}

/** The running thread. A callback of a thread that was killed never runs. */
const thread = (): Thread => active().thread();

/** The wall clock of the running thread, in Unix milliseconds. */
const wallClock = () => EPOCH_MS + active().now() + (active().current()?.process.clockOffsetMs ?? 0);

/** Timers are late by up to this time, as on a busy machine, in milliseconds. */
const LATE_MS = 2;

type Handle = { cancel: () => void; readonly unref: () => Handle; readonly ref: () => Handle };

function createHandle(cancel: () => void): Handle {
  const handle: Handle = { cancel, unref: () => handle, ref: () => handle };
  return handle;
}

function setTimer(run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]): Handle {
  const { schedule, upTo } = active();
  return createHandle(schedule(thread(), Math.max(1, milliseconds) + upTo(LATE_MS), () => run(...args)));
}

function setRepeating(run: () => void, milliseconds: number): Handle {
  const { schedule } = active();
  const owner = thread();
  const handle = createHandle(() => {});
  const start = () => {
    handle.cancel = schedule(owner, milliseconds, () => {
      start();
      run();
    });
  };
  start();
  return handle;
}

function setNext(run: (...args: unknown[]) => void, ...args: unknown[]): Handle {
  const { schedule, random, upTo } = active();
  const delay = random(4) === 0 ? upTo(0.3) : 0;
  return createHandle(schedule(thread(), delay, () => run(...args), thread().immediates));
}

const clear = (handle: Handle | undefined): void => handle?.cancel();

const SystemDate = Date;

class SimulatedDate extends SystemDate {
  constructor(...args: []) {
    if (args.length === 0) super(wallClock());
    else super(...args);
  }
  static override now(): number {
    return wallClock();
  }
}

/** Replaces the globals. Call it once, before the product's modules run. */
export function installGlobals(): void {
  const replace = (name: string, value: unknown) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  replace('setTimeout', setTimer);
  replace('setInterval', setRepeating);
  replace('setImmediate', setNext);
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) replace(name, clear);
  replace('performance', { now: () => active().now(), timeOrigin: 0 });
  replace('Date', SimulatedDate);
  replace('MessagePort', SimulatedPort);
  replace('MessageChannel', function SimulatedChannel() {
    return createChannel(active());
  });
  // Modules with state that belongs to a thread; see modules.ts.
  replace('simulatedPerThread', perThread);
}

/** @returns an object that passes each call to the value of the running thread */
function perThread<Options, Value extends object>(
  create: (options: Options) => Value,
  options: Options,
): Value {
  const own = (): Value => {
    const { own: values } = thread();
    const known = values.get(create.name) as Value | undefined;
    if (known !== undefined) return known;
    const created = create(options);
    values.set(create.name, created);
    return created;
  };
  return new Proxy({} as Value, { get: (_, name) => Reflect.get(own(), name) });
}
