import { CATALOG, CHAPTERS } from './catalog.ts';
import { LEVELS } from './findings.ts';

/**
 * A JSON Schema of reports in the format of OpenACR, version 0.1.0, for the catalog of this report. Unlike the schema of the
 * OpenACR project, which lists the members and allows others, it allows no other members, components, and levels.
 */

const TEXT = { type: 'string', minLength: 1 } as const;

function object(required: readonly string[], properties: Readonly<Record<string, object>>) {
  return { type: 'object', required, properties, additionalProperties: false } as const;
}

const CONTACT = object(['email'], {
  name: TEXT,
  company_name: TEXT,
  address: TEXT,
  email: TEXT,
  phone: TEXT,
  website: TEXT,
});

const ADHERENCE = object(['level'], { level: { enum: Object.keys(LEVELS) }, notes: TEXT });

const COMPONENT = object(['name'], {
  name: { enum: ['web', 'electronic-docs', 'software', 'authoring-tool', 'none'] },
  adherence: ADHERENCE,
});

const CRITERION = object(['num'], {
  num: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)+$' },
  components: { type: 'array', minItems: 1, items: COMPONENT },
});

const CHAPTER = object([], {
  notes: TEXT,
  disabled: { type: 'boolean' },
  criteria: { type: 'array', items: CRITERION },
});

export const SCHEMA = object(['title', 'product', 'author'], {
  title: TEXT,
  product: object(['name'], { name: TEXT, version: TEXT, description: TEXT }),
  author: CONTACT,
  vendor: CONTACT,
  report_date: TEXT,
  last_modified_date: TEXT,
  version: { type: 'integer' },
  notes: TEXT,
  evaluation_methods_used: TEXT,
  legal_disclaimer: TEXT,
  license: TEXT,
  repository: TEXT,
  feedback: TEXT,
  catalog: { const: CATALOG },
  chapters: object([], Object.fromEntries(Object.keys(CHAPTERS).map((id) => [id, CHAPTER]))),
});
