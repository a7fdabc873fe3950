import type { AuditAction } from '@tollgate/contracts/audit/audit-actions.ts'
import type { Answer } from '../../api/call.ts'
import { formatUsd } from '../../format/money.ts'
import { formatCount, formatDuration } from '../../format/number.ts'
import { formatMoment, formatMonth } from '../../format/time.ts'
import { isolate, visibleText } from '../../format/visible-text.ts'

type Listed = Answer<'listAudit'>['entries'][number]
type Found = 'actor_key_label' | 'subject_exists'
/** An entry of the list. Without what the list adds, nothing of it is a link. */
export type AuditEntry = Omit<Listed, Found> & Partial<Pick<Listed, Found>>

/** A text of an entry; with `to`, a link to that page. */
export interface Part {
  readonly text: string
  readonly to?: string
}

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

/** The `changed` of a key that was only paused or resumed. */
const onlyPaused = 'paused'

/** What was done, and to what. */
type Deed = readonly [verb: string, name?: string]

/** More exact words for an entry that names what was changed. */
const named: Readonly<Record<string, (detail: Detail) => Deed | null>> = {
  'key.created': ({ label }) => withName('created the key', label),
  'key.updated': ({ label, changed, paused }) =>
    withName(`${changed !== onlyPaused ? 'changed' : paused === true ? 'paused' : 'resumed'} the key`, label),
  'key.rotated': ({ label }) => withName('rotated the key', label),
  'key.grace_ended': ({ label }) => withName('ended the old value of the key', label),
  'key.revoked': ({ label }) => withName('revoked the key', label),
  'webhook.created': ({ host }) => withName('added the webhook endpoint at', host),
  'webhook.changed': ({ host }) => withName('changed the webhook endpoint at', host),
  'webhook.rotated': ({ host }) => withName('replaced the secret of the webhook endpoint at', host),
  'webhook.deleted': ({ host }) => withName('deleted the webhook endpoint at', host),
  'team.invited': ({ email }) => withName('invited', email),
  'team.invitation_revoked': ({ email }) => withName('withdrew the invitation of', email),
  'account.resumed': ({ reason }) => (reason === 'approval' ? ['approved the account'] : null),
  'account.updated': ({ monthly_budget_usd: usd, monthly_budget_usd_before: before, budgets, budgets_before: old }) => {
    if (typeof budgets === 'string') return describeBudgets(budgets, old)
    const of = typeof before === 'number' ? formatUsd(before) : null
    if (usd === null) return [`removed their own monthly budget${of === null ? '' : ` of ${of}`}`]
    if (typeof usd !== 'number') return null
    return [
      of === null
        ? `set the monthly budget to ${formatUsd(usd)}`
        : `changed the monthly budget from ${of} to ${formatUsd(usd)}`
    ]
  },
  'plan.changed': ({ from, to }) =>
    typeof to !== 'string'
      ? null
      : [typeof from === 'string' ? `changed the plan from ${from} to ${to}` : `set the plan to ${to}`]
}

/** @param budgets such as `$5 a day for small`; empty for none */
function describeBudgets(budgets: string, old: Detail[string] | undefined): Deed {
  const had = typeof old === 'string' && old !== '' ? old : null
  if (budgets === '') return [`removed the account’s budgets${had === null ? '' : ` of ${had}`}`]
  return [
    had === null ? `set the account’s budgets to ${budgets}` : `changed the account’s budgets from ${had} to ${budgets}`
  ]
}

/** Names in quotes, so that a label cannot be read as part of the sentence. */
const quote = (name: string): string => `“${isolate(name)}”`

const isVisible = (name: unknown): name is string => typeof name === 'string' && visibleText(name) !== ''

const withName = (verb: string, name: unknown): Deed | null => (isVisible(name) ? [verb, quote(name)] : null)

/** Members of `detail` that the sentence already says. */
const saidIn: Readonly<Record<string, readonly string[]>> = {
  key: ['label'],
  webhook: ['host'],
  team: ['email'],
  account: ['monthly_budget_usd', 'monthly_budget_usd_before', 'budgets', 'budgets_before'],
  plan: ['from', 'to']
}

const kindOf = ({ action }: AuditEntry): string => action.split('.')[0] ?? ''

/** What an entry says with the name of the thing; null if it has none. */
const namedDeed = (entry: AuditEntry): Deed | null => named[entry.action]?.(entry.detail) ?? null

/** An entry as a sentence: who did what. An unknown action is shown by its name. */
export function describeSentence(entry: AuditEntry): Part[] {
  const [verb, name] = namedDeed(entry) ?? [(deeds as Readonly<Record<string, string>>)[entry.action] ?? entry.action]
  const actor = keyOf(entry) ?? [{ text: describeActor(entry) }]
  if (name === undefined) return [...actor, { text: ` ${verb}.` }]
  return [...actor, { text: ` ${verb} ` }, { text: name, ...linkToSubject(entry) }, { text: '.' }]
}

/** Names the management key that acted; null if none did. A key that was erased has only its id. */
function keyOf({ actor_email, detail, actor_key_label: label }: AuditEntry): Part[] | null {
  const { by_key: id } = detail
  if (actor_email !== null || typeof id !== 'string') return null
  const isErased = label === undefined || label === null
  const text = isVisible(label) ? quote(label) : id
  return [{ text: 'The management key ' }, { text, ...(!isErased && { to: `/dashboard/keys/${id}` }) }]
}

/** The page of what was changed, if that still exists. */
function linkToSubject(entry: AuditEntry): Pick<Part, 'to'> {
  if (entry.subject_exists !== true) return {}
  const pages: Readonly<Record<string, string>> = {
    key: `/dashboard/keys/${entry.subject}`,
    webhook: `/dashboard/webhooks/${entry.subject}`,
    team: '/dashboard/team'
  }
  const to = pages[kindOf(entry)]
  return to === undefined ? {} : { to }
}

/** The facts that {@link describeSentence} leaves out. */
export function describeRest(entry: AuditEntry): Array<readonly [name: string, value: Part]> {
  const isNamed = namedDeed(entry) !== null
  const ofPause = entry.detail.changed === onlyPaused ? ['changed', 'paused', 'paused_before'] : []
  const said = isNamed ? [...(saidIn[kindOf(entry)] ?? []), ...ofPause] : []
  const isSaid = (name: string) => name === 'by_key' || (said.includes(name) && !isRename(name, entry.detail))
  const detail = Object.fromEntries(Object.entries(entry.detail).filter(([name]) => !isSaid(name)))
  const facts = describeDetail({ detail, subject: null }).map(([name, text]) => [name, { text }] as const)
  return isNamed || entry.subject === null
    ? facts
    : [...facts, ['id', { text: entry.subject, ...linkToSubject(entry) }]]
}

/** The sentence says only the new label. */
const isRename = (name: string, detail: Detail): boolean => name === 'label' && 'label_before' in detail

/** Names the actor: a user, or the service itself. */
export function describeActor({ actor_id, actor_email }: Pick<AuditEntry, 'actor_id' | 'actor_email'>): string {
  return actor_email ?? (actor_id === null ? 'This service' : 'A deleted user')
}

/** Other facts about an entry, as names and values to show. */
export function describeDetail({
  detail,
  subject
}: Pick<AuditEntry, 'detail' | 'subject'>): Array<readonly [name: string, value: string]> {
  const hasValues = (name: string) => `${name}_before` in detail
  const pairs = Object.entries(detail).flatMap(([name, value]) => {
    if (name.endsWith('_before')) return []
    if (name === 'changed')
      return describeChanged(
        String(value)
          .split(', ')
          .filter((one) => !hasValues(one))
      )
    const words = show(name, value)
    return [
      [nameOf(name), hasValues(name) ? `from ${show(name, detail[`${name}_before`])} to ${words}` : words] as const
    ]
  })
  return subject === null ? pairs : [...pairs, ['id', subject]]
}

/** The changed settings without values: those of entries from before there were values, and metadata. */
const describeChanged = (names: readonly string[]): Array<readonly [string, string]> =>
  names.length === 0 ? [] : [['changed', names.map(nameOf).join(', ')]]

interface Member {
  readonly name?: string
  /** In place of null. */
  readonly unset?: string
  readonly format?: (value: string) => string
}

/** Members of `detail` whose names or values say nothing to a stranger. */
const described: Readonly<Record<string, Member>> = {
  grace_seconds: { name: 'the old value works for', format: (value) => formatDuration(Number(value)) },
  overlap_seconds: { name: 'the old secret also signs for', format: (value) => formatDuration(Number(value)) },
  scope: { name: 'purpose', format: (value) => (value === 'management' ? 'manages keys' : 'calls models') },
  left: { name: 'recovery codes left' },
  cut_streams: { name: 'open requests', format: () => 'ended' },
  label: { format: quote },
  paused: { format: (value) => (value === 'true' ? 'yes' : 'no') },
  monthly_budget_usd: { name: 'monthly budget', format: formatUsd },
  requests_per_minute: { unset: 'the plan default' },
  models: { unset: 'all models in the plan' },
  addresses: { name: 'IP addresses', unset: 'everywhere' },
  budgets: { name: 'other budgets' },
  thresholds: { unset: 'the default', format: (value) => (value === '' ? 'none' : value) },
  amount_usd: {
    name: 'amount',
    format: (value) => `${Number(value) < 0 ? 'credit' : 'charge'} of ${formatUsd(Math.abs(Number(value)))}`
  },
  month: { format: formatMonth },
  plan: { unset: 'the one that the account bought' },
  plan_ends_at: { name: 'plan ends', unset: 'never', format: (value) => formatMoment(new Date(value)) },
  limits: { unset: 'those of the plan' },
  limits_end_at: { name: 'limits end', unset: 'never', format: (value) => formatMoment(new Date(value)) },
  request_budget_usd: { name: 'budget per request', format: formatUsd },
  tokens_per_minute: { unset: 'the plan default', format: (value) => formatCount(Number(value)) },
  concurrent_requests: { unset: 'the plan default' },
  on_exhausted: { name: 'when a budget is used up', unset: 'refuse requests', format: (model) => `use ${model}` },
  key_quota: { name: 'active keys' },
  expires_at: { name: 'expiry', unset: 'never', format: (value) => formatMoment(new Date(value)) }
}

const nameOf = (member: string): string => described[member]?.name ?? member.replaceAll('_', ' ')

function show(member: string, value: Detail[string] | undefined): string {
  const { unset = 'none', format = (text: string) => text } = described[member] ?? {}
  return value === undefined || value === null ? unset : format(String(value))
}
