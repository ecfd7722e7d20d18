import { BenchError } from '../bench/harness/cleanup.ts';
import { parseArguments } from '../bench/harness/command.ts';
import type { Client } from './client.ts';
import { CLIENTS } from './clients.ts';

export type Options = {
  readonly clients: readonly Client[];
  /** A folder whose installed packages are reused; undefined for a temporary one. */
  readonly folder: string | undefined;
  /** Whether the results become those of the documentation. */
  readonly records: boolean;
  /** Whether only the document is generated, from results that are already there. */
  readonly documents: boolean;
};

/** The text of `--help`. */
export const HELP = [
  'usage: bun run clients [TEXT]... [OPTIONS]',
  '',
  "Runs unmodified clients for other vendors, and Postern's own packages, against Postern. Installs exact versions from npm into a",
  'temporary folder. Without a text, it runs all clients; otherwise those whose name or vendor contains one of the texts.',
  '',
  'Needs root, an npm registry, and Debian with chromium, openssl, and libnss3-tools. Installs the Debian packages of some clients.',
  '',
  'Options:',
  '  --folder DIR   keeps the installed packages in this folder, and uses those that it already has',
  '  --record       updates docs/migrate/clients.md with the results; those of clients that did not run stay',
  '  --document     only generates docs/migrate/clients.md again from the recorded results',
  '  --help         prints this text',
].join('\n');

/** @returns undefined for `--help` @throws BenchError if an argument is invalid */
export function parseOptions(args: readonly string[]): Options | undefined {
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseArguments('clients', args, {
    folder: { type: 'string' },
    record: flag,
    document: flag,
  });
  if (values.help) return undefined;
  const matches = ({ name, vendor }: Client) =>
    positionals.some((text) => `${name} ${vendor}`.toLowerCase().includes(text.toLowerCase()));
  const clients = positionals.length === 0 ? CLIENTS : CLIENTS.filter(matches);
  if (clients.length === 0) throw new BenchError(`no client contains: ${positionals.join(', ')}`);
  return {
    clients,
    folder: values.folder,
    records: values.record === true,
    documents: values.document === true,
  };
}
