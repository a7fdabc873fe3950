import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createPart } from '@tollgate/cli/system/part.ts'
import { anotherFreePort } from '@tollgate/cli/system/ports.ts'
import { createLogFile, startProgram } from '@tollgate/cli/system/program.ts'
import type { Sql } from 'postgres'
import type { ChaosSystem, GatewayReplica } from '../system/chaos-system.ts'
import { seedEndpoints } from '../system/webhook-receiver.ts'
import { rawChat, sendSteadily } from '../traffic/send-steadily.ts'
import type { RunningPrometheus } from './prometheus.ts'

const readyTimeoutMs = 60_000
const stopTimeoutMs = 10_000

const pollMs = 20
const timeoutMs = 30_000

/**
 * Opens streams of about a second at a gateway. Resolves when the model server has all of them.
 *
 * @returns waits until all have ended
 */
async function openStreams(
  { accounts, models }: ChaosSystem,
  gateway: GatewayReplica,
  count: number
): Promise<() => Promise<unknown>> {
  const body = { model: 'ordinary', stream: true, messages: [{ role: 'user', content: 'Say 90 words.' }] }
  const keys = accounts.flatMap((account) => account.keys)
  const isOurs = ({ model }: { model: string | null }) => model?.startsWith('ordinary') === true
  const opened = () => models.requests().filter(isOurs).length
  const before = opened()
  const sent = Array.from({ length: count }, (_, index) => rawChat(gateway.url, keys[index % keys.length]!, body))
  const deadline = performance.now() + timeoutMs
  while (opened() - before < count) {
    if (performance.now() > deadline) throw new Error(`${count} streams did not open in ${timeoutMs / 1000} s`)
    await delay(pollMs)
  }
  return () => Promise.all(sent)
}

const streams = 40
const question = { messages: [{ role: 'user', content: 'Say 3 words.' }] }
const slowAnswerMs = 3000
/** More than both replicas send until the alert fires. */
const lateMessages = 200
/** The minimum. An account's share of it takes about 200 receipts. */
const receiptsMemoryMb = '16'
const loggedPerSecond = 20
const loggedQuestion = { model: 'quick', messages: [{ role: 'user', content: 'Say 1 word.' }] }

/** Faults of the alerts whose metrics no other test moves. Those that harm the others least come first. */
export const alertFaults: readonly AlertFault[] = [
  {
    summary: 'an account fills its memory for receipts while the request log is locked',
    raises: ['ReceiptsDropped'],
    async inject(system, prometheus) {
      await using parts = new AsyncDisposableStack()
      const variables = { REQUEST_LOG_MEMORY_MB: receiptsMemoryMb }
      const gateway = await startExtraGateway(system, prometheus, variables)
      parts.defer(gateway.stop)
      parts.defer(await lockRequestLog(system.sql))
      const [key] = system.accounts[0]!.keys
      const requests = sendSteadily(loggedPerSecond, async () => {
        await rawChat(gateway.url, key!, loggedQuestion)
      })
      parts.defer(requests.stop)
      const started = parts.move()
      return () => started.disposeAsync()
    }
  },
  {
    summary: 'the model provider reports more tokens than requested',
    raises: ['UsageAboveBound'],
    async inject({ gateways, accounts }) {
      const { outcome } = await rawChat(gateways[0]!.url, accounts[0]!.keys[0]!, { model: 'above-bound', ...question })
      if (outcome !== '200') throw new Error(`the model server answered ${outcome}`)
      return () => undefined
    }
  },
  {
    summary: `a gateway is cut off from Redis while ${streams} streams end`,
    raises: ['SettlementsWaiting'],
    mayRaise: ['RedisDown', 'RequestsFailing'],
    async inject(system) {
      const [gateway] = system.gateways as [(typeof system.gateways)[number]]
      const untilEnded = await openStreams(system, gateway, streams)
      gateway.redis.cut()
      return async () => {
        gateway.redis.restore()
        await untilEnded()
      }
    }
  },
  {
    summary: `a receiver takes ${slowAnswerMs / 1000} s for each of ${lateMessages} webhooks`,
    raises: ['WebhooksLate'],
    mayRaise: ['QueueGrowing'],
    async inject({ sql, receiver, system, accounts }) {
      receiver.answerAfter(slowAnswerMs)
      const { id } = accounts[0]!
      const [endpoint] = await seedEndpoints(sql, { receiver, secretsKey: system.secrets.secretsKey, accounts: [id] })
      await queueWebhooks(sql, { account: id, endpoint: endpoint!.id })
      return () => receiver.answerAfter(0)
    }
  },
  {
    summary: 'a gateway is killed in the middle of streams',
    raises: ['GatewayDown', 'HoldsCharged'],
    mayRaise: ['RequestsFailing'],
    async inject(system) {
      const [gateway] = system.gateways as [(typeof system.gateways)[number]]
      await openStreams(system, gateway, 3)
      await gateway.part.kill('SIGKILL')
      return () => gateway.part.start()
    }
  }
]

/** The alerts that a fault must raise. */
export const raisedBy = ({ raises }: AlertFault): readonly string[] => raises

/** Keeps control from copying receipts. The log can still be read. @returns ends this */
async function lockRequestLog(sql: Sql): Promise<() => Promise<void>> {
  const connection = await sql.reserve()
  await connection`begin`
  await connection`lock table requests in exclusive mode`
  return async () => {
    await connection`rollback`
    connection.release()
  }
}

/** Queues events that are an hour old, because thresholds are not shortened. */
async function queueWebhooks(sql: Sql, { account, endpoint }: { account: string; endpoint: string }): Promise<void> {
  const data = { key: { id: 'key_late', label: 'late', scope: 'inference', metadata: {} } }
  await sql`
    with recorded as (
      insert into events (id, account_id, type, data, at)
      select gen_random_uuid(), ${account}, 'key.created', ${sql.json(data)}, now() - interval '1 hour'
      from generate_series(1, ${lateMessages}::int) returning id, at
    )
    insert into webhook_deliveries (endpoint_id, event_id, status, due_at, created_at)
    select ${endpoint}, id, 'pending', at, at from recorded`
}

/** Ends a fault. */
type Restore = () => Promise<unknown> | unknown

/** A fault that raises alerts. Names of alerts are without `Tollgate`. */
export interface AlertFault {
  /** What breaks. */
  summary: string
  /** The alerts that must fire. */
  raises: readonly string[]
  /** Alerts that may fire, too: consequences of the fault or of its repair. */
  mayRaise?: readonly string[]
  /** Breaks something. @returns ends the fault */
  inject(system: ChaosSystem, prometheus: RunningPrometheus): Promise<Restore>
}

/** A gateway beside those of the system. Only Prometheus and its fault use it, so the fault breaks no other request. */
interface ExtraGateway {
  url: string
  adminUrl: string
  /** Ends its scraping, then the gateway. */
  stop(): Promise<void>
}

/** Starts a gateway with more variables that Prometheus scrapes, too. Resolves when it is ready and was scraped. */
async function startExtraGateway(
  { env, system }: ChaosSystem,
  prometheus: RunningPrometheus,
  variables: Readonly<Record<string, string>>
): Promise<ExtraGateway> {
  await using parts = new AsyncDisposableStack()
  const taken = new Set<number>()
  const [port, adminPort] = [await anotherFreePort(taken), await anotherFreePort(taken)]
  const adminUrl = `http://127.0.0.1:${adminPort}`
  const log = createLogFile(join(system.dataDir, 'logs', 'extra-gateway.log'))
  const part = createPart({
    name: 'the extra gateway',
    launch: async () =>
      startProgram({
        script: fileURLToPath(import.meta.resolve('@tollgate/gateway/main.ts')),
        cwd: process.cwd(),
        env: { ...env, GATEWAY_PORT: String(port), GATEWAY_ADMIN_PORT: String(adminPort), ...variables },
        log,
        stopTimeoutMs
      }),
    ready: { url: `${adminUrl}/readyz` },
    readyTimeoutMs,
    log
  })
  await part.start()
  parts.defer(part.stop)
  parts.defer(await prometheus.scrapeAlso('tollgate-gateway', adminUrl))
  const started = parts.move()
  return { url: `http://127.0.0.1:${port}`, adminUrl, stop: () => started.disposeAsync() }
}
