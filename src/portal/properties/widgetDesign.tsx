import { WIDGET_CHOICES } from '../../lib/widgetChoices.ts';
import { CodeBlock } from '../components/copyable.tsx';
import { Field, Select } from '../components/field.tsx';
import { SubmitButton } from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { options, t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { propertyPage } from '../kit/pages.tsx';
import { playgroundEndpoint } from './playground.tsx';
import { factsOf } from './propertyIntegration.tsx';
import { designSnippet } from './snippets.ts';

/** Maximum widths of the widget in CSS; the first one is the default. */
const WIDTHS = ['20rem', '16rem', '28rem', 'none'] as const;

/**
 * The options: the parameter of the page, the attribute of the widget, and the texts of its values, of which the first one is the
 * widget's default. The last member is the value without a parameter, if it is not the default.
 */
function optionsOf({ widgetLanguages }: PortalDeps) {
  const { displayMode, theme, startMode } = WIDGET_CHOICES;
  const languages = { auto: t('integration.design.lang.auto'), en: 'English', ...widgetLanguages };
  return [
    ['mode', 'data-display-mode', options('integration.design.modes', displayMode)],
    ['theme', 'data-theme', options('integration.design.themes', theme), 'auto'],
    ['start', 'data-start-mode', options('integration.design.starts', startMode)],
    ['width', 'data-styles', options('integration.design.widths', WIDTHS)],
    ['language', 'data-lang', languages],
  ] as const;
}

/** Shows the widget with the options of the query, and its code. Unknown values are ignored. */
export function showDesign(visit: PropertyVisit, deps: PortalDeps) {
  const chosen = optionsOf(deps).map(([name, attribute, texts, initial]) => {
    const [standard = ''] = Object.keys(texts);
    const wanted = visit.query.get(name) ?? '';
    const value = Object.hasOwn(texts, wanted) ? wanted : (initial ?? standard);
    return { name, attribute, texts, value, isStandard: value === standard };
  });
  const attributes = Object.fromEntries(
    chosen
      .filter(({ isStandard }) => !isStandard)
      .map(({ name, attribute, value }) => [
        attribute,
        name === 'width' ? `--postern-width: ${value}` : value,
      ]),
  );
  const content = (
    <>
      <Card title={t('integration.design.options')}>
        <form method="get" action={`${visit.propertyPath}/integration/design`} class="filter" id="design">
          {chosen.map(({ name, texts, value }) => (
            <Select
              name={name}
              label={t(`integration.design.${name}`)}
              value={value}
              options={texts}
              areLanguages={name === 'language'}
            />
          ))}
          <SubmitButton tone="quiet">{t('integration.design.show')}</SubmitButton>
        </form>
        <h3>{t('integration.design.preview')}</h3>
        <p class="help">{t('integration.design.previewHelp')}</p>
        {preview(visit, attributes)}
      </Card>
      <Card title={t('integration.design.code')}>
        <CodeBlock
          id="design"
          name={t('integration.page.codeName', { name: 'HTML' })}
          code={designSnippet(attributes, factsOf(deps, visit, []))}
        >
          {t('integration.design.codeText')}
        </CodeBlock>
      </Card>
    </>
  );
  const title = t('integration.design.title');
  const head = <Head of="design" widget={deps.pinnedWidget} />;
  return propertyPage(visit, '/integration', { title, content, head });
}

/** A form that is never sent, because some modes start when the visitor uses the form. Its puzzles are not counted. */
function preview({ property }: PropertyVisit, attributes: Readonly<Record<string, string>>) {
  return (
    <form method="dialog" id="preview" class="design-preview">
      <Field name="sample" label={t('integration.design.sample')} isOptional autocomplete="off" />
      <div
        class="postern-captcha"
        data-sitekey={property.sitekey}
        data-puzzle-endpoint={playgroundEndpoint(property)}
        data-display-mode={attributes['data-display-mode']}
        data-theme={attributes['data-theme']}
        data-start-mode={attributes['data-start-mode']}
        data-styles={attributes['data-styles']}
        data-lang={attributes['data-lang']}
      />
      <noscript>
        <p>{t('properties.playground.noScript')}</p>
      </noscript>
    </form>
  );
}
