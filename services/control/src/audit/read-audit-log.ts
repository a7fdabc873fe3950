import type { AuditEntry } from '@tollgate/contracts/http/audit.ts'
import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { auditLog } from '../database/schema/audit.ts'
import { users } from '../database/schema/users.ts'
import type { Actor, AuditFilter, AuditPlace } from './audit-filter.ts'

/** How many entries a page examines at most. It then takes about 200 ms at most, whatever it searches. */
const maxExamined = 50_000

/** An entry, as both drivers return it. */
export interface AuditRow {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly action: string
  readonly actor_id: string | null
  /** Null for the service, and for a deleted user. */
  readonly actor_email: string | null
  readonly subject: string | null
  readonly detail: AuditEntry['detail']
  /** Empty for the service. */
  readonly ip: string
}

type Place = Pick<AuditRow, 'at' | 'id'>

export interface AuditPage {
  readonly rows: AuditRow[]
  /** Null on the last page. */
  readonly next: AuditPlace | null
}

/**
 * Reads a page of an account's log, newest first, starting after `before`. It ends early, with fewer rows than `limit`,
 * where it has examined enough: a search for something rare must not read millions of rows.
 */
export async function readAuditLog(
  orm: Orm,
  filter: AuditFilter,
  { before, limit, examined = maxExamined }: { before: AuditPlace | null; limit: number; examined?: number }
): Promise<AuditPage> {
  if (filter.actions?.length === 0) return { rows: [], next: null }
  const rest = restOf(filter)
  const walk = walkOf(filter, before, rest === undefined ? limit + 1 : examined)
  const rows = await queryRows<AuditRow>(
    orm,
    sql`
      select ${entryColumns} from (${walk}) as entry where ${rest ?? sql`true`}
      order by entry.at desc, entry.id desc ${count('limit', limit + 1)}`
  )
  if (rows.length > limit) return { rows: rows.slice(0, limit), next: placeOf(rows[limit - 1]!) }
  if (rest === undefined) return { rows, next: null }
  const [last] = await queryRows<Place>(
    orm,
    sql`
      select ${placeColumns} from (${walk}) as entry
      order by entry.at desc, entry.id desc ${count('offset', examined - 1)}`
  )
  return { rows, next: last === undefined ? null : placeOf(last) }
}

/** Reads all entries that match, newest first, in pages. */
export async function* readWholeAuditLog(orm: Orm, filter: AuditFilter, pageSize: number): AsyncGenerator<AuditRow[]> {
  let before: AuditPlace | null = null
  do {
    const page: AuditPage = await readAuditLog(orm, filter, { before, limit: pageSize })
    yield page.rows
    before = page.next
  } while (before !== null)
}

/** The first entries that indexes find, newest first. */
function walkOf(filter: AuditFilter, before: AuditPlace | null, limit: number): SQL {
  const time = timeOf(filter, before)
  const [first, ...others] = conditionsOf(filter).map((condition) => {
    const where = and(eq(auditLog.accountId, filter.accountId), condition, ...time)
    return sql`
      select ${columns} from ${auditLog} where ${where}
      order by ${auditLog.at} desc, ${auditLog.id} desc ${count('limit', limit)}`
  })
  if (others.length === 0) return first!
  // Each part is in order, so PostgreSQL merges them without a sort, and reads no more of each than it needs.
  const parts = [first!, ...others].map((part) => sql`(${part})`)
  return sql`
    select * from (${sql.join(parts, sql` union all `)}) as walk
    order by walk.at desc, walk.id desc ${count('limit', limit)}`
}

/** The conditions that have an index: entries about one thing, of one user, or of each of some actions. */
function conditionsOf({ actions, actor, subject }: AuditFilter): Array<SQL | undefined> {
  if (subject !== null) return [eq(auditLog.subject, subject)]
  if (isUser(actor)) return [eq(auditLog.actorId, actor.userId)]
  return actions === null ? [undefined] : actions.map((action) => eq(auditLog.action, action))
}

/** The other conditions. Each entry that a walk finds is examined. */
function restOf({ actions, actor, subject, text }: AuditFilter): SQL | undefined {
  const isWalkedByAction = subject === null && !isUser(actor)
  return and(
    actor === null || (isUser(actor) && subject === null) ? undefined : acted(actor),
    actions === null || isWalkedByAction ? undefined : sql`action in (${list(actions)})`,
    text === null ? undefined : hasText(text)
  )
}

const isUser = (actor: Actor | null): actor is { userId: string } =>
  actor !== null && actor !== 'service' && 'userId' in actor

function acted(actor: Actor): SQL {
  const key = sql`detail ->> 'by_key'`
  if (actor === 'service') return sql`actor_id is null and ${key} is null`
  return 'userId' in actor ? sql`actor_id = ${actor.userId}::uuid` : sql`actor_id is null and ${key} = ${actor.keyId}`
}

/** Finds a text in any case, in everything that an entry shows. Values of the detail are compared as JSON has them. */
function hasText(text: string): SQL {
  const pattern = (part: string) => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
  const plain = sql`concat_ws(' ', action, subject, ip, ${actorEmail})`
  return sql`(
    ${plain} ilike ${pattern(text)}
    or jsonb_path_query_array(detail, '$.*')::text ilike ${pattern(JSON.stringify(text).slice(1, -1))})`
}

/** A query of its own for each entry: a join could read all users. */
const actorEmail = sql`(select ${users.email} from ${users} where ${users.id} = entry.actor_id and ${users.deletedAt} is null)`

const columns = sql`${auditLog.id}, ${auditLog.at}, ${auditLog.action}, ${auditLog.actorId}, ${auditLog.subject},
  ${auditLog.detail}, ${auditLog.ip}`
const placeColumns = sql.raw('entry.id::text as id, (extract(epoch from entry.at) * 1000)::float8 as at')
const entryColumns = sql`
  ${placeColumns}, action, actor_id::text as actor_id,
  ${actorEmail} as actor_email, subject, detail, ip`

function timeOf({ from, to }: AuditFilter, before: AuditPlace | null): Array<SQL | undefined> {
  return [
    from === null ? undefined : gte(auditLog.at, new Date(from)),
    to === null ? undefined : lt(auditLog.at, new Date(to)),
    // A comparison of rows can use the index.
    before === null
      ? undefined
      : sql`(${auditLog.at}, ${auditLog.id}) < (${sql.param(before.at, auditLog.at)}, ${before.id})`
  ]
}

/** A number in the text: the planner would not know a parameter. */
const count = (clause: 'limit' | 'offset', rows: number): SQL => sql.raw(`${clause} ${rows}`)

const list = (values: readonly string[]): SQL =>
  sql.join(
    values.map((value) => sql`${value}`),
    sql`, `
  )

const placeOf = ({ at, id }: Place): AuditPlace => ({ at: new Date(at), id: Number(id) })

/** An entry, as the API shows it. */
export const toAuditEntry = ({ at, ip, ...row }: AuditRow): AuditEntry => ({
  ...row,
  at: new Date(at).toISOString(),
  ip: ip === '' ? null : ip
})
