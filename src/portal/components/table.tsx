import type { Children, Element } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';

/** A table. In a narrow window, each row becomes a card. */
export function Table(props: {
  readonly caption: string;
  /** Hides the caption if a heading already says the same; screen readers still read it. */
  readonly isCaptionHidden?: boolean;
  readonly head: readonly string[];
  /** The indexes of columns with numbers, which are aligned to the right. */
  readonly numeric?: readonly number[];
  readonly rows: readonly (readonly Children[])[];
  /** The sentence that replaces a table without rows. */
  readonly empty: string;
}): Element {
  const { caption, isCaptionHidden = false, head, numeric = [], rows, empty } = props;
  const classOf = (column: number) => (numeric.includes(column) ? 'number' : undefined);
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <table>
      <caption class={isCaptionHidden ? 'visually-hidden' : undefined}>{caption}</caption>
      <thead>
        <tr>
          {head.map((cell, column) => (
            <th scope="col" class={classOf(column)}>
              {cell}
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
  );
}

/** Links to the previous and the next page of a list; nothing if there is only one page. */
export function Pager(props: {
  /** The current page, starting at 0. */
  readonly page: number;
  readonly hasMore: boolean;
  readonly pathOf: (page: number) => string;
}): Element {
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
