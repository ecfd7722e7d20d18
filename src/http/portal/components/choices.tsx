/** The components as template functions, until all pages are JSX. */
import type { Html } from '../../../lib/html.ts';
import { toHtml } from '../../jsx/bridge.tsx';
import { Checkbox, type FieldError, Radios, Select } from './field.tsx';

export function select(
  parts: Omit<Parameters<typeof Select>[0], 'errors'>,
  mistakes: readonly FieldError[] = [],
): Html {
  return toHtml(<Select {...parts} errors={mistakes} />);
}

export function checkbox(
  parts: Omit<Parameters<typeof Checkbox>[0], 'errors'>,
  mistakes: readonly FieldError[] = [],
): Html {
  return toHtml(<Checkbox {...parts} errors={mistakes} />);
}

export function radios(
  parts: Omit<Parameters<typeof Radios>[0], 'errors'>,
  mistakes: readonly FieldError[] = [],
): Html {
  return toHtml(<Radios {...parts} errors={mistakes} />);
}
