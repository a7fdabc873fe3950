import { randomUUID } from 'node:crypto'
import type { AdminAccount, AdminLimits } from '@tollgate/contracts/http/admin/accounts.ts'
import type { OperatorAct } from '@tollgate/contracts/http/admin/audit.ts'
import type { AdminCatalogResponse, PublishedCatalog } from '@tollgate/contracts/http/admin/catalog.ts'
import type { AdminMoney } from '@tollgate/contracts/http/admin/money.ts'
import type { AdminSystem } from '@tollgate/contracts/http/admin/system.ts'

/** Sample data for the stub of the admin API. */

const now = Date.now()
const minuteMs = 60_000
const dayMs = 86_400_000
export const ago = (ms: number): string => new Date(now - ms).toISOString()

const ofPlan = <Value extends number | null>(value: Value) => ({
  value,
  from: 'plan' as const,
  plan_value: value,
  operator_value: null,
  ends_at: null
})
export const planLimits = (): AdminLimits => ({
  monthly_budget_usd: ofPlan(50),
  request_budget_usd: ofPlan(2),
  requests_per_minute: ofPlan(600),
  tokens_per_minute: ofPlan(200_000),
  concurrent_requests: ofPlan(20),
  key_quota: ofPlan(10)
})

/** An account on the pro plan with a subscription, two people and two keys. */
export function sampleAccount(email: string, name: string, spent: string, keyLabel: string): AdminAccount {
  const key = {
    id: randomUUID(),
    label: keyLabel,
    prefix: 'Qm3xT9aB',
    scope: 'inference' as const,
    status: 'active' as const,
    created_at: ago(90 * dayMs),
    last_used_at: ago(3 * minuteMs),
    expires_at: null
  }
  return {
    id: randomUUID(),
    email,
    name,
    plan: 'pro',
    own_plan: 'pro',
    plan_override: null,
    status: 'active',
    suspended_for: [],
    past_due: false,
    people: 2,
    keys: 2,
    spent_usd: spent,
    reserved_usd: '0.42',
    created_at: ago(200 * dayMs),
    limits: planLimits(),
    users: [
      { id: randomUUID(), email, name, role: 'owner', sessions: 2 },
      { id: randomUUID(), email: `helper.${email}`, name: '', role: 'seat', sessions: 1 }
    ],
    key_list: [key, { ...key, id: randomUUID(), label: 'Laptop', prefix: 'b7Zk1LmN', last_used_at: null }],
    subscription: {
      customer_id: 'cus_QxT8vLm2WkN4',
      id: 'sub_1QXyZ2KvLmTn',
      status: 'active',
      price_id: 'price_pro_month',
      past_due: false,
      renews_at: ago(-12 * dayMs),
      cancel_at: null
    },
    invoices: [
      { id: 'in_1', amount: 2000, currency: 'usd', status: 'paid', created_at: ago(18 * dayMs), pdf_url: null }
    ],
    adjustments: [
      { id: randomUUID(), at: ago(40 * dayMs), month: '2026-10', amount_usd: '-3.50', reason: 'Outage of a provider' }
    ],
    audit: [
      {
        id: '1',
        at: ago(2 * dayMs),
        action: 'key.created',
        actor_id: randomUUID(),
        actor_email: email,
        subject: key.id,
        detail: { label: keyLabel },
        ip: '192.0.2.7'
      }
    ]
  }
}

const processOf = (id: string, host: string) => ({
  id,
  host,
  version: '0.2.0',
  started_at: ago(3 * dayMs),
  seen_at: ago(2000)
})

export const sampleSystem = (): AdminSystem => ({
  at: ago(0),
  control: [processOf('control-1-8c5e', 'control-1'), processOf('control-2-0f1d', 'control-2')],
  gateways: ['gateway-1', 'gateway-2', 'gateway-3'].map((host, at) => ({
    ...processOf(`${host}-51ab`, host),
    catalog_version: at === 0 ? 12 : 11,
    upstreams: [
      { name: 'openai', breaker: 'closed' },
      { name: 'mistral', breaker: at === 2 ? 'open' : 'closed' }
    ]
  })),
  redis: {
    ready: true,
    masters: [
      {
        run_id: '5d1c0b7a4e2f9a8b6c3d1e0f7a9b8c6d5e4f3a2b',
        version: '8.2.1',
        used_memory_bytes: 48_234_496,
        shards: 64,
        verified_shards: 64
      }
    ]
  },
  projection: { shards_behind: 0 },
  ledger: { copied_at: ago(2000), seconds_behind: 2.4 },
  catalog: { version: 12, sha256: 'ab'.repeat(32), published_at: ago(5 * minuteMs) },
  webhooks: [
    { source: 'payments', outcome: 'handled', count: 312, last_at: ago(9 * minuteMs) },
    { source: 'payments', outcome: 'bad_signature', count: 2, last_at: ago(30 * minuteMs) },
    { source: 'identity', outcome: 'handled', count: 81, last_at: ago(dayMs) }
  ],
  errors: [
    { service: 'gateway', code: 'upstream_timeout', count: 14, last_at: ago(4 * minuteMs) },
    { service: 'control', code: 'wrong_password', count: 3, last_at: ago(50 * minuteMs) }
  ]
})

const published = (version: number, more: Partial<PublishedCatalog> = {}): PublishedCatalog => ({
  version,
  sha256: 'ab'.repeat(32),
  published_at: ago((13 - version) * dayMs),
  published_by: 'file',
  operator_email: null,
  reason: null,
  models: 9,
  plans: 4,
  is_kept: true,
  ...more
})

export function sampleCatalog(): AdminCatalogResponse {
  const inForce = published(12, {
    published_by: 'operator',
    operator_email: 'olga@tollgate.example',
    reason: 'Lower prices of gpt-4o-mini'
  })
  return {
    catalog: inForce,
    yaml: 'models:\n  gpt-4o-mini:\n    usd_per_million_tokens:\n      input: 0.15\n      output: 0.6\n',
    missing_upstreams: [],
    history: [inForce, published(11), published(10), published(3, { is_kept: false })]
  }
}

/** @param account an account that costs more than it pays */
export function sampleMoney(month: string, account: AdminAccount): AdminMoney {
  const [year = 2026, number = 11] = month.split('-').map(Number)
  const paid = (amount: number) => [{ currency: 'usd', amount }]
  return {
    month,
    cost_usd: '412.901234567',
    adjustments_usd: '-3.50',
    revenue: paid(96_000),
    margin_usd: '547.098765433',
    by_model: [
      { model: 'gpt-4o', requests: 120_334, cost_usd: '301.50' },
      { model: 'gpt-4o-mini', requests: 902_110, cost_usd: '111.401234567' }
    ],
    by_upstream: [
      { upstream: 'openai', requests: 1_000_002, cost_usd: '400.00' },
      { upstream: '', requests: 22_442, cost_usd: '12.901234567' }
    ],
    by_plan: [
      { plan: 'free', accounts: 310, cost_usd: '22.00', revenue: [], margin_usd: '-22.00' },
      { plan: 'pro', accounts: 48, cost_usd: '390.901234567', revenue: paid(96_000), margin_usd: '569.098765433' }
    ],
    unprofitable: [
      { account_id: account.id, email: account.email, plan: account.plan, cost_usd: '44.20', revenue: paid(2000) }
    ],
    months: Array.from({ length: 12 }, (_, at) => ({
      month: new Date(Date.UTC(year, number - 12 + at)).toISOString().slice(0, 7),
      cost_usd: (40 + at * 33.9).toFixed(2),
      revenue: paid(3000 + at * 8500),
      margin_usd: (-10 + at * 51.1).toFixed(2)
    })),
    invoices_read_at: ago(7 * minuteMs)
  }
}

export const sampleAct = (actor: { id: string; email: string }, act: Partial<OperatorAct>): OperatorAct => ({
  id: String(Math.round(performance.now() * 1000)),
  at: new Date().toISOString(),
  action: 'account.suspended',
  actor_id: actor.id,
  actor_email: actor.email,
  account_id: null,
  account_email: null,
  subject: null,
  reason: '',
  detail: {},
  ip: '192.0.2.1',
  ...act
})
