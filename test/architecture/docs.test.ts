import { describe, expect, test } from 'bun:test';
import { VERDICT_CODES } from '../../src/captcha/verdict.ts';
import { AUDIT_ACTIONS } from '../../src/model/audit.ts';
import { PROBLEMS } from '../../src/model/problems.ts';
import { snippetTemplates } from '../../src/portal/properties/snippetCatalog.ts';
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

describe('examples of the widget', () => {
  const { page } = snippetTemplates();
  /** The attributes that the portal's code sets besides the sitekey. */
  const [, attributes = ''] = /data-sitekey="[^"]*"( [^>]*)>/.exec(page?.code ?? '') ?? [];
  const [noscript = ''] = /<noscript>.*<\/noscript>/.exec(page?.code ?? '') ?? [];

  // The examples had no theme, so the widget was light on dark pages.
  test("have the attributes and the text of the portal's code", async () => {
    const files = ['README.md', ...filesAt('docs/**/*.md')];
    const blocks = (await Promise.all(files.map(textOf))).flatMap(
      (text) => text.match(/^```[\s\S]*?^```$/gm) ?? [],
    );
    const elements = blocks.flatMap(
      (block) => block.match(/<div\s+class(?:Name)?="postern-captcha"[^>]*>/g) ?? [],
    );
    expect([attributes, elements.length > 9]).toEqual([' data-theme="auto"', true]);
    expect(elements.filter((one) => !one.replaceAll(/\s+/g, ' ').includes(attributes))).toEqual([]);
    expect(new Set(blocks.flatMap((block) => block.match(/<noscript>.*<\/noscript>/g) ?? []))).toEqual(
      new Set([noscript]),
    );
  });
});

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

describe('lists of background jobs', () => {
  /** The names of the jobs whose line in the code contains this text, or that follow it up to `end`. */
  async function jobsWith(mark: string): Promise<readonly string[]> {
    const source = await textOf('src/jobs/scheduledJobs.ts');
    const [, grouped = ''] = /\.\.\.withConfirmedClock\(\[(.*?)\n {4}\]\)/s.exec(source) ?? [];
    const lines = source.split('\n').filter((line) => line.includes(mark));
    const group = mark.startsWith('needsConfirmedClock') ? grouped : '';
    return [...`${lines.join('\n')}\n${group}`.matchAll(/\bname: '([^']+)'/g)].map(([, name = '']) => name);
  }

  test.each([
    [
      'docs/how-to/operate.md',
      /The jobs (`purge-audit`.+?) therefore run only/s,
      'needsConfirmedClock: true',
    ],
    ['docs/reference/metrics.md', /(`check-clock`.+?) run on every node/s, 'isLocal: true'],
  ])('%s names the jobs with this property, and no others', async (file, list, mark) => {
    const [, text = ''] = list.exec(await textOf(file)) ?? [];
    const named = [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const jobs = await jobsWith(mark);
    expect(jobs.length).toBeGreaterThan(2);
    expect(named.toSorted()).toEqual(jobs.toSorted());
  });
});

test('docs/how-to/portal.md lists the pages of administrators', async () => {
  const routes = await Promise.all(['admin', 'rules'].map((area) => textOf(`src/portal/${area}/routes.ts`)));
  const found = routes.join().matchAll(/(?:'GET',|OF_INSTALLATION =) '\/portal\/system(?:\/([a-z]+))?'/g);
  const pages = [...new Set([...found].map(([, page = 'overview']) => page))];
  const rows = await tableIn('docs/how-to/portal.md', 'page', 'content');
  expect(pages.length).toBeGreaterThan(4);
  expect(rows.map(([page = '']) => page.toLowerCase()).toSorted()).toEqual(pages.toSorted());
});

describe('the order of checks is the same in protocol.md and in api.md', () => {
  const PROTOCOL = 'docs/reference/protocol.md';

  test('for puzzles, and contains every problem of the code', async () => {
    const checks = await tableIn('docs/reference/api.md', 'check', 'problem', 'status');
    const ordered = await tableIn(PROTOCOL, '#', 'check', 'status');
    // api.md describes the test sitekey and an unavailable database in other sections.
    const statuses = ordered.map(([, , status = '']) => status).filter((status) => /^4\d\d$/.test(status));
    expect(statuses).toEqual(checks.map(([, , status = '']) => status));
    const [, union = ''] =
      /export type IssueProblem =\n(.*?);/s.exec(await textOf('src/captcha/issue.ts')) ?? [];
    const problems = [...union.matchAll(/'([a-z-]+)'/g)].map(([, problem]) => problem);
    const named = [
      ...checks
        .map(([, problem]) => problem)
        .join()
        .matchAll(/`([a-z-]+)`/g),
    ];
    const missing = problems.filter((problem) => !named.some(([, name]) => name === problem));
    expect(problems.length).toBeGreaterThan(3);
    expect(missing).toEqual(['unavailable']);
  });

  test('for verifications', async () => {
    const rows = await tableIn(PROTOCOL, '#', 'check', 'code');
    const numbered = rows.filter(([at]) => Number(at) >= 4).map(([, , number = '']) => number);
    const [, order = ''] =
      /Postern checks in the order ([\d, ]+);/.exec(await textOf('docs/reference/api.md')) ?? [];
    // In protocol.md, code 1 is part of another check, and the last check is the claim, whose failure is code 8.
    const expected = order.split(', ').filter((number) => number !== '1');
    expect(numbered.with(-1, '8')).toEqual(expected);
  });
});

test('docs/reference/logs.md and the OpenAPI document list the reasons of /readyz, in the order of the code', async () => {
  const rows = await tableIn('docs/reference/logs.md', 'reason', 'meaning');
  const [, source = ''] = (await textOf('src/server/requestHandler.ts')).split(
    'function findReadinessProblems',
  );
  const reasons = [...source.matchAll(/\['([a-z-]+)'\]/g)].map(([, reason]) => code(reason));
  expect(reasons.length).toBeGreaterThan(3);
  expect(rows.map(([reason]) => reason)).toEqual(reasons);
  const described = /otherwise 503 with the reasons.*/.exec(
    await textOf('src/http/openapi/directOperations.ts'),
  );
  expect([...(described?.[0] ?? '').matchAll(/`[a-z-]+`/g)].map(([reason]) => reason)).toEqual(reasons);
});
