import Ajv from 'ajv';
import manifest from '../../package.json' with { type: 'json' };
import { CATALOG, CHAPTERS, type ChapterId, criteriaOf, WCAG_CHAPTERS } from './catalog.ts';
import { OMITTED } from './clauses.ts';
import { COMPONENTS, type Component } from './criteria.ts';
import { EXAMINATIONS, TESTS } from './evidence.ts';
import { combined, type Finding, LEVELS } from './findings.ts';
import { SCHEMA } from './openacrSchema.ts';
import { clauseOf, evidenceOf, findingOf } from './page.ts';

/** The report in the format of OpenACR (https://github.com/GSA/openacr). */

export const OPENACR = 'docs/reference/openacr.yaml';

/** The date of the last manual examination. */
const DATE =
  Object.values(EXAMINATIONS)
    .map(({ date }) => date)
    .toSorted()
    .at(-1) ?? '';

const IDS = Object.keys(CHAPTERS) as readonly ChapterId[];

/** The report as YAML. */
export function openAcr(): string {
  const yaml = Bun.YAML.stringify(report(), null, 2);
  // Parsers for YAML 1.1 read a date without quotation marks as a timestamp.
  return `${yaml.replaceAll(/: (\d{4}-\d\d-\d\d)$/gm, ': "$1"')}\n`;
}

function report() {
  return {
    title: 'Postern Accessibility Conformance Report',
    product: {
      name: 'Postern',
      version: manifest.version,
      description:
        'A self-hosted CAPTCHA server. The report covers the widget in the pages of websites, the portal, and the public pages: the welcome page, the demo, the documentation, and the API reference.',
    },
    author: { name: 'Postern', email: 'postern@postern.invalid' },
    vendor: { name: 'Postern', email: 'postern@postern.invalid' },
    report_date: DATE,
    last_modified_date: DATE,
    version: 1,
    notes:
      'Each remark lists its evidence: T1 and so on are automated tests, and H1 and so on are manual examinations. The widget, the portal, and the public pages are web content. The component "web" therefore has the combined level, and the notes state the level of each.',
    evaluation_methods_used: methods(),
    license: 'MIT',
    catalog: CATALOG,
    chapters: Object.fromEntries(IDS.map((id) => [id, chapterOf(id)])),
  };
}

function methods(): string {
  const tests = Object.values(TESTS).map(([file, title], index) => `T${index + 1}: ${title} (${file})`);
  const examinations = Object.values(EXAMINATIONS).map(
    ({ date, what }, index) => `H${index + 1}: ${what} (${date})`,
  );
  return ['Automated tests:', ...tests, 'Manual examinations:', ...examinations].join('\n');
}

function chapterOf(id: ChapterId) {
  const omitted = OMITTED[id];
  if (omitted !== undefined) return { notes: omitted, disabled: true };
  const isWcag = (WCAG_CHAPTERS as readonly string[]).includes(id);
  return {
    criteria: Object.keys(criteriaOf(id)).map((num) => ({
      num,
      components: [isWcag ? webComponent(num) : clauseComponent(id, num)],
    })),
  };
}

function webComponent(num: string) {
  const findings = (Object.keys(COMPONENTS) as Component[]).map(
    (component) => [COMPONENTS[component], findingOf(num, component)] as const,
  );
  const notes = findings.map(([label, one]) => `${label}: ${LEVELS[one.level]}. ${noteOf(one)}`).join('\n');
  return { name: 'web', adherence: { level: combined(findings.map(([, { level }]) => level)), notes } };
}

function clauseComponent(chapter: ChapterId, num: string) {
  const one = clauseOf(chapter, num);
  return { name: 'none', adherence: { level: one.level, notes: noteOf(one) } };
}

const noteOf = (one: Finding) => `${one.remarks} [${evidenceOf(one)}]`;

/** @returns the errors of a report according to the schema of OpenACR, and the criteria that differ from the catalog */
export function problemsIn(yaml: string): readonly string[] {
  const parsed = Bun.YAML.parse(yaml);
  const validate = new Ajv({ allErrors: true }).compile<ReturnType<typeof report>>(SCHEMA);
  if (!validate(parsed))
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  return IDS.flatMap((id) => {
    const chapter = parsed.chapters[id];
    const found = chapter && 'criteria' in chapter ? chapter.criteria?.map(({ num }) => num) : [];
    const known = Object.keys(criteriaOf(id));
    return found?.join() === known.join() ? [] : [`${id} has other criteria than the catalog`];
  });
}
