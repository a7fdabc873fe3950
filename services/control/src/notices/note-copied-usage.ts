import type { Orm } from '../database/connect.ts'
import type { Ledger } from '../usage/ledger.ts'
import { monthOf } from '../usage/usage-range.ts'
import { type ChangedSpend, type CheckDelays, noteSpend } from './spend-checks.ts'

const hourMs = 3_600_000

/**
 * A ledger that also notes whose spend has changed. A note is written before Redis forgets that the row has changed, so it is
 * repeated by the next copy if this replica dies.
 *
 * @param now usage of earlier months is not noted: nobody can still act on it
 */
export function noteCopiedUsage(ledger: Ledger, orm: Orm, delays: CheckDelays, now: () => Date): Ledger {
  return {
    ...ledger,
    async store(usages) {
      await ledger.store(usages)
      const firstHour = monthOf(now()).from.getTime() / hourMs
      const changed = new Map<string, ChangedSpend>()
      for (const { account, key, hour } of usages) {
        if (hour >= firstHour) changed.set(`${account} ${key}`, { account, key })
      }
      await noteSpend(orm, [...changed.values()], delays)
    }
  }
}
