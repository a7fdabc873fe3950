import type { AuditAction } from '@tollgate/contracts/audit/audit-actions.ts'
import type { Answer } from '../../api/call.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatUsd } from '../../format/money.ts'
import { isolate, visibleText } from '../../format/visible-text.ts'

export type AuditEntry = Answer<'listAudit'>['entries'][number]

/** What somebody did, after their name. Every action has an entry, which also names it in the filter. */
const deeds: Readonly<Record<AuditAction, string>> = {
  'auth.login': 'signed in',
  'auth.signout': 'signed out',
  'auth.address_confirmed': 'confirmed their e-mail address',
  'auth.password_changed': 'changed their password',
  'auth.password_reset': 'set a new password with an e-mailed link',
  'auth.second_factor_on': 'turned their second factor on',
  'auth.recovery_code_used': 'signed in with a recovery code',
  'auth.recovery_codes_made': 'made new recovery codes',
  'auth.second_factor_off': 'turned their second factor off',
  'auth.session_ended': 'signed out one of their sessions',
  'auth.sessions_ended': 'signed out everywhere',
  'user.updated': 'changed their profile',
  'user.exported': 'downloaded their data',
  'user.deleted': 'deleted their account',
  'account.updated': 'changed the account’s budget',
  'account.suspended': 'suspended the account',
  'account.resumed': 'resumed the account',
  'account.overridden': 'changed the account’s plan or limits',
  'account.adjusted': 'adjusted the account’s usage',
  'account.signed_out': 'signed everybody out',
  'plan.changed': 'changed the plan',
  'subscription.changed': 'changed the subscription',
  'webhook.created': 'added a webhook endpoint',
  'webhook.changed': 'changed a webhook endpoint',
  'webhook.rotated': 'replaced the secret of a webhook endpoint',
  'webhook.deleted': 'deleted a webhook endpoint',
  'key.created': 'created a key',
  'key.updated': 'changed a key',
  'key.rotated': 'rotated a key',
  'key.grace_ended': 'ended the old value of a rotated key',
  'key.revoked': 'revoked a key',
  'team.invited': 'invited someone to the team',
  'team.invitation_revoked': 'withdrew an invitation',
  'team.joined': 'joined the team',
  'team.left': 'left the team',
  'team.seat_removed': 'removed someone from the team'
}

/** All known actions with their words, to choose from. */
export const describedActions = Object.entries(deeds).map(
  ([action, deed]) => [action, deed[0]!.toUpperCase() + deed.slice(1)] as const
)

type Detail = AuditEntry['detail']

/** More exact words for an entry that names what was changed. */
const named: Readonly<Record<string, (detail: Detail) => string | null>> = {
  'key.created': ({ label }) => quoted('created the key', label),
  'key.updated': ({ label }) => quoted('changed the key', label),
  'key.rotated': ({ label }) => quoted('rotated the key', label),
  'key.grace_ended': ({ label }) => quoted('ended the old value of the key', label),
  'key.revoked': ({ label }) => quoted('revoked the key', label),
  'webhook.created': ({ host }) => quoted('added the webhook endpoint at', host),
  'webhook.changed': ({ host }) => quoted('changed the webhook endpoint at', host),
  'webhook.rotated': ({ host }) => quoted('replaced the secret of the webhook endpoint at', host),
  'webhook.deleted': ({ host }) => quoted('deleted the webhook endpoint at', host),
  'team.invited': ({ email }) => quoted('invited', email),
  'team.invitation_revoked': ({ email }) => quoted('withdrew the invitation of', email),
  'account.updated': ({ monthly_budget_usd: usd }) =>
    typeof usd === 'number'
      ? `set the monthly budget to ${formatUsd(usd)}`
      : usd === null
        ? 'removed their own monthly budget'
        : null,
  'plan.changed': ({ from, to }) =>
    typeof to !== 'string'
      ? null
      : typeof from === 'string'
        ? `changed the plan from ${from} to ${to}`
        : `set the plan to ${to}`
}

/** Names in quotes, so that a label cannot be read as part of the sentence. */
const quoted = (verb: string, name: Detail[string] | undefined): string | null =>
  typeof name === 'string' && visibleText(name) !== '' ? `${verb} “${isolate(name)}”` : null

/** Members of `detail` that the sentence already says. */
const saidIn: Readonly<Record<string, readonly string[]>> = {
  key: ['label', 'by_key'],
  webhook: ['host'],
  team: ['email'],
  account: ['monthly_budget_usd'],
  plan: ['from', 'to']
}

/** What an entry says with the name of the thing; null if it has none. */
const namedDeed = ({ action, detail }: AuditEntry): string | null => named[action]?.(detail) ?? null

/** An entry as a sentence: who did what. An unknown action is shown by its name. */
export function describeSentence(entry: AuditEntry): string {
  const deed = namedDeed(entry) ?? (deeds as Readonly<Record<string, string>>)[entry.action] ?? entry.action
  return `${describeActor(entry)} ${deed}.`
}

/** The facts that {@link describeSentence} leaves out. */
export function describeRest(entry: AuditEntry): ReturnType<typeof describeDetail> {
  const isNamed = namedDeed(entry) !== null
  const said = isNamed ? (saidIn[entry.action.split('.')[0] ?? ''] ?? []) : ['by_key']
  const detail = Object.fromEntries(Object.entries(entry.detail).filter(([name]) => !said.includes(name)))
  return describeDetail({ detail, subject: isNamed ? null : entry.subject })
}

/** Names the actor: a user, a management key, or the service itself. */
export function describeActor({ actor_id, actor_email, detail }: AuditEntry): string {
  if (actor_email !== null) return actor_email
  if (detail.by_key !== undefined) return 'A management key'
  return actor_id === null ? 'This service' : 'A deleted user'
}

/** Other facts about an entry, as names and values to show. */
export function describeDetail({
  detail,
  subject
}: Pick<AuditEntry, 'detail' | 'subject'>): Array<readonly [name: string, value: string]> {
  const pairs = Object.entries(detail).map(([name, value]) => describeMember(name, value))
  return subject === null ? pairs : [...pairs, ['id', subject]]
}

/** Members of `detail` whose names and values say nothing to a stranger. */
const described: Readonly<Record<string, (value: string) => readonly [name: string, value: string]>> = {
  grace_seconds: (value) => ['the old value works for', formatDuration(Number(value))],
  overlap_seconds: (value) => ['the old secret also signs for', formatDuration(Number(value))],
  scope: (value) => ['purpose', value === 'management' ? 'manages keys' : 'calls models'],
  left: (value) => ['recovery codes left', value]
}

const describeMember = (name: string, value: Detail[string]): readonly [name: string, value: string] =>
  described[name]?.(show(value ?? null)) ?? [name.replaceAll('_', ' '), show(value ?? null)]

const show = (value: string | number | boolean | null): string => (value === null ? 'none' : String(value))
