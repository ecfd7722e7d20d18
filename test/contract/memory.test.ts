import { createMemoryAttempts, createMemoryUsedForms } from '../../src/storage/memory.ts';
import { describeAttemptStore } from './attempts.ts';
import { describeUsedFormStore } from './usedForms.ts';

describeAttemptStore('in memory', () => [createMemoryAttempts()]);
describeUsedFormStore('in memory', () => [createMemoryUsedForms()]);
