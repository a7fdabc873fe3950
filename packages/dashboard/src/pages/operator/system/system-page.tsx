import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AdminSystem } from '@tollgate/contracts/http/admin/system.ts'
import { adminRead } from '../../../api/admin.ts'
import { countOf, formatDuration } from '../../../format/number.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Card } from '../../../ui/card.tsx'
import { textLink } from '../../../ui/class-names.ts'
import { Facts } from '../../../ui/data-table.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { operatorHeads } from '../../../ui/operator-heads.ts'
import { Page } from '../../../ui/page.tsx'
import { Loading, QueryView } from '../../../ui/states.tsx'
import { liveReport } from '../../../usage/live.ts'
import { AnnouncementsCard } from './announcements-card.tsx'
import { systemProblems } from './system-problems.ts'
import { ErrorsTable, GatewaysTable, RedisTable, ReplicasTable, WebhooksTable } from './system-tables.tsx'

/** All parts of the system, problems first. Refreshes while it is visible. */
export function SystemPage() {
  const query = useQuery({ ...adminRead('getSystem'), ...liveReport })
  return (
    <Page {...operatorHeads['/dashboard/operator/system']}>
      {query.data === undefined ? (
        <Card isFlush>
          <QueryView query={query} lines={8}>
            {() => <Loading />}
          </QueryView>
        </Card>
      ) : (
        <>
          <QueryView query={query}>{() => null}</QueryView>
          <System system={query.data.system} />
          <AnnouncementsCard />
        </>
      )}
    </Page>
  )
}

function System({ system }: { readonly system: AdminSystem }) {
  const { control, gateways, redis, webhooks, errors } = system
  return (
    <>
      <Problems system={system} />
      <DataCard system={system} />
      <Card title="Gateways" description={`${countOf(gateways.length, 'gateway')} reported within 15 seconds.`} isFlush>
        {gateways.length > 0 && <GatewaysTable gateways={gateways} version={system.catalog.version} />}
      </Card>
      <Card title="Replicas of control" isFlush>
        <ReplicasTable replicas={control} />
      </Card>
      <Card
        title="Redis"
        description={redis.ready ? undefined : 'Redis is not available, so this is what control knew last.'}
        isFlush
      >
        {redis.masters.length > 0 ? (
          <RedisTable masters={redis.masters} />
        ) : (
          <p className="px-5 pb-5 text-sm text-ink-soft">No Redis master is known.</p>
        )}
      </Card>
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
        <Card title="Webhooks" description="Received since the replicas started." isFlush>
          {webhooks.length > 0 ? (
            <WebhooksTable webhooks={webhooks} />
          ) : (
            <p className="px-5 pb-5 text-sm text-ink-soft">No webhooks yet.</p>
          )}
        </Card>
        <Card title="Errors" description="Failed answers since the processes started, by code." isFlush>
          {errors.length > 0 ? (
            <ErrorsTable errors={errors} />
          ) : (
            <p className="px-5 pb-5 text-sm text-ink-soft">No errors yet.</p>
          )}
        </Card>
      </div>
    </>
  )
}

function Problems({ system }: { readonly system: AdminSystem }) {
  const problems = systemProblems(system)
  if (problems.length === 0) return <Banner tone="success" title="No problems found" />
  return (
    <ul aria-label="Problems" className="space-y-3">
      {problems.map(({ tone, title, advice }) => (
        <li key={title}>
          <Banner tone={tone} title={title}>
            {advice}
          </Banner>
        </li>
      ))}
    </ul>
  )
}

function DataCard({ system }: { readonly system: AdminSystem }) {
  const { projection, ledger, catalog } = system
  const behind = projection.shards_behind
  return (
    <Card title="Data">
      <Facts
        facts={[
          [
            'Catalog in force',
            <span key="catalog">
              <Link to="/dashboard/operator/catalog" className={textLink}>
                Version {catalog.version}
              </Link>
              , published <Moment at={catalog.published_at} />
            </span>
          ],
          [
            'Changes not in Redis yet',
            behind === null ? 'Not known' : behind === 0 ? 'None' : `${countOf(behind, 'shard')} behind`
          ],
          [
            'Usage in the database',
            ledger.seconds_behind === null ? 'Not known' : `${formatDuration(ledger.seconds_behind)} behind`
          ]
        ]}
      />
    </Card>
  )
}
