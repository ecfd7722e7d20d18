import { expect, test } from 'bun:test';
import { closeAfter, closeOnFailure, createClosing } from '../../src/lib/closing.ts';

/** Three parts, of which the second one cannot be closed. */
function createParts() {
  const events: string[] = [];
  const closing = createClosing((part, error) => events.push(`${part}: ${error}`));
  closing.add('first', () => events.push('first closed'));
  closing.add('second', () => Promise.reject('a failure'));
  closing.add('third', () => events.push('third closed'));
  return { events, closing };
}

const ALL = ['third closed', 'second: a failure', 'first closed'];

test('all parts are closed once, the last one first, even if one of them fails', async () => {
  const { events, closing } = createParts();
  for (let call = 0; call < 2; call++) {
    expect(await closing.close().catch((error) => error)).toBe('a failure');
    expect(events).toEqual(ALL);
  }
});

test('failed work closes the parts, and its error takes precedence', async () => {
  for (const run of [closeOnFailure, closeAfter]) {
    const { events, closing } = createParts();
    const work = () => Promise.reject('no work');
    expect(await run(closing.close, work).catch((error) => error)).toBe('no work');
    expect(events).toEqual(ALL);
  }
});

test('successful work keeps the parts open, or closes them and reports a failure', async () => {
  const { events, closing } = createParts();
  expect(await closeOnFailure(closing.close, () => 'done')).toBe('done');
  expect(events).toEqual([]);
  expect(await closeAfter(closing.close, () => 'done').catch((error) => error)).toBe('a failure');
  expect(events).toEqual(ALL);
});
