/** `static/kernel*.wasm`. */
export type Kernel = Uint8Array<ArrayBuffer>;

/**
 * Everything that the pool and its lanes say to each other. A lane is one searcher: a worker, or the
 * page's own thread where workers are not allowed.
 */

/** What the pool tells a lane: `open` first, and `load` before its first `search`. */
export type ToLane =
  /** What to search with: the bytes of a kernel, or nothing but JavaScript. */
  | { readonly kind: 'open'; readonly kernel: Kernel | undefined }
  /** The puzzle: its block from `toBlock`, and the u32 that hashes must not exceed. */
  | { readonly kind: 'load'; readonly block: Uint8Array; readonly threshold: number }
  /**
   * Look for the solution with this index; it replaces what the lane was looking for. `helper` (0..255)
   * keeps lanes apart that look for the same one.
   */
  | { readonly kind: 'search'; readonly index: number; readonly helper: number }
  /** Nothing left to look for. */
  | { readonly kind: 'rest' };

/** What a lane tells the pool. */
export type FromLane =
  /** It has a solver and waits for `load`. */
  | { readonly kind: 'ready'; readonly usesWasm: boolean }
  /** The 8 bytes of a solution. */
  | { readonly kind: 'found'; readonly index: number; readonly solution: Uint8Array }
  /** It cannot work, or no longer. */
  | { readonly kind: 'broken'; readonly reason: string };
