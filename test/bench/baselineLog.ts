/**
 * The log thread of a baseline that stores requests. It performs a computation for each request, writes 16 bytes per request to a
 * preallocated file, and calls `fsync` once for all messages that have arrived. It answers with the number of these messages.
 */
import { fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createComputation } from './computation.ts';

/**
 * The first message contains the folder of the file, and the computation per request in microseconds. The answer is 0 when the thread is
 * ready. Each later message contains a number of requests to store.
 */
export type LogMessage =
  | { readonly folder: string; readonly microseconds: number }
  | { readonly requests: number };

declare const self: Worker;

const RECORD_BYTES = 16;
/**
 * When a group does not fit before the end of the file, the thread continues at the start, as SQLite does in its write-ahead log after a
 * checkpoint.
 */
const FILE_BYTES = 4 * 1024 * 1024;

let compute: (count: number) => void = () => {};
let file = -1;
let position = 0;
/** The number of requests in each message that the thread has not stored yet. */
let waiting: number[] = [];

function open(folder: string): void {
  const path = join(folder, `baseline-${process.pid}`);
  file = openSync(path, 'w');
  unlinkSync(path);
  writeSync(file, new Uint8Array(FILE_BYTES));
  fsyncSync(file);
}

function commit(): void {
  const messages = waiting;
  waiting = [];
  const requests = messages.reduce((sum, some) => sum + some, 0);
  compute(requests);
  const records = new Uint8Array(RECORD_BYTES * requests);
  if (position + records.length > FILE_BYTES) position = 0;
  position += writeSync(file, records, 0, records.length, position);
  fsyncSync(file);
  self.postMessage(messages.length);
}

self.onmessage = ({ data }: MessageEvent<LogMessage>) => {
  if ('folder' in data) {
    open(data.folder);
    compute = createComputation(data.microseconds);
    self.postMessage(0);
    return;
  }
  waiting.push(data.requests);
  if (waiting.length === 1) setImmediate(commit);
};
