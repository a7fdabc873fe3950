import type { FastifyBaseLogger } from 'fastify'
import type { KeptEndings } from './keep-endings.ts'

/** Ids in a log line: enough to look at, and far below the limits of log collectors. */
const maxLogged = 100

/** Logs which keys were revoked or rotated again after a restore, if any. */
export function logKeptEndings({ revoked, rotated }: KeptEndings, log: Pick<FastifyBaseLogger, 'warn'>): void {
  if (revoked.length + rotated.length === 0) return
  log.warn(
    {
      revokedKeys: revoked.length,
      rotatedKeys: rotated.length,
      keys: [...revoked, ...rotated].slice(0, maxLogged)
    },
    'PostgreSQL was restored to a state before these keys were revoked or rotated. They are revoked or rotated again, because Redis knows of it'
  )
}
