import { readFileSync } from 'node:fs';
import { reasonOf } from '../../lib/log.ts';
import { PASSPHRASE_RULE, parsePassphrase } from '../../model/passphrase.ts';
import { CommandError, type Context } from '../command.ts';
import { requireOption, textOption } from '../options.ts';
import { requireConfig } from '../withServices.ts';

/** The option of `backup` and `restore`. */
export const PASSPHRASE_OPTION = { 'passphrase-file': { type: 'string' } } as const;

/**
 * Reads the file that `--passphrase-file` names; one line break at its end is ignored.
 *
 * @returns the passphrase of the configuration if the option is missing; undefined if neither is set
 * @throws CommandError if the file cannot be read or contains no valid passphrase
 */
export function findPassphrase(context: Context): string | undefined {
  if (textOption(context, 'passphrase-file') === undefined) return requireConfig(context).backupPassphrase;
  const file = requireOption(context, 'passphrase-file');
  const passphrase = parsePassphrase(read(file).replace(/\r?\n$/, ''));
  if (!passphrase.ok) throw new CommandError(`${file} must contain ${PASSPHRASE_RULE}`);
  return passphrase.value;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandError(`the passphrase file cannot be read: ${reasonOf(cause)}`, { cause });
  }
}
