import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, run, textOf } from '../../architecture/tree.ts';
import { usePostern } from '../fixture.ts';
import { readExamples } from './build.ts';
import { serveExample } from './website.ts';

/** Runs the Playwright tests of docs/how-to/test-in-ci.md on the page of docs/how-to/frameworks.md, in the installed Chromium. */

const postern = usePostern();

test('the tests for Playwright pass', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-playwright-'));
  const website = serveExample(await readExamples(), postern);
  try {
    const page = await textOf('docs/how-to/test-in-ci.md');
    const [, code = ''] = /^```js title="signup\.spec\.js"\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const browser =
      process.env.BUN_CHROME_PATH ?? Bun.which('chromium-headless-shell') ?? Bun.which('chromium');
    const use = {
      baseURL: website.url,
      launchOptions: { executablePath: browser, args: ['--no-sandbox'] },
    };
    await Bun.write(join(folder, 'signup.spec.mjs'), code);
    const outputDir = join(folder, 'results');
    const config = {
      outputDir,
      workers: 1,
      reporter: 'line',
      timeout: 120_000,
      expect: { timeout: 60_000 },
      use,
    };
    await Bun.write(join(folder, 'playwright.config.mjs'), `export default ${JSON.stringify(config)};`);
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const command = join(ROOT, 'node_modules/@playwright/test/cli.js');
    const { exitCode, output } = await run(
      // Bun sets this variable if it runs several files at the same time. With it, Playwright takes its tests for those of Jest.
      'env',
      '--unset=JEST_WORKER_ID',
      'node',
      command,
      'test',
      '--config',
      join(folder, 'playwright.config.mjs'),
    );
    expect(exitCode === 0 ? '' : output).toBe('');
    expect(output).toContain('3 passed');
    expect(website.received.map(({ verdict }) => verdict.success)).toEqual([true, false]);
  } finally {
    await website.stop();
    rmSync(folder, { recursive: true });
  }
});
