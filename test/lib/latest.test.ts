import { expect, test } from 'bun:test';
import { createLatest } from '../../src/lib/latest.ts';
import { withSeeds } from '../support/randomScheduler.ts';

test('the last result is that of the last read that succeeded, in every order of results and failures', async () => {
  await withSeeds(300, async ({ holdOrFail, mustSettle, run }) => {
    let stored = 0;
    let applied = 0;
    let lastRead = 0;
    const refresh = createLatest<number>((value) => {
      expect(value).toBeGreaterThan(applied);
      applied = value;
    });
    const change = () => {
      const value = ++stored;
      const read = async () => {
        await holdOrFail();
        lastRead = Math.max(lastRead, value);
        return value;
      };
      mustSettle(`read ${value}`, refresh(read)).catch(() => {});
    };
    await run(Array(8).fill(change));
    expect(applied).toBe(lastRead);
  });
});
