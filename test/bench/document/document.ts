import { join } from 'node:path';
import { type PartResult, type Results, readRecorded } from '../harness/results.ts';
import { outcomeOf, type Row } from '../harness/row.ts';
import { cellsOf } from '../harness/table.ts';
import type { Part } from '../parts/part.ts';
import { PARTS } from '../parts/parts.ts';
import { INTRODUCTION, LIMITS, METHOD } from './texts.ts';

/** Generates `docs/project/performance.md` from the recorded results. */

const PAGE = 'docs/project/performance.md';
const ROOT = join(import.meta.dir, '../../..');

/** The columns of the tables; the last one only if a row has a target. */
const COLUMNS = ['', 'median', 'baseline', 'ratio', 'windows'] as const;

/** @returns the path of the page, from the root */
export async function writeDocument(): Promise<string> {
  await Bun.write(join(ROOT, PAGE), toDocument(await readRecorded()));
  return PAGE;
}

/** @returns the page in Markdown */
export function toDocument(results: Results): string {
  const resultOf = ({ name }: Part) => results.parts.find(({ part }) => part === name);
  const sections = PARTS.map((part) => toSection(part, resultOf(part)));
  const blocks = [
    '# Performance',
    ...INTRODUCTION,
    ...summaryOf(results),
    '## Method',
    ...METHOD,
    '## Machine',
    ...machineOf(results),
    ...sections.flat(),
    '## Known limits',
    LIMITS.map((limit) => `- ${limit}`).join('\n'),
  ];
  return `${blocks.map(wrapped).join('\n\n')}\n`;
}

function toSection({ title, method }: Part, result: PartResult | undefined): readonly string[] {
  const heading = [`## ${title}`, method];
  if (result === undefined) return [...heading, 'Not measured yet.'];
  if (result.skipped !== undefined) return [...heading, `Not measured: ${result.skipped}.`];
  return [...heading, toTable(result.rows), provenanceOf(result)];
}

function toTable(rows: readonly Row[]): string {
  const hasTargets = rows.some(({ target }) => target !== undefined);
  const head = hasTargets ? [...COLUMNS, 'required', 'reached'] : COLUMNS;
  return tableOf(
    head,
    rows.map((row) => cellsOf(row).slice(0, head.length)),
  );
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function provenanceOf({ measuredAt, commit, busyBefore, seconds }: PartResult): string {
  const modified = commit.isModified ? ' with changes' : '';
  const busy = `other programs used ${Math.round(busyBefore * 100)}% of the processor immediately before`;
  return `Measured on ${measuredAt.slice(0, 10)} at commit ${commit.id}${modified} in ${seconds} s; ${busy}.`;
}

/** The rows with a target that was missed. */
function summaryOf({ parts }: Results): readonly string[] {
  const rows = parts.flatMap(({ part, rows: of }) =>
    of.map((row) => ({ part, row, outcome: outcomeOf(row) })),
  );
  const withTarget = rows.filter(({ outcome }) => outcome !== undefined);
  const count = (wanted: string) => withTarget.filter(({ outcome }) => outcome === wanted).length;
  const missed = withTarget.filter(({ outcome }) => outcome === 'missed');
  const reached = `Of ${withTarget.length} measurements with a required value, ${count('goal')} reach the goal, ${count('required')} reach only the required value, and ${missed.length} miss it.`;
  if (missed.length === 0) return [reached];
  const titleOf = (name: string) => PARTS.find((part) => part.name === name)?.title ?? name;
  const lines = missed.map(({ part, row }) => {
    const [, value, , ratio, , target] = cellsOf(row);
    const measured = row.target?.of === 'ratio' ? `${ratio} ×` : value;
    return `- ${titleOf(part)}: ${row.name}: ${measured}, required ${target}`;
  });
  return [`${reached} These miss it:`, lines.join('\n')];
}

/** Facts about the machine. All parts must be recorded on the same machine; this is not checked. */
function machineOf({ parts }: Results): readonly string[] {
  const [latest] = parts.toSorted((a, b) => b.measuredAt.localeCompare(a.measuredAt));
  if (latest === undefined) return ['Nothing was measured yet.'];
  const { processor, cores, memory, kernel, versions } = latest.machine;
  const rows = [
    ['processor', processor],
    ['cores', String(cores)],
    ['memory', `${memory} GB`],
    ['Linux', kernel],
    ...Object.entries(versions),
  ];
  return [tableOf(['', ''], rows)];
}

const WIDTH = 120;

/** Wraps paragraphs and list items; tables and headings stay as they are. */
export function wrapped(block: string): string {
  if (block.startsWith('|') || block.startsWith('#')) return block;
  return block.split('\n').map(wrappedLine).join('\n');
}

function wrappedLine(line: string): string {
  const indent = line.startsWith('- ') ? '  ' : '';
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + word.length + 1 > WIDTH) {
      lines.push(current);
      current = `${indent}${word}`;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current].join('\n');
}
