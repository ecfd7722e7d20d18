import type { Reason } from './reason.ts';

export const PUZZLE: readonly Reason[] = [
  {
    file: 'puzzle/check.ts',
    mutants: [
      'areDistinct: a < solutions.length → a <= solutions.length',
      'areDistinct: b < solutions.length → b <= solutions.length',
    ],
    reason: 'Behind the last solution, there are no bytes, which differ from those of every solution.',
  },
  {
    file: 'puzzle/check.ts',
    mutants: ['allMeetThreshold: i < SOLUTION_SIZE → i <= SOLUTION_SIZE'],
    reason: 'Writing past the end of a typed array has no effect.',
  },
  {
    file: 'puzzle/hashwx.ts',
    mutants: ['checkHashwxIndexes: at + INDEX → at - INDEX'],
    reason: 'The index is at the offset 0.',
  },
  {
    file: 'puzzle/hashwx.ts',
    mutants: ['hashwxSeed: i < SOLUTION_SIZE → i <= SOLUTION_SIZE'],
    reason: 'Writing past the end of a typed array has no effect.',
  },
  {
    file: 'puzzle/puzzle.ts',
    mutants: ['writeFixed: shift === 1 → true'],
    reason: 'In version 1, the property id overwrites the byte of the challenge.',
  },
  {
    file: 'puzzle/solution.ts',
    mutants: ['parsePayload: secondDot < 0 → secondDot <= 0'],
    reason: 'The second dot cannot be the first character.',
  },
  {
    file: 'puzzle/solution.ts',
    mutants: ["findInvalidField: '' → 'mutant'", "findInvalidField: '' → 'mutant' (2)"],
    reason: 'Any valid text can stand for a missing field.',
  },
  {
    file: 'puzzle/solution.ts',
    mutants: [
      'decodePageData: bytes[0] ?? 0 → bytes[0]',
      'decodePageData: bytes[actionEnd] ?? 0 → bytes[actionEnd]',
    ],
    reason: 'A length that is missing makes the sum NaN, which is not the length of the bytes either.',
  },
  {
    file: 'puzzle/solve.ts',
    mutants: [
      'search: task?.block.slice() ?? new Uint8Array() → task?.block.slice()',
      'search: task?.block.slice() → task.block.slice()',
      'readTask: puzzle === undefined || bytes === undefined → puzzle === undefined',
    ],
    reason: 'The value is always defined, but the compiler cannot infer this.',
  },
];
