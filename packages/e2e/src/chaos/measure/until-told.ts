import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { NoticedAccount } from '../traffic/noticed-accounts.ts'

const pollMs = 200
/** Longer than the leases of a killed replica: a mail's takes two minutes. */
const timeoutMs = 200_000

/**
 * Waits until people were told: no budget is to be checked, no mail and no webhook waits. What waits on purpose is made due at
 * once: checks, mails that collect notices, and webhooks after their second failure. Leases of killed replicas are left to end.
 *
 * @throws Error after a long time, naming what waits
 */
export async function untilTold(system: ChaosSystem, noticed: readonly NoticedAccount[]): Promise<void> {
  const { sql } = system
  const ids = noticed.map(({ id }) => id)
  const deadline = performance.now() + timeoutMs
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
        `after ${timeoutMs / 1000} s ${checks} checks of budgets, ${mails} mails and ${webhooks} webhooks wait`
      )
    }
    await delay(pollMs)
  }
}
