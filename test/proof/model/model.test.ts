import { describe, expect, test } from 'bun:test';
import { filesAt, textOf } from '../../architecture/tree.ts';
import { CONFIGURATIONS } from './configurations.ts';
import { hashOf, PAGE, RESULTS, type Report, violatedBy, withTable } from './report.ts';
import { check } from './spin.ts';

/** Checks the claim protocol in every state that its models can reach. */

const SMALL = CONFIGURATIONS.filter(({ isLarge }) => !isLarge);

describe('the checker', () => {
  test.each(SMALL.filter(({ isBroken }) => !isBroken).map(({ name }) => name))(
    'finds no error in the configuration %s',
    async (name) => {
      const { error, states } = await check(configurationOf(name));
      expect(error).toBeUndefined();
      expect(states).toBeGreaterThan(100);
    },
  );

  test.each(SMALL.filter(({ isBroken }) => isBroken).map(({ name }) => name))(
    'finds the error of the variant %s',
    async (name) => {
      const { error = '' } = await check(configurationOf(name));
      expect(violatedBy(error)).toBeDefined();
    },
  );
});

function configurationOf(name: string) {
  const found = CONFIGURATIONS.find((configuration) => configuration.name === name);
  if (found === undefined) throw new Error(`no configuration ${name}`);
  return found;
}

describe('the page about the models', () => {
  test('shows the results of the current models', async () => {
    const report: Report = JSON.parse(await textOf(RESULTS));
    expect(report.rows.map(({ hash }) => hash)).toEqual(CONFIGURATIONS.map(hashOf));
    const page = await textOf(PAGE);
    expect(withTable(page, report)).toBe(page);
  });

  test('names the code of every step, and this code exists', async () => {
    const wrong: string[] = [];
    for (const model of filesAt('test/proof/model/*.pml')) {
      const steps = [...(await textOf(model)).matchAll(/\/\* \[([^\]]+)\]/g)].map(([, step = '']) => step);
      const rows = await stepsIn(model);
      expect(rows.map(({ step }) => step)).toEqual(steps);
      expect(rows.filter(({ code }) => code.length === 0)).toEqual([]);
      for (const { step, code } of rows)
        wrong.push(...(await missingIn(code)).map((name) => `${step}: ${name}`));
    }
    expect(wrong).toEqual([]);
  });
});

/** The rows of the table of a model: a step, and files, each of which may be followed by names in it. */
async function stepsIn(model: string) {
  const [, section = ''] = (await textOf(PAGE)).split(`\n<!-- ${model} -->\n`);
  const lines = (section.split('\n\n')[0] ?? '').split('\n').slice(2);
  return lines.map((line) => {
    const [step = '', , cell = ''] = line
      .split('|')
      .slice(1)
      .map((text) => text.trim());
    return { step, code: [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) };
  });
}

/** @returns the files that do not exist, and the names that do not occur in the preceding file */
async function missingIn(code: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  let text = '';
  for (const name of code) {
    if (name.includes('/')) text = await textOf(name).catch(() => '');
    if (text === '' || !(name.includes('/') || new RegExp(`\\b${name}\\b`).test(text))) missing.push(name);
  }
  return missing;
}
