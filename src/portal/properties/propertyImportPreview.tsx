import type { Children } from '../../jsx/elements.ts';
import { PROPERTY_FIELDS } from '../../model/propertyFields.ts';
import type { ImportPreview } from '../../platform/properties/propertyTransfer.ts';
import { Card } from '../components/card.tsx';
import { Table } from '../components/table.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { sentenceFor } from '../kit/messages.ts';
import type { FileFormat } from './propertyExport.ts';
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
      <Counts rows={rows} />
      {problems.length > 0 && (
        <Card title={t('properties.transfer.problems')}>
          <Table
            caption={t('properties.transfer.problems')}
            isCaptionHidden
            head={[
              position,
              t('properties.transfer.property'),
              t('properties.transfer.column'),
              t('properties.transfer.problem'),
            ]}
            rows={problems.slice(0, SHOWN).map(problemRow)}
            empty=""
          />
          <Rest count={problems.length - SHOWN} />
        </Card>
      )}
      {changes.length > 0 && (
        <Card title={t('properties.transfer.changes')}>
          <Table
            caption={t('properties.transfer.changes')}
            isCaptionHidden
            head={[position, t('properties.transfer.property'), t('properties.transfer.change')]}
            rows={changes.slice(0, SHOWN).map(changeRow)}
            empty=""
          />
          <Rest count={changes.length - SHOWN} />
        </Card>
      )}
    </>
  );
}

function Counts({ rows }: { readonly rows: readonly PreviewedRow[] }) {
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

function Rest({ count }: { readonly count: number }) {
  if (count <= 0) return <></>;
  return <p class="help">{t('properties.transfer.more', { count })}</p>;
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
    const { property, hasNewSitekey } = preview;
    const { domain } = property;
    const text = t(hasNewSitekey ? 'properties.transfer.createdNewSitekey' : 'properties.transfer.created', {
      domain,
    });
    return [number, <bdi class="long">{property.name}</bdi>, text];
  }
  if (preview.do !== 'update') return [number, '', ''];
  return [number, <bdi class="long">{preview.before.name}</bdi>, <Differences preview={preview} />];
}

function Differences({ preview }: { readonly preview: Extract<ImportPreview, { do: 'update' }> }) {
  const { before, change } = preview;
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
