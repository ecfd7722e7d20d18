import type { Problem } from '../../model/problems.ts';
import {
  IF_NONE_MATCH,
  jsonBody,
  NOT_MODIFIED,
  type Operation,
  type Parameter,
  type Response,
  schema,
} from './builders.ts';
import { errorResponses } from './errorResponses.ts';
import { PLATFORM_PROBLEMS, PORTAL_KEY, read, WRITING_PROBLEMS, written } from './platform.ts';
import { IN_ORGANIZATION, ORG_ID, PROPERTY_ID } from './properties.ts';

const RULE_ID: Parameter = {
  name: 'rule_id',
  in: 'path',
  required: true,
  description: 'The id of the rule.',
  schema: { type: 'string' },
  example: '6f1c2a90b7e4d358',
};

const NEW_RULE = {
  name: 'Block a network',
  dry_run: true,
  action: 'block',
  conditions: { networks: ['198.51.100.0/24', '2001:db8:bad::/48'] },
};
const HARDER_RULE = {
  name: 'Harder sign-in for hosting providers',
  action: 'adjust',
  levels: 16,
  conditions: { asns: [64496], paths: ['/login*'] },
};
const STORED_RULE = { id: RULE_ID.example, ...NEW_RULE, enabled: true };
const MATCHED_RULE = { id: RULE_ID.example, name: NEW_RULE.name, action: NEW_RULE.action };
const LIST = {
  revision: 4,
  changed_at: '2026-01-31T12:00:00.000Z',
  rules: [{ ...STORED_RULE, hits: 1312, last_hit_at: '2026-01-31T13:00:00.000Z' }],
};
const TEST_REQUEST = { address: '198.51.100.7', user_agent: 'curl/8.5.0', path: '/login' };
const TEST = {
  country: null,
  asn: null,
  action: null,
  matches: [{ scope: 'property', index: 0, role: 'dry-run', rule: MATCHED_RULE }],
  puzzle: { level: 128, growth: 'medium', difficulty: 128 },
};

const BODY_PROBLEMS: readonly Problem[] = [
  'body-too-large',
  'media-type-unsupported',
  'json-malformed',
  'field-unknown',
  'field-mistyped',
];
const REVISION_PROBLEMS: readonly Problem[] = ['rules-number-malformed', 'rules-changed-meanwhile'];

const ERRORS =
  'If a rule is invalid, nothing changes, and `data.errors` lists the errors with their positions.';

/** The lists of rules: the same operations with other ids, paths, and access. */
type Place = {
  readonly parameters: readonly Parameter[];
  /** As in “the rules of …”. */
  readonly owner: string;
  readonly note: string;
  readonly problems: readonly Problem[];
};

const OF_PROPERTY: Place = {
  parameters: [ORG_ID, PROPERTY_ID],
  owner: 'a property',
  note: '',
  problems: [...IN_ORGANIZATION, 'property-id-malformed', 'property-gone'],
};
const OF_INSTALLATION: Place = {
  parameters: [],
  owner: 'the installation',
  note: ' They apply to all properties, before the rules of the property. Only for keys of administrators that are not limited to an organization.',
  problems: ['admin-only'],
};

function shared({ problems }: Place, more: readonly Problem[]) {
  return errorResponses([...new Set([...WRITING_PROBLEMS, ...problems, ...BODY_PROBLEMS, ...more])]);
}

/** The responses of several operations, components of the document. */
export const RULE_RESPONSES = {
  RulesListed: listedResponse(),
  RulesChanged: written('The rules after the change.', 'RuleListEnvelope', { rules: { data: LIST } }),
  RulesTested: written('The result.', 'RuleTestEnvelope', { dry_run: { data: TEST } }),
};

/** @returns the response with the rules and their `ETag` */
function listedResponse(): Response {
  const { 200: listed } = read('The rules.', 'RuleListEnvelope', { rules: { data: LIST } });
  return listed as Response;
}

const LISTED = { 200: { $ref: '#/components/responses/RulesListed' }, 304: NOT_MODIFIED } as const;
const CHANGED = { 200: { $ref: '#/components/responses/RulesChanged' } } as const;
const TESTED = { 200: { $ref: '#/components/responses/RulesTested' } } as const;

function partsOf({ parameters }: Place) {
  const common = { tags: ['Rules'], security: PORTAL_KEY, parameters: [...parameters] };
  return { common, ofRule: { ...common, parameters: [...parameters, RULE_ID] } };
}

/** The operations that read a list, or test it. */
function readingOperations(place: Place) {
  const { parameters, owner, note, problems } = place;
  const { common } = partsOf(place);
  return {
    list: {
      ...common,
      summary: `List the rules of ${owner}`,
      description: `Returns the rules in the order of evaluation, with their hits, which the server writes every few seconds.${note}`,
      parameters: [...parameters, IF_NONE_MATCH],
      responses: {
        ...LISTED,
        ...errorResponses([...PLATFORM_PROBLEMS, ...problems]),
      },
    },
    test: {
      ...common,
      summary: `Test the rules of ${owner}`,
      description: 'Shows what would happen to a request for a puzzle. Counts nothing and changes nothing.',
      requestBody: jsonBody('The request.', schema('RuleTestRequest'), { request: TEST_REQUEST }),
      responses: {
        ...TESTED,
        ...errorResponses([
          ...PLATFORM_PROBLEMS,
          ...problems,
          ...BODY_PROBLEMS,
          'address-malformed',
          'page-path-malformed',
        ]),
      },
    },
  };
}

/** The operations that change a list. */
function changingOperations(place: Place) {
  const { owner } = place;
  const { common, ofRule } = partsOf(place);
  return {
    replace: {
      ...common,
      summary: `Replace the rules of ${owner}`,
      description: `Replaces the whole list. A client can change the list that it received and send it back: its \`revision\` ensures that no other change is lost. ${ERRORS}`,
      requestBody: jsonBody('All rules.', schema('RuleReplacement'), {
        rules: { rules: [NEW_RULE, HARDER_RULE] },
      }),
      responses: { ...CHANGED, ...shared(place, ['rules-invalid', ...REVISION_PROBLEMS]) },
    },
    add: {
      ...common,
      summary: `Add a rule to ${owner}`,
      description: `Adds a rule at a position, or at the end. ${ERRORS}`,
      requestBody: jsonBody('The new rule.', schema('RuleAddition'), {
        first: { rule: NEW_RULE, position: 0 },
      }),
      responses: {
        ...CHANGED,
        ...shared(place, ['rules-invalid', ...REVISION_PROBLEMS]),
      },
    },
    update: {
      ...ofRule,
      summary: `Change a rule of ${owner}`,
      description: `Replaces one rule. ${ERRORS}`,
      requestBody: jsonBody('The whole rule.', schema('RuleUpdate'), {
        active: { rule: { ...NEW_RULE, dry_run: false } },
      }),
      responses: { ...CHANGED, ...shared(place, ['rules-invalid', 'rule-unknown', ...REVISION_PROBLEMS]) },
    },
    move: {
      ...ofRule,
      summary: `Move a rule of ${owner}`,
      description: 'Changes the position of a rule. The order of the other rules stays the same.',
      requestBody: jsonBody('The new position.', schema('RuleMove'), { first: { position: 0 } }),
      responses: {
        ...CHANGED,
        ...shared(place, ['rule-unknown', ...REVISION_PROBLEMS]),
      },
    },
    remove: {
      ...ofRule,
      summary: `Delete a rule of ${owner}`,
      description: 'Deletes a rule and its hits. The body is optional.',
      requestBody: {
        ...jsonBody('The revision, if the deletion depends on it.', schema('RuleRemoval'), { any: {} }),
        required: false,
      },
      responses: { ...CHANGED, ...shared(place, ['rule-unknown', ...REVISION_PROBLEMS]) },
    },
  };
}

const ofProperty = { ...readingOperations(OF_PROPERTY), ...changingOperations(OF_PROPERTY) };
const ofInstallation = { ...readingOperations(OF_INSTALLATION), ...changingOperations(OF_INSTALLATION) };

export const RULE_OPERATIONS = {
  listPropertyRules: { ...ofProperty.list, operationId: 'listPropertyRules' },
  replacePropertyRules: { ...ofProperty.replace, operationId: 'replacePropertyRules' },
  addPropertyRule: { ...ofProperty.add, operationId: 'addPropertyRule' },
  updatePropertyRule: { ...ofProperty.update, operationId: 'updatePropertyRule' },
  movePropertyRule: { ...ofProperty.move, operationId: 'movePropertyRule' },
  deletePropertyRule: { ...ofProperty.remove, operationId: 'deletePropertyRule' },
  testPropertyRules: { ...ofProperty.test, operationId: 'testPropertyRules' },
  listRules: { ...ofInstallation.list, operationId: 'listRules' },
  replaceRules: { ...ofInstallation.replace, operationId: 'replaceRules' },
  addRule: { ...ofInstallation.add, operationId: 'addRule' },
  updateRule: { ...ofInstallation.update, operationId: 'updateRule' },
  moveRule: { ...ofInstallation.move, operationId: 'moveRule' },
  deleteRule: { ...ofInstallation.remove, operationId: 'deleteRule' },
  testRules: { ...ofInstallation.test, operationId: 'testRules' },
} satisfies Record<string, Operation>;
