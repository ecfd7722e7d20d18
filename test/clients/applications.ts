import { join } from 'node:path';
import { BOX, BUTTON } from '../browser/fixture.ts';
import { freePort } from '../support/binary.ts';
import { openTab, type Tab } from '../support/browser.ts';
import { waitUntil } from '../support/waitUntil.ts';
import type { ApplicationClient } from './client.ts';
import type { Postern } from './postern.ts';

/** Builds and starts applications, and sends their form in Chromium. */

const FIELD = 'document.forms[0].querySelector(\'[name="postern-captcha-solution"]\')';
/** Presses the widget's button if the check has not started. */
const PRESS = `${BOX}?.dataset.state === 'idle' && ${BUTTON}.click()`;
const OUTPUT = "document.querySelector('output').textContent";

/** Runs a program of the application. @throws with the end of its output if it fails */
async function run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const child = Bun.spawn([...command], { cwd, env, stdout: 'pipe', stderr: 'pipe' });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0)
    throw new Error(`${command.join(' ')}: ${`${output}${errors}`.slice(-1500)}`);
}

/** Fills and sends the form. @returns the solution that it contained */
async function send(page: Tab, email: string, replaced?: string): Promise<string> {
  await page.evaluate(`void (document.forms[0].elements.email.value = '${email}')`);
  await page.until(`(${PRESS}, ${FIELD}?.value)`);
  const solution = await page.evaluate<string>(`${FIELD}.value`);
  if (replaced !== undefined) await page.evaluate(`void (${FIELD}.value = '${replaced}')`);
  await page.evaluate('document.forms[0].requestSubmit()');
  return solution;
}

/** A form is accepted, the same solution is rejected, and a new solution is accepted. */
async function useForm(page: Tab): Promise<void> {
  const first = await send(page, 'ann@example.com');
  await page.until(`${OUTPUT} === 'Welcome, ann@example.com'`);
  await page.until(`${FIELD}?.value !== '${first}'`);
  await send(page, 'bob@example.com', first);
  await page.until(`${OUTPUT}.startsWith('Please repeat the check')`);
  await page.until(`${FIELD}?.value !== '${first}'`);
  await send(page, 'eve@example.com');
  await page.until(`${OUTPUT} === 'Welcome, eve@example.com'`);
}

/** Builds and serves the application, and uses its form. @throws with the reason if it does not work */
export async function runApplication(
  { group, files, build, serve }: ApplicationClient,
  folder: string,
  postern: Postern,
): Promise<void> {
  const cwd = join(folder, group);
  const env = {
    ...(process.env as Record<string, string>),
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
  };
  for (const [name, text] of Object.entries(files)) await Bun.write(join(cwd, name), postern.fill(text));
  await run(build, cwd, env);
  const port = String(await freePort());
  const command = serve.map((word) => word.replace('PORT', port));
  const server = Bun.spawn(command, { cwd, env, stdout: 'ignore', stderr: 'inherit' });
  const url = `http://localhost:${port}/`;
  const tab = await openTab();
  try {
    await waitUntil('the application responds', () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    await tab.goto(url);
    await useForm(tab);
  } finally {
    tab.close();
    server.kill('SIGKILL');
    await server.exited;
  }
}
