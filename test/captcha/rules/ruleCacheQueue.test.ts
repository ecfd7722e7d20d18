import { expect, test } from 'bun:test';
import { createRuleCache } from '../../../src/captcha/rules/ruleCache.ts';
import { createPacer } from '../../../src/lib/pacer.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import type { PropertyId } from '../../../src/model/property.ts';
import { withSeeds } from '../../support/randomScheduler.ts';

test('every request for a list of rules ends, in every order of loads, failures, revisions, and deadlines', async () => {
  await withSeeds(300, async ({ random, hold, holdOrFail, time, mustSettle, run }) => {
    let loading = 0;
    const cache = createRuleCache({
      async load() {
        // Some loads never end.
        if (random(10) === 0) return new Promise(() => {});
        expect(++loading).toBeLessThanOrEqual(4);
        await holdOrFail().finally(() => loading--);
        return { revision: random(3), json: '[]' };
      },
      pacer: createPacer({ now: time.now, defer: (next) => void hold().then(next) }),
      timer: time.timer,
    });
    const get = async () => {
      const scope = random(6) as PropertyId;
      const owner = (scope % 3) as AccountId;
      await cache.get({ scope, owner, organization: scope as number as OrganizationId, revision: random(3) });
    };
    await run(Array(20).fill(() => mustSettle('list', get()).catch(() => {})));
  });
});
