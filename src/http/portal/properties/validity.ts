import { type Outcome, reject } from '../../../lib/outcome.ts';
import { PROPERTY_FIELDS } from '../../../model/propertyFields.ts';

/** Units of the validity in forms, in seconds. The API has only seconds. */
export const VALIDITY_UNITS = { seconds: 1, minutes: 60, hours: 3600 } as const;

export type ValidityUnit = keyof typeof VALIDITY_UNITS;

/** A validity as a number and a unit. */
export type TypedValidity = { readonly validity: string; readonly validity_unit: string };

/** Splits a number of seconds into a whole number of the largest unit that fits exactly, so that nothing is lost. */
export function typedValidityOf(seconds: number): TypedValidity {
  const unit = seconds % 3600 === 0 ? 'hours' : seconds % 60 === 0 ? 'minutes' : 'seconds';
  return { validity: String(seconds / VALIDITY_UNITS[unit]), validity_unit: unit };
}

const NUMBER = /^\d{1,9}(?:[.,]\d{1,4})?$/;

/** Parses a validity such as 1.5 hours. @returns whole seconds, in the range of the model */
export function parseValidity(typed: TypedValidity): Outcome<number, 'validity-out-of-range'> {
  const number = typed.validity.trim();
  const unit = Object.entries(VALIDITY_UNITS).find(([name]) => name === typed.validity_unit)?.[1];
  if (unit === undefined || !NUMBER.test(number)) return reject('validity-out-of-range');
  // Four decimals of an hour are multiples of 0.36 seconds, which are not exact in binary.
  const seconds = Math.round(Number(number.replace(',', '.')) * unit * 1e4) / 1e4;
  const parsed = PROPERTY_FIELDS.validitySeconds.parse(seconds);
  return parsed.ok ? parsed : reject('validity-out-of-range');
}
