import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../schema.ts';

/** The types of columns, as in PostgreSQL. */
const TYPES = ['bigint', 'integer', 'double precision', 'text', 'boolean', 'bytea'] as const;

type ColumnType = (typeof TYPES)[number];

export type Column = { readonly name: string; readonly type: ColumnType };

/** A table that both engines have, with the same column names. */
export type Table = {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key, which determine the order of the rows. */
  readonly key: readonly string[];
  /** The column whose numbers PostgreSQL (identity column) and SQLite (AUTOINCREMENT or row id) assign; undefined if there is no such column. */
  readonly numbered: string | undefined;
};

/** The values of a row, in the order of the columns. */
export type Row = readonly (string | number | boolean | Uint8Array | null)[];

/**
 * The tables of the main database. Each table comes after the tables that it references. `property_activity` is missing: triggers create
 * its rows, and a background job computes them.
 */
export const MAIN_TABLES: readonly Table[] = [
  schema.plans,
  schema.accounts,
  schema.organizations,
  schema.members,
  schema.properties,
  schema.apiKeys,
  schema.signingKeys,
  schema.installation,
  schema.tasks,
  schema.audit,
  schema.invitations,
  schema.shareLinks,
  schema.statisticsHourly,
  schema.statisticsDaily,
  schema.sessions,
  schema.twoFactorSecrets,
  schema.recoveryCodes,
  schema.widgetBuilds,
  schema.ruleLists,
  schema.ruleHits,
].map(toTable);

/** The tables of the replay ledger, which drizzle does not use. */
export const CLAIM_TABLES: readonly Table[] = [
  {
    name: 'claims',
    columns: [
      { name: 'expires_at', type: 'bigint' },
      { name: 'puzzle_id', type: 'bytea' },
      { name: 'presentations', type: 'integer' },
    ],
    key: ['expires_at', 'puzzle_id'],
    numbered: undefined,
  },
  {
    name: 'repeats',
    columns: [
      { name: 'hash', type: 'bytea' },
      { name: 'expires_at', type: 'bigint' },
      { name: 'presentations', type: 'integer' },
      { name: 'max_count', type: 'bigint' },
    ],
    key: ['hash'],
    numbered: undefined,
  },
  {
    name: 'purged',
    columns: [
      { name: 'fingerprint', type: 'bigint' },
      { name: 'expired_before', type: 'bigint' },
    ],
    key: ['fingerprint'],
    numbered: undefined,
  },
];

function toTable(table: PgTable): Table {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const composite = primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
  const key =
    composite.length > 0 ? composite : columns.filter(({ primary }) => primary).map((column) => column.name);
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, type: toType(column.getSQLType()) })),
    key,
    numbered: columns.find(({ generatedIdentity }) => generatedIdentity !== undefined)?.name,
  };
}

function toType(name: string): ColumnType {
  const type = TYPES.find((known) => known === name);
  if (type === undefined) throw new TypeError(`columns of the type ${name} cannot be moved`);
  return type;
}
