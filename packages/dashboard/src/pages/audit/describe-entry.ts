import type { Answer } from '../../api/call.ts'

export type AuditEntry = Answer<'listAudit'>['entries'][number]

const sentences: Readonly<Record<string, string>> = {
  'auth.login': 'Signed in',
  'auth.signout': 'Signed out',
  'auth.address_confirmed': 'Confirmed their e-mail address',
  'auth.password_changed': 'Changed their password',
  'auth.password_reset': 'Set a new password with an e-mailed link',
  'auth.second_factor_on': 'Turned the second factor on',
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

/** Describes an action. An unknown action is shown by its name. */
export const describeAction = (action: string): string => sentences[action] ?? action

/** Names the actor: a user, a management key, or the service itself. */
export function describeActor({ actor_id, actor_email, detail }: AuditEntry): string {
  if (actor_email !== null) return actor_email
  if (detail.by_key !== undefined) return 'A management key'
  return actor_id === null ? 'This service' : 'A deleted user'
}

/** Other facts about an entry, as names and values to show. */
export function describeDetail({ detail, subject }: AuditEntry): Array<readonly [name: string, value: string]> {
  const pairs = Object.entries(detail).map(([name, value]) => [name.replaceAll('_', ' '), show(value)] as const)
  return subject === null ? pairs : [...pairs, ['id', subject]]
}

const show = (value: string | number | boolean | null): string => (value === null ? 'none' : String(value))
