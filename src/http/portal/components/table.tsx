import type { Children, Element } from '../../jsx/elements.ts';

/** A table that scrolls horizontally in a narrow window. */
export function Table(props: {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Children[])[];
  /** The sentence that replaces a table without rows. */
  readonly empty: string;
}): Element {
  const { caption, head, rows, empty } = props;
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <section class="table" aria-label={caption} tabindex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {head.map((cell) => (
              <th scope="col">{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
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
    <nav class="pager" aria-label="Pages">
      {page > 0 && (
        <a rel="prev" href={pathOf(page - 1)}>
          Previous
        </a>
      )}
      <span>Page {page + 1}</span>
      {hasMore && (
        <a rel="next" href={pathOf(page + 1)}>
          Next
        </a>
      )}
    </nav>
  );
}
