import { auditActions } from '@tollgate/contracts/audit/audit-actions.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { AuditFilterQuery } from '@tollgate/contracts/http/audit.ts'
import * as cursor from '../http/query.ts'
import { isUuid, readInstant } from '../http/query.ts'

/** A place in the log, newest first. The next page starts after this row. */
export interface AuditPlace {
  readonly at: Date
  readonly id: number
}

export const writeCursor = ({ at, id }: AuditPlace): string => cursor.writeCursor(at, id)

/** @returns null if {@link writeCursor} did not write it */
export function readCursor(text: string): AuditPlace | null {
  const place = cursor.readCursor(text, isRowId)
  return place === null ? null : { at: place.at, id: Number(place.id) }
}

const defaultLimit = 50

/**
 * Reads which page of a log a query asks for.
 *
 * @throws ServiceError `invalid_request` for a cursor that {@link writeCursor} did not write
 */
export function readPage(query: { limit?: string; cursor?: string }): { before: AuditPlace | null; limit: number } {
  const before = query.cursor === undefined ? null : readCursor(query.cursor)
  if (query.cursor !== undefined && before === null) {
    throw new ServiceError('invalid_request', {
      message: 'cursor: not valid for this list. Use next_cursor of the previous page.'
    })
  }
  return { before, limit: query.limit === undefined ? defaultLimit : Number(query.limit) }
}

const isRowId = (text: string): boolean => /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))

/** Who acted: a user, a management key, or the service itself. */
export type Actor = { readonly userId: string } | { readonly keyId: string } | 'service'

/** Which entries of an account's log are wanted. Null members exclude nothing. */
export interface AuditFilter {
  readonly accountId: string
  /** Names of actions. */
  readonly actions: readonly string[] | null
  readonly actor: Actor | null
  readonly subject: string | null
  /** Milliseconds since the epoch; `to` is exclusive. */
  readonly from: number | null
  readonly to: number | null
  /** A text that an entry must have anywhere. */
  readonly text: string | null
}

/** Every entry of an account. */
export const allEntries = (accountId: string): AuditFilter => ({
  accountId,
  actions: null,
  actor: null,
  subject: null,
  from: null,
  to: null,
  text: null
})

/**
 * Reads the conditions of a query.
 *
 * @throws ServiceError `invalid_request` for a time that no entry has
 */
export function readAuditFilter(accountId: string, query: AuditFilterQuery): AuditFilter {
  const { action, actor, subject, from, to, q } = query
  return {
    accountId,
    actions: action === undefined ? null : [...new Set(action.split(',').flatMap(actionsOf))],
    actor: actor === undefined ? null : actorOf(actor),
    subject: subject ?? null,
    from: readInstant('from', from),
    to: readInstant('to', to),
    text: q ?? null
  }
}

/** A name without a dot stands for all actions that begin with it: `key` for `key.created` and all others of keys. */
const actionsOf = (name: string): readonly string[] =>
  name.includes('.') ? [name] : auditActions.filter((action) => action.startsWith(`${name}.`))

function actorOf(text: string): Actor {
  if (text === 'service') return text
  return isUuid(text) ? { userId: text } : { keyId: text }
}
