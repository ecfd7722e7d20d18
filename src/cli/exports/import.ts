import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { closeAfter } from '../../lib/closing.ts';
import { reasonOf } from '../../lib/log.ts';
import { COMMAND_LINE } from '../../model/actor.ts';
import {
  EXPORT_MAX_BYTES,
  EXPORTED_KINDS,
  IMPORT_PROBLEMS,
  type ImportCounts,
  type ImportError,
  type ImportErrors,
} from '../../model/exportDocument.ts';
import { replaceInvisible } from '../../model/name.ts';
import { PROBLEMS } from '../../model/problems.ts';
import { type Command, CommandError, type Context, type ExitCode } from '../command.ts';
import { hasOption, readBounded, requireOperand } from '../options.ts';
import { withServices } from '../withServices.ts';

/** `postern import`. */
export const importData: Command = {
  name: 'import',
  usage: 'FILE [--create-users] [--dry-run]',
  summary:
    'Creates the organizations, properties, and plans of an exported file, all or none of them. `-` is standard input. Safe to repeat.',
  options: {
    'create-users': 'Creates users who do not exist. Without this option, each missing user is an error.',
    'dry-run': 'Checks everything and changes nothing.',
  },
  example: 'postern import organizations.json --create-users --dry-run',
  async run(context) {
    const file = requireOperand(context, 'FILE');
    const source = await openDocument(file, context);
    const options = {
      createsUsers: hasOption(context, 'create-users'),
      isDryRun: hasOption(context, 'dry-run'),
    };
    let code: ExitCode = 0;
    const run = () =>
      withServices(context, async ({ exports }) => {
        const result = await exports.import(COMMAND_LINE, source.read, options);
        if (result.ok) printCounts(result.value, options.isDryRun, context);
        else {
          printErrors(result, options.isDryRun, context);
          code = 1;
        }
      });
    await closeAfter(source.close, run);
    return code;
  },
};

/** A document that can be read several times. */
type Source = { readonly read: () => Iterable<Uint8Array>; readonly close: () => Promise<void> };

/** Size of a read from a file, in bytes. */
const CHUNK_SIZE = 256 * 1024;

/** Only a regular file can be read again, so other files are kept in memory. @throws CommandError if the document is too large or cannot be read */
async function openDocument(file: string, { input }: Context): Promise<Source> {
  try {
    if (file === '-') return inMemory(await readAll(input()));
    const descriptor = openSync(file, 'r');
    const close = async () => closeSync(descriptor);
    const stats = fstatSync(descriptor);
    if (stats.isFile()) {
      if (stats.size <= EXPORT_MAX_BYTES) return { read: () => readChunks(descriptor), close };
      closeSync(descriptor);
      throw new CommandError(IMPORT_PROBLEMS['document-too-large']);
    }
    return inMemory(await closeAfter(close, () => readAll(Bun.file(file).stream())));
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

function inMemory(bytes: Uint8Array): Source {
  return { read: () => [bytes], close: async () => {} };
}

/** Each chunk overwrites the previous one. */
function* readChunks(descriptor: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_SIZE);
  for (let position = 0; ; ) {
    const length = readSync(descriptor, buffer, 0, CHUNK_SIZE, position);
    if (length === 0) return;
    position += length;
    yield buffer.subarray(0, length);
  }
}

/** @throws CommandError if the document is too large */
async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const bytes = await readBounded(stream, EXPORT_MAX_BYTES);
  if (bytes === undefined) throw new CommandError(IMPORT_PROBLEMS['document-too-large']);
  return bytes;
}

function printCounts(counts: ImportCounts, isDryRun: boolean, { isJson, out }: Context): void {
  if (isJson) {
    out(JSON.stringify({ ok: true, dry_run: isDryRun, ...counts }));
    return;
  }
  const verb = isDryRun ? 'would be created' : 'created';
  for (const kind of EXPORTED_KINDS) {
    const { created, unchanged } = counts[kind];
    out(`${kind.padEnd(14)} ${created} ${verb}, ${unchanged} unchanged`);
  }
}

/** Errors are the result of the command, so `--json` prints them on standard output. */
function printErrors({ errors, total }: ImportErrors, isDryRun: boolean, { isJson, out, err }: Context) {
  if (isJson) {
    const rows = errors.map((error) => ({ path: error.path, message: describe(error) }));
    out(JSON.stringify({ ok: false, dry_run: isDryRun, errors: rows, total }));
    return;
  }
  for (const error of errors) err(replaceInvisible(`${error.path}: ${describe(error)}`));
  if (total > errors.length) err(`and ${total - errors.length} more errors`);
  err(
    `postern: nothing was imported, because the document has ${total === 1 ? '1 error' : `${total} errors`}`,
  );
}

function describe({ problem, detail }: ImportError): string {
  const sentence =
    problem in IMPORT_PROBLEMS
      ? IMPORT_PROBLEMS[problem as keyof typeof IMPORT_PROBLEMS]
      : PROBLEMS[problem as keyof typeof PROBLEMS].sentence;
  return detail === undefined ? sentence : `${sentence} (${detail})`;
}
