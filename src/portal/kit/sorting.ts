import { t } from '../i18n/t.tsx';
import { fieldOf } from './forms.ts';
import type { Visit } from './handler.ts';
import { errorPage } from './pages.tsx';

/**
 * Reads the order of a list from the field `sort` of the query.
 *
 * @param orders the orders of the list; the first one is the default
 * @returns undefined if the query has an unknown order
 */
export function orderIn<O extends string>(
  query: URLSearchParams,
  orders: readonly [O, ...O[]],
): O | undefined {
  const text = fieldOf(query, 'sort');
  return text === '' ? orders[0] : orders.find((order) => order === text);
}

/** The page for an unknown order: status 400. */
export function unknownOrder(visit: Visit): Response {
  return errorPage(visit, 400, t('components.sort.unknown'), t('components.sort.choose'));
}
