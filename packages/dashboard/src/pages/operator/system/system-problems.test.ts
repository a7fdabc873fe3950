import assert from 'node:assert/strict'
import type { AdminSystem } from '@tollgate/contracts/http/admin/system.ts'
import { test } from 'tap'
import { systemProblems } from './system-problems.ts'

const at = '2026-11-23T12:00:00.000Z'
const process = { host: 'a', version: '0.2.0', started_at: at, seen_at: at }
const gateway = (id: string, more: Partial<AdminSystem['gateways'][number]> = {}) => ({
  ...process,
  id,
  catalog_version: 7,
  upstreams: [{ name: 'openai', breaker: 'closed' as const }],
  ...more
})
const healthy: AdminSystem = {
  at,
  control: [{ ...process, id: 'c1' }],
  gateways: [gateway('g1'), gateway('g2'), gateway('g3')],
  redis: {
    ready: true,
    masters: [{ run_id: 'r', version: '8', used_memory_bytes: 1, shards: 64, verified_shards: 64 }]
  },
  projection: { shards_behind: 0 },
  ledger: { copied_at: at, seconds_behind: 3 },
  catalog: { version: 7, sha256: '', published_at: at },
  problems: [],
  webhooks: [{ source: 'payments', outcome: 'handled', count: 9, last_at: at }],
  errors: [{ service: 'gateway', code: 'upstream_timeout', count: 4, last_at: at }]
}
const titles = (more: Partial<AdminSystem>) => systemProblems({ ...healthy, ...more }).map(({ title }) => title)

test('a system that works has no problems', async () => {
  assert.deepEqual(systemProblems(healthy), [])
})

test('each problem is said in words', async () => {
  const [first, second, third] = healthy.gateways
  const old = '2026-11-20T12:00:00.000Z'
  for (const [more, title] of [
    [{ gateways: [] }, 'No gateway runs'],
    [{ catalog: { ...healthy.catalog, version: 0 } }, 'No catalog is published yet'],
    [
      { gateways: [gateway('g1', { catalog_version: 6 }), gateway('g2', { catalog_version: 5 })] },
      '2 gateways use an older catalog'
    ],
    [{ gateways: [gateway('g1', { catalog_version: null })] }, '1 gateway has no catalog yet'],
    [
      { gateways: [first!, second!, { ...third!, upstreams: [] }] },
      '1 of 3 gateways does not have the upstream openai'
    ],
    [
      { gateways: [first!, gateway('g2', { upstreams: [{ name: 'openai', breaker: 'open' as const }] })] },
      'The upstream openai fails at 1 of 2 gateways'
    ],
    [
      { problems: [{ upstream: 'openai', what: 'gpt-x', problem: 'correct the route' }] },
      'The upstream openai does not work: gpt-x'
    ],
    [
      { problems: [{ upstream: null, what: 'STRIPE_SECRET_KEY', problem: 'Stripe refuses this key' }] },
      'A provider does not accept STRIPE_SECRET_KEY'
    ],
    [{ redis: { ready: false, masters: [] } }, 'Redis is not available'],
    [
      { redis: { ready: true, masters: [{ ...healthy.redis.masters[0]!, verified_shards: 62 }] } },
      '2 shards of Redis are not verified yet'
    ],
    [{ projection: { shards_behind: 1 } }, '1 shard of Redis lacks the newest changes'],
    [{ ledger: { copied_at: at, seconds_behind: 200 } }, 'Usage in the database is 3 minutes old'],
    [{ control: [{ ...process, id: 'c1', version: '0.3.0' }] }, '2 versions run at the same time: 0.2.0, 0.3.0'],
    [
      { webhooks: [{ source: 'payments' as const, outcome: 'bad_signature' as const, count: 2, last_at: at }] },
      '2 webhooks of the payment provider had a bad signature'
    ],
    [
      { errors: [{ service: 'control' as const, code: 'internal_error', count: 1, last_at: at }] },
      'Control failed unexpectedly 1 time'
    ]
  ] as const) {
    assert.deepEqual(titles(more as Partial<AdminSystem>), [title])
  }
  const past = { source: 'payments' as const, outcome: 'bad_signature' as const, count: 2, last_at: old }
  assert.deepEqual(titles({ webhooks: [past] }), [], 'a failure of three days ago is history')
})

test('what makes requests fail comes first', async () => {
  const problems = titles({ projection: { shards_behind: 2 }, gateways: [gateway('g1', { catalog_version: null })] })
  assert.deepEqual(problems, ['1 gateway has no catalog yet', '2 shards of Redis lack the newest changes'])
  const withoutRedis = titles({ redis: { ready: false, masters: [] }, projection: { shards_behind: null } })
  assert.deepEqual(withoutRedis, ['Redis is not available'], 'what follows from a problem is not told as another one')
})
