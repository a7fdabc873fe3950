import { type Static, Type } from 'typebox'
import { described } from '../described.ts'
import { Count, Instant } from './adjustments.ts'

const InstantOrNull = Type.Union([Instant, Type.Null()])

/** A running process of Tollgate: it reported within the last 15 seconds. */
const Process = Type.Object({
  id: Type.String(),
  host: Type.String(),
  version: Type.String(),
  started_at: Instant,
  seen_at: Instant
})

export const UpstreamState = Type.Object({
  name: Type.String(),
  breaker: described(
    '`open`: after failures, requests go to other upstreams where they can. `half-open`: it tests whether the upstream works again.',
    Type.Enum(['closed', 'open', 'half-open'])
  )
})

export const AdminSystem = Type.Object({
  at: Instant,
  control: Type.Array(Process),
  gateways: Type.Array(
    Type.Object({
      ...Process.properties,
      catalog_version: described(
        'Version of the catalog that the gateway uses; null before it has one.',
        Type.Union([Type.Number(), Type.Null()])
      ),
      upstreams: Type.Array(UpstreamState)
    })
  ),
  redis: Type.Object({
    ready: Type.Boolean(),
    masters: Type.Array(
      Type.Object({
        run_id: Type.String(),
        version: Type.Union([Type.String(), Type.Null()]),
        used_memory_bytes: Type.Union([Count, Type.Null()]),
        shards: described(
          'Shards that this process has, and those that control has verified for it. Others refuse requests.',
          Count
        ),
        verified_shards: Count
      })
    )
  }),
  projection: Type.Object({
    shards_behind: described(
      'Shards whose newest change is not in Redis yet; null while Redis is unavailable.',
      Type.Union([Count, Type.Null()])
    )
  }),
  ledger: Type.Object({
    copied_at: described('When usage was last copied from Redis; null if this is not known.', InstantOrNull),
    seconds_behind: Type.Union([Type.Number(), Type.Null()])
  }),
  catalog: described(
    'The catalog in force. Version 0: none is published yet.',
    Type.Object({ version: Count, sha256: Type.String(), published_at: Instant })
  ),
  problems: described(
    'What only an operator can repair at providers, as the last answers of the providers say.',
    Type.Array(
      Type.Object({
        upstream: described(
          'The upstream that fails; null for a provider of control.',
          Type.Union([Type.String(), Type.Null()])
        ),
        what: described("The setting or the upstream's model to correct.", Type.String()),
        problem: Type.String()
      })
    )
  ),
  webhooks: described(
    'Since the processes started.',
    Type.Array(
      Type.Object({
        source: Type.Enum(['payments', 'identity']),
        outcome: Type.Enum(['handled', 'ignored', 'bad_signature', 'failed']),
        count: Count,
        last_at: Instant
      })
    )
  ),
  errors: described(
    'Failed answers since the processes started, most recent first.',
    Type.Array(
      Type.Object({ service: Type.Enum(['control', 'gateway']), code: Type.String(), count: Count, last_at: Instant })
    )
  )
})
export type AdminSystem = Static<typeof AdminSystem>

export const AdminSystemResponse = Type.Object({ system: AdminSystem })
export type AdminSystemResponse = Static<typeof AdminSystemResponse>
