import { expect, test } from 'bun:test';
import { fastClock, isIn, puzzleRequests, STATUS, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

test('a check that a visitor started without a network continues when the network returns, and then the held form is sent', async () => {
  const website = await serve({ endpoint: `${postern.url}/puzzle` });
  const tab = await visit(website, fastClock(20));
  await tab.setOffline(true);
  await tab.evaluate("document.querySelector('form').requestSubmit()");
  await tab.until(isIn('failed'));
  expect(await tab.evaluate<string>(STATUS)).toContain('Check your connection');
  // No retries, which would take a second.
  expect(puzzleRequests(tab)).toBe(1);
  expect(tab.consoleLines.some((line) => line.startsWith('error [postern] service-unreachable: '))).toBe(
    true,
  );
  // The browser would replace the page by an error.
  expect(await tab.evaluate<string>('location.pathname')).toBe('/');
  await tab.setOffline(false);
  await tab.until("document.title === 'received'");
  expect(website.submissions).toHaveLength(1);
  const solution = website.submissions.at(-1)?.get('postern-captcha-solution') ?? '';
  expect(await postern.verify(solution)).toMatchObject({ success: true });
  tab.close();
});
