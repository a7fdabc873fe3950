import type { AdminSystem } from '@tollgate/contracts/http/admin/system.ts'
import { formatBytes, formatCount } from '../../../format/number.ts'
import { Badge } from '../../../ui/badge.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Moment } from '../../../ui/moment.tsx'

type Replica = AdminSystem['control'][number]
type Gateway = AdminSystem['gateways'][number]
type Master = AdminSystem['redis']['masters'][number]
type Webhooks = AdminSystem['webhooks']
type Errors = AdminSystem['errors']

const process: readonly Column<Replica>[] = [
  {
    name: 'Process',
    show: ({ id, host }) => (
      <>
        {host}
        <span className="block font-mono text-xs font-normal break-all text-ink-soft">{id}</span>
      </>
    )
  },
  { name: 'Version', show: ({ version }) => version },
  { name: 'Started', show: ({ started_at: at }) => <Moment at={at} /> },
  { name: 'Last seen', show: ({ seen_at: at }) => <Moment at={at} /> }
]

export function ReplicasTable({ replicas }: { readonly replicas: readonly Replica[] }) {
  return <DataTable label="Replicas of control" keyOf={({ id }) => id} rows={replicas} columns={process} />
}

const breakers = {
  closed: ['accent', 'works'],
  open: ['danger', 'fails'],
  'half-open': ['warning', 'is tried again']
} as const

/** @param props.version the catalog in force */
export function GatewaysTable({
  gateways,
  version
}: {
  readonly gateways: readonly Gateway[]
  readonly version: number
}) {
  const columns: readonly Column<Gateway>[] = [
    ...process,
    {
      name: 'Catalog',
      show: ({ catalog_version: used }) =>
        used === null ? (
          <Badge tone="danger">None</Badge>
        ) : used === version ? (
          `Version ${used}`
        ) : (
          <Badge tone="warning">{`Version ${used}`}</Badge>
        )
    },
    {
      name: 'Upstreams',
      show: ({ upstreams }) => (
        <ul className="flex min-w-40 flex-wrap gap-1.5">
          {upstreams.map(({ name, breaker }) => (
            <li key={name}>
              <Badge tone={breakers[breaker][0]}>{`${name} ${breakers[breaker][1]}`}</Badge>
            </li>
          ))}
        </ul>
      )
    }
  ]
  return <DataTable label="Gateways" keyOf={({ id }) => id} rows={gateways} columns={columns} />
}

export function RedisTable({ masters }: { readonly masters: readonly Master[] }) {
  return (
    <DataTable
      label="Redis masters"
      keyOf={({ run_id }) => run_id}
      rows={masters}
      columns={[
        { name: 'Run id', show: ({ run_id }) => <span className="font-mono text-xs break-all">{run_id}</span> },
        { name: 'Version', show: ({ version }) => version ?? 'Not known' },
        {
          name: 'Memory',
          isNumber: true,
          show: ({ used_memory_bytes: bytes }) => (bytes === null ? 'Not known' : formatBytes(bytes))
        },
        {
          name: 'Verified shards',
          isNumber: true,
          show: ({ shards, verified_shards: verified }) =>
            verified === shards ? `${verified} of ${shards}` : <Badge tone="danger">{`${verified} of ${shards}`}</Badge>
        }
      ]}
    />
  )
}

const sources = { payments: 'Payment provider', identity: 'Identity provider' } as const
const outcomes = {
  handled: ['accent', 'Handled'],
  ignored: ['neutral', 'Ignored'],
  bad_signature: ['warning', 'Bad signature'],
  failed: ['danger', 'Failed']
} as const

export function WebhooksTable({ webhooks }: { readonly webhooks: Webhooks }) {
  return (
    <DataTable
      label="Webhooks"
      keyOf={({ source, outcome }) => `${source} ${outcome}`}
      rows={webhooks}
      columns={[
        { name: 'From', show: ({ source }) => sources[source] },
        { name: 'Outcome', show: ({ outcome }) => <Badge tone={outcomes[outcome][0]}>{outcomes[outcome][1]}</Badge> },
        { name: 'Count', isNumber: true, show: ({ count }) => formatCount(count) },
        { name: 'Last', show: ({ last_at: at }) => <Moment at={at} /> }
      ]}
    />
  )
}

export function ErrorsTable({ errors }: { readonly errors: Errors }) {
  return (
    <DataTable
      label="Errors"
      keyOf={({ service, code }) => `${service} ${code}`}
      rows={errors}
      columns={[
        { name: 'Code', show: ({ code }) => <span className="font-mono text-xs">{code}</span> },
        { name: 'Service', show: ({ service }) => (service === 'control' ? 'Control' : 'Gateway') },
        { name: 'Count', isNumber: true, show: ({ count }) => formatCount(count) },
        { name: 'Last', show: ({ last_at: at }) => <Moment at={at} /> }
      ]}
    />
  )
}
