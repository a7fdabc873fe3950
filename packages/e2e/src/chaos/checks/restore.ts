import { statSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { BillingPlan } from '@tollgate/contracts/http/billing.ts'
import { open, submit } from '@tollgate/sandbox/payments/pages/test-browser.ts'
import {
  findPostgresTools,
  type OperatedSystem,
  type PostgresTools,
  startOperatedSystem
} from '../../operation/start-operated-system.ts'
import { startSteadyRequests } from '../../operation/steady-requests.ts'
import { Person } from '../../person.ts'
import { restore as restoreBackup } from '../../restore/restore.ts'
import type { Check } from '../fault.ts'
import { seedMany, untilProjected } from '../system/seed.ts'

const keyCounts = [10_000, 100_000, 1_000_000]
const projectedTimeoutMs = 600_000
/** Control compares subscriptions within 45 s of its start, and reads one customer after the other. */
const planTimeoutMs = 90_000

/** Restores backups of several sizes, with the Redis that served and with an empty one. */
export const restore: Check = {
  name: 'restore',
  summary: `restores backups of ${keyCounts.join(', ')} keys, while gateways serve`,
  onlyIfNamed: true,
  async run() {
    const tools = findPostgresTools()
    if (tools === null) throw new Error('this needs pg_dump, pg_restore and psql')
    const [seen, broken]: [string[], string[]] = [[], []]
    for (const keys of keyCounts) {
      await using parts = new AsyncDisposableStack()
      const operated = await startOperatedSystem({ teardown: (stop) => parts.defer(stop) })
      if (operated === null) throw new Error('this needs redis-server (or valkey-server) and PostgreSQL')
      const findings = await measure(operated, tools, keys, { teardown: (stop) => parts.defer(stop) })
      seen.push(...findings.seen)
      broken.push(...findings.broken)
    }
    return { seen, broken }
  }
}

async function measure(
  operated: OperatedSystem,
  tools: PostgresTools,
  keys: number,
  teardowns: { teardown(stop: () => Promise<void>): void }
): Promise<{ seen: string[]; broken: string[] }> {
  const { system, sql, link, postgres, directory } = operated
  await seedMany(sql, keys)
  await untilProjected(sql, link, projectedTimeoutMs)
  const ada = await new Person(system, 'ada').join('enterprise')
  const bob = await new Person(system, 'bob').join()
  const { value } = (await ada.createKey('served')).body.key
  const file = join(directory, 'backup')
  const steady = startSteadyRequests(operated, () => [value], null)
  try {
    const [load] = loadavg()
    const dumpMs = await timeOf(() => tools.dump(postgres.url, file))
    await buyPro(bob)
    const times = await restoreBackup(teardowns, operated, tools, file, { data: 'kept' })
    await steady.more(20)
    const failures = [...steady.failures]
    await steady.stop()
    const planMs = await timeOf(() => untilPro(bob))
    const emptied = await restoreBackup(teardowns, operated, tools, file, { data: 'empty' })
    return {
      seen: [
        `${keys} keys (load average ${load!.toFixed(1)})`,
        `  pg_dump                        ${seconds(dumpMs)}, ${(statSync(file).size / 1e6).toFixed(1)} MB`,
        `  pg_restore                     ${seconds(times.restoreMs)}`,
        `  start of control, same Redis   ${seconds(times.verifiedMs)} until everything was verified; ${steady.served().chats} chats served, ${failures.length} failed`,
        `  start of control, empty Redis  ${seconds(emptied.verifiedMs)} until everything was verified`,
        `  plan bought after the backup   in force ${seconds(planMs)} after that`
      ],
      broken: failures.slice(0, 5)
    }
  } finally {
    await steady.stop()
  }
}

async function buyPro(person: Person): Promise<void> {
  const { body } = await person.call<{ url: string }>('POST', '/api/billing/checkout', {
    price_id: 'price_pro_monthly'
  })
  const card = { number: '4242 4242 4242 4242', expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' }
  await submit(await open(body.url), card)
  await untilPro(person)
}

async function untilPro(person: Person): Promise<void> {
  const deadline = performance.now() + planTimeoutMs
  await person.login()
  for (;;) {
    const { body } = await person.call<{ plan?: BillingPlan }>('GET', '/api/billing/plan')
    if (body.plan?.id === 'pro') return
    if (performance.now() > deadline) throw new Error(`the plan did not come back in ${planTimeoutMs / 1000} s`)
  }
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
