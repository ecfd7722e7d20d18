import { type RunningBinary, startBinary } from './binary.ts';
import { createKeepAliveClient, type KeepAliveClient } from './keepAlive.ts';
import { waitUntil } from './waitUntil.ts';

const NODES = 3;
/** Connections to each node. */
const CONNECTIONS = 8;
/** Verifications that are accepted in each round before the first node is killed. */
const MIN_ACCEPTED = 20;
/** The longest time until a node is killed, in milliseconds. */
const MAX_DELAY_MS = 300;
/** Payloads that are presented again at a time. */
const BATCH = 24;

export type KillOptions = {
  readonly command: string;
  /** The environment of all nodes. */
  readonly settings: Readonly<Record<string, string>>;
  readonly verifyKey: string;
  /** Creates a solved payload. */
  readonly nextPayload: () => string;
  readonly rounds: number;
  readonly onRound?: (round: number, report: KillReport) => void;
};

export type KillReport = {
  kills: number;
  accepted: number;
  /** Verifications whose result is unknown, because the node was killed, or that were rejected with status 503. */
  unknown: number;
  /** Payloads that a node accepted although they had been accepted before. */
  acceptedTwice: number;
  /** Payloads that a node did not recognize as used although they had been accepted. */
  lost: number;
};

/**
 * Runs three nodes on one database under full load. In each round, each node is killed at a random moment. When all have started again,
 * every payload of the round is presented to every node again.
 */
export async function killNodes(options: KillOptions): Promise<KillReport> {
  const report: KillReport = { kills: 0, accepted: 0, unknown: 0, acceptedTwice: 0, lost: 0 };
  const start = (settings = {}) => startBinary(options.command, { ...options.settings, ...settings });
  const nodes: RunningBinary[] = [];
  for (let i = 0; i < NODES; i++) nodes.push(await start());

  const killLater = async (i: number): Promise<() => Promise<void>> => {
    await Bun.sleep(Math.random() * MAX_DELAY_MS); // a random moment, not a wait for an event
    const node = nodes[i] as RunningBinary;
    await node.kill();
    report.kills++;
    return async () => {
      nodes[i] = await start({ POSTERN_PORT: new URL(node.url).port });
    };
  };

  for (let round = 0; round < options.rounds; round++) {
    const load = startLoad(nodes, options);
    await waitUntil('enough is accepted', () => load.accepted.length >= MIN_ACCEPTED);
    const restarts = await Promise.all([...nodes.keys()].map(killLater));
    await load.stop();
    await Promise.all(restarts.map((restart) => restart()));
    report.accepted += load.accepted.length;
    report.unknown += load.unknown.length;
    await presentAgain(nodes, options, load, report);
    options.onRound?.(round, report);
  }
  for (const node of nodes) await node.kill();
  return report;
}

type Load = { readonly accepted: readonly string[]; readonly unknown: readonly string[] };

function startLoad(nodes: readonly RunningBinary[], { nextPayload, verifyKey }: KillOptions) {
  const accepted: string[] = [];
  const unknown: string[] = [];
  let isStopped = false;
  async function run(client: KeepAliveClient): Promise<void> {
    while (!isStopped) {
      const payload = nextPayload();
      const answer = await client.send('POST /verify', payload, { 'X-API-Key': verifyKey });
      if (answer.kind === 'response' && answer.status === 200 && isAccepted(answer.body))
        accepted.push(payload);
      else if (answer.kind === 'refused') await Bun.sleep(5);
      else unknown.push(payload);
    }
    client.close();
  }
  const clients = nodes.flatMap(({ url }) =>
    Array.from({ length: CONNECTIONS }, () => run(createKeepAliveClient(url))),
  );
  return {
    accepted,
    unknown,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}

async function presentAgain(
  nodes: readonly RunningBinary[],
  { verifyKey }: KillOptions,
  { accepted, unknown }: Load,
  report: KillReport,
): Promise<void> {
  const clients = Array.from({ length: BATCH }, (_, i) =>
    createKeepAliveClient((nodes[i % nodes.length] as RunningBinary).url),
  );
  /** Presents the payload to one node after the other. @returns the bodies */
  async function present(payload: string, at: number): Promise<readonly string[]> {
    const bodies: string[] = [];
    for (let i = 0; i < nodes.length; i++) {
      const client = clients[Math.floor(at / nodes.length) * nodes.length + ((at + i) % nodes.length)];
      const answer = await client?.send('POST /verify', payload, { 'X-API-Key': verifyKey });
      if (answer?.kind !== 'response') throw new Error(`no response: ${answer?.kind}`);
      bodies.push(answer.body);
    }
    return bodies;
  }
  const next = [
    ...accepted.map((payload) => [payload, 1] as const),
    ...unknown.map((payload) => [payload, 0] as const),
  ];
  async function work(at: number): Promise<void> {
    for (let entry = next.pop(); entry !== undefined; entry = next.pop()) {
      const [payload, before] = entry;
      const bodies = await present(payload, at);
      if (before + bodies.filter(isAccepted).length > 1) report.acceptedTwice++;
      if (before === 1 && !bodies.every(isUsed)) report.lost++;
    }
  }
  await Promise.all([...clients.keys()].filter((at) => at % nodes.length === 0).map(work));
  for (const client of clients) client.close();
}

const isAccepted = (body: string) => body.includes('"success":true');
const isUsed = (body: string) => body.includes('"success":false,"code":8');
