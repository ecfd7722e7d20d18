import type { Children } from '../../jsx/elements.ts';
import { t } from '../i18n/t.tsx';
import { ButtonLink } from './form.tsx';
import { Icon, type IconName } from './icon.tsx';
import { grouped } from './values.tsx';

/** @param props.id for links to the card @param props.isDanger marks an action that ends or deletes something */
export function Card(props: {
  readonly title: string;
  readonly id?: string;
  readonly isDanger?: boolean;
  readonly children?: Children;
}) {
  const { title, id, isDanger, children } = props;
  return (
    <section class={isDanger ? 'card danger-zone' : 'card'} id={id}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function DescriptionList(props: {
  readonly items: readonly (readonly [term: Children, value: Children])[];
  readonly class?: string;
}) {
  return (
    <dl class={props.class}>
      {props.items.map(([term, value]) => (
        <div>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Replaces a list that has no items yet: what the page is for, and the first action. */
export function EmptyState(props: {
  readonly icon: IconName;
  readonly title: string;
  /** What the page is for. */
  readonly text: Children;
  /** A link or a form. */
  readonly action?: Children;
}) {
  return (
    <section class="empty-state">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      <p>{props.text}</p>
      {props.action}
    </section>
  );
}

/** How the links in the head of a table sort it. */
export type Sorting = {
  /** The names of columns by index, and the order that the first click on each chooses. */
  readonly columns: Readonly<Record<number, readonly [name: string, first: 'asc' | 'desc']>>;
  /** The current order: `name_asc`. */
  readonly order: string;
  readonly pathOf: (order: string) => string;
};

function sortableCell(text: string, column: number, { columns, order, pathOf }: Sorting) {
  const [name, first] = columns[column] ?? [];
  if (name === undefined) return text;
  const [other, isFirst] = [first === 'asc' ? 'desc' : 'asc', order === `${name}_${first}`];
  return <a href={pathOf(`${name}_${isFirst ? other : first}`)}>{text}</a>;
}

/** The value of `aria-sort`; undefined if the table is not sorted by this column. */
function ariaSortOf(column: number, sorting: Sorting | undefined) {
  const name = sorting?.columns[column]?.[0];
  if (name === undefined) return undefined;
  if (sorting?.order === `${name}_asc`) return 'ascending';
  return sorting?.order === `${name}_desc` ? 'descending' : undefined;
}

/** A table. Where it has too little space, each row shows the names of the columns next to the values, in a few lines. */
export function Table(props: {
  readonly caption?: string;
  /** Replaces the caption if a heading already says the same; only screen readers read it. */
  readonly hiddenCaption?: string;
  readonly head: readonly string[];
  /** The indexes of columns with numbers, which are aligned to the right. */
  readonly numeric?: readonly number[];
  /** The index of the column that names the rows; it has a minimum width. Default: 0. */
  readonly nameColumn?: number;
  readonly sorting?: Sorting;
  readonly rows: readonly (readonly Children[])[];
  /** The sentence that replaces a table without rows, if it can have none. */
  readonly empty?: string;
}) {
  const { caption, hiddenCaption, head, numeric = [], nameColumn = 0, sorting, rows, empty = '' } = props;
  const classOf = (column: number) => {
    if (numeric.includes(column)) return 'number';
    return column === nameColumn ? 'name' : undefined;
  };
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class="table">
      <table>
        <caption class={caption === undefined ? 'visually-hidden' : undefined}>
          {caption ?? hiddenCaption}
        </caption>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th scope="col" class={classOf(column)} aria-sort={ariaSortOf(column, sorting)}>
                {sorting === undefined ? cell : sortableCell(cell, column, sorting)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell, column) => (
                <td data-label={head[column]} class={classOf(column)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A page of a list that can be filtered. */
export type Filtered = {
  /** The current page, starting at 0; undefined if it is unknown, but not the first one. */
  readonly page: number | undefined;
  /** Maximum number of results on a page. */
  readonly size: number;
  /** The number of results on this page. */
  readonly count: number;
  readonly hasMore: boolean;
  /** Whether the filter excludes something. */
  readonly isFiltered: boolean;
};

/** Rows that are visible at once in most windows. */
const SHORT_LIST = 5;

/** Whether a list needs no filter and no number of results, because it is short and complete. */
export function isShort({ page, count, hasMore, isFiltered }: Filtered): boolean {
  return page === 0 && !hasMore && !isFiltered && count <= SHORT_LIST;
}

/** The results of a filter, which its script replaces, with their number. Screen readers read the number of a short list, too. */
export function Results(props: { readonly of: Filtered; readonly children?: Children }) {
  return (
    <div data-results>
      <p class={isShort(props.of) ? 'visually-hidden' : 'help'} data-announce>
        {countText(props.of)}
      </p>
      {props.children}
    </div>
  );
}

function countText({ page, size, count, hasMore }: Filtered): string {
  const first = (page ?? 0) * size;
  if (first > 0 && count > 0)
    return t('components.filter.part', { first: grouped(first + 1), last: grouped(first + count) });
  return hasMore && page === 0
    ? t('components.filter.more', { most: grouped(count) })
    : t('components.filter.results', { count });
}

/** Links to the previous and the next page of a list; nothing if there is only one page. */
export function Pager(props: {
  /** The current page, starting at 0. */
  readonly page: number;
  readonly hasMore: boolean;
  readonly pathOf: (page: number) => string;
}) {
  const { page, hasMore, pathOf } = props;
  if (page === 0 && !hasMore) return <></>;
  return (
    <nav class="pager" aria-label={t('components.pager.label')}>
      {page > 0 && (
        <a rel="prev" href={pathOf(page - 1)}>
          {t('components.pager.previous')}
        </a>
      )}
      <span>{t('components.pager.page', { page: page + 1 })}</span>
      {hasMore && (
        <a rel="next" href={pathOf(page + 1)}>
          {t('components.pager.next')}
        </a>
      )}
    </nav>
  );
}

/** The link to the form for a new organization. */
export function CreateOrganizationLink() {
  return <ButtonLink path="/portal/orgs/new" text={t('organizations.create.button')} />;
}

/** For users who see no organizations. */
export function NoOrganizations() {
  return (
    <EmptyState
      icon="organization"
      title={t('home.firstOrganization.title')}
      text={t('home.firstOrganization.text')}
      action={<CreateOrganizationLink />}
    />
  );
}
