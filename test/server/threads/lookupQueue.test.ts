import { expect, test } from 'bun:test';
import type { PropertyId, Sitekey } from '../../../src/model/property.ts';
import { createAnswerLookUp, createRemoteSources } from '../../../src/server/threads/lookups.ts';
import { withSeeds } from '../../support/randomScheduler.ts';

test('every lookup of a request thread gets its own record or a failure, in every order of answers and failures', async () => {
  await withSeeds(300, async ({ random, holdOrFail, mustSettle, run }) => {
    const answer = createAnswerLookUp(
      {
        property: (sitekey) => holdOrFail().then(() => ({ sitekey }) as never),
        principal: (hash) => holdOrFail().then(() => ({ keyId: hash }) as never),
        rules: (scope) => holdOrFail().then(() => ({ revision: 1, json: String(scope) })),
      },
      () => {},
    );
    const remote = createRemoteSources(async (keys) => {
      await holdOrFail();
      return answer(keys);
    });
    const lookUp = () => {
      const key = String(random(4));
      const kind = random(3);
      const found = [
        async () => expect((await remote.property(key as Sitekey))?.sitekey as string).toBe(key),
        async () => expect((await remote.principal(key))?.keyId as unknown).toBe(key),
        async () => expect((await remote.rules(Number(key) as PropertyId))?.json).toBe(key),
      ][kind];
      if (found === undefined) return;
      const isOwn = (error: Error) => expect(error.message).toBe('the scheduler chose a failure');
      void mustSettle(`lookup ${kind}`, found()).catch(isOwn);
    };
    await run(Array(12).fill(lookUp));
  });
});
