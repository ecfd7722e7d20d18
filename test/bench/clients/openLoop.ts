import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../harness/cleanup.ts';
import type { BenchServer, Lab } from '../harness/lab.ts';
import { compileClient } from './compile.ts';

/** The result of `openLoop.c`; times are in milliseconds. */
export type OpenLoopResult = {
  readonly requests: number;
  /** Responses with another status than 200. */
  readonly unexpected: number;
  /** Requests that waited because all connections were busy. */
  readonly waited: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** The client's own delay in sending a request. */
  readonly lateP50: number;
  readonly lateP99: number;
  readonly lateMax: number;
  /** All requests, with those for warming up. */
  readonly total: number;
  /** Share of one core that the client used. */
  readonly clientShare: number;
};

const CONNECTIONS = 64;
export const WARM_UP_SECONDS = 1;

/** Sends requests at a constant rate. */
export type OpenLoop = {
  readonly puzzles: (server: PuzzleServer, rate: number, seconds: number) => Promise<OpenLoopResult>;
  /** Each solution is sent to the server once. */
  readonly verifications: (server: VerifyServer, rate: number, seconds: number) => Promise<OpenLoopResult>;
  /** Sends payloads of the same length again and again. */
  readonly repeated: (
    server: Omit<VerifyServer, 'sent'>,
    payloads: readonly string[],
    rate: number,
    seconds: number,
  ) => Promise<OpenLoopResult>;
};

/** A server that receives requests for puzzles; the baseline receives the same requests. */
type PuzzleServer = Pick<BenchServer, 'port' | 'sitekey'>;
type VerifyServer = Pick<BenchServer, 'port' | 'secret' | 'sent'>;

/** Compiles the client. */
export async function openOpenLoop(lab: Lab): Promise<OpenLoop> {
  const { folder, payloads } = lab;
  const program = await compileClient('openLoop', folder, lab);
  let runs = 0;
  const run = async (
    server: Pick<BenchServer, 'port'>,
    rate: number,
    seconds: number,
    head: string,
    bodies: string[] = [],
  ) => {
    // Several clients can run at the same time.
    const file = join(folder, `head${++runs}`);
    writeFileSync(file, head);
    const numbers = [server.port, rate, seconds, WARM_UP_SECONDS, CONNECTIONS].map(String);
    const result = JSON.parse(await outputOf([program, ...numbers, file, ...bodies], lab)) as OpenLoopResult;
    if (result.unexpected > 0) throw new Error(`${result.unexpected} responses did not have status 200`);
    return result;
  };
  return {
    puzzles: (server, rate, seconds) => run(server, rate, seconds, puzzleRequest(server)),
    async verifications(server, rate, seconds) {
      const count = countOf(rate, seconds);
      await payloads.ensure(server.sent + count);
      const bodies = [payloads.path, String(payloads.length), String(server.sent)];
      const result = await run(server, rate, seconds, verificationHead(server), bodies);
      server.sent += count;
      return result;
    },
    repeated(server, given, rate, seconds) {
      const lines = Array.from({ length: countOf(rate, seconds) }, (_, i) => given[i % given.length] ?? '');
      const file = join(folder, `repeated${++runs}`);
      writeFileSync(file, `${lines.join('\n')}\n`);
      const bodies = [file, String(lines[0]?.length), '0'];
      return run(server, rate, seconds, verificationHead(server), bodies);
    },
  };
}

/** @returns the number of requests, or one more */
function countOf(rate: number, seconds: number): number {
  return Math.ceil(rate * (seconds + WARM_UP_SECONDS)) + 1;
}

function verificationHead({ secret }: Pick<BenchServer, 'secret'>): string {
  return `POST /verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nX-API-Key: ${secret}\r\n`;
}

/** The request that wrk sends, too. */
export function puzzleRequest({ sitekey }: Pick<BenchServer, 'sitekey'>, headers = ''): string {
  return `GET /puzzle?sitekey=${sitekey} HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.com\r\nX-PC-Captcha-Version: 1\r\n${headers}\r\n`;
}
