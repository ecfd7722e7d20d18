import { type Channel, endThread, type Simulation, type Thread } from './kernel.ts';

type Listener = (event: { readonly data: unknown }) => void;

/** Maximum time for which a message is in transit, in milliseconds. */
const LATENCY_MS = 0.4;

/** One end of a connection between two threads. Messages arrive in order, or not at all if the connection ends first. */
class Endpoint {
  peer: Endpoint | undefined;
  owner: Thread | undefined;
  isClosed = false;
  /** Messages that arrived before there was a listener. */
  private arrived: unknown[] = [];
  private listener: Listener | undefined;
  private readonly closeListeners: (() => void)[] = [];
  private readonly order: Channel = { last: 0 };

  protected readonly simulation: Simulation;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
  }

  set onmessage(listener: Listener) {
    this.listener = listener;
    this.own(this.simulation.thread());
    for (const data of this.arrived.splice(0))
      this.simulation.schedule(
        () => this.owner,
        0,
        () => this.receive(data),
        this.order,
      );
  }

  /** The thread that uses this end; the connection ends with it. */
  own(thread: Thread): void {
    if (this.owner === thread) return;
    this.owner = thread;
    thread.onEnd.add(() => {
      if (this.owner === thread) this.close();
    });
  }

  addEventListener(name: string, listener: () => void): void {
    if (name === 'close') this.closeListeners.push(listener);
  }

  postMessage(data: unknown, transfer: readonly Endpoint[] = []): void {
    const { peer } = this;
    if (this.isClosed || peer === undefined || peer.isClosed) return;
    for (const port of transfer) port.owner = undefined;
    const message = copy(data);
    const [sender, sentAt] = [this.simulation.thread(), this.simulation.now()];
    const deliver = () => {
      if (peer.isClosed || sender.endedAt < sentAt) return;
      const receiver = peer.owner;
      for (const port of transfer) {
        if (receiver?.isAlive) port.own(receiver);
        else port.close();
      }
      peer.receive(message);
    };
    this.simulation.schedule(() => peer.owner, this.simulation.upTo(LATENCY_MS), deliver, peer.order);
  }

  receive(data: unknown): void {
    if (this.isClosed) return;
    if (this.listener === undefined) this.arrived.push(data);
    else this.listener({ data });
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const { peer } = this;
    if (peer === undefined || peer.isClosed) return;
    const delay = this.simulation.upTo(LATENCY_MS);
    // Messages in transit arrive first, or are lost.
    const channel = this.simulation.random(2) === 0 ? peer.order : undefined;
    this.simulation.schedule(
      () => peer.owner,
      delay,
      () => peer.end(),
      channel,
    );
  }

  end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const listener of this.closeListeners) listener();
  }
}

/** Replaces MessagePort. */
export class SimulatedPort extends Endpoint {}

/** Replaces Worker, as seen by the thread that started it. */
export class SimulatedWorker extends Endpoint {
  onerror: ((event: { readonly message: string }) => void) | undefined;
  private readonly started: Thread;

  constructor(simulation: Simulation, started: Thread) {
    super(simulation);
    this.started = started;
  }

  terminate(): void {
    endThread(this.started, this.simulation.now());
  }
}

export function createChannel(simulation: Simulation): { port1: SimulatedPort; port2: SimulatedPort } {
  const [port1, port2] = [new SimulatedPort(simulation), new SimulatedPort(simulation)];
  port1.peer = port2;
  port2.peer = port1;
  for (const port of [port1, port2]) port.own(simulation.thread());
  return { port1, port2 };
}

/** Starts a thread. @param boot runs on the thread, with the replacement of its `self` */
export function startWorker(
  simulation: Simulation,
  thread: Thread,
  boot: (self: unknown) => void,
): SimulatedWorker {
  const [worker, self] = [new SimulatedWorker(simulation, thread), new SimulatedPort(simulation)];
  worker.peer = self;
  self.peer = worker;
  worker.own(simulation.thread());
  self.own(thread);
  simulation.schedule(thread, simulation.upTo(3), () => boot(self));
  return worker;
}

/** Copies a message as `postMessage` does. */
function copy(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Endpoint) return value;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof Uint32Array) return new Uint32Array(value);
  if (Array.isArray(value)) return value.map(copy);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)]));
}
