import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { describe } from '../measure/broken-promises.ts'
import { upstreamName } from '../system/catalog.ts'
import type { ChaosSystem, GatewayReplica } from '../system/chaos-system.ts'
import { type SeededKey, seedAccounts, untilProjected } from '../system/seed.ts'
import { countOutcomes, rawChat, type Sent } from '../traffic/send-steadily.ts'

/** The provider is unreachable. */
export const upstreamFaults: readonly Fault[] = [
  {
    name: 'upstream-cut',
    summary: 'all connections to the model provider are reset, and new ones for 5 s',
    allowed: {
      upstreamBreaks: true,
      refusals: [
        '502 upstream_unreachable',
        '502 upstream_error',
        'broken upstream_error',
        'broken upstream_unreachable',
        'broken'
      ]
    },
    async inject({ upstream }) {
      upstream.cut()
      await delay(5000)
      upstream.restore()
    }
  },
  {
    name: 'upstream-silent',
    summary: 'packets between gateways and the model provider are dropped for 5 s',
    allowed: { retriesSucceed: true },
    async inject({ upstream }) {
      upstream.drop()
      await delay(5000)
      upstream.restore()
    }
  }
]

const lastsMs = 10_000
/** Enough failures to outweigh the other traffic at each gateway. */
const workersEach = 10
const projectedTimeoutMs = 60_000

/** Faults of the only upstream of a route, which the model server plays for marked requests. */
export const failingUpstreamFaults: readonly Fault[] = [
  {
    name: 'upstream-flaky',
    summary: 'the only upstream fails most requests of one model; it serves all others, which must succeed',
    allowed: { retriesSucceed: true },
    async inject(system, _loseData, { seen, broken }) {
      const key = await seedOne(system)
      const [failing, others]: [Sent[], Sent[]] = [[], []]
      const opened = new Set<GatewayReplica>()
      const until = performance.now() + lastsMs
      const workers = system.gateways.flatMap((gateway) =>
        Array.from({ length: workersEach }, async () => {
          for (let number = 0; performance.now() < until; number++) {
            const fails = number % 5 < 4
            const sent = await ask(gateway, key, fails ? ' [sandbox+status=500]' : '')
            ;(fails ? failing : others).push(sent)
          }
        })
      )
      const watching = system.gateways.map(async (gateway) => {
        for (; performance.now() < until; await delay(200)) if (await isAvoiding(gateway)) opened.add(gateway)
      })
      await Promise.all([...workers, ...watching])
      seen.push(`requests that the upstream fails ${describe(countOutcomes(failing))}`)
      seen.push(`requests that it serves          ${describe(countOutcomes(others))}`)
      seen.push(`gateways that avoided it         ${opened.size} of ${system.gateways.length}`)
      // Without, the fault would show nothing.
      if (opened.size === 0) broken.push('no gateway noticed that the upstream fails')
      const refused = others.filter(({ outcome }) => outcome !== '200').length
      if (refused > 0) broken.push(`${refused} of ${others.length} requests failed that the upstream serves`)
    }
  },
  {
    name: 'upstream-without-model',
    summary: 'the only upstream says that it does not have a model; then it has it',
    allowed: { retriesSucceed: true },
    async inject(system, _loseData, { seen, broken }) {
      const key = await seedOne(system)
      for (const gateway of system.gateways) {
        const { outcome, refusal } = await ask(gateway, key, ' [sandbox+status=404]')
        seen.push(`a model that the upstream does not have: ${outcome}`)
        if (outcome !== '502 upstream_misconfigured') broken.push(`the client got ${outcome}`)
        if (JSON.stringify(refusal).includes(upstreamName('watched'))) broken.push('the client got the upstream’s name')
        if ((await problemsOf(gateway)) !== 1) broken.push('/readyz does not show the problem')
        const later = await ask(gateway, key, '')
        if (later.outcome !== '200') broken.push(`once the upstream had the model, the client got ${later.outcome}`)
        if ((await problemsOf(gateway)) !== 0) broken.push('/readyz still shows the problem')
      }
    }
  }
]

async function seedOne({ sql, link }: Pick<ChaosSystem, 'sql' | 'link'>): Promise<SeededKey> {
  const [account] = await seedAccounts(sql, { count: 1, keysEach: 1 })
  await untilProjected(sql, link, projectedTimeoutMs)
  return account!.keys[0]!
}

const ask = (gateway: GatewayReplica, key: SeededKey, marker: string): ReturnType<typeof rawChat> =>
  rawChat(gateway.url, key, { model: 'watched', messages: [{ role: 'user', content: `Say 2 words.${marker}` }] })

async function isAvoiding({ adminUrl }: GatewayReplica): Promise<boolean> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
  return /^tollgate_upstream_breaker_state\{upstream="openai"\} [12]$/m.test(metrics)
}

async function problemsOf({ adminUrl }: GatewayReplica): Promise<number> {
  const { problems } = (await (await fetch(`${adminUrl}/readyz`)).json()) as { problems: unknown[] }
  return problems.length
}
