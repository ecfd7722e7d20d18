import type { InstallationTotals } from '../../../platform/overview/overview.ts';
import type { Element } from '../../jsx/elements.ts';
import { acceptanceOf } from '../components/lastDayCells.tsx';
import { grouped } from '../components/numbers.ts';
import { Sparkline } from '../components/sparkline.tsx';
import { t } from '../i18n/t.ts';

/** The totals of the installation, for administrators. */
export function InstallationFigures({ totals }: { readonly totals: InstallationTotals }): Element {
  const { lastDay, properties, organizations, users } = totals;
  const figures: readonly (readonly [label: string, value: string])[] = [
    [t('home.installation.issued'), grouped(lastDay.issued)],
    [t('home.installation.verified'), grouped(lastDay.verified)],
    [t('home.installation.accepted'), acceptanceOf(lastDay)],
    [t('home.installation.properties'), grouped(properties)],
    [t('home.installation.organizations'), grouped(organizations)],
    [t('home.installation.users'), grouped(users)],
  ];
  return (
    <section class="card">
      <div class="list-heading">
        <h2>
          {t('home.installation.heading')} <Sparkline series={lastDay.series} />
        </h2>
        <a href="/portal/system/statistics">{t('home.installation.statistics')}</a>
      </div>
      <dl class="figures">
        {figures.map(([label, value]) => (
          <div>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
