import { account } from './account.ts';
import { admin } from './admin.ts';
import { components } from './components.ts';
import { fields } from './fields.ts';
import { kit } from './kit.ts';
import { problems } from './problems.ts';
import { setup } from './setup.ts';

/** The English texts, which the other languages translate. */
export const en = { account, admin, components, fields, kit, problems, setup } as const;
