/** Keys that open pages or move the focus, on every page for signed-in users. A sequence is two keys in a row: `g h`. */

/** The page that lists the shortcuts; its key opens the list as a dialog. */
export const SHORTCUTS_PATH = '/portal/shortcuts';

export const LIST_KEY = '?';

/** The key that moves the focus to the search field. */
export const SEARCH_KEY = '/';

/** The keys of pages in the navigation. */
const KEYS: Readonly<Record<string, string>> = {
  '/portal': 'g h',
  '/portal/orgs': 'g o',
  '/portal/activity': 'g a',
  '/portal/settings/api-keys': 'g k',
  '/portal/settings/profile': 'g p',
  '/portal/settings/security': 'g s',
  '/portal/system': 'g y',
  '/portal/system/users': 'g u',
  '/docs': 'g d',
  '/swagger': 'g r',
  '/demo': 'g e',
};

/** @returns the keys that open a page; undefined if there are none */
export function keysOf(path: string): string | undefined {
  return KEYS[path];
}
