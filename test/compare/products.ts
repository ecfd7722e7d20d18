/** What the comparison measures, and what it does not. */

export type ProductId = 'postern' | 'capPostgres' | 'capMemory' | 'altcha';

export type Product = {
  readonly id: ProductId;
  readonly name: string;
  readonly url: string;
  /** Packages of npm with their exact versions. They are installed at run time into a temporary folder. */
  readonly packages: Readonly<Record<string, string>>;
  /** Where claims are stored, and what a restart loses. */
  readonly claims: string;
  readonly isDurable: boolean;
  /** The exact configuration, for the output and the document: sentences in Markdown. */
  readonly configuration: readonly string[];
};

const CAP_WIDGET = { '@cap.js/widget': '0.1.57', '@cap.js/wasm': '0.0.6' } as const;
const CAP_PAGE =
  'Page: `<cap-widget>` with its default attributes. `CAP_CUSTOM_WASM_URL` points to a copy of the solver on the same server, because the default is a CDN.';
const CAP_VERIFICATION =
  'Verification: the server redeems the solution and validates the token that it gets, in one request. On a real website, these are two requests.';

export const PRODUCTS: readonly Product[] = [
  {
    id: 'postern',
    name: 'Postern',
    url: '../../README.md',
    packages: {},
    claims: 'on disk before the response',
    isDurable: true,
    configuration: [
      'The compiled executable with SQLite. All settings have their defaults, except that the rate limits are too high to take effect.',
      'Puzzles: `GET /puzzle`. In the browser, the property has the default settings (level 128, growth `medium`, BLAKE2b); it also allows localhost.',
      'Verification: `POST /verify` with an API key.',
      'Page: `<div class="postern-captcha">` with its default attributes.',
    ],
  },
  {
    id: 'capPostgres',
    name: 'Cap (@cap.js/server, PostgreSQL)',
    url: 'https://capjs.js.org/guide/server.html',
    packages: { '@cap.js/server': '4.0.5', ...CAP_WIDGET },
    claims: 'in PostgreSQL before the response',
    isDurable: true,
    configuration: [
      '`@cap.js/server` behind a bare `Bun.serve`, with the storage functions of its guide: two tables in PostgreSQL over `Bun.SQL`. `createChallenge()` without options: 50 challenges of difficulty 4.',
      'PostgreSQL on the same machine with `fsync`, `synchronous_commit`, and all other durability settings at their defaults.',
      CAP_VERIFICATION,
      CAP_PAGE,
    ],
  },
  {
    id: 'capMemory',
    name: 'Cap (@cap.js/server, built-in storage)',
    url: 'https://capjs.js.org/guide/server.html',
    packages: { '@cap.js/server': '4.0.5', ...CAP_WIDGET },
    claims: 'challenges in memory, tokens in a file without `fsync`',
    isDurable: false,
    configuration: [
      '`@cap.js/server` behind a bare `Bun.serve`: `new Cap()` and `createChallenge()` without options, that is, 50 challenges of difficulty 4.',
      CAP_VERIFICATION,
      CAP_PAGE,
    ],
  },
  {
    id: 'altcha',
    name: 'ALTCHA (altcha-lib)',
    url: 'https://github.com/altcha-org/altcha-lib',
    packages: { altcha: '3.2.2', 'altcha-lib': '2.8.0' },
    claims: 'the last 1,000 in memory',
    isDurable: false,
    configuration: [
      "`altcha-lib` behind a bare `Bun.serve`, with the options of its documentation: `algorithm: 'PBKDF2/SHA-256'`, `cost: 5000`, `counter: randomInt(5000, 10000)`, expiration after 10 minutes, and both HMAC secrets.",
      'Used challenges: `new CappedMap({ maxSize: 1000 })`, as in the documentation of its store.',
      'Page: `<altcha-widget challenge="URL">` with its default attributes.',
    ],
  },
];

export type Absent = { readonly name: string; readonly reason: string };

/** Products that could not be installed from npm or Debian in November 2026. */
export const NOT_AVAILABLE: readonly Absent[] = [
  {
    name: 'Cap with capjs-core',
    reason:
      "Cap's guide recommends this library instead of `@cap.js/server`, but the npm registry did not have it in November 2026.",
  },
  {
    name: 'Cap Standalone',
    reason: 'It is published as a container image, but not on npm or in Debian.',
  },
  {
    name: 'Anubis',
    reason: 'It is a Go program that is published on GitHub, but not on npm or in Debian 12.',
  },
  {
    name: 'mCaptcha',
    reason:
      'The server is a Rust program that needs its own module for Redis. npm has only its code for web pages, and Debian 12 has neither the server nor the module.',
  },
];

/** All packages of the products. @throws if two products need different versions of a package */
export function packagesOf(products: readonly Product[]): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const { packages } of products) {
    for (const [name, version] of Object.entries(packages)) {
      if (all[name] !== undefined && all[name] !== version) throw new Error(`two versions of ${name}`);
      all[name] = version;
    }
  }
  return all;
}
