import type { AdminSystem } from '@tollgate/contracts/http/admin/system.ts'
import { countOf, formatDuration } from '../../../format/number.ts'

export interface SystemProblem {
  /** `danger`: requests fail because of it. */
  readonly tone: 'danger' | 'warning'
  /** What is wrong. */
  readonly title: string
  /** What it means, and what to do. */
  readonly advice: string
}

/** Usage is copied every few seconds. */
const maxLedgerSeconds = 60
/** Failures longer ago than this are history. */
const recentMs = 86_400_000

/** What is wrong with the system, in words. What makes requests fail comes first. */
export function systemProblems(system: AdminSystem): SystemProblem[] {
  const problems = [
    ...catalogProblems(system),
    ...gatewayProblems(system),
    ...redisProblems(system),
    ...providerProblems(system),
    ...upstreamProblems(system),
    ...dataProblems(system),
    ...versionProblems(system),
    ...webhookProblems(system),
    ...errorProblems(system)
  ]
  return problems.toSorted((a, b) => Number(b.tone === 'danger') - Number(a.tone === 'danger'))
}

const danger = (title: string, advice: string): SystemProblem => ({ tone: 'danger', title, advice })
const warning = (title: string, advice: string): SystemProblem => ({ tone: 'warning', title, advice })
const uses = (count: number) => (count === 1 ? 'uses' : 'use')

function catalogProblems({ catalog }: AdminSystem): SystemProblem[] {
  if (catalog.version > 0) return []
  return [danger('No catalog is published yet', 'Customers get no answers. The log of control has the reason.')]
}

function gatewayProblems({ gateways, catalog }: AdminSystem): SystemProblem[] {
  if (gateways.length === 0) {
    return [danger('No gateway runs', 'Customers get no answers. Start a gateway, or check whether it reaches Redis.')]
  }
  const without = gateways.filter(({ catalog_version: version }) => version === null).length
  const old = gateways.filter(({ catalog_version: version }) => version !== null && version < catalog.version).length
  return [
    ...(without === 0
      ? []
      : [
          danger(
            `${countOf(without, 'gateway')} ${without === 1 ? 'has' : 'have'} no catalog yet`,
            'They refuse all requests. Check whether they reach Redis.'
          )
        ]),
    ...(old === 0
      ? []
      : [
          warning(
            `${countOf(old, 'gateway')} ${uses(old)} an older catalog`,
            `Version ${catalog.version} is in force. Gateways load it within seconds. If this stays, check their logs.`
          )
        ])
  ]
}

function redisProblems({ redis }: AdminSystem): SystemProblem[] {
  if (!redis.ready) {
    return [danger('Redis is not available', 'Gateways refuse requests until it is. Check whether Redis runs.')]
  }
  const unverified = redis.masters.reduce((sum, { shards, verified_shards }) => sum + shards - verified_shards, 0)
  if (unverified === 0) return []
  return [
    danger(
      `${countOf(unverified, 'shard')} of Redis ${unverified === 1 ? 'is' : 'are'} not verified yet`,
      'Gateways refuse requests of the accounts there until control has restored their data. This takes seconds.'
    )
  ]
}

function providerProblems({ problems }: AdminSystem): SystemProblem[] {
  return problems.map(({ upstream, what, problem }) =>
    danger(
      upstream === null ? `A provider does not accept ${what}` : `The upstream ${upstream} does not work: ${what}`,
      `${problem[0]?.toUpperCase()}${problem.slice(1)}.`
    )
  )
}

function upstreamProblems({ gateways }: AdminSystem): SystemProblem[] {
  const names = [...new Set(gateways.flatMap(({ upstreams }) => upstreams.map(({ name }) => name)))].sort()
  return names.flatMap((name) => {
    const states = gateways.map(({ upstreams }) => upstreams.find((upstream) => upstream.name === name)?.breaker)
    const open = states.filter((state) => state === 'open' || state === 'half-open').length
    const missing = states.filter((state) => state === undefined).length
    const ofAll = (count: number) => `${count} of ${countOf(gateways.length, 'gateway')}`
    return [
      ...(open === 0
        ? []
        : [
            warning(
              `The upstream ${name} fails at ${ofAll(open)}`,
              'Requests go to other upstreams of their model, or fail. Gateways try it again by themselves.'
            )
          ]),
      ...(missing === 0
        ? []
        : [
            warning(
              `${ofAll(missing)} ${missing === 1 ? 'does' : 'do'} not have the upstream ${name}`,
              'Their upstreams file differs. Make it the same at every gateway.'
            )
          ])
    ]
  })
}

function dataProblems({ projection, ledger }: AdminSystem): SystemProblem[] {
  const behind = projection.shards_behind ?? 0
  const seconds = ledger.seconds_behind ?? 0
  return [
    ...(behind === 0
      ? []
      : [
          warning(
            `${countOf(behind, 'shard')} of Redis ${behind === 1 ? 'lacks' : 'lack'} the newest changes`,
            'Changes to accounts and keys there are saved, but not active yet. This should take seconds.'
          )
        ]),
    ...(seconds <= maxLedgerSeconds
      ? []
      : [
          warning(
            `Usage in the database is ${formatDuration(seconds)} old`,
            'Budgets still hold, but usage pages are late. Check the logs of control.'
          )
        ])
  ]
}

function versionProblems({ control, gateways }: AdminSystem): SystemProblem[] {
  const versions = [...new Set([...control, ...gateways].map(({ version }) => version))].sort()
  if (versions.length < 2) return []
  return [
    warning(
      `${countOf(versions.length, 'version')} run at the same time: ${versions.join(', ')}`,
      'This is right during an upgrade. Otherwise, replace the older processes.'
    )
  ]
}

const secretOf = {
  payments: 'STRIPE_WEBHOOK_SECRET',
  identity: 'the secret of the identity provider’s webhook'
} as const
const senderOf = { payments: 'the payment provider', identity: 'the identity provider' } as const

function webhookProblems({ webhooks, at }: AdminSystem): SystemProblem[] {
  return webhooks
    .filter(({ count, last_at }) => count > 0 && isRecent(last_at, at))
    .flatMap(({ source, outcome, count }) => {
      const what = `${countOf(count, 'webhook')} of ${senderOf[source]}`
      if (outcome === 'bad_signature') {
        return [warning(`${what} had a bad signature`, `Compare ${secretOf[source]} with the one shown there.`)]
      }
      if (outcome === 'failed') {
        return [warning(`${what} could not be handled`, 'They are sent again. The log of control has the cause.')]
      }
      return []
    })
}

function errorProblems({ errors, at }: AdminSystem): SystemProblem[] {
  return errors
    .filter(({ code, last_at }) => code === 'internal_error' && isRecent(last_at, at))
    .map(({ service, count }) =>
      warning(
        `${service === 'control' ? 'Control' : 'The gateways'} failed unexpectedly ${countOf(count, 'time')}`,
        'The log has the cause of each internal_error.'
      )
    )
}

const isRecent = (last: string, now: string): boolean => Date.parse(now) - Date.parse(last) < recentMs
