/**
 * The types of JSX: which elements exist, and which attributes and children they accept. TypeScript reads this module as
 * the namespace `JSX`.
 *
 * Hono's own types accept every attribute of every name. These types keep the attributes that Hono declares by name, spelled as
 * in HTML, and drop event handlers and inline styles, which the content security policy blocks.
 */
import type { JSX as Hono, JSXNode } from 'hono/jsx';

/** An element with its contents. Text is escaped when it becomes a string. */
export type Element = JSXNode;

/** The contents of an element or a component. `false`, `null`, and `undefined` render nothing. */
export type Children = Element | string | number | false | null | undefined | readonly Children[];

export type ElementType = keyof IntrinsicElements | ((props: never) => Element);

/** The name of the property that receives the children. */
export type ElementChildrenAttribute = { readonly children: unknown };

export type IntrinsicAttributes = { readonly key?: string | number };

export type IntrinsicElements = {
  readonly [Tag in Known<keyof Hono.IntrinsicElements>]: Attributes<Hono.IntrinsicElements[Tag]> &
    (Tag extends keyof Narrowed ? Narrowed[Tag] : unknown) & {
      readonly children?: Tag extends Childless ? never : Children;
    };
};

/** Elements without contents. They include `script` and `style`, because text inside these cannot be escaped. */
type Childless =
  | ('area' | 'base' | 'br' | 'col' | 'embed' | 'hr' | 'img' | 'input' | 'link' | 'meta' | 'source' | 'track')
  | ('script' | 'style' | 'wbr');

/** A declared name. Excludes the index signature, which allows all names. */
type Known<Name> = Name extends string ? (string extends Name ? never : Name) : never;

type Attributes<Declared> = {
  readonly [Name in keyof Declared as AttributeName<Name>]: Value<Declared[Name]>;
} & {
  readonly 'aria-keyshortcuts'?: string | undefined;
  readonly role?: 'alert' | 'combobox' | 'img' | 'listbox' | 'radiogroup' | 'status' | undefined;
};

/** Hono also declares the spelling of React, such as `className`. */
type AttributeName<Name> =
  Known<Name> extends Lowercase<Known<Name>> ? Exclude<Known<Name>, 'style' | 'popover'> : never;

/** If Hono lists values but also allows any text, only the listed values remain. */
type Value<Declared> = Closed<Extract<Declared, string | number | boolean | undefined>>;
type Closed<Allowed> = [Known<Allowed>] extends [never] ? Allowed : Known<Allowed> | Exclude<Allowed, string>;

/** Attributes that Hono does not declare, or declares too widely. */
type Narrowed = {
  readonly a: { readonly rel?: string | undefined };
  readonly button: {
    readonly command?: 'close' | 'show-modal' | undefined;
    readonly commandfor?: string | undefined;
    readonly popovertargetaction?: 'hide' | 'show' | 'toggle' | undefined;
  };
  readonly details: { readonly name?: string | undefined };
  // Only menus are popovers: the page around a popover stays active. For dialogs, see portal/components/dialog.tsx.
  readonly dialog: { readonly closedby?: 'any' | undefined; readonly popover?: 'auto' | undefined };
  readonly nav: { readonly popover?: 'auto' | undefined };
  readonly th: { readonly scope?: 'col' | 'colgroup' | 'row' | 'rowgroup' | undefined };
  // HTML has no such attributes: mark the option as `selected`, and put the text between the tags.
  readonly select: { readonly value?: never };
  readonly textarea: { readonly value?: never };
};
