import { EXAMINATIONS, type ExaminationName, type TestName } from './evidence.ts';

/** The terms of VPAT 2.5, which OpenACR uses. */
export const LEVELS = {
  supports: 'Supports',
  'partially-supports': 'Partially supports',
  'does-not-support': 'Does not support',
  'not-applicable': 'Not applicable',
} as const;

export type Level = keyof typeof LEVELS;

type EvidenceName = TestName | ExaminationName;

/** How a component conforms to a criterion. */
export type Finding = {
  readonly level: Level;
  readonly remarks: string;
  readonly tests: readonly TestName[];
  readonly examinations: readonly ExaminationName[];
};

function finding(level: Level, remarks: string, evidence: readonly EvidenceName[]): Finding {
  const isExamination = (name: EvidenceName): name is ExaminationName => Object.hasOwn(EXAMINATIONS, name);
  return {
    level,
    remarks,
    tests: evidence.filter((name) => !isExamination(name)) as readonly TestName[],
    examinations: evidence.filter(isExamination),
  };
}

export function supports(remarks: string, ...evidence: readonly [EvidenceName, ...EvidenceName[]]): Finding {
  return finding('supports', remarks, evidence);
}

export function partly(remarks: string, ...evidence: readonly [EvidenceName, ...EvidenceName[]]): Finding {
  return finding('partially-supports', remarks, evidence);
}

/** The product has nothing to which the criterion applies. */
export function absent(remarks: string, ...evidence: readonly [EvidenceName, ...EvidenceName[]]): Finding {
  return finding('not-applicable', remarks, evidence);
}

/**
 * The level of a product whose components have these levels.
 *
 * @returns `supports` if all components to which the criterion applies support it; `partially-supports` if only some do
 */
export function combined(levels: readonly Level[]): Level {
  const applicable = levels.filter((level) => level !== 'not-applicable');
  const [first = 'not-applicable'] = applicable;
  return applicable.every((level) => level === first) ? first : 'partially-supports';
}
