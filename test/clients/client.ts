/** A client for another vendor, or one of Postern's own packages, that `bun run clients` runs unmodified. */

export const VENDORS = [
  'reCAPTCHA',
  'hCaptcha',
  'Turnstile',
  'ALTCHA',
  'Cap',
  'Private Captcha',
  'Postern',
] as const;

export type Vendor = (typeof VENDORS)[number];

/**
 * How requests reach Postern: by a setting of the client, because the page loads Postern's script before the client's, because the
 * vendor's host resolves to Postern, or not at all, because the client sends none.
 */
export type Route = 'setting' | 'script' | 'host' | 'none';

/** The members of every client. */
type Common = {
  /** Unique: the package, and after a comma what distinguishes it from other rows with the same package. */
  readonly name: string;
  readonly vendor: Vendor;
  readonly route: Route;
  /** What is configured, in Markdown; the route says the rest. */
  readonly configuration: string;
  /** Why it does not work, if it does not. */
  readonly limit?: string;
};

/** A component of a page. HOST and KEY in `head` and `code` stand for Postern's URL and the sitekey. */
export type PageClient = Common & {
  readonly kind: 'page';
  readonly group: GroupName;
  readonly packages: Versions;
  readonly head: string;
  /** A script; it logs the token with `log('done')(token)`, unless `field` is set. */
  readonly code: string;
  /** Further modules of the program, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** An expression that starts the check as soon as `window.component` is set; otherwise the test presses the widget's button. */
  readonly start?: string;
  /** The name of the form's field, if the component only fills a field. */
  readonly field?: string;
};

/** What a backend verifies. */
export type TokenKind = 'page' | 'v3' | 'altcha' | 'altcha-1' | 'altcha-2' | 'cap' | 'postern';

export type Language = 'node' | 'php' | 'perl' | 'python' | 'ruby' | 'go';

/** A library of a backend. Its code defines `verify(token)`, which returns whether the token is accepted. */
export type BackendClient = Common & {
  readonly kind: 'backend';
  readonly language: Language;
  /** From npm, for Node. */
  readonly packages: Versions;
  readonly group: GroupName;
  /** From Debian, for other languages; the first one contains the client. */
  readonly debian?: readonly string[];
  readonly token: TokenKind;
  readonly code: string;
  /** For libraries that cannot know whether a token was used before. */
  readonly repeats?: true;
};

/** An application with a page and a backend, which the test builds and starts. */
export type ApplicationClient = Common & {
  readonly kind: 'application';
  readonly group: GroupName;
  readonly packages: Versions;
  /** Files by path. HOST, KEY, and SECRET stand for Postern's URL, the sitekey, and the API key. */
  readonly files: Readonly<Record<string, string>>;
  readonly build: readonly string[];
  /** The command that serves the application; PORT stands for the port. */
  readonly serve: readonly string[];
};

export type Client = PageClient | BackendClient | ApplicationClient;

/** Exact versions of npm packages by name. */
export type Versions = Readonly<Record<string, string>>;

/** Packages that are installed together, each group in a folder of its own. Clients add theirs. */
export const GROUPS = {
  'react-19': { react: '19.3.1', 'react-dom': '19.3.1' },
  'react-18': { react: '18.3.1', 'react-dom': '18.3.1' },
  'react-17': { react: '17.0.2', 'react-dom': '17.0.2' },
  'react-15': { react: '15.7.0', 'react-dom': '15.7.0' },
  'vue-3.5': { vue: '3.5.45' },
  'vue-3.3': { vue: '3.3.13' },
  'vue-3.2': { vue: '3.2.47' },
  'vue-2.7': { vue: '2.7.16' },
  'svelte-5': { svelte: '5.57.3' },
  'svelte-4': { svelte: '4.2.20' },
  solid: { 'solid-js': '1.9.20' },
  'angular-22': {
    '@angular/common': '22.2.6',
    '@angular/compiler': '22.2.6',
    '@angular/core': '22.2.6',
    '@angular/forms': '22.2.6',
    '@angular/platform-browser': '22.2.6',
    rxjs: '7.8.2',
  },
  'angular-17': {
    '@angular/common': '17.3.12',
    '@angular/compiler': '17.3.12',
    '@angular/core': '17.3.12',
    '@angular/forms': '17.3.12',
    '@angular/platform-browser': '17.3.12',
    rxjs: '7.8.2',
    'zone.js': '0.14.10',
  },
  plain: {},
  'altcha-2': {},
  'altcha-1': {},
  node: { express: '5.3.0', fastify: '5.12.8', koa: '3.3.0' },
  'node-old': { express: '4.21.2', fastify: '4.29.1', koa: '2.16.4' },
  next: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
} as const satisfies Readonly<Record<string, Versions>>;

export type GroupName = keyof typeof GROUPS;

/** @throws unless a client sends requests to a vendor's host if, and only if, this is its route */
export function expectRoute({ route }: Client, usesVendor: boolean, url = ''): void {
  if (usesVendor === (route === 'host')) return;
  throw new Error(usesVendor ? `it sends requests to the vendor's host: ${url}` : 'it does not use the host');
}

/** Of all packages that a group needs for these clients. @throws if two clients need different versions of a package */
export function packagesOf(group: GroupName, clients: readonly Client[]): Versions {
  const all: Record<string, string> = { ...GROUPS[group] };
  for (const client of clients.filter((each) => each.group === group)) {
    for (const [name, version] of Object.entries(client.packages)) {
      if (all[name] !== undefined && all[name] !== version)
        throw new Error(`${group}: two versions of ${name}`);
      all[name] = version;
    }
  }
  return all;
}
