import { reasonOf } from '../../lib/log.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { parseSitekey } from '../../model/property.ts';
import { RULE_PROBLEMS, type RuleError, type RuleId, type RuleScope } from '../../model/rules/rule.ts';
import { pathOfError, type RuleDocument, toRuleDocument } from '../../model/rules/ruleDocument.ts';
import type { Services } from '../../server/services.ts';
import { CommandError, type Context } from '../command.ts';
import { requireOperand, textOption, unwrap } from '../options.ts';

/** Parts that the commands for rules share. */

/** The option that selects the rules of a property instead of those of the installation. */
export const SCOPE_OPTION = { property: { type: 'string' } } as const;

/** Maximum size of a file, in bytes: twice the limit of a list as compact JSON, for spaces and hits. */
const FILE_MAX_BYTES = 512 * 1024;

/** @returns the property of `--property`, or the installation @throws CommandError if there is no such property */
export async function requireScope(context: Context, { stores }: Services): Promise<RuleScope> {
  const text = textOption(context, 'property');
  if (text === undefined) return 'installation';
  const property = await stores.properties.bySitekey(unwrap(parseSitekey(text)));
  return property === undefined ? unwrap({ ok: false, problem: 'property-gone' }) : property.id;
}

/** The first positional argument. The use case rejects a text that is not the id of a rule. */
export function requireRuleId(context: Context): RuleId {
  return requireOperand(context, 'RULE_ID').toLowerCase() as RuleId;
}

/** Reads a JSON file; `-` is standard input. @throws CommandError if it cannot be read, is too large, or is not JSON */
export async function readJsonFile(file: string, { input }: Context): Promise<unknown> {
  const bytes = await readBytes(file, input);
  if (bytes.length > FILE_MAX_BYTES) throw new CommandError(`${file} is larger than 512 KiB`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new CommandError(`${file} is not valid JSON: ${reasonOf(cause)}`, { cause });
  }
}

/** Reads at most one byte more than the limit. */
async function readBytes(file: string, input: Context['input']): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of file === '-' ? input() : Bun.file(file).stream()) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > FILE_MAX_BYTES) break;
    }
  } catch (cause) {
    throw new CommandError(`${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
  return Buffer.concat(chunks);
}

type Change =
  | { readonly ok: true; readonly value: Parameters<typeof toRuleDocument>[0] }
  | { readonly ok: false; readonly problem: Problem; readonly errors?: readonly RuleError[] };

/** @returns the rules after a change @throws CommandError with all errors of the rules, one on each line */
export function requireChange(change: Change): RuleDocument {
  if (change.ok) return toRuleDocument(change.value);
  const lines = (change.errors ?? []).map(describeError);
  if (lines.length === 0) throw new CommandError(PROBLEMS[change.problem].sentence);
  throw new CommandError(`nothing was changed, because the rules have errors:\n${lines.join('\n')}`);
}

function describeError(error: RuleError): string {
  const path = pathOfError(error);
  const character = error.offset === undefined ? '' : `, character ${error.offset + 1}`;
  return `  ${path === '' ? '' : `${path}${character}: `}${RULE_PROBLEMS[error.problem]}`;
}
