import { describe, expect, test } from 'bun:test';
import { VERDICT_CODES } from '../../src/captcha/verdict.ts';
import { AUDIT_ACTIONS } from '../../src/model/audit.ts';
import { PROBLEMS } from '../../src/model/problems.ts';
import { SETTING_GROUPS, SETTINGS } from '../../src/settings.ts';
import { filesAt, textOf } from './tree.ts';

/** Compares tables in the documentation with tables in the code. */

type Rows = readonly (readonly string[])[];

/** The rows of the table whose header row contains these cells at the beginning. */
async function tableIn(file: string, ...head: readonly string[]): Promise<Rows> {
  const tables = (await textOf(file)).split(/\n{2,}/).filter((block) => block.startsWith('|'));
  const rows = tables.map((table) => table.trim().split('\n').map(cellsOf));
  const found = rows.filter(([first]) => head.every((cell, index) => first?.[index] === cell));
  expect(found).toHaveLength(1);
  return found[0]?.slice(2) ?? [];
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

const code = (text: string | undefined) => (text === undefined ? '' : `\`${text}\``);

describe('docs/configuration.md', () => {
  test('lists every setting with its group, default, meaning, and allowed values', async () => {
    const sections = (await textOf('docs/configuration.md')).split(/^### /m).slice(1);
    const listed = sections.map((section) => {
      const rows = section.split('\n').filter((line) => line.startsWith('| `'));
      return [section.split('\n')[0], rows.map(cellsOf)];
    });
    const expected = SETTING_GROUPS.map(({ heading, settings }) => [
      heading,
      settings.map((setting) => [
        code(setting.variable),
        code(setting.default),
        setting.meaning,
        setting.allowed,
      ]),
    ]);
    expect(listed).toEqual(expected);
    expect(SETTING_GROUPS.flatMap(({ settings }) => settings)).toEqual([...SETTINGS]);
  });

  test('names the `_FILE` variable of every secret and of no other setting', async () => {
    const text = await textOf('docs/configuration.md');
    const named = [...text.matchAll(/`(POSTERN_\w+)_FILE`/g)].map(([, variable]) => variable);
    const secrets = SETTINGS.filter(({ isSecret }) => isSecret).map(({ variable }) => variable);
    expect(named).toEqual(secrets);
  });
});

describe('docs/reference/api.md', () => {
  test('lists every verification code', async () => {
    const rows = await tableIn('docs/reference/api.md', 'code', 'name', 'meaning');
    const expected = Object.entries(VERDICT_CODES).map(([name, number]) => [String(number), code(name)]);
    expect(rows.map((row) => row.slice(0, 2))).toEqual(expected);
  });

  test('lists every problem with its code, status, and message', async () => {
    const expected = Object.entries(PROBLEMS).map(([name, { code: number, status, sentence }]) => [
      code(name),
      String(number),
      String(status),
      sentence,
    ]);
    expect(await tableIn('docs/reference/api.md', 'problem', 'code', 'status')).toEqual(expected);
  });
});

describe('all documents', () => {
  const documents = ['README.md', ...filesAt('docs/**/*.md')];

  test('name only existing settings', async () => {
    const known = SETTINGS.flatMap(({ variable, isSecret }) =>
      isSecret ? [variable, `${variable}_FILE`] : [variable],
    );
    const wrong = [];
    for (const file of documents) {
      for (const [name] of (await textOf(file)).matchAll(/\bPOSTERN_[A-Z_]+[A-Z]\b/g)) {
        if (!known.includes(name)) wrong.push(`${file}: ${name}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('docs/reference/logs.md', () => {
  test('lists every scheduled job', async () => {
    const rows = await tableIn('docs/reference/logs.md', 'event', 'level');
    const [, , , text = ''] = rows.find(([event]) => event === '`job-done`') ?? [];
    const [, list = ''] = /The jobs are (.+?)\. /.exec(text) ?? [];
    const named = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const source = await textOf('src/jobs/scheduledJobs.ts');
    const jobs = [...source.matchAll(/\bname: '([^']+)'/g)].map(([, name]) => name);
    expect(jobs.length).toBeGreaterThan(0);
    expect(named).toEqual(jobs);
  });
});

describe('docs/how-to/troubleshoot.md', () => {
  test('shows messages that the product has', async () => {
    const files = [...filesAt('src/**/*.{ts,tsx}'), 'static/portal/en.json', 'docs/reference/widget.md'];
    const texts = await Promise.all(files.map(textOf));
    // Quotation marks in strings are escaped.
    const all = texts.join('\n').replaceAll("\\'", "'");
    const rows = [...(await textOf('docs/how-to/troubleshoot.md')).matchAll(/^\| `(.+?)` \|/gm)];
    const parts = rows.flatMap(([, message = '']) => message.split('…').map((part) => part.trim()));
    expect(rows.length).toBeGreaterThan(20);
    expect(parts.filter((part) => !all.includes(part))).toEqual([]);
  });
});

describe('docs/reference/audit-log.md', () => {
  test('lists every action of the audit log once', async () => {
    const rows = await tableIn('docs/reference/audit-log.md', 'action', 'object');
    const named = rows.flatMap(([actions = '']) => actions.split(', '));
    expect(named.toSorted()).toEqual(AUDIT_ACTIONS.map(code).toSorted());
  });
});
