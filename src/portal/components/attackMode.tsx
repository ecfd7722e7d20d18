import type { Children } from '../../jsx/elements.ts';
import { toIso } from '../../lib/time.ts';
import { type Attackable, isUnderAttack } from '../../model/attackMode.ts';
import { pageContext } from '../i18n/pageContext.ts';
import { rich, t } from '../i18n/t.tsx';
import { Form } from './form.tsx';
import { ExactMoment } from './values.tsx';

type Props = {
  readonly visit: Parameters<typeof Form>[0]['visit'];
  /** The property or organization, and the path of its first page. */
  readonly of: Attackable;
  readonly path: string;
};

/** Marks an object in a list while it is in attack mode. */
export function AttackBadge({ of }: Pick<Props, 'of'>) {
  if (!isUnderAttack(of, pageContext().now)) return <></>;
  return (
    <>
      {' '}
      <span class="badge bad">{t('kit.attackMode.badge')}</span>
    </>
  );
}

/** The button that starts attack mode at once; nothing while it is on, because the banner has the button that ends it. */
export function AttackButton({ visit, path, of }: Props) {
  if (isUnderAttack(of, pageContext().now)) return <></>;
  return (
    <Form visit={visit} action={`${path}/attack/on`}>
      <button type="submit" class="quiet" title={t('kit.attackMode.help')}>
        {t('kit.attackMode.start')}
      </button>
    </Form>
  );
}

/** On the pages of an object in attack mode. A script counts down; screen readers read the time of the end instead. */
export function AttackBanner(
  props: Props & {
    readonly text: 'property' | 'organization' | 'inherited';
    readonly mayEnd: boolean;
    /** A paragraph with further measures. */
    readonly advice?: Children;
  },
) {
  const { visit, path, of, text, mayEnd, advice } = props;
  if (!isUnderAttack(of, pageContext().now)) return <></>;
  return (
    <div class="maintenance attack">
      <p>
        {rich(`kit.attackMode.${text}`, { time: <ExactMoment instant={of.attackUntil} /> })}{' '}
        <b class="countdown" data-until={toIso(of.attackUntil)} aria-hidden="true" hidden />
      </p>
      {advice}
      {mayEnd && (
        <Form visit={visit} action={`${path}/attack/off`} button={t('kit.attackMode.end')} tone="quiet" />
      )}
    </div>
  );
}
