import * as bun from 'bun:test';

/**
 * Replaces the functions of `bun:test` that declare tests, because Bun can run each test only once: the tests of a file are collected,
 * so that they can run again with every mutant.
 */

export const { expect, jest, setSystemTime } = bun;

type Work = () => unknown;
type HookName = 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll';

export type Test = { readonly name: string; readonly run: Work; readonly number: number };
export type Suite = {
  readonly hooks: { readonly [Name in HookName]: Work[] };
  readonly children: (Suite | Test)[];
};

const createSuite = (): Suite => ({
  hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] },
  children: [],
});

let current = createSuite();
let count = 0;

/** Starts to collect tests. @returns the suite to which they are added */
export function collect(): Suite {
  count = 0;
  current = createSuite();
  return current;
}

function addTest(name: string, run: Work): void {
  current.children.push({ name, run, number: count++ });
}

function addSuite(_name: string, declare: Work): void {
  const parent = current;
  current = createSuite();
  parent.children.push(current);
  try {
    declare();
  } finally {
    current = parent;
  }
}

type Declare = (name: string, work: Work) => void;
type EachWork = (...values: unknown[]) => unknown;

/** `each` also numbers the titles, whose placeholders are not replaced. */
function withEach<Extra extends object>(declare: Declare, extra: Extra) {
  const each = (rows: Iterable<unknown>) => (name: string, work: EachWork) => {
    let row = 0;
    for (const values of rows) {
      const given: unknown[] = Array.isArray(values) ? values : [values];
      declare(`${name} (${++row})`, () => work(...given));
    }
  };
  return Object.assign((name: string, work: Work) => declare(name, work), { each }, extra);
}

const never: Declare = () => {};
const chosenIf = (isChosen: boolean) => withEach(isChosen ? addTest : never, {});

export const test = withEach(addTest, {
  concurrent: withEach(addTest, {}),
  if: chosenIf,
  skipIf: (isSkipped: boolean) => chosenIf(!isSkipped),
});
export const describe = withEach(addSuite, {
  if: (isChosen: boolean) => withEach(isChosen ? addSuite : never, {}),
  skipIf: (isSkipped: boolean) => withEach(isSkipped ? never : addSuite, {}),
});

const hook = (name: HookName) => (work: Work) => {
  current.hooks[name].push(work);
};
export const beforeAll = hook('beforeAll');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');
export const afterAll = hook('afterAll');

/** The limits of the runner apply. */
export function setDefaultTimeout(_milliseconds: number): void {}
