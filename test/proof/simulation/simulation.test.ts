import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { FAULTS } from './faults.ts';

/** The schedules run in separate processes, because they replace the timers and clocks of their process. */

const RUN = join(import.meta.dir, 'run.ts');

/** Number of schedules. The default takes about ten seconds of processor time. */
const SCHEDULES = Number(process.env.SIMULATION_SCHEDULES ?? 2000);
/** The first seed. By default, each day has its own range. */
const FROM = Number(process.env.SIMULATION_FROM ?? (Math.floor(Date.now() / 86_400_000) % 100_000) * 10_000);

/** Other programs may use every core. */
const TIMEOUT_MS = 600_000;
/** Every fault must be found within this number of schedules. */
const FOUND_WITHIN = 1500;

async function simulate(...options: readonly string[]) {
  const child = Bun.spawn([process.execPath, RUN, ...options], { stdout: 'pipe', stderr: 'pipe' });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, error };
}

test(
  `${SCHEDULES} schedules from seed ${FROM} satisfy the specification`,
  async () => {
    const { code, out, error } = await simulate('--seeds', String(SCHEDULES), '--from', String(FROM));
    expect([code, error, code === 0 ? '' : out]).toEqual([0, '', '']);
    expect(out).toContain(`${SCHEDULES} schedules from seed ${FROM}`);
  },
  TIMEOUT_MS,
);

// With older models, a process read an unfinished commit of another one, and a failure began after the end of all failures.
test.each(['333252', '572734'])(
  'seed %s, which once reported a violation, satisfies the specification',
  async (seed) => {
    const { code, out } = await simulate('--seed', seed);
    expect([code, code === 0 ? '' : out]).toEqual([0, '']);
  },
  TIMEOUT_MS,
);

test(
  'a seed repeats its schedule exactly',
  async () => {
    for (const seed of ['1', '2']) {
      const [first, second] = [await simulate('--seed', seed), await simulate('--seed', seed)];
      const traceOf = ({ out }: { readonly out: string }) => out.split('\n').slice(0, -2);
      expect(traceOf(first).length).toBeGreaterThan(10);
      expect(traceOf(second)).toEqual(traceOf(first));
    }
  },
  TIMEOUT_MS,
);

test('the documentation lists all faults', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../../docs/project/simulation.md')).text();
  const rows = FAULTS.map(
    ({ name, about, file, scenario }) => `| \`${name}\` | ${about} (\`${file}\`) | \`${scenario}\` |`,
  );
  expect(rows.filter((row) => !text.includes(row))).toEqual([]);
});

describe('the simulation finds', () => {
  test.each(FAULTS.map(({ name, scenario }) => [name, scenario]))(
    '%s',
    async (name, scenario) => {
      const found = await simulate('--fault', name, '--scenario', scenario, '--seeds', String(FOUND_WITHIN));
      expect([found.code, found.error]).toEqual([1, '']);
      expect(found.out).toContain('a violation');
    },
    TIMEOUT_MS,
  );
});
