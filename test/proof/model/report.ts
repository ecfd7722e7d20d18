/** The results of the models, and their tables in the documentation. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIGURATIONS, type Configuration } from './configurations.ts';
import type { Result } from './spin.ts';

/** Paths relative to the root. */
export const PAGE = 'docs/project/model.md';
export const RESULTS = 'test/proof/model/results.json';

export type Row = Omit<Result, 'error'> & {
  readonly name: string;
  readonly error: string | null;
  /** @see hashOf */
  readonly hash: string;
};

export type Report = {
  /** ISO 8601. */
  readonly date: string;
  readonly rows: readonly Row[];
};

/** @returns a hash of everything that determines the result of a configuration */
export function hashOf({ model, settings }: Configuration): string {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  hash.update(readFileSync(join(import.meta.dir, `${model}.pml`)));
  return hash.digest('hex').slice(0, 16);
}

export function toRow(configuration: Configuration, { error, ...result }: Result): Row {
  return { name: configuration.name, hash: hashOf(configuration), error: error ?? null, ...result };
}

/** Replaces rows of a report, drops those of configurations that do not exist, and sorts them in the order of the configurations. */
export function withRows({ rows: old }: Pick<Report, 'rows'>, rows: readonly Row[], date: string): Report {
  const kept = CONFIGURATIONS.flatMap(({ name }) => {
    const isIt = (row: Row) => row.name === name;
    return rows.find(isIt) ?? old.find(isIt) ?? [];
  });
  return { date, rows: kept };
}

/** The assertions and formulas of the models, by a part of their text. */
const PROPERTIES: readonly (readonly [RegExp, string])[] = [
  [/toldFor/, 'different numbers for one key'],
  [/told/, 'an acknowledged claim is lost'],
  [/successes/, 'too many successes'],
  [/arrived|acceptance cycle/, 'a request never ends'],
  [/isTampered/, 'a kill is mistaken for older files'],
  [/valid|presented/, 'more claims are counted than were presented'],
  [/committed/, 'a wrong number'],
];

/** @returns the property that does not hold; undefined if the model itself is wrong, for example an index */
export function violatedBy(error: string): string | undefined {
  return PROPERTIES.find(([pattern]) => pattern.test(error))?.[1];
}

const count = (value: number) => value.toLocaleString('en-US');

/** The cells of a row: the name, the result, states, depth, seconds, and memory. */
export function rowOf({ name, error, states, depth, seconds, megabytes }: Row): readonly string[] {
  const result = error === null ? 'no error' : (violatedBy(error) ?? error);
  const cells = [count(states), count(depth), seconds.toFixed(1), count(Math.round(megabytes))];
  return [name, result, ...cells];
}

const TABLE = /(?<=<!-- results -->\n)[\s\S]*?(?=<!-- end of the results -->)/;

/** @returns the page with the tables of a report */
export function withTable(page: string, report: Report): string {
  return page.replace(TABLE, () => tableOf(report));
}

/** The rows in the order of the configurations, in three tables. */
function tableOf({ date, rows }: Report): string {
  const tableWith = (title: string, isIn: (configuration: Configuration) => boolean) => {
    const lines = CONFIGURATIONS.filter(isIn).map((configuration) => {
      const row = rows.find(({ name }) => name === configuration.name);
      if (row === undefined)
        return `| \`${configuration.name}\` | ${configuration.about} | not checked yet | | | | |`;
      const [name, ...cells] = rowOf(row);
      return `| \`${name}\` | ${[configuration.about, ...cells].join(' | ')} |`;
    });
    const head =
      '| configuration | what happens | result | states | depth | seconds | MB |\n|---|---|---|--:|--:|--:|--:|';
    return `### ${title}\n\n${head}\n${lines.join('\n')}\n`;
  };
  return `
\`bun run model --write\` generated these tables on ${date} with Spin 6.5.2, on two cores that were busy with other work.

${tableWith('Correct models', ({ isBroken, isLarge }) => !isBroken && !isLarge)}
${tableWith('Broken variants', ({ isBroken }) => isBroken === true)}
${tableWith('Larger configurations', ({ isLarge }) => isLarge === true)}
`;
}
