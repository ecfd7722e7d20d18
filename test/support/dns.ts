import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { createServer, type Server } from 'node:net';

/** The records of a name. A query for a missing type gets an empty answer. */
export type Records = {
  readonly A?: readonly string[];
  /** Addresses with all eight groups. */
  readonly AAAA?: readonly string[];
  /** Part of every answer; followed by `A` or `AAAA` records of the target, if there are any. */
  readonly CNAME?: string;
  /** For all records; 60 by default. */
  readonly ttlSeconds?: number;
};

export type DnsAnswer = (
  | Records
  | { readonly failure: 'NXDOMAIN' | 'NODATA' | 'SERVFAIL' | 'REFUSED' | 'FORMERR' | 'NOTIMP' }
  | { readonly silence: true }
  /** Sent instead of a DNS message. */
  | { readonly garbage: Uint8Array }
) & {
  /** The UDP response is truncated; TCP returns the complete response. */
  readonly isTruncated?: boolean;
  readonly delayMs?: number;
  /** Other responses for queries of these types. */
  readonly only?: Partial<Record<'A' | 'AAAA' | 'CNAME', DnsAnswer>>;
};

/** Responses by name, in lowercase and without the last dot; `*` is for all other names. Can change while the server runs. */
export type DnsTable = Map<string, DnsAnswer>;

export type TestDns = {
  /** `127.0.0.1:port`. */
  readonly address: string;
  readonly table: DnsTable;
  /** The number of queries by name, for all types together. */
  readonly queries: ReadonlyMap<string, number>;
  /** The queried types by name. */
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
  /** The maximum number of names that waited for a response at the same time, without those that get no response. */
  readonly mostAtOnce: number;
  readonly stop: () => Promise<void>;
};

const TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'A'],
  [5, 'CNAME'],
  [28, 'AAAA'],
]);
const CODES = { NODATA: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 };

/** Starts a DNS server on a loopback port. Names that are not in the table do not exist (NXDOMAIN). */
export async function startDns(
  entries: DnsTable | Readonly<Record<string, DnsAnswer>> = {},
): Promise<TestDns> {
  const table: DnsTable = entries instanceof Map ? entries : new Map(Object.entries(entries));
  const queries = new Map<string, number>();
  const types = new Map<string, Set<string>>();
  const waiting = new Map<string, number>();
  const timers = new Set<Timer>();
  let mostAtOnce = 0;

  function count({ name, type }: Question): void {
    queries.set(name, (queries.get(name) ?? 0) + 1);
    types.set(name, (types.get(name) ?? new Set()).add(TYPES.get(type) ?? String(type)));
  }

  function answer(query: Uint8Array, isTcp: boolean, send: (bytes: Uint8Array) => void): void {
    const question = questionOf(query);
    count(question);
    const found = table.get(question.name) ?? table.get('*') ?? { failure: 'NXDOMAIN' };
    const entry = found.only?.[(TYPES.get(question.type) ?? '') as 'A'] ?? found;
    if ('silence' in entry) return;
    waiting.set(question.name, (waiting.get(question.name) ?? 0) + 1);
    mostAtOnce = Math.max(mostAtOnce, waiting.size);
    const finish = () => {
      timers.delete(timer);
      const others = (waiting.get(question.name) ?? 1) - 1;
      if (others === 0) waiting.delete(question.name);
      else waiting.set(question.name, others);
      send(answerOf(question, entry, entry.isTruncated === true && !isTcp));
    };
    const timer = setTimeout(finish, entry.delayMs ?? 0);
    timers.add(timer);
  }

  const { udp, tcp, port } = await listen(answer);
  return {
    address: `127.0.0.1:${port}`,
    table,
    queries,
    types,
    get mostAtOnce() {
      return mostAtOnce;
    },
    async stop() {
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([
        new Promise<void>((done) => udp.close(done)),
        new Promise((done) => tcp.close(done)),
      ]);
    },
  };
}

type Answer = (query: Uint8Array, isTcp: boolean, send: (bytes: Uint8Array) => void) => void;

/** Listens with UDP and TCP on the same free port. */
async function listen(answer: Answer): Promise<{ udp: Socket; tcp: Server; port: number }> {
  // A large buffer, because 500 names cause 1,500 queries before this process reads the first one.
  const udp = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 ** 2 });
  udp.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    answer(Uint8Array.from(query), false, (bytes) => udp.send(bytes, port, address));
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => {});
    // A query is short, so it arrives in one chunk on a loopback connection.
    socket.on('data', (chunk) => {
      answer(Uint8Array.from(Buffer.from(chunk)).subarray(2), true, (bytes) =>
        socket.end(Uint8Array.from([...u16(bytes.length), ...bytes])),
      );
    });
  });
  await new Promise<void>((done) => tcp.listen(0, '127.0.0.1', done));
  const { port } = tcp.address() as { port: number };
  const isBound = await new Promise<boolean>((done) => {
    udp.once('error', () => done(false));
    udp.bind(port, '127.0.0.1', () => done(true));
  });
  if (isBound) return { udp, tcp, port };
  tcp.close();
  return listen(answer);
}

type Question = {
  readonly id: Uint8Array;
  readonly name: string;
  readonly type: number;
  /** The question section, which the response repeats. */
  readonly bytes: Uint8Array;
};

function questionOf(query: Uint8Array): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(new TextDecoder().decode(query.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  const type = ((query[at + 1] ?? 0) << 8) | (query[at + 2] ?? 0);
  const name = labels.join('.').toLowerCase();
  return { id: query.slice(0, 2), name, type, bytes: query.slice(12, at + 5) };
}

function answerOf(question: Question, entry: DnsAnswer, isCut: boolean): Uint8Array {
  if ('garbage' in entry) return entry.garbage;
  const code = 'failure' in entry ? CODES[entry.failure] : 0;
  const records = isCut || 'failure' in entry || 'silence' in entry ? [] : recordsOf(question, entry);
  const header = [...question.id, 0x84 | (isCut ? 2 : 0), 0x80 | code, ...u16(1), ...u16(records.length)];
  return Uint8Array.from([...header, 0, 0, 0, 0, ...question.bytes, ...records.flat()]);
}

function recordsOf(
  { name, type }: Question,
  { A = [], AAAA = [], CNAME, ttlSeconds = 60 }: Records,
): number[][] {
  const record = (of: number[], type: number, data: number[]) => recordBytes(of, type, ttlSeconds, data);
  const owner = nameBytes(CNAME ?? name);
  const alias = CNAME === undefined ? [] : [record(nameBytes(name), 5, nameBytes(CNAME))];
  if (type === 1) return [...alias, ...A.map((ip) => record(owner, 1, ip.split('.').map(Number)))];
  if (type !== 28) return alias;
  const groups = (ip: string) => ip.split(':').flatMap((group) => u16(Number.parseInt(group, 16)));
  return [...alias, ...AAAA.map((ip) => record(owner, 28, groups(ip)))];
}

/** Class IN. */
function recordBytes(owner: number[], type: number, ttlSeconds: number, data: number[]): number[] {
  return [
    ...owner,
    ...u16(type),
    0,
    1,
    ...u16(ttlSeconds >> 16),
    ...u16(ttlSeconds & 0xffff),
    ...u16(data.length),
    ...data,
  ];
}

function nameBytes(name: string): number[] {
  const labels = name.split('.').map((label) => [...new TextEncoder().encode(label)]);
  return [...labels.flatMap((label) => [label.length, ...label]), 0];
}

function u16(value: number): number[] {
  return [value >> 8, value & 0xff];
}
