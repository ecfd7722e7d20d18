import { ptr } from 'bun:ffi';
import { describe, expect, test } from 'bun:test';
import { readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import {
  createOwnMemory,
  createSharedMemory,
  openRegion,
  openSharedMemory,
} from '../../src/lib/sharedMemory.ts';

describe('shared memory', () => {
  test('gives all threads the same buffers by their names', () => {
    const created = createSharedMemory();
    const [rates, load] = [created.allocate('rates')(64), created.allocate('load')(128)];
    const opened = openSharedMemory(created.buffers);
    expect(opened.allocate('load')(128)).toBe(load);
    expect(opened.allocate('rates')(64)).toBe(rates);
    expect(rates).toBeInstanceOf(SharedArrayBuffer);
  });

  test('rejects a second table with the same name', () => {
    const memory = createSharedMemory();
    memory.allocate('rates')(64);
    expect(() => memory.allocate('rates')(64)).toThrow("The shared buffer 'rates' is already in use.");
  });

  test('rejects names and sizes on which the threads disagree', () => {
    const created = createSharedMemory();
    created.allocate('rates')(64);
    const { allocate } = openSharedMemory(created.buffers);
    expect(() => allocate('load')(64)).toThrow("The shared memory has no buffer 'load'.");
    expect(() => openSharedMemory(created.buffers).allocate('rates')(72)).toThrow(
      "The shared buffer 'rates' has 64 bytes instead of 72.",
    );
  });

  test('is not shared on a server with a single thread', () => {
    const memory = createOwnMemory();
    expect(memory.allocate('rates')(64)).toBeInstanceOf(ArrayBuffer);
    expect(memory.buffers.size).toBe(0);
  });
});

const LARGE = 24 * 1024 * 1024 + 8;
const PAGE_BYTES = 4096;
const ENTRY_BYTES = 8;

/** @returns how many of a buffer's pages use memory (proc_pid_pagemap(5)) */
async function residentPages(buffer: ArrayBufferLike): Promise<number> {
  const first = Math.ceil(ptr(new Uint8Array(buffer)) / PAGE_BYTES);
  const entries = Buffer.alloc(Math.floor(buffer.byteLength / PAGE_BYTES - 1) * ENTRY_BYTES);
  const file = await open('/proc/self/pagemap');
  expect(readSync(file.fd, entries, 0, entries.length, first * ENTRY_BYTES)).toBe(entries.length);
  await file.close();
  let pages = 0;
  // The highest bit of an entry says whether the page is present.
  for (let at = ENTRY_BYTES - 1; at < entries.length; at += ENTRY_BYTES)
    pages += (entries[at] as number) >> 7;
  return pages;
}

/** Leaves behind freed memory that the allocator would use first. */
function freeMemory(): void {
  for (let i = 0; i < 4; i++) new Uint8Array(LARGE).fill(1);
  Bun.gc(true);
  new Uint8Array(2 * LARGE).fill(1);
  Bun.gc(false);
}

describe.each([
  ['of one thread', createOwnMemory],
  ['of several threads', createSharedMemory],
])('a large buffer %s', (_, create) => {
  test('contains zeros and uses no memory before it is used', async () => {
    freeMemory();
    const buffer = create().allocate('load')(LARGE);
    expect(await residentPages(buffer)).toBeLessThan(16);
    const bytes = new Uint8Array(buffer);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    bytes.fill(1);
    expect(await residentPages(buffer)).toBe(Math.floor(buffer.byteLength / PAGE_BYTES - 1));
  });

  test('has at least the requested size, and its region has exactly that size', () => {
    const memory = create();
    const length = LARGE / 8;
    expect(openRegion(memory.allocate('load'), length).cells).toHaveLength(length);
    expect(memory.allocate('rates')(LARGE).byteLength).toBeWithin(LARGE, LARGE + 65_536);
  });
});

test('threads agree on the size of a large buffer', () => {
  const created = createSharedMemory();
  const buffer = created.allocate('load')(LARGE);
  expect(openSharedMemory(created.buffers).allocate('load')(LARGE)).toBe(buffer);
  expect(() => openSharedMemory(created.buffers).allocate('load')(2 * LARGE)).toThrow(
    `The shared buffer 'load' has ${buffer.byteLength} bytes instead of ${2 * LARGE}.`,
  );
});
