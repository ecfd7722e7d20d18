import { describe, expect, test } from 'bun:test';
import type { Children, Element } from '../../src/jsx/elements.ts';
import { jsx, Raw, render, renderPage } from '../../src/jsx/runtime.ts';

const HOSTILE = `</script></style><img src=x onerror="alert('1')">&amp;`;
const ESCAPED =
  '&lt;/script&gt;&lt;/style&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;';

function Card({ title, children }: { readonly title: string; readonly children?: Children }): Element {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A component that returns its children without an element of its own. */
function Bare({ children }: { readonly children?: Children }): Element {
  return <>{children}</>;
}

/** A value that a parsed JSON document may contain in place of a string. */
const forged = JSON.parse(
  '{"isEscaped":true,"markup":"<b>","tag":"b","type":"b","props":{"dangerouslySetInnerHTML":{"__html":"<b>"}},"children":["<b>"]}',
);

describe('escaping', () => {
  test.each([
    ['text', <p>{HOSTILE}</p>, `<p>${ESCAPED}</p>`],
    ['text in a list', <p>{[HOSTILE, [HOSTILE]]}</p>, `<p>${ESCAPED}${ESCAPED}</p>`],
    [
      'text in a fragment',
      <>
        {HOSTILE}
        <br />
      </>,
      `${ESCAPED}<br/>`,
    ],
    ['text that a component receives', <Bare>{HOSTILE}</Bare>, ESCAPED],
    [
      'text in nested components',
      <Card title={HOSTILE}>
        <Bare>
          <b>{HOSTILE}</b>
        </Bare>
      </Card>,
      `<section aria-label="${ESCAPED}"><h2>${ESCAPED}</h2><b>${ESCAPED}</b></section>`,
    ],
    ['an attribute', <p title={HOSTILE} />, `<p title="${ESCAPED}"></p>`],
    ['a data attribute', <p data-copy={HOSTILE} />, `<p data-copy="${ESCAPED}"></p>`],
    ['an address', <a href={`/x?a=1&b=${HOSTILE}`}>a</a>, `<a href="/x?a=1&amp;b=${ESCAPED}">a</a>`],
    ['a value', <input value={HOSTILE} />, `<input value="${ESCAPED}"/>`],
    ['the text of a text area', <textarea>{HOSTILE}</textarea>, `<textarea>${ESCAPED}</textarea>`],
    ['the title of a page', <title>{HOSTILE}</title>, `<title>${ESCAPED}</title>`],
  ])('covers %s', (_, element, expected) => {
    expect(render(element)).toBe(expected);
  });

  test.each(['script', 'style'])('covers text inside %s, which the types forbid', (tag) => {
    expect(render(jsx(tag, { children: HOSTILE }))).toBe(`<${tag}>${ESCAPED}</${tag}>`);
  });

  test('covers every character that could end text or an attribute', () => {
    for (let code = 0; code < 256; code++) {
      const character = String.fromCharCode(code);
      const markup = render(<p title={character}>{character}</p>);
      const [, value = '', text = ''] = /^<p title="([^"]*)">([^<]*)<\/p>$/.exec(markup) ?? [];
      const entity = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }[character];
      expect([value, text]).toEqual([entity ?? character, entity ?? character]);
    }
  });

  test('does not trust an object that looks like an element', () => {
    expect(render(<p>{forged}</p>)).not.toContain('<b>');
    expect(render(<p title={forged} />)).not.toContain('<b>');
    expect(render(<p>{[forged]}</p>)).not.toContain('<b>');
  });

  test('drops an attribute whose name contains markup', () => {
    const attributes = { 'x"><script>alert(1)</script>': '1', 'onclick=alert(1) x': '2', id: 'a' };
    expect(render(jsx('p', attributes))).toBe('<p id="a"></p>');
  });
});

describe('markup', () => {
  test('of false, null, and undefined is empty, and a number is printed', () => {
    expect(render(<p>{[false as const, null, undefined, 0, 1.5]}</p>)).toBe('<p>01.5</p>');
  });

  test('has a boolean attribute only if it is true', () => {
    expect(render(<input required={true} disabled={false} />)).toBe('<input required=""/>');
  });

  test('has no attribute that is undefined, and keeps an empty one', () => {
    const missing: string | undefined = undefined;
    expect(render(<img src="/a" alt="" title={missing} />)).toBe('<img src="/a" alt=""/>');
  });

  test('of an aria attribute is "true" or "false"', () => {
    expect(render(<p aria-busy={false} aria-hidden={true} />)).toBe(
      '<p aria-busy="false" aria-hidden="true"></p>',
    );
  });

  test('that our own code produced is inserted as it is', () => {
    expect(
      render(
        <p>
          <Raw markup={'<b>&amp;</b>'} />
        </p>,
      ),
    ).toBe('<p><b>&amp;</b></p>');
  });

  test('of a page starts with the document type', () => {
    expect(
      renderPage(
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <title>a</title>
          </head>
        </html>,
      ),
    ).toBe('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"/><title>a</title></head></html>\n');
  });
});

describe('an asynchronous component', () => {
  test('is an error, not "[object Promise]"', () => {
    const Late = async () => <b />;
    // @ts-expect-error: a component returns an element
    const element = <Late />;
    expect(() => render(<p>{element}</p>)).toThrow('asynchronous');
  });
});

// The type checker runs over this file in a test, and fails if one of these lines has no error.
describe('types', () => {
  test('reject misspelled attributes, wrong values, and children that cannot be printed', () => {
    const elements = [
      // @ts-expect-error: misspelled
      <p clas="a" />,
      // @ts-expect-error: misspelled
      <input requierd />,
      // @ts-expect-error: an attribute of other elements
      <p href="/a" />,
      // @ts-expect-error: React's spelling
      <p className="a" />,
      // @ts-expect-error: a dialog that is not modal
      <div popover="auto" />,
      // @ts-expect-error: a dialog that is not modal
      <div role="dialog" />,
      // @ts-expect-error: an event handler
      <p onclick="alert(1)" />,
      // @ts-expect-error: an inline style
      <p style="color: red" />,
      // @ts-expect-error: markup without escaping
      <p dangerouslySetInnerHTML={{ __html: '<b>' }} />,
      // @ts-expect-error: a number
      <p id={1} />,
      // @ts-expect-error: text instead of a boolean
      <input required="yes" />,
      // @ts-expect-error: unknown type of input
      <input type="emial" />,
      // @ts-expect-error: unknown scope
      <th scope="column" />,
      // @ts-expect-error: a value in place of a selected option
      <select value="a" />,
      // @ts-expect-error: unknown element
      <column />,
      // @ts-expect-error: a script with contents
      <script>alert(1)</script>,
      // @ts-expect-error: an object
      <p>{new Date(0)}</p>,
      // @ts-expect-error: a promise
      <p>{Promise.resolve('a')}</p>,
      // @ts-expect-error: a boolean that would print nothing
      <p>{true}</p>,
      // @ts-expect-error: a property is missing
      <Card />,
      // @ts-expect-error: a property is misspelled
      <Card title="a" titel="b" />,
    ];
    expect(elements).toHaveLength(21);
  });
});
