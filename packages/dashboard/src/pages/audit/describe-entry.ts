import type { Answer } from '../../api/call.ts'
import { formatUsd } from '../../format/money.ts'
import { isolate, visibleText } from '../../format/visible-text.ts'

export type AuditEntry = Answer<'listAudit'>['entries'][number]

const sentences: Readonly<Record<string, string>> = {
  'auth.login': 'Signed in',
  'auth.signout': 'Signed out',
  'auth.address_confirmed': 'Confirmed their e-mail address',
  'auth.password_changed': 'Changed their password',
  'auth.password_reset': 'Set a new password with an e-mailed link',
  'auth.second_factor_on': 'Turned the second factor on',
  'auth.recovery_code_used': 'Signed in with a recovery code',
  'auth.recovery_codes_made': 'Made new recovery codes',
  'auth.second_factor_off': 'Turned the second factor off',
  'auth.session_ended': 'Signed out one session',
  'auth.sessions_ended': 'Signed out everywhere',
  'user.updated': 'Changed their profile',
  'user.exported': 'Downloaded their data',
  'user.deleted': 'Deleted their account',
  'account.updated': 'Changed the account’s budget',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.overridden': 'Changed the account’s plan or limits',
  'account.adjusted': 'Adjusted usage',
  'account.signed_out': 'Signed out everybody',
  'plan.changed': 'Plan changed',
  'subscription.changed': 'Subscription changed',
  'webhook.created': 'Added a webhook endpoint',
  'webhook.changed': 'Changed a webhook endpoint',
  'webhook.rotated': 'Replaced the secret of a webhook endpoint',
  'webhook.deleted': 'Deleted a webhook endpoint',
  'key.created': 'Created a key',
  'key.updated': 'Changed a key',
  'key.rotated': 'Rotated a key',
  'key.grace_ended': 'Ended the old value of a rotated key',
  'key.revoked': 'Revoked a key',
  'team.invited': 'Invited someone to the team',
  'team.invitation_revoked': 'Withdrew an invitation',
  'team.joined': 'Joined the team',
  'team.left': 'Left the team',
  'team.seat_removed': 'Removed someone from the team'
}

/** All known actions with their words. */
export const describedActions = Object.entries(sentences)

/** Describes an action. An unknown action is shown by its name. */
export const describeAction = (action: string): string => sentences[action] ?? action

type Detail = AuditEntry['detail']

/** The changes that name what they changed: a verb and the thing. */
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

/** An entry as a sentence: who did what to which thing. Null if it is about nothing with a name. */
export function describeSentence(entry: AuditEntry): string | null {
  const deed = named[entry.action]?.(entry.detail) ?? null
  return deed === null ? null : `${describeActor(entry)} ${deed}.`
}

/** The facts that {@link describeSentence} leaves out. */
export function describeRest(entry: AuditEntry): ReturnType<typeof describeDetail> {
  const said = saidIn[entry.action.split('.')[0] ?? ''] ?? []
  const detail = Object.fromEntries(Object.entries(entry.detail).filter(([name]) => !said.includes(name)))
  return describeDetail({ detail, subject: null })
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
  const pairs = Object.entries(detail).map(([name, value]) => [name.replaceAll('_', ' '), show(value)] as const)
  return subject === null ? pairs : [...pairs, ['id', subject]]
}

const show = (value: string | number | boolean | null): string => (value === null ? 'none' : String(value))
