import { setTimeout as delay } from 'node:timers/promises'
import { accountName, accountShard, accountShards, uncopiedName } from '@tollgate/state/keyspace/names.ts'
import { executeAll } from '@tollgate/state/link/execute.ts'
import { reap } from '@tollgate/state/settlement/reap.ts'
import { passDeadlines } from '@tollgate/state/testing/account-state.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'

const lookEveryMs = 100
const limitMs = 60_000
/** What nobody settles in that time belongs to a gateway that has died. */
const abandonedAfterMs = 2000

/**
 * Resolves when nothing is under way any more: no settlement waits in a gateway, nothing is held, and the ledger has all
 * that was used. What gateways left that have died is ended, as if its time had passed.
 *
 * @returns how many holds were ended so
 * @throws Error with what is still under way after a minute
 */
export async function untilCalm(system: ChaosSystem): Promise<number> {
  const startedAt = performance.now()
  let ended = 0
  for (;;) {
    const elapsedMs = performance.now() - startedAt
    const [waiting, held, left] = await Promise.all([
      settlementsWaiting(system),
      accountsWithHolds(system),
      uncopied(system)
    ])
    if (waiting === 0 && held.length === 0 && left === 0) return ended
    if (elapsedMs > limitMs) {
      throw new Error(
        `after a minute ${waiting} settlements wait, ${held.length} accounts have holds, ${left} rows are not copied`
      )
    }
    if (waiting === 0 && elapsedMs > abandonedAfterMs) {
      for (const account of held) {
        await passDeadlines(system.link.nodeOf(accountShard(account)).client, account)
        const { charged, released } = await reap(system.link, account, 1000, 60_000)
        ended += charged + released
      }
    }
    await delay(lookEveryMs)
  }
}

/** Resolves when nothing of an account is under way, and the ledger has all that it used. @throws Error after a minute */
export async function untilCopied({ link }: ChaosSystem, account: string): Promise<void> {
  const shard = accountShard(account)
  const deadline = performance.now() + limitMs
  for (;;) {
    const { client } = link.nodeOf(shard)
    const [fields, waiting] = await Promise.all([client.hkeys(accountName(account)), client.hlen(uncopiedName(shard))])
    if (waiting === 0 && !fields.some((field) => field.startsWith('h:'))) return
    if (performance.now() > deadline)
      throw new Error('after a minute an account has holds, or rows that are not copied')
    await delay(lookEveryMs)
  }
}

/** How many settlements the gateways have not brought to Redis yet. */
export async function settlementsWaiting({ gateways }: Pick<ChaosSystem, 'gateways'>): Promise<number> {
  const counts = await Promise.all(
    gateways.map(async ({ adminUrl }) => {
      const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
      return Number(/^tollgate_settlements_waiting (\d+)/m.exec(metrics)?.[1] ?? Number.NaN)
    })
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

async function accountsWithHolds({ link }: ChaosSystem): Promise<string[]> {
  const beginning = accountName('').length
  const names = await Promise.all(link.nodes().map(({ client }) => client.keys('acct:*')))
  const accounts = names.flat().map((name) => name.slice(beginning))
  const fields = (await executeAll(link, accounts, accountShard, (pipeline, account) =>
    pipeline.hkeys(accountName(account))
  )) as string[][]
  return accounts.filter((_account, index) => fields[index]!.some((field) => field.startsWith('h:')))
}

async function uncopied({ link }: ChaosSystem): Promise<number> {
  const counts = await executeAll(
    link,
    accountShards,
    (shard) => shard,
    (pipeline, shard) => pipeline.hlen(uncopiedName(shard))
  )
  return counts.reduce<number>((sum, count) => sum + Number(count), 0)
}
