import { describe, expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { startBinary } from '../support/binary.ts';
import { BINARY, testInFolder } from './support.ts';

const MIB = 1024 ** 2;
const CONNECTIONS = 400;

/** @returns the highest resident memory of a process so far, in MiB (Linux only) */
function peakMib(pid: number): number {
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(peak) / 1024;
}

/** Sends a body of 1 MiB at once. @returns the status line */
function sendBody(url: string, path: string): Promise<string> {
  const { host, hostname, port } = new URL(url);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Origin: ${url}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${MIB}`,
  ];
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (received.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received.split('\r\n')[0] ?? ''));
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(BODY);
  });
}

const BODY = Buffer.alloc(MIB, 'a');

// Bun stored these bodies before the server discarded them: the memory rose from 110 to 558 MB.
describe('bodies of 1 MiB without credentials', () => {
  for (const threads of ['1', '2']) {
    testInFolder(`cost little memory with POSTERN_THREADS=${threads}`, async (dataDir) => {
      const settings = { POSTERN_DATA_DIR: dataDir, POSTERN_THREADS: threads };
      const server = await startBinary(BINARY, settings);
      // Loads the router and the pages.
      await (await fetch(`${server.url}/portal/login`)).text();
      const before = peakMib(server.pid);
      for (const [path, expected] of [
        ['/siteverify', /^HTTP\/1\.1 413 /],
        ['/verify', /^HTTP\/1\.1 401 /],
        ['/livez', /^HTTP\/1\.1 (405|503) /],
        ['/portal/login', /^HTTP\/1\.1 (413|429|503) /],
      ] as const) {
        const requests = Array.from({ length: CONNECTIONS }, () => sendBody(server.url, path));
        for (const line of await Promise.all(requests)) expect(line).toMatch(expected);
        expect((await fetch(`${server.url}/livez`)).status).toBe(200);
      }
      expect(peakMib(server.pid) - before).toBeLessThan(150);
      expect(await server.end('SIGTERM')).toBe(0);
    });
  }
});
