import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { and, eq, lte } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { UserRefresher } from '../callers/session.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { users } from '../database/schema/users.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mailboxes } from '../mailboxes/mailbox.ts'
import type { Projector } from '../projection/projector.ts'
import { adoptUser } from './adopt-user.ts'

/** Less than a minute: within that time, control must notice a ban, a deletion or a plan set by hand. */
const staleMs = 50_000
/** The longest delay of an answer. The provider reads only one row for this. */
const askTimeoutMs = 1500
/** After a failure, this process does not ask the provider, and other processes do not ask about the user. */
const pauseMs = 5000

export interface RefreshOptions {
  database: Database
  identity: Pick<Identity, 'findUser'>
  catalog: Catalog
  mailboxes: Mailboxes
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

/** When a user sends a request, reads them again from the identity provider, at most once a minute. */
export function createUserRefresher(options: RefreshOptions): UserRefresher {
  const { database, identity, projector, clock, log } = options
  const { orm } = database
  const underWay = new Map<string, Promise<boolean>>()
  let awayUntil = Number.NEGATIVE_INFINITY

  async function refresh(id: string): Promise<boolean> {
    const now = clock()
    const stale = new Date(now.getTime() - staleMs)
    try {
      const claimed = await orm
        .update(users)
        .set({ checkedAt: now })
        .where(and(eq(users.id, id), lte(users.checkedAt, stale), lte(users.syncedAt, stale)))
        .returning({ id: users.id })
      if (claimed.length === 0) return false
      const seen = await identity.findUser(id, AbortSignal.timeout(askTimeoutMs))
      const { isAccountChanged } = await orm.transaction((tx) => adoptUser(tx, options, id, seen, now))
      if (isAccountChanged) await projector.accountChanged(id)
      return true
    } catch (err) {
      log.warn({ err, userId: id }, 'a user could not be compared with the identity provider')
      awayUntil = performance.now() + pauseMs
      const checkedAt = new Date(stale.getTime() + pauseMs)
      await orm
        .update(users)
        .set({ checkedAt })
        .where(eq(users.id, id))
        .catch(() => undefined)
      return false
    }
  }

  return {
    async refreshIfStale(userId, syncedAt) {
      if (clock().getTime() - syncedAt.getTime() < staleMs || performance.now() < awayUntil) return false
      let work = underWay.get(userId)
      if (work === undefined) {
        work = refresh(userId).finally(() => underWay.delete(userId))
        underWay.set(userId, work)
      }
      return work
    }
  }
}
