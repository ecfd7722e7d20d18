import { splitItems } from '../../lib/json.ts';
import { EXPORT_MAX_BYTES } from '../../model/exportDocument.ts';

/**
 * Reads a document from its beginning. Each call returns the same bytes in chunks. A chunk is not used after the next one is requested.
 * The caller may stop early.
 */
export type ReadDocument = () => Iterable<Uint8Array>;

/** A property has 22 tokens. A valid document has a depth of 9. */
const LIMITS = { tokens: 25_000_000, depth: 10 };

export type TextProblem = 'document-too-large' | 'document-too-deep' | 'document-malformed';

/** A document without the objects in the lists of its organizations: a value of `ItemRun` replaces consecutive ones. */
export type Skeleton = {
  readonly root: unknown;
  /** Size of the document in bytes. */
  readonly bytes: number;
};

/** Consecutive items. All objects in their place are items, so no other value in the skeleton looks the same. */
type ItemRun = { readonly first: number; readonly count: number };

/** The text of a document cannot be read. */
export class DocumentTextError extends Error {
  override readonly name = 'DocumentTextError';
  readonly problem: TextProblem;

  /** @param detail what `JSON.parse` reported */
  constructor(problem: TextProblem, detail?: string, options?: ErrorOptions) {
    super(detail ?? problem, options);
    this.problem = problem;
  }
}

/** Reads everything but the items, and checks the limits before it parses anything. @throws DocumentTextError */
export function readSkeleton(read: ReadDocument): Skeleton {
  const parts: Uint8Array[] = [];
  /** What follows the run. */
  let gap: Uint8Array[] = [];
  let run: { first: number; count: number } | undefined;
  let items = 0;

  function endRun(): void {
    if (run !== undefined) parts.push(Buffer.from(JSON.stringify(run)));
    parts.push(...gap);
    [run, gap] = [undefined, []];
  }

  const counted = createCounted(read);
  const pieces = splitItems(counted.chunks(), LIMITS);
  let next = pieces.next();
  for (; next.done !== true; next = pieces.next()) {
    const { isItem, bytes } = next.value;
    if (!isItem) (run === undefined ? parts : gap).push(bytes.slice());
    else {
      if (run === undefined || !isSeparator(gap)) {
        endRun();
        run = { first: items, count: 0 };
      }
      gap = [];
      run.count++;
      items++;
    }
  }
  if (next.value !== undefined)
    throw new DocumentTextError(next.value === 'depth' ? 'document-too-deep' : 'document-too-large');
  endRun();
  return { root: parse(Buffer.concat(parts)), bytes: counted.bytes() };
}

/** Stops at the maximum size. @throws DocumentTextError */
function createCounted(read: ReadDocument) {
  let size = 0;
  return {
    *chunks() {
      for (const chunk of read()) {
        size += chunk.length;
        if (size > EXPORT_MAX_BYTES) throw new DocumentTextError('document-too-large');
        yield chunk;
      }
    },
    bytes: () => size,
  };
}

function isSeparator(gap: readonly Uint8Array[]): boolean {
  return /^[ \t\n\r]*,[ \t\n\r]*$/.test(Buffer.concat(gap).toString('latin1'));
}

/** The items of a document, which are read in order. */
export type Items = ReturnType<typeof createItems>;

/** @see Items */
export function createItems(read: ReadDocument) {
  const pieces = splitItems(read(), LIMITS);
  let position = 0;

  function readItem(index: number): unknown {
    for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
      const { isItem, bytes } = next.value;
      if (isItem && position++ === index) return parse(bytes);
    }
    throw new Error('the document changed while it was being read');
  }

  return {
    /** Expands the lists of a skeleton. @throws DocumentTextError if an item is not valid JSON */
    *of(list: readonly unknown[]): Iterable<unknown> {
      for (const entry of list) {
        if (!isRun(entry)) yield entry;
        else for (let i = 0; i < entry.count; i++) yield readItem(entry.first + i);
      }
    },
    /** Closes the document. */
    close: (): void => void pieces.return(undefined),
  };
}

/** @returns a list of the skeleton with an empty object for each item */
export function withoutItems(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  return list.flatMap((entry) => (isRun(entry) ? Array.from({ length: entry.count }, () => ({})) : [entry]));
}

function isRun(entry: unknown): entry is ItemRun {
  return typeof entry === 'object' && entry !== null && 'first' in entry;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : undefined;
    throw new DocumentTextError('document-malformed', detail, { cause });
  }
}
