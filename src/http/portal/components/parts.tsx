/** The components as template functions, until all pages are JSX. */
import type { Html } from '../../../lib/html.ts';
import type { Instant } from '../../../lib/time.ts';
import { fromHtml, toHtml } from '../../jsx/bridge.tsx';
import { Card } from './card.tsx';
import { Copyable } from './copyable.tsx';
import { Field, type FieldError } from './field.tsx';
import { type ButtonTone, ConfirmByName, Form, SubmitButton } from './form.tsx';
import { Pager, Table } from './table.tsx';
import { Moment } from './time.tsx';

export type Mistake = FieldError;

export function form(parts: {
  readonly visit: { readonly formToken: string };
  readonly action: string;
  readonly content: Html;
  readonly id?: string;
}): Html {
  const { content, ...props } = parts;
  return toHtml(<Form {...props}>{fromHtml(content)}</Form>);
}

type FieldProps = Omit<Parameters<typeof Field>[0], 'errors'>;

export function field(parts: FieldProps, mistakes: readonly Mistake[] = []): Html {
  return toHtml(<Field {...parts} errors={mistakes} />);
}

export function submit(label: string, tone: ButtonTone = 'main'): Html {
  return toHtml(<SubmitButton tone={tone}>{label}</SubmitButton>);
}

export function card(title: string, content: Html): Html {
  return toHtml(<Card title={title}>{fromHtml(content)}</Card>);
}

export function table(parts: {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | Html)[])[];
  readonly empty: string;
}): Html {
  const rows = parts.rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : fromHtml(cell))));
  return toHtml(<Table {...parts} rows={rows} />);
}

export function pager(parts: Parameters<typeof Pager>[0]): Html {
  return toHtml(<Pager {...parts} />);
}

export function confirmByName({
  back,
  mistakes,
  ...props
}: Omit<Parameters<typeof ConfirmByName>[0], 'cancelPath' | 'errors'> & {
  readonly back: string;
  readonly mistakes?: readonly Mistake[];
}): Html {
  return toHtml(<ConfirmByName {...props} cancelPath={back} errors={mistakes} />);
}

export function copyable(id: string, text: string, label: string): Html {
  return toHtml(<Copyable id={id} text={text} label={label} />);
}

export function moment(instant: Instant): Html {
  return toHtml(<Moment instant={instant} />);
}
