import { createReplayGuard, type ReplayGuard } from '../../../../src/captcha/replay.ts';
import { createVerifySolution, type VerifySolution } from '../../../../src/captcha/verify.ts';
import { startSchedule } from '../../../../src/jobs/schedule.ts';
import { createScheduledJobs, type JobDeps } from '../../../../src/jobs/scheduledJobs.ts';
import { HOUR, type Instant, toSeconds } from '../../../../src/lib/time.ts';
import { timer } from '../../../../src/lib/timer.ts';
import type { Exclusively } from '../../../../src/model/ports/cluster.ts';
import type { ClaimLedger } from '../../../../src/model/ports/replayLedger.ts';
import { limitClaims, watchLedger } from '../../../../src/server/claimWatch.ts';
import { createLedgerClient } from '../../../../src/storage/ledgerClient/client.ts';
import type { ServerLedger } from '../../../../src/storage/storage.ts';
import { noLoad, noUsage, property, rejectArgon2id, rejectHashwx, sitekey } from '../../../captcha/fakes.ts';
import type { History } from '../history.ts';
import { createProcess, createThread, type Process, type Simulation, type Thread } from '../world/kernel.ts';
import { checkSolutions, KEY_FINGERPRINTS, KEY_RING } from '../world/payloads.ts';
import type { SimulatedPort } from '../world/ports.ts';
import { createRecorder, type Recorder } from './recorder.ts';

/** A thread that serves requests. */
export type Entry = { readonly thread: Thread; readonly verify: VerifySolution };

/** A server process. */
export type Node = {
  readonly process: Process;
  readonly main: Thread;
  readonly entries: Entry[];
  /** Undefined until the ledger is open. */
  ledger: ServerLedger | undefined;
  /** Deletes a batch of old claims, as the job does. */
  purge: () => Promise<number>;
};

export type NodeOptions = {
  readonly simulation: Simulation;
  readonly history: History;
  readonly name: string;
  readonly clockOffsetMs: number;
  /** Number of request threads besides the main thread. */
  readonly requestThreads: number;
  /** How often each puzzle is accepted. */
  readonly maxCount: number;
  /** Number of puzzles in the replay cache. */
  readonly cacheSize: number;
  readonly openLedger: (node: Node) => Promise<ServerLedger>;
  readonly exclusively: (node: Node) => Exclusively;
  /** Called if the server cannot start, after it has ended. */
  readonly onFailedStart: (node: Node, error: unknown) => void;
};

export const silentLog = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  isOn: () => false,
};

/** Starts a server as `server/app.ts` does: its ledger, the threads that verify solutions, and the purge of old claims. */
export function startNode(options: NodeOptions): Node {
  const { simulation, name, clockOffsetMs } = options;
  const process = createProcess(name, clockOffsetMs);
  const main = createThread(process, 'main');
  const node: Node = { process, main, entries: [], ledger: undefined, purge: async () => 0 };
  simulation.schedule(main, simulation.upTo(5), () => {
    open(node, options).catch((error: unknown) => {
      simulation.trace(() => `does not start: ${String(error)}`);
      options.onFailedStart(node, error);
    });
  });
  return node;
}

async function open(node: Node, options: NodeOptions): Promise<void> {
  const { simulation, history, exclusively, requestThreads, cacheSize } = options;
  const recorder = createRecorder(simulation, history);
  const ledger = await options.openLedger(node);
  simulation.trace(() => 'has opened the ledger');
  if (ledger.hasLostClaims()) history.violations.push(`${node.process.name}: claims were lost`);
  const oldest = createOldest();
  const time = { now: () => performance.now(), timer };
  const watched = watchLedger({ ...ledger, ...recorder.mustSettle(ledger) }, [oldest], {
    ...time,
    log: silentLog,
  });
  node.ledger = watched;
  let cache: ArrayBuffer | undefined;
  const allocate = (bytes: number) => {
    cache ??= new ArrayBuffer(bytes);
    return cache;
  };
  const serve = (thread: Thread, claims: ClaimLedger) => {
    const guard = createReplayGuard(recorder.record(claims), cacheSize, allocate);
    node.entries.push({ thread, verify: createVerify(guard, options) });
  };
  serve(node.main, watched);
  for (let i = 1; i <= requestThreads; i++) {
    const thread = createThread(node.process, `request${i}`);
    const port = ledger.connect();
    // Ports of this simulation can move to another thread without a message.
    (port as unknown as SimulatedPort).own(thread);
    simulation.schedule(thread, simulation.upTo(2), () => void connect(thread, port, serve, recorder));
  }
  const purged = recorder.recordPurges(watched);
  node.purge = () => purged.purge(toSeconds((Date.now() - HOUR) as Instant), KEY_FINGERPRINTS);
  startJobs(purged, exclusively(node));
}

async function connect(
  thread: Thread,
  port: MessagePort,
  serve: (thread: Thread, claims: ClaimLedger) => void,
  recorder: Recorder,
): Promise<void> {
  const client = await createLedgerClient(port);
  const time = { now: () => performance.now(), timer };
  serve(thread, limitClaims(recorder.mustSettle(client), createOldest(), time));
}

function createOldest() {
  let oldest: number | undefined;
  return {
    get: () => oldest,
    set(since: number | undefined) {
      oldest = since;
    },
  };
}

function createVerify(guard: ReplayGuard, { maxCount }: NodeOptions): VerifySolution {
  return createVerifySolution({
    properties: {
      bySitekey: (wanted) => (wanted === sitekey ? { ...property, allowance: maxCount } : undefined),
    },
    guard,
    keyRing: () => KEY_RING,
    checkBlake2b: checkSolutions,
    checkArgon2id: rejectArgon2id,
    checkHashwx: rejectHashwx,
    clock: () => Date.now() as Instant,
    isInMaintenance: () => false,
    onFailure() {},
    hasTestProperty: false,
    usage: noUsage,
    load: noLoad,
  });
}

/** Starts the schedule of the job that purges claims. */
function startJobs(ledger: JobDeps['ledger'], exclusively: Exclusively): void {
  // Other jobs do not use the ledger.
  const deps = {
    ledger,
    keyFingerprints: async () => KEY_FINGERPRINTS,
    sessions: { purge: async () => 0 },
    clock: () => Date.now() as Instant,
  } as unknown as JobDeps;
  startSchedule({
    jobs: createScheduledJobs(deps).filter(({ name }) => name === 'purge-claims'),
    exclusively,
    isClockConfirmed: async () => true,
    isClockWrong: () => false,
    log: silentLog,
    onRun() {},
  });
}
