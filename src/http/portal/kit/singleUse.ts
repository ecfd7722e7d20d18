import { LRUCache } from 'lru-cache';
import { fieldOf } from './formData.ts';
import type { Visit } from './route.ts';

/**
 * Forms whose answer shows a secret are taken once: who loads the answer anew sends the form again, and must neither see
 * another secret nor make the first one void.
 */
export type Once = {
  /** A name for a form. */
  readonly issue: () => string;
  /** @returns false where the form carries none, or was taken before */
  readonly take: (visit: Pick<Visit, 'form'>) => boolean;
};

/** The field that holds it. */
export const ONCE_FIELD = 'form_once';

/** Forms remembered at most, about 100 bytes each. */
const CAPACITY = 10_000;
const NAME = /^[0-9a-f]{32}$/;

/** @param newName 32 random hex digits */
export function createOnce(newName: () => string): Once {
  const taken = new LRUCache<string, true>({ max: CAPACITY });
  return {
    issue: newName,
    take({ form }) {
      const name = fieldOf(form, ONCE_FIELD);
      if (!NAME.test(name) || taken.has(name)) return false;
      taken.set(name, true);
      return true;
    },
  };
}
