import { createMemoryAttempts } from '../../src/storage/memory/attempts.ts';
import { createMemoryUsedForms } from '../../src/storage/memory/usedForms.ts';
import { describeAttemptStore } from './attempts.ts';
import { describeUsedFormStore } from './usedForms.ts';

describeAttemptStore('in memory', () => [createMemoryAttempts()]);
describeUsedFormStore('in memory', () => [createMemoryUsedForms()]);
