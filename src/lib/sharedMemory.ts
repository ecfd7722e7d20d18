import { createLock, LOCK_CELLS, type Lock } from './lock.ts';
import { createSharedTime, type Instant } from './time.ts';

/**
 * Returns a buffer of at least this size that contains only zeros. If it is large, the system provides memory for its pages when they are
 * first used.
 */
export type Allocate = (bytes: number) => ArrayBufferLike;

/** Buffers by name, which `postMessage` shares with another thread. */
export type SharedBuffers = ReadonlyMap<string, SharedArrayBuffer>;

/** The memory of the tables that the threads of a server share, or the memory of a server with a single thread. */
export type SharedMemory = {
  /**
   * @returns a function that allocates the buffer with this name
   * @throws if this thread has already allocated the buffer: two tables would use the same memory
   */
  readonly allocate: (name: string) => Allocate;
  /** The buffers allocated so far, for openSharedMemory. Empty if there is only one thread. */
  readonly buffers: SharedBuffers;
};

/** Buffers of at least this size have their own pages. */
const LARGE_BYTES = 1024 * 1024;
/** The page size of a `WebAssembly.Memory`. */
const PAGE_BYTES = 65_536;

/** @returns the size of the buffer that `Allocate` returns for a size, in bytes */
const sizeFor = (bytes: number) => (bytes < LARGE_BYTES ? bytes : PAGE_BYTES * Math.ceil(bytes / PAGE_BYTES));

/**
 * Allocates a large buffer as a `WebAssembly.Memory`, which reserves 4 GB of address space but uses no memory until it is written. Bun 1.4.5
 * would place a typed array in memory that was freed during startup, and write zeros to all of it: an empty table of 18 MB then used
 * 18 MB.
 */
function allocatePages(bytes: number, shared: boolean): ArrayBufferLike {
  const pages = sizeFor(bytes) / PAGE_BYTES;
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared }).buffer;
}

/** Allocates memory that only one thread uses. */
export const allocateOwn: Allocate = (bytes) =>
  bytes < LARGE_BYTES ? new Uint8Array(bytes).buffer : allocatePages(bytes, false);

const allocateShared = (bytes: number): SharedArrayBuffer =>
  bytes < LARGE_BYTES ? new SharedArrayBuffer(bytes) : (allocatePages(bytes, true) as SharedArrayBuffer);

/** Creates the memory of a server with a single thread. */
export function createOwnMemory(): SharedMemory {
  return createMemory(new Map(), (_, bytes) => allocateOwn(bytes));
}

/** Creates the memory of a server with several threads. The thread that calls this function allocates all buffers first. */
export function createSharedMemory(): SharedMemory {
  const buffers = new Map<string, SharedArrayBuffer>();
  return createMemory(buffers, (name, bytes) => {
    const buffer = allocateShared(bytes);
    buffers.set(name, buffer);
    return buffer;
  });
}

/**
 * Opens the memory that another thread has created. Its `allocate` returns the existing buffers.
 *
 * @throws when a buffer is allocated that does not exist or has another size: the threads disagree about the tables
 */
export function openSharedMemory(buffers: SharedBuffers): SharedMemory {
  return createMemory(buffers, (name, bytes) => {
    const buffer = buffers.get(name);
    if (buffer === undefined) throw new Error(`The shared memory has no buffer '${name}'.`);
    if (buffer.byteLength === sizeFor(bytes)) return buffer;
    throw new Error(`The shared buffer '${name}' has ${buffer.byteLength} bytes instead of ${bytes}.`);
  });
}

function createMemory(
  buffers: SharedBuffers,
  get: (name: string, bytes: number) => ArrayBufferLike,
): SharedMemory {
  const used = new Set<string>();
  return {
    buffers,
    allocate: (name) => (bytes) => {
      if (used.has(name)) throw new Error(`The shared buffer '${name}' is already in use.`);
      used.add(name);
      return get(name, bytes);
    },
  };
}

/** Memory from which parts are allocated in the order of the calls. */
export type Arena = {
  /** @returns the next `count` numbers @throws RangeError if the memory is used up */
  readonly take: (count: number) => Float64Array;
};

/**
 * Creates an arena. Two threads that make the same calls in the same order get the same parts. A part that one thread writes
 * and others read needs no lock, because reading or writing an aligned 64-bit number is one instruction.
 */
export function createArena(memory: Float64Array): Arena {
  let taken = 0;
  return {
    take(count) {
      if (taken + count > memory.length) throw new RangeError('the memory is used up');
      taken += count;
      return memory.subarray(taken - count, taken);
    },
  };
}

/** An arena that allocates new memory of this thread for each call. */
export const OWN_MEMORY: Arena = { take: (count) => new Float64Array(count) };

/** Numbers that threads may share, the lock that protects them, and their clock. All state is in one buffer. */
export type Region = Lock & {
  readonly cells: Float64Array;
  /** See createSharedTime; call it only while holding the lock. */
  readonly steady: (now: Instant) => Instant;
};

/** Eight numbers, so that the header and each set of a table begin at a cache line: the lock, and the two numbers of the clock. */
const HEADER_BYTES = 64;
const TIME_OFFSET = 8;

/** @param length number of cells, which are 0 at first */
export function openRegion(allocate: Allocate, length: number): Region {
  const buffer = allocate(HEADER_BYTES + length * Float64Array.BYTES_PER_ELEMENT);
  return {
    ...createLock(new Int32Array(buffer, 0, LOCK_CELLS)),
    steady: createSharedTime(new Float64Array(buffer, TIME_OFFSET, 2)),
    cells: new Float64Array(buffer, HEADER_BYTES, length),
  };
}
