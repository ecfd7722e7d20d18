import { expect, test } from 'bun:test';
import { notifying } from '../../src/storage/notifying.ts';

function open() {
  const events: string[] = [];
  const store = {
    read: async () => void events.push('read'),
    write: async (text: string) => {
      events.push(`write ${text}`);
      return text.length;
    },
    fail: async () => {
      throw new Error('disk');
    },
  };
  return { events, told: notifying(store, ['write', 'fail'], () => events.push('told')) };
}

test('a write is told before its caller knows, and answers as it did', async () => {
  const { events, told } = open();
  const written = told.write('abc').then((length) => events.push(`answered ${length}`));
  await written;
  expect(events).toEqual(['write abc', 'told', 'answered 3']);
});

test('a read tells nobody', async () => {
  const { events, told } = open();
  await told.read();
  expect(events).toEqual(['read']);
});

test('a write that failed is told too: who knows what it left', async () => {
  const { events, told } = open();
  await expect(told.fail()).rejects.toThrow('disk');
  expect(events).toEqual(['told']);
});
