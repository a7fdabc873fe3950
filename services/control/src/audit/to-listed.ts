import type { AuditResponse } from '@tollgate/contracts/http/audit.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { members } from '../database/schema/team.ts'
import { webhookEndpoints } from '../database/schema/webhooks.ts'
import { isUuid } from '../http/is-uuid.ts'
import { type AuditRow, toAuditEntry } from './read-audit-log.ts'

/** Entries of an account's log, with what is known now of their keys, webhook endpoints and members. */
export async function toListed(
  orm: Orm,
  accountId: string,
  rows: readonly AuditRow[]
): Promise<AuditResponse['entries']> {
  const named = rows.flatMap(({ subject, detail }) => [subject, detail.by_key]).filter((id) => typeof id === 'string')
  const ids = [...new Set(named)]
  const uuids = ids.filter(isUuid)
  const [foundKeys, endpoints, seats] = await Promise.all([
    orm
      .select({ id: keys.id, label: keys.label })
      .from(keys)
      .where(and(eq(keys.accountId, accountId), inArray(keys.id, ids))),
    orm
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.accountId, accountId), inArray(webhookEndpoints.id, uuids))),
    orm
      .select({ id: members.userId })
      .from(members)
      .where(and(eq(members.accountId, accountId), inArray(members.userId, uuids)))
  ])
  const labels = new Map(foundKeys.map(({ id, label }) => [id, label]))
  const existing = new Set([...labels.keys(), ...[...endpoints, ...seats].map(({ id }) => id)])
  return rows.map((row) => ({
    ...toAuditEntry(row),
    actor_key_label: labels.get(String(row.detail.by_key)) ?? null,
    subject_exists: row.subject !== null && existing.has(row.subject)
  }))
}
