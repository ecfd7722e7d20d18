import type { JobState } from '../../model/readings.ts';
import type { BackupFacts } from '../../platform/installation/background.ts';
import { Card, DescriptionList, Table } from '../components/sections.tsx';
import { duration, Moment } from '../components/values.tsx';
import { rich, t, texts } from '../i18n/t.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { granted } from './granted.ts';

/** The backups, and the last and the next run of each background job. */
export async function backgroundCard(visit: SignedInVisit, deps: PortalDeps) {
  const { jobs, backup } = granted(await deps.describeBackground(visit.actor));
  return (
    <Card title={t('admin.background.title')} id="background">
      {backup === undefined ? <p>{t('admin.background.otherBackups')}</p> : backupFacts(backup)}
      <Table
        caption={t('admin.background.caption')}
        head={texts('admin.background', 'job', 'last', 'duration', 'result', 'next')}
        numeric={[2]}
        rows={jobs.map(jobRow)}
        empty={t('admin.background.none')}
      />
    </Card>
  );
}

function backupFacts({ lastAt, schedule }: BackupFacts) {
  return (
    <DescriptionList
      items={[
        [
          t('admin.background.lastBackup'),
          lastAt === undefined ? t('admin.background.noBackup') : <Moment instant={lastAt} />,
        ],
        [
          t('admin.background.schedule'),
          schedule === undefined ? rich('admin.background.noSchedule') : <code>{schedule}</code>,
        ],
      ]}
    />
  );
}

function jobRow({ name, lastRun, nextAt }: JobState) {
  return [
    <code class="long">{name}</code>,
    lastRun === undefined ? t('admin.background.notYet') : <Moment instant={lastRun.at} />,
    duration(lastRun && Math.round(1000 * lastRun.seconds)),
    lastRun === undefined ? (
      '–'
    ) : (
      <span class={`badge ${lastRun.hasSucceeded ? 'good' : 'bad'}`}>
        {t(`admin.background.${lastRun.hasSucceeded ? 'succeeded' : 'failed'}`)}
      </span>
    ),
    nextAt === undefined ? '–' : <Moment instant={nextAt} />,
  ];
}
