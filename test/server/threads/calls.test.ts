import { describe, expect, test } from 'bun:test';
import {
  type CallMessage,
  type Calls,
  createCalls,
  type Methods,
  RemoteError,
} from '../../../src/server/threads/calls.ts';

/** Two threads that call each other. */
function connect<A extends Methods, B extends Methods>(a: A, b: B) {
  const ends: { left?: Calls<B>; right?: Calls<A> } = {};
  const deliver = (to: 'left' | 'right') => (message: CallMessage) => {
    const copy = structuredClone(message);
    queueMicrotask(() => ends[to]?.receive(copy));
  };
  ends.left = createCalls<B>(deliver('right'), a);
  ends.right = createCalls<A>(deliver('left'), b);
  return ends as { readonly left: Calls<B>; readonly right: Calls<A> };
}

const noted: string[] = [];
const open = () =>
  connect(
    { add: ({ a, b }: { a: number; b: number }) => a + b },
    {
      async slow(text: string) {
        await Bun.sleep(1);
        return `${text}!`;
      },
      fail() {
        throw new Error('the disk is full');
      },
      note: (text: string) => void noted.push(text),
    },
  );

describe('calls between threads', () => {
  test('return results in both directions, in any order', async () => {
    const { left, right } = open();
    const results = [left.call('slow', 'a'), right.call('add', { a: 1, b: 2 }), left.call('slow', 'b')];
    expect(await Promise.all(results)).toEqual(['a!', 3, 'b!']);
  });

  test('fail with the reason if the function fails', async () => {
    const { left } = open();
    expect(left.call('fail', undefined as never)).rejects.toThrow(new RemoteError('the disk is full'));
  });

  test('fail when the other thread ends, and afterwards', async () => {
    const { left } = open();
    const waiting = left.call('slow', 'a');
    left.end('the thread has ended');
    expect(waiting).rejects.toThrow('the thread has ended');
    expect(left.call('slow', 'b')).rejects.toThrow('the thread has ended');
    left.notify('note', 'is ignored');
  });

  test('without an answer arrive in order', async () => {
    const { left } = open();
    left.notify('note', 'first');
    left.notify('note', 'second');
    await left.call('slow', '');
    expect(noted).toEqual(['first', 'second']);
  });
});
