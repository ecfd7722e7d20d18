import { REASONS } from './reasons.ts';
import type { FileResult, Results } from './results.ts';
import { sourcesOf, TARGETS, type Target } from './targets.ts';

/** Renders the results for docs/project/mutation.md. */

export const PAGE = 'docs/project/mutation.md';

const reasonOf = (file: string, text: string) =>
  REASONS.find((entry) => `src/${entry.file}` === file && entry.mutants.includes(text))?.reason;

export type Row = {
  readonly target: string;
  readonly mutants: number;
  readonly killed: number;
  readonly slow: number;
  readonly explained: number;
  readonly survived: number;
  readonly unreached: number;
  readonly dates: readonly string[];
  readonly commits: readonly string[];
};

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

export function rowOf(target: Target, results: Results): Row | undefined {
  const entries = sourcesOf(target).flatMap((file): readonly (readonly [string, FileResult])[] => {
    const result = results[file];
    return result === undefined ? [] : [[file, result]];
  });
  if (entries.length === 0) return undefined;
  const files = entries.map(([, result]) => result);
  const total = (count: (result: FileResult) => number) => sum(files.map(count));
  const explained = sum(
    entries.map(
      ([file, { survived, unreached }]) =>
        [...survived, ...unreached].filter((text) => reasonOf(file, text) !== undefined).length,
    ),
  );
  return {
    target: target.name,
    mutants: total(({ mutants }) => mutants),
    killed: total(({ killed }) => killed),
    slow: total(({ slow }) => slow.length),
    explained,
    survived: total(({ survived, unreached }) => survived.length + unreached.length) - explained,
    unreached: total(({ unreached }) => unreached.length),
    dates: [...new Set(files.map(({ date }) => date))].toSorted(),
    commits: [...new Set(files.map(({ commit }) => commit))],
  };
}

/** Detected mutants in percent of all. */
export const scoreOf = ({ mutants, killed, slow }: Row) => (100 * (killed + slow)) / mutants;

/** Detected mutants in percent of those that can be detected. */
const reachableScoreOf = ({ mutants, killed, slow, explained }: Row) =>
  (100 * (killed + slow)) / (mutants - explained);

const HEAD = `| target | mutants | killed | time limit | survived, with reason | survived, without reason | score | score without those with a reason | date | commit |
|---|--:|--:|--:|--:|--:|--:|--:|---|---|`;

function tableOf(results: Results): string {
  const lines = TARGETS.map((target) => {
    const row = rowOf(target, results);
    if (row === undefined) return `| ${target.name} | not examined yet | | | | | | | | |`;
    const { mutants, killed, slow, explained, survived, dates, commits } = row;
    const percent = [scoreOf(row), reachableScoreOf(row)].map((score) => `${score.toFixed(1)}%`);
    const isPartial = sourcesOf(target).some((file) => results[file]?.tests === '');
    const when = [`${dates.at(-1)}${isPartial ? ', incomplete' : ''}`, commits.join(', ')];
    return `| ${[target.name, mutants, killed, slow, explained, survived, ...percent, ...when].join(' | ')} |`;
  });
  return [HEAD, ...lines].join('\n');
}

function fileTable(results: Results): string {
  const lines = Object.entries(results).map(([file, { mutants, killed, slow, survived, unreached }]) => {
    const detected = killed + slow.length;
    const score = mutants === 0 ? '' : `${((100 * detected) / mutants).toFixed(0)}%`;
    return `| \`${file}\` | ${[mutants, detected, survived.length, unreached.length, score].join(' | ')} |`;
  });
  return [
    '| file | mutants | detected | survived | not reached | score |\n|---|--:|--:|--:|--:|--:|',
    ...lines,
  ].join('\n');
}

/** Only mutants that survived in the latest results; backticks would end the code. */
function reasonList(results: Results): string {
  return REASONS.map(({ file, mutants, reason }) => {
    const result = results[`src/${file}`];
    const alive = new Set([...(result?.survived ?? []), ...(result?.unreached ?? [])]);
    const texts = mutants.filter((text) => alive.has(text)).map((text) => `\`\` ${text} \`\``);
    return texts.length === 0
      ? ''
      : `- \`src/${file}\`: ${reason}\n${texts.map((text) => `  - ${text}`).join('\n')}`;
  })
    .filter((item) => item !== '')
    .join('\n');
}

const TABLES = /(?<=<!-- results -->\n)[\s\S]*?(?=<!-- end of the results -->)/;

/** @returns the page with the tables of the results */
export function withTables(page: string, results: Results): string {
  return page.replace(
    TABLES,
    () => `
${tableOf(results)}

### By file

${fileTable(results)}

### Survivors with a reason

${reasonList(results)}

`,
  );
}
