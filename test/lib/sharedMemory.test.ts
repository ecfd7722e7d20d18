import { describe, expect, test } from 'bun:test';
import { createOwnMemory, createSharedMemory, openSharedMemory } from '../../src/lib/sharedMemory.ts';

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
