import { components } from './components.ts';
import { fields } from './fields.ts';
import { kit } from './kit.ts';
import { problems } from './problems.ts';

/** The English texts, which the other languages translate. */
export const en = { components, fields, kit, problems } as const;
