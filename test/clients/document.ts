import { join } from 'node:path';
import { tableOf, wrapped } from '../bench/document/document.ts';
import { type Route, VENDORS, type Vendor } from './client.ts';
import type { Result, Results } from './results.ts';

/** Generates `docs/migrate/clients.md` from the recorded results. */

const PAGE = 'docs/migrate/clients.md';
const ROOT = join(import.meta.dir, '../..');

const ROUTES: Readonly<Record<Route, string>> = {
  setting: 'a setting',
  script: 'the script first',
  host: "the vendor's host",
  none: 'no request',
};

const ROUTE_TEXTS = [
  '- **a setting**: an option or an environment variable of the client contains the URL or the host of Postern.',
  "- **the script first**: the page loads [Postern's script before the client's](README.md#load-posterns-script-first).",
  "- **the vendor's host**: the client has a fixed host, which [resolves to Postern](README.md#resolve-the-vendors-host-to-postern): an entry in `/etc/hosts`, and a certificate from a private CA. For visitors from the internet, [rewrite the page](README.md#rewrite-the-page) instead.",
  '- **no request**: the client verifies offline.',
];

function tableFor(vendor: Vendor, kind: readonly Result['kind'][], { clients }: Results): readonly string[] {
  const rows = clients
    .filter((result) => result.vendor === vendor && kind.includes(result.kind))
    .map(({ name, version, route, configuration, testedOn, reason }) => [
      name,
      version,
      ROUTES[route],
      configuration,
      reason === undefined ? 'works' : `**fails**: ${reason.replaceAll('|', '\\|')}`,
      testedOn,
    ]);
  if (rows.length === 0) return [];
  return [tableOf(['client', 'version', 'reached by', 'configuration', 'result', 'date'], rows)];
}

/** The tables of one kind for all vendors, each with a heading. */
function sections(title: string, kind: readonly Result['kind'][], results: Results): readonly string[] {
  return VENDORS.flatMap((vendor) => {
    const table = tableFor(vendor, kind, results);
    return table.length === 0 ? [] : [`## ${title} for ${vendor}`, ...table];
  });
}

/** @returns the page in Markdown */
export function toPage(results: Results): string {
  const { clients, commit, versions } = results;
  const working = clients.filter(({ reason }) => reason === undefined).length;
  const own = clients.filter(({ vendor }) => vendor === 'Postern').length;
  const modified = commit.isModified ? ' with changes' : '';
  const programs = Object.entries(versions).filter(([name]) => ['Bun', 'Node.js', 'Chromium'].includes(name));
  const blocks = [
    '# Tested clients',
    'This page lists the components and libraries that were run unmodified against Postern, with their versions and results.',
    `\`bun run clients\` installs these exact versions from npm and Debian into a temporary folder, runs each of them against a server, and generates this page from the results. The tables have ${clients.length} rows, ${own} of them for Postern's own packages; ${working} of the rows work. Chromium solves a puzzle with each page component, and Postern then verifies the token at the vendor's path: it accepts the token once, and rejects it the second time. Backend libraries verify a solution, the same solution again, and a text that is not a solution.`,
    'The column "reached by" states how the requests of the client reach Postern. The run also checks that clients send requests to a host of the vendor only if the column says so.',
    ROUTE_TEXTS.join('\n'),
    ...sections('Pages', ['page'], results),
    ...sections('Backends', ['backend'], results),
    ...sections('Applications', ['application'], results),
    '## The run',
    `The last run was at commit ${commit.id}${modified}, with ${programs.map(([name, version]) => `${name} ${version}`).join(', ')}.`,
  ];
  return `${blocks.map(wrapped).join('\n\n')}\n`;
}

/** Writes the page. @returns its path, from the root */
export async function writeDocument(results: Results): Promise<string> {
  await Bun.write(join(ROOT, PAGE), toPage(results));
  return PAGE;
}
