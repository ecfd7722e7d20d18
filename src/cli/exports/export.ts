import { closeSync, fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { reasonOf } from '../../lib/log.ts';
import { COMMAND_LINE } from '../../model/actor.ts';
import { EXPORTED_KINDS } from '../../model/exportDocument.ts';
import type { Services } from '../../server/services.ts';
import { type Command, CommandError, type Context } from '../command.ts';
import { printRow, type Row } from '../output.ts';
import { withServices } from '../withServices.ts';

/** Minimum size of a write to the file, in UTF-16 code units. */
const CHUNK_LENGTH = 64 * 1024;

/** `postern export`. */
export const exportData: Command = {
  name: 'export',
  usage: '[FILE]',
  summary:
    'Writes organizations, properties, and plans to a new JSON file, or to standard output. `-` is standard output.',
  example: 'postern export organizations.json',
  async run(context) {
    const [file = '-'] = context.operands;
    return withServices(context, (services) =>
      file === '-' ? writeToOutput(services, context) : writeToFile(services, file, context),
    );
  },
};

async function writeToOutput({ exports }: Services, { out }: Context): Promise<void> {
  const parts: string[] = [];
  await exports.write(COMMAND_LINE, (text) => parts.push(text));
  // `out` adds the line break.
  out(parts.join('').trimEnd());
}

/** Deletes the file if the export fails. */
async function writeToFile({ exports }: Services, file: string, context: Context): Promise<void> {
  const descriptor = create(file);
  try {
    const sink = createSink(descriptor);
    const { bytes, ...counts } = await exports.write(COMMAND_LINE, sink.write);
    sink.flush();
    fsyncSync(descriptor);
    const row: Row = {
      file,
      bytes,
      ...Object.fromEntries(EXPORTED_KINDS.map((kind) => [kind, counts[kind]])),
    };
    printRow(context, row);
  } catch (error) {
    unlinkSync(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** @throws CommandError if the file exists or cannot be created */
function create(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const reason = isTaken ? `${file} exists; choose another name, or delete the file` : reasonOf(cause);
    throw new CommandError(reason, { cause });
  }
}

/** Combines short texts into larger writes. */
function createSink(descriptor: number) {
  let parts: string[] = [];
  let length = 0;

  function flush(): void {
    const bytes = Buffer.from(parts.join(''));
    parts = [];
    length = 0;
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  }

  return {
    write(text: string): void {
      parts.push(text);
      length += text.length;
      if (length >= CHUNK_LENGTH) flush();
    },
    flush,
  };
}
