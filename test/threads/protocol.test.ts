import { describe, expect, test } from 'bun:test';
import {
  type Answer,
  connectThread,
  LATER,
  type Methods,
  type Port,
  RemoteError,
} from '../../src/threads/protocol.ts';
import { withSeeds } from '../support/randomScheduler.ts';

/** Two threads that call each other. */
function connect<A extends Methods, B extends Methods>(a: A, b: B) {
  const { port1, port2 } = new MessageChannel();
  const endings: string[] = [];
  const left = connectThread<B>(port1, a, 'right thread', (reason) => endings.push(reason));
  const right = connectThread<A>(port2, b, 'left thread');
  return { left, right, endings };
}

function open() {
  const noted: string[] = [];
  const threads = connect(
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
      never: (_: undefined) => LATER,
    },
  );
  return { ...threads, noted };
}

const reasonOf = (error: unknown) => (error instanceof RemoteError ? error.message : error);

describe('calls between threads', () => {
  test('return results in both directions, in any order', async () => {
    const { left, right } = open();
    const results = [left.call('slow', 'a'), right.call('add', { a: 1, b: 2 }), left.call('slow', 'b')];
    expect(await Promise.all(results)).toEqual(['a!', 3, 'b!']);
    left.end('the test is over');
  });

  test('fail with the reason if the function fails', async () => {
    const { left } = open();
    expect(await left.call('fail', undefined as never).catch(reasonOf)).toBe('the disk is full');
    left.end('the test is over');
  });

  test('fail when the other thread ends, and afterward', async () => {
    const { left, right, endings } = open();
    const waiting = left.call('never', undefined);
    right.end('the thread was stopped');
    expect(await waiting.catch(reasonOf)).toBe('the right thread ended');
    expect(await left.call('slow', 'b').catch(reasonOf)).toBe('the right thread ended');
    left.notify('note', 'is ignored');
    expect(endings).toEqual(['the right thread ended']);
  });

  test('fail with the reason of the caller that ends the connection, and the other thread does not count as ended', async () => {
    const { left, endings } = open();
    const waiting = left.call('never', undefined);
    expect([left.end('closed'), left.end('again')]).toEqual([true, false]);
    expect(await waiting.catch(reasonOf)).toBe('closed');
    await Bun.sleep(1);
    expect(endings).toEqual([]);
  });

  test('without an answer arrive in order', async () => {
    const { left, noted } = open();
    left.notify('note', 'first');
    left.notify('note', 'second');
    await left.call('slow', '');
    expect(noted).toEqual(['first', 'second']);
    left.end('the test is over');
  });

  test('pass on ports', async () => {
    const { port1, port2 } = new MessageChannel();
    const { left } = connect({}, { greet: (port: MessagePort) => port.postMessage('hello') });
    const greeting = new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
    });
    left.notify('greet', port2, [port2]);
    expect(await greeting).toBe('hello');
    port1.close();
    left.end('the test is over');
  });
});

type Results = readonly number[];
type Sent = { readonly id: number; readonly values: Results };

test('every call gets its own answer or a failure, in every order of answers, ends, and messages that cannot be sent', async () => {
  await withSeeds(1000, async ({ random, hold, mustSettle, run }) => {
    const isOrdered = random(2) === 0;
    const sent: Sent[] = [];
    const results: string[] = [];
    let value = 0;
    const port = {
      onmessage: (_: { readonly data: unknown }) => {},
      addEventListener() {},
      postMessage({ id, argument: values }: { readonly id: number; readonly argument: Results }) {
        if (random(5) === 0) throw new Error('cannot be copied');
        sent.push({ id, values });
        void answerSome();
      },
    };
    const thread = connectThread<{ count: (values: Results) => Results }>(port as unknown as Port, {});

    /** Some answers arrive twice. */
    async function answerSome(): Promise<void> {
      await hold();
      const answered = sent.splice(isOrdered ? 0 : random(sent.length), 1 + random(3));
      const [first] = answered;
      if (first === undefined) return;
      const isConsecutive = answered.every(({ id }, i) => id === first.id + i);
      for (const part of isConsecutive ? [answered] : answered.map((one) => [one])) {
        const result = part.flatMap(({ values }) => values);
        const data = { first: part[0]?.id, count: part.length, result };
        port.onmessage({ data });
        if (random(2) === 0) port.onmessage({ data });
      }
    }

    function send(): void {
      const values = Array.from({ length: random(3) }, () => ++value);
      const { promise, resolve } = Promise.withResolvers<void>();
      const settle = (answer: Answer<Results>, offset: number) => {
        const own = 'reason' in answer ? values : answer.result.slice(offset, offset + values.length);
        if (own.join() !== values.join()) results.push(`${own} instead of ${values}`);
        resolve();
      };
      try {
        thread.send('count', values, { size: values.length, settle });
        void mustSettle(`call ${values}`, promise);
      } catch {
        // The handler is never called.
      }
    }

    const call = () => void mustSettle('call', thread.call('count', [])).catch(() => {});
    const quiet = () => void mustSettle('quiet', thread.quiet());
    const end = () => void thread.end('the thread ended');
    const sends = Array.from({ length: 8 }, (_, i) => (i % 4 === 3 ? call : send));
    const early = random(2) === 0 ? [end] : [];
    await run([...sends, quiet, ...early, ...sends, quiet, ...sends, end, send, call, quiet]);
    expect(results).toEqual([]);
  });
});
