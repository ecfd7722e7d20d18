import { type Program, programsOf } from '../../puzzle/hashwx/reference.ts';

/**
 * Translates the programs of a seed to calls of C macros, which `scalar.h` and `lanes.h` define. This is what an attacker who compiles the
 * programs would do.
 *
 * @param seed 32 bytes
 */
function toMacros(seed: Uint8Array): string {
  const programs = programsOf(seed);
  const passes = (usesMemory: boolean) =>
    [
      'PASSES_BEGIN',
      ...programs.map((program, i) => toProgram(program, i === 31, usesMemory)),
      'PASSES_END',
    ].join('\n');
  return `${passes(false)}\n${passes(true)}\n`;
}

function toProgram(program: Program, isLast: boolean, usesMemory: boolean): string {
  const instructions = program.map(({ opcode, destination, source, immediate }) =>
    opcode === 'RMCG'
      ? `RMCG(${destination}, ${immediate})`
      : `SET(${destination}, ${opcode}, ${immediate}, ${usesMemory ? 'LOAD' : 'DIRECT'}(${source}))`,
  );
  return [
    'PROGRAM',
    ...(usesMemory ? [] : ['STORE']),
    ...instructions,
    isLast ? 'REPEAT_LAST' : 'REPEAT',
  ].join(' ');
}

/** @returns the source of a program in C that consists of the template and the programs of a seed */
export function toSource(seed: Uint8Array, lanes: 1 | 8): string {
  return `#include "${lanes === 1 ? 'scalar.h' : 'lanes.h'}"\nHASH_BEGIN\n${toMacros(seed)}HASH_END\n`;
}
