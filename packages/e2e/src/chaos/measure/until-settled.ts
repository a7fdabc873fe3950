import { setTimeout as delay } from 'node:timers/promises'
import { accountName, accountShard, accountShards, receiptsName, uncopiedName } from '@tollgate/state/keyspace/names.ts'
import { executeAll } from '@tollgate/state/link/execute.ts'
import { reap } from '@tollgate/state/settlement/reap.ts'
import { passDeadlines, readState } from '@tollgate/state/testing/account-state.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { NoticedAccount } from '../traffic/noticed-accounts.ts'

const toldPollMs = 200

/** Longer than the leases of a killed replica: a mail's takes two minutes. */
const toldTimeoutMs = 200_000

const pollMs = 100
/** Memory for the receipts of a shard: more than they need. */
export const receiptBytes = 10_000_000
const timeoutMs = 60_000
/** A hold that is still open after this time belongs to a killed gateway. */
const abandonedAfterMs = 2000

/**
 * Waits until everything is settled: no settlement waits in a gateway, no hold is open, the ledger has all usage, and
 * the request log all receipts.
 * Expires the holds that killed gateways left.
 *
 * @returns the number of holds it expired
 * @throws Error after a minute, naming the open settlements
 */
export async function untilSettled(system: ChaosSystem): Promise<number> {
  const startedAt = performance.now()
  let ended = 0
  for (;;) {
    const elapsedMs = performance.now() - startedAt
    const [waiting, holders, left, receipts] = await Promise.all([
      settlementsWaiting(system),
      accountsWithHolds(system),
      uncopied(system, 'usage'),
      uncopied(system, 'receipts')
    ])
    if (waiting === 0 && holders.length === 0 && left === 0 && receipts === 0) return ended
    if (elapsedMs > timeoutMs) {
      throw new Error(
        `after a minute ${waiting} settlements wait, ${holders.length} accounts have holds, ${left} rows and ${receipts} receipts are not copied`
      )
    }
    if (waiting === 0 && elapsedMs > abandonedAfterMs) {
      for (const account of holders) {
        await passDeadlines(system.link.nodeOf(accountShard(account)).client, account)
        const { charged, released } = await reap(system.link, account, 1000, 60_000, receiptBytes)
        ended += charged + released
      }
    }
    await delay(pollMs)
  }
}

/** Waits until an account has no open hold, and the ledger has all its usage. @throws Error after a minute */
export async function untilCopied({ link }: ChaosSystem, account: string): Promise<void> {
  const shard = accountShard(account)
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { client } = link.nodeOf(shard)
    const [fields, waiting] = await Promise.all([client.hkeys(accountName(account)), client.hlen(uncopiedName(shard))])
    if (waiting === 0 && !fields.some((field) => field.startsWith('h:'))) return
    if (performance.now() > deadline)
      throw new Error('after a minute an account has holds, or rows that are not copied')
    await delay(pollMs)
  }
}

/** Which keys still count requests as running although none runs. (What is left of tokens ends with the minute.) */
export async function leakedSlots({ link }: ChaosSystem, accounts: readonly { id: string }[]): Promise<string[]> {
  const leaked: string[] = []
  for (const { id } of accounts) {
    const { budgets } = await readState(link.nodeOf(accountShard(id)).client, id)
    for (const [field, { reserved }] of budgets)
      if (field.startsWith('o') && reserved > 0) leaked.push(`${field}: ${reserved} requests run for ever`)
  }
  return leaked
}

/** How many settlements wait in the gateways because Redis has not accepted them yet. */
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

/** How much of the usage or of the receipts waits in Redis. */
async function uncopied({ link }: ChaosSystem, what: 'usage' | 'receipts'): Promise<number> {
  const counts = await executeAll(
    link,
    accountShards,
    (shard) => shard,
    (pipeline, shard) => (what === 'usage' ? pipeline.hlen(uncopiedName(shard)) : pipeline.xlen(receiptsName(shard)))
  )
  return counts.reduce<number>((sum, count) => sum + Number(count), 0)
}

/**
 * Waits until people were told: no budget is to be checked, no mail and no webhook waits. What waits on purpose is made
 * due at once: checks, mails that collect notices, and webhooks after their second failure. Leases of killed replicas
 * are left to end.
 *
 * @throws Error after a long time, naming what waits
 */
export async function untilTold(system: ChaosSystem, noticed: readonly NoticedAccount[]): Promise<void> {
  const { sql } = system
  const ids = noticed.map(({ id }) => id)
  const deadline = performance.now() + toldTimeoutMs
  for (;;) {
    const waiting = await sql.begin(async (tx) => {
      await tx`
        update spend_checks set due_at = clock_timestamp()
        where account_id = any(${ids}) and kind = 'budget' and due_at > clock_timestamp() and lease_ends_at is null`
      await tx`
        update mails set due_at = created_at
        where account_id = any(${ids}) and ended_at is null and due_at > created_at`
      // A lease takes a minute.
      await tx`
        update webhook_deliveries set due_at = created_at where due_at > now() + interval '2 minutes'`
      const [row] = await tx<[Record<'checks' | 'mails' | 'webhooks', number>]>`
        select (select count(*)::int from spend_checks where account_id = any(${ids}) and kind = 'budget') as checks,
          (select count(*)::int from mails where account_id = any(${ids}) and ended_at is null) as mails,
          (select count(*)::int from webhook_deliveries where due_at is not null) as webhooks`
      return row
    })
    const { checks, mails, webhooks } = waiting
    if (checks + mails + webhooks === 0) return
    if (performance.now() > deadline) {
      throw new Error(
        `after ${toldTimeoutMs / 1000} s ${checks} checks of budgets, ${mails} mails and ${webhooks} webhooks wait`
      )
    }
    await delay(toldPollMs)
  }
}
