import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { startReceiver } from '@tollgate/control/webhooks/testing/start-receiver.ts'
import type { Fault } from '../fault.ts'
import type { ChaosSystem, ControlReplica } from '../system/chaos-system.ts'
import { seedAccounts } from '../system/seed.ts'
import { type Misbehaviour, seedEndpoints } from '../system/webhook-receiver.ts'
import { sendSteadily } from '../traffic/send-steadily.ts'

const pollMs = 200

/** Longer than the lease of a killed replica. */
const timeoutMs = 100_000

const slowAnswerMs = 10_000
const trickleMs = 500

/** More than fill all places of both replicas: each sends 128 messages at once, and 24 of an account. */
const hostileAccounts = 16
/** The maximum of an account. */
const endpointsEach = 20
const eventsPerSecond = 1
/** What receivers of accounts do: most of them hang. */
const behaviours = [
  ...['never answers', 'never answers', 'never answers', 'never answers', 'answers late', 'redirects'],
  ...['sends its head letter by letter', 'answers 500', 'closes the connection', 'speaks another protocol'],
  'answers without an end'
]

/** A call that hangs ends after this time. Until then, nobody knows that the endpoint fails. */
const callMs = 15_000
const killedAfterMs = 40_000
const downMs = 5000
const lastsMs = 65_000
/** A message that a killed replica was sending is sent again after its lease. */
const leaseMs = 60_000
const promisedMs = 5000
/** Fewer calls of hostile receivers would not hold all places. */
const minHostileCalls = 600

/** One account's messages while the receivers of many others hang, fail, redirect and flood. */
export const hostileWebhooks: Fault = {
  name: 'webhooks-hostile',
  summary: `${hostileAccounts * endpointsEach} webhook endpoints of ${hostileAccounts} accounts hang, trickle, redirect or fail; meanwhile a replica of control is killed`,
  allowed: { retriesSucceed: true },
  async inject(system, _loseData, { seen, broken }) {
    await using parts = new AsyncDisposableStack()
    const trap = await startReceiver()
    parts.defer(() => trap.close())
    let hostileCalls = 0
    const hostile = await seedHostile(system, trap.url, () => {
      hostileCalls++
    })
    const { controls, receiver } = system
    const [{ part }] = controls as [ControlReplica]

    const fromMs = Date.now()
    const events = sendSteadily(eventsPerSecond, (number) => happen(system, hostile[number % hostile.length]!.account))
    parts.defer(events.stop)
    for (const { account } of hostile) await happen(system, account)
    await delay(killedAfterMs)
    await part.kill('SIGKILL')
    const killedAtMs = Date.now()
    await delay(downMs)
    await part.start()
    await delay(lastsMs - killedAfterMs - downMs)
    await events.stop()
    const measured = await measurePromptness(system, system.accountOfPeople, { fromMs, untilMs: Date.now() })
    for (const { url } of hostile.flatMap(({ endpoints }) => endpoints)) receiver.misbehave(url, null)

    // Those of the last seconds before the kill may have been on their way.
    const underWay = ({ atMs }: PromptnessMeasured) => atMs > killedAtMs - 2000 && atMs < killedAtMs
    const first = measured.filter(({ atMs }) => atMs < fromMs + 2 * callMs)
    const later = measured.filter((one) => one.atMs >= fromMs + 2 * callMs && !underWay(one))
    for (const [name, some, maxMs] of [
      ['while nobody knew them', first, promisedMs],
      ['when they had failed', later, promisedMs],
      ['when the replica was killed', measured.filter(underWay), leaseMs + callMs]
    ] as const) {
      const lateMs = Math.max(0, ...some.map(({ waitedMs }) => waitedMs))
      seen.push(`messages ${name.padEnd(28)}  ${some.length}, each within ${(lateMs / 1000).toFixed(1)} s`)
      if (some.length === 0) broken.push(`no message was sent ${name}`)
      if (lateMs > maxMs) broken.push(`a message waited ${lateMs} ms for hostile receivers ${name}`)
    }
    seen.push(`calls of hostile receivers       ${hostileCalls}`)
    if (hostileCalls < minHostileCalls) broken.push(`only ${hostileCalls} calls of hostile receivers`)
    if (trap.received.length > 0) broken.push(`${trap.received.length} redirects were followed`)
  }
}

interface HostileAccount {
  account: string
  endpoints: Array<{ id: string; url: string }>
}

/** Adds accounts whose receivers misbehave. @param onCall called for each message to them */
async function seedHostile(
  { sql, system, receiver }: ChaosSystem,
  trap: string,
  onCall: () => void
): Promise<HostileAccount[]> {
  const accounts = await seedAccounts(sql, { count: hostileAccounts, keysEach: 1 })
  const behaviourOf = hostileBehaviours(trap)
  const hostile: HostileAccount[] = []
  for (const { id } of accounts) {
    const endpoints = await seedEndpoints(sql, {
      receiver,
      secretsKey: system.secrets.secretsKey,
      accounts: Array.from({ length: endpointsEach }, () => id)
    })
    for (const [index, { url }] of endpoints.entries()) {
      const how = behaviourOf[behaviours[index % behaviours.length]!]!
      receiver.misbehave(url, (response) => {
        onCall()
        return how(response)
      })
    }
    hostile.push({ account: id, endpoints })
  }
  return hostile
}

/** Records an event of an account, and queues it for its endpoints, as control does. */
async function happen({ sql }: ChaosSystem, account: string): Promise<void> {
  await sql`
    with recorded as (
      insert into events (id, account_id, type, data, at)
      values (gen_random_uuid(), ${account}, 'plan.changed', ${sql.json({ from: null, to: 'pro' })}, now())
      returning id, account_id, at
    )
    insert into webhook_deliveries (endpoint_id, event_id, status, due_at, created_at)
    select webhook_endpoints.id, recorded.id, 'pending', recorded.at, recorded.at
    from recorded join webhook_endpoints using (account_id)`
}

/** Writes until the client leaves. */
function writeWithoutEnd(response: ServerResponse): void {
  const piece = Buffer.alloc(65_536)
  const more = () => {
    while (response.writable && response.write(piece));
  }
  response.on('drain', more)
  more()
}

/** @param trap an address that nobody may be sent to */
function hostileBehaviours(trap: string): Readonly<Record<string, Misbehaviour>> {
  return {
    'never answers': () => false,
    'answers late': async (response) => {
      await delay(slowAnswerMs)
      response.writeHead(204).end()
      return true
    },
    'sends its head letter by letter': (response) => {
      const { socket } = response
      socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const timer = setInterval(() => socket?.write('x'), trickleMs)
      socket?.once('close', () => clearInterval(timer))
      return false
    },
    redirects: (response) => {
      response.writeHead(307, { location: trap }).end()
      return false
    },
    'answers 500': (response) => {
      response.writeHead(500).end('failed')
      return false
    },
    'closes the connection': (response) => {
      response.socket?.destroy()
      return false
    },
    'speaks another protocol': (response) => {
      response.socket?.end('SSH-2.0-hostile\r\n')
      return false
    },
    'answers without an end': (response) => {
      response.writeHead(200)
      writeWithoutEnd(response)
      return true
    }
  }
}

/** An event, and how long its message took. */
interface PromptnessMeasured {
  /** When it happened, ms since the epoch. */
  atMs: number
  waitedMs: number
}

/**
 * Measures how long the webhooks of an account took that happened within a time. Waits until all have arrived.
 *
 * @param from and until: ms since the epoch
 * @throws Error if some have not arrived after a long time
 */
async function measurePromptness(
  { sql, receiver }: ChaosSystem,
  account: string,
  { fromMs, untilMs }: { fromMs: number; untilMs: number }
): Promise<PromptnessMeasured[]> {
  const rows = await sql<Array<{ id: string; endpoint: string; at: number }>>`
    select events.id::text as id, webhook_endpoints.id::text as endpoint, (extract(epoch from events.at) * 1000)::float8 as at
    from events join webhook_endpoints using (account_id)
    where account_id = ${account} and events.at >= ${new Date(fromMs)} and events.at <= ${new Date(untilMs)}`
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const arrivals = new Map<string, number>()
    for (const { endpoint, id, atMs } of receiver.messages) {
      const message = `${endpoint} ${id}`
      if (!arrivals.has(message)) arrivals.set(message, atMs)
    }
    const measured = rows.flatMap(({ endpoint, id, at }) => {
      const arrivedMs = arrivals.get(`${endpoint} ${id}`)
      return arrivedMs === undefined ? [] : [{ atMs: at, waitedMs: Math.round(arrivedMs - at) }]
    })
    if (measured.length === rows.length) return measured
    if (performance.now() > deadline) {
      throw new Error(`${rows.length - measured.length} of ${rows.length} webhooks have not arrived in ${timeoutMs} ms`)
    }
    await delay(pollMs)
  }
}
