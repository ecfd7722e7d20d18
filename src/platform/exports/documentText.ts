import { type Email, parseEmail } from '../../model/email.ts';
import {
  EXPORT_FORMAT,
  EXPORT_MAX_BYTES,
  EXPORT_VERSION,
  EXPORTED_KINDS,
  type ExportCounts,
} from '../../model/exportDocument.ts';
import { toNamedValues } from '../../model/field.ts';
import type { ExportVisitor } from '../../model/ports/installation.ts';
import { SETTING_FIELDS } from '../../model/propertyFields.ts';
import { toWireRule } from '../../model/rules/parseRules.ts';

/** Receives the text of a document in parts. Must be synchronous. */
export type WriteText = (text: string) => void;

/** The document is larger than an import accepts. */
class ExportTooLargeError extends Error {
  override readonly name = 'ExportTooLargeError';
}

/** An import would give the objects of this user to another user. */
class KeptSpellingError extends Error {
  override readonly name = 'KeptSpellingError';
}

/** @throws KeptSpellingError if an import reads the address as another one */
function requireCanonical(email: Email): void {
  const parsed = parseEmail(email);
  if (!parsed.ok || parsed.value === email) return;
  throw new KeptSpellingError(
    `${email} is another spelling of ${parsed.value}, and an import cannot tell these users apart; run ` +
      `\`postern users set-email --email ${email} --new-email NEW_ADDRESS\`, and then the export again`,
  );
}

type Written = Record<keyof ExportCounts, number> & { bytes: number };

/** Writes the objects that it visits as a JSON document with one line for each object. */
export type DocumentWriter = ExportVisitor & {
  /** Writes the end of the document. @returns the numbers of objects, and the size of the text in bytes */
  readonly end: () => ExportCounts & { readonly bytes: number };
};

/**
 * Creates a visitor that writes a document in parts, so that memory use does not depend on its size. Equal data results in equal
 * text.
 *
 * @throws ExportTooLargeError as soon as the document is too large; KeptSpellingError for a user with a kept spelling
 */
export function createDocumentWriter(write: WriteText): DocumentWriter {
  const written: Written = { plans: 0, users: 0, organizations: 0, members: 0, properties: 0, bytes: 0 };
  let section = 0;
  let isFirst = true;
  let isBegun = false;

  function put(text: string): void {
    written.bytes += Buffer.byteLength(text);
    if (written.bytes > EXPORT_MAX_BYTES)
      throw new ExportTooLargeError('the export is larger than 256 MiB, which an import does not accept');
    write(text);
  }

  /** Ends the current list and starts the next ones, up to the list with this index. */
  function goTo(index: number): void {
    begin();
    for (; section < index; section++) {
      put(`${isFirst ? '' : '\n  '}],\n  "${SECTIONS[section + 1]}": [`);
      isFirst = true;
    }
  }

  function item(indent: string, json: string): void {
    put(`${isFirst ? '' : ','}\n${indent}${json}`);
    isFirst = false;
  }

  /** Ends the list of properties of the current organization. */
  function endOrganization(): void {
    if (written.organizations > 0) put(isFirst ? ']}' : '\n    ]}');
    isFirst = written.organizations === 0;
  }

  /** Starts the first list. */
  function begin(): void {
    if (!isBegun) put(`,\n  "${SECTIONS[0]}": [`);
    isBegun = true;
  }

  put(`{\n  "format": "${EXPORT_FORMAT}",\n  "version": ${EXPORT_VERSION}`);
  return {
    rules(rules) {
      put(`,\n  "rules": ${JSON.stringify(rules.map(toWireRule))}`);
    },
    plan({ name, organizations, properties }) {
      begin();
      item('    ', JSON.stringify({ name, organizations, properties }));
      written.plans++;
    },
    user({ email, name, plan, isDisabled }) {
      requireCanonical(email);
      goTo(1);
      item('    ', JSON.stringify({ email, name, plan, disabled: isDisabled }));
      written.users++;
    },
    organization({ name, owner, members }) {
      goTo(2);
      endOrganization();
      // The closing brace follows the properties.
      item('    ', `${JSON.stringify({ name, owner, members }).slice(0, -1)},"properties":[`);
      isFirst = true;
      written.organizations++;
      written.members += members.length;
    },
    property(property) {
      const { name, domain, sitekey, rules } = property;
      const listed = rules === undefined ? {} : { rules: rules.map(toWireRule) };
      const settings = toNamedValues(SETTING_FIELDS, property);
      item('      ', JSON.stringify({ name, domain, sitekey, ...settings, ...listed }));
      written.properties++;
    },
    end() {
      goTo(2);
      endOrganization();
      put(isFirst ? ']\n}\n' : '\n  ]\n}\n');
      return written;
    },
  };
}

/** The lists of a document, in their order. Organizations contain members and properties. */
const SECTIONS = EXPORTED_KINDS.filter((kind) => kind !== 'members' && kind !== 'properties');
