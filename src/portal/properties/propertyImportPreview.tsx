import type { Children } from '../../jsx/elements.ts';
import { PROPERTY_FIELDS } from '../../model/propertyFields.ts';
import type { ImportPreview } from '../../platform/properties/propertyTransfer.ts';
import { Card, Table } from '../components/sections.tsx';
import { rich, t, texts } from '../i18n/t.tsx';
import type { FileFormat } from '../kit/download.ts';
import { sentenceFor } from '../kit/forms.ts';
import type { RowProblem } from './propertyFile.ts';

/** A row of a file, and what an import does with it. */
export type PreviewedRow = {
  readonly number: number;
  readonly name: string;
  readonly preview:
    | Exclude<ImportPreview, { do: 'reject' }>
    | { readonly do: 'reject'; readonly problem: RowProblem };
  /** The column of the problem. */
  readonly column: string | undefined;
};

/** Rows that a table shows. The page stays small. */
const SHOWN = 50;

/** The numbers of changes, the problems, and the changes. */
export function ImportSummary(props: {
  readonly rows: readonly PreviewedRow[];
  readonly format: FileFormat;
}) {
  const { rows, format } = props;
  const problems = rows.filter(({ preview }) => preview.do === 'reject');
  const changes = rows.filter(({ preview }) => preview.do === 'create' || preview.do === 'update');
  const position = t(format === 'csv' ? 'properties.transfer.line' : 'properties.transfer.position');
  return (
    <>
      {countsOf(rows)}
      {tableOf('problems', problems, problemRow, [position, ...texts(PART, 'property', 'column', 'problem')])}
      {tableOf('changes', changes, changeRow, [position, ...texts(PART, 'property', 'change')])}
    </>
  );
}

const PART = 'properties.transfer';

/** The first rows; nothing if there are none. */
function tableOf(
  name: 'problems' | 'changes',
  rows: readonly PreviewedRow[],
  cellsOf: (row: PreviewedRow) => readonly Children[],
  head: readonly string[],
) {
  if (rows.length === 0) return <></>;
  const title = t(`properties.transfer.${name}`);
  const rest = rows.length - SHOWN;
  return (
    <Card title={title}>
      <Table hiddenCaption={title} head={head} nameColumn={1} rows={rows.slice(0, SHOWN).map(cellsOf)} />
      {rest > 0 && <p class="help">{t('properties.transfer.more', { count: rest })}</p>}
    </Card>
  );
}

function countsOf(rows: readonly PreviewedRow[]) {
  const kinds = ['create', 'update', 'keep', 'reject'] as const;
  const counts = kinds.map(
    (kind) => [kind, rows.filter(({ preview }) => preview.do === kind).length] as const,
  );
  if (counts.every(([kind, count]) => kind === 'keep' || count === 0))
    return <p>{t('properties.transfer.nothing')}</p>;
  return (
    <ul class="import-counts">
      {counts.map(([kind, count]) => (
        <>{count > 0 && <li class={kind}>{t(`properties.transfer.summary.${kind}`, { count })}</li>}</>
      ))}
    </ul>
  );
}

function problemRow({ number, name, preview, column }: PreviewedRow): readonly Children[] {
  const problem = preview.do === 'reject' ? sentenceFor(preview.problem) : '';
  return [
    number,
    <bdi class="long">{name.slice(0, 200)}</bdi>,
    column === undefined ? '' : <code>{column}</code>,
    problem,
  ];
}

function changeRow({ number, preview }: PreviewedRow): readonly Children[] {
  if (preview.do === 'create') {
    const { hasNewSitekey, property } = preview;
    const { name, domain } = property;
    const key = hasNewSitekey ? 'createdNewSitekey' : 'created';
    return [number, <bdi class="long">{name}</bdi>, t(`properties.transfer.${key}`, { domain })];
  }
  if (preview.do !== 'update') return [number, '', ''];
  return [number, <bdi class="long">{preview.before.name}</bdi>, differences(preview)];
}

function differences({ before, change }: Extract<ImportPreview, { do: 'update' }>) {
  const keys = Object.keys(PROPERTY_FIELDS) as (keyof typeof PROPERTY_FIELDS)[];
  return (
    <ul class="plain">
      {keys.map((key) => {
        const after = change[key];
        if (after === undefined) return <></>;
        const parts = {
          name: () => <code>{PROPERTY_FIELDS[key].name}</code>,
          before: textOf(before[key]),
          after: textOf(after),
        };
        return <li>{rich('properties.transfer.fromTo', parts)}</li>;
      })}
    </ul>
  );
}

function textOf(value: string | number | boolean): string {
  if (typeof value !== 'boolean') return String(value);
  return t(value ? 'properties.transfer.yes' : 'properties.transfer.no');
}
