import { afterEach } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { type PosternOptions, type TestPostern, useBrowserCase, usePostern } from '../fixture.ts';

/** A page for ALTCHA or Cap. HOST, KEY, and FOREIGN stand for Postern's URL, and the sitekeys. */
type DialectPage = {
  readonly head?: string;
  readonly body: string;
  /** A script in which nothing is replaced. */
  readonly script?: string;
  readonly server?: TestPostern;
  readonly prelude?: string;
};

/** Otherwise, Cap's widget loads its WebAssembly solver from a public CDN. Without this file, it solves in JavaScript. */
const NO_WASM = "window.CAP_CUSTOM_WASM_URL = 'data:,';";

/** Sets up a server, another one whose puzzles expire after a minute, and a tab for each test. */
export function useDialectPages(options: PosternOptions = {}) {
  const { postern, serve } = useBrowserCase(import.meta.dir, options);
  const shortLived = usePostern({ ...options, validitySeconds: 60 });
  let tab: Tab | undefined;
  afterEach(() => {
    tab?.close();
    tab = undefined;
  });

  async function open({ head = '', body, script = '', server = postern, prelude = '' }: DialectPage) {
    const fill = (text: string) =>
      text
        .replaceAll('HOST', server.url)
        .replaceAll('KEY', server.sitekey)
        .replaceAll('FOREIGN', server.foreignSitekey);
    const scripts = `<script>window.calls = [];</script><script>${script}</script>`;
    const site = await serve({ head: scripts + fill(head), body: fill(body) });
    tab = await openTab();
    await tab.preload(NO_WASM + prelude);
    await tab.goto(site.url);
    return tab;
  }

  return { postern, shortLived, open };
}

/** Records events of an element in `calls`. */
export const record = (selector: string, ...names: readonly string[]) => `<script>
  for (const name of ${JSON.stringify(names)})
    document.querySelector('${selector}').addEventListener(name, ({ detail }) => calls.push([name, detail]));
</script>`;
export const called = (name: string) => `calls.filter(([given]) => given === '${name}')`;
export const fieldValue = (name: string) => `new FormData(document.forms[0]).get('${name}')`;
