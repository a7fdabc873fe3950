import type { EventData, EventType } from '@tollgate/contracts/events/event-types.ts'
import { formatExactUsd, formatUsd } from '../format/money.ts'
import { countOf } from '../format/number.ts'
import { formatMoment, formatMonth, formatUtcDay } from '../format/time.ts'
import { isolate, visibleText } from '../format/visible-text.ts'
import { describeRefusal } from '../usage/describe-refusal.ts'
import { daysOfMonth } from '../usage/usage-range.ts'

export type NoticeTone = 'info' | 'warning' | 'danger'

/** A notice in words. */
export interface ToldNotice {
  readonly text: string
  readonly tone: NoticeTone
  /** Whoever did it knows it, so it does not count as unread. */
  readonly isRoutine?: true
  /** The page where the reader can act or learn more. */
  readonly link?: NoticeLink
}

interface NoticeLink {
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  readonly text: string
}

type Teller<Type extends EventType> = (data: EventData<Type>, nameOfId: NameOf) => ToldNotice
/** The name of a plan or a person by their id. */
export type NameOf = (id: string) => string

const pages = {
  models: { to: '/dashboard/models', text: 'See the models' },
  usage: { to: '/dashboard/usage', text: 'See usage' },
  billing: { to: '/dashboard/billing', text: 'See billing' },
  system: { to: '/dashboard/operator/system', text: 'See the system' }
} as const

const usageOf = (month: string): NoticeLink => ({
  to: '/dashboard/usage',
  search: daysOfMonth(month),
  text: 'See usage'
})

const pageOfAccount = (id: string): NoticeLink => ({
  to: `/dashboard/operator/accounts/${id}`,
  text: 'See the account'
})

/** A key is named in the address by its id. */
const pageOf = ({ id }: EventData<'key.created'>['key']): NoticeLink => ({
  to: `/dashboard/keys/${id}`,
  text: 'See the key'
})

const nameOf = ({ label, scope }: EventData<'key.created'>['key']): string => {
  const kind = scope === 'management' ? 'management key' : 'key'
  return visibleText(label) === '' ? `a ${kind} without a label` : `${kind} “${isolate(label)}”`
}
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const moment = (at: string): string => formatMoment(new Date(at))

/** Why an operator did it, in their words. */
const because = (note: string | undefined): string => (note === undefined ? '' : ` Reason: ${isolate(note)}`)

/** The first sentence about a suspension. A later version may have other reasons. */
function suspendedBy(reason: string): string {
  if (reason === 'operator') return 'The operator of this service suspended the account.'
  if (reason === 'identity') return 'The account was suspended: its user is blocked or deleted.'
  return 'The account was suspended.'
}

function nameOfMember(id: string, nameOfId: NameOf): string {
  const name = nameOfId(id)
  return name === id ? 'a member of the team' : isolate(name)
}

/** Such as `weekly budget of the account for gpt-5`. */
function nameOfBudget(
  { key, member_id: member, window, models }: EventData<'budget.window_threshold' | 'budget.window_forecast'>,
  nameOfId: NameOf
): string {
  const owner = key !== null ? nameOf(key) : member !== null ? nameOfMember(member, nameOfId) : 'the account'
  return `${often[window]} budget of ${owner}${ofModels(models)}`
}

const ofModels = (models: readonly string[] | null): string => (models === null ? '' : ` for ${models.join(', ')}`)

const often = { day: 'daily', week: 'weekly', month: 'monthly', lifetime: 'lifetime' } as const

/** What to say of each event type. The only place that knows. */
const tellers: { readonly [Type in EventType]: Teller<Type> } = {
  'budget.threshold': ({ key, month, percent, budget_usd, spent_usd }) => {
    const budget = `budget of ${key === null ? 'the account' : nameOf(key)} for ${formatMonth(month)}`
    const amounts = `${formatUsd(spent_usd)} of ${formatUsd(budget_usd)}`
    if (percent < 100) {
      const link = key === null ? usageOf(month) : pageOf(key)
      return { text: `${percent} % of the ${budget} is spent: ${amounts}.`, tone: 'warning', link }
    }
    const link = key === null ? pages.billing : pageOf(key)
    return { text: `The ${budget} is used up: ${amounts}. Further requests are refused.`, tone: 'danger', link }
  },
  'budget.window_threshold': (data, nameOfId) => {
    const { key, models, percent, budget_usd, spent_usd, resets_at: resetsAt } = data
    const budget = nameOfBudget(data, nameOfId)
    const amounts = `${formatUsd(spent_usd)} of ${formatUsd(budget_usd)}`
    const link = key === null ? pages.usage : pageOf(key)
    const until = resetsAt === null ? '' : ` until ${moment(resetsAt)}`
    return percent < 100
      ? { text: `${percent} % of the ${budget} is spent: ${amounts}.`, tone: 'warning', link }
      : {
          text: `The ${budget} is used up: ${amounts}. Further requests${ofModels(models)} are refused${until}.`,
          tone: 'danger',
          link
        }
  },
  'budget.window_forecast': (data, nameOfId) => {
    const { key, used_up_at: usedUpAt, resets_at: resetsAt, budget_usd, spent_usd } = data
    const resets = resetsAt === null ? '' : ` It resets at ${moment(resetsAt)}.`
    return {
      text: `The ${nameOfBudget(data, nameOfId)} will probably not last: ${formatUsd(spent_usd)} of ${formatUsd(budget_usd)} is spent, and at the pace of the last days it is used up at ${moment(usedUpAt)}.${resets}`,
      tone: 'warning',
      link: key === null ? pages.usage : pageOf(key)
    }
  },
  'budget.forecast': ({ month, budget_usd, forecast_usd }) => ({
    text: `The budget for ${formatMonth(month)} will probably not last. At the pace of the last days, you will spend ${formatUsd(forecast_usd)} of ${formatUsd(budget_usd)}.`,
    tone: 'warning',
    link: usageOf(month)
  }),
  'requests.refused': (data) => ({
    text: sentence(`${nameOf(data.key)} refuses requests: ${describeRefusal(data)}`),
    tone: 'danger',
    link: pageOf(data.key)
  }),
  'requests.refused_ended': ({ key, requests, since, last_at }) => ({
    text: sentence(
      `${nameOf(key)} no longer refuses requests. It refused ${countOf(requests, 'request')} from ${moment(since)} to ${moment(last_at)}.`
    ),
    tone: 'info',
    link: pageOf(key)
  }),
  'key.created': ({ key }) => ({
    text: sentence(`${nameOf(key)} was created.`),
    tone: 'info',
    isRoutine: true,
    link: pageOf(key)
  }),
  'key.rotated': ({ key, old_secret_until: until }) => ({
    text: sentence(
      `${nameOf(key)} has a new value. ${until === null ? 'The old value no longer works.' : `The old value works until ${moment(until)}.`}`
    ),
    tone: 'info',
    isRoutine: true,
    link: pageOf(key)
  }),
  'key.grace_ending': ({ key, old_secret_until }) => ({
    text: `The old value of ${nameOf(key)} stops working at ${moment(old_secret_until)}. Check that your apps use the new value.`,
    tone: 'warning',
    link: pageOf(key)
  }),
  'key.expiring': ({ key, expires_at }) => ({
    text: sentence(`${nameOf(key)} expires at ${moment(expires_at)}. Later requests with it are refused.`),
    tone: 'warning',
    link: pageOf(key)
  }),
  'key.revoked': ({ key, note }) => ({
    text: sentence(
      `${nameOf(key)} was revoked${note === undefined ? '' : ' by the operator of this service'}.${because(note)}`
    ),
    tone: note === undefined ? 'info' : 'warning',
    link: pageOf(key)
  }),
  'plan.changed': ({ from, to }, nameOfPlan) => ({
    text:
      from === null
        ? `The plan is ${nameOfPlan(to)} now.`
        : `The plan changed from ${nameOfPlan(from)} to ${nameOfPlan(to)}.`,
    tone: 'info',
    link: pages.billing
  }),
  'prices.rising': ({ model, from, prices }) => {
    const changes = prices.map(
      ({ kind, unit, from_usd, to_usd }) =>
        `${kind.replaceAll('_', ' ')} from ${formatExactUsd(from_usd)} to ${formatExactUsd(to_usd)} / ${unit}`
    )
    return {
      text: `The price of ${model} rises on ${formatUtcDay(new Date(from))} (UTC): ${changes.join(', ')}.`,
      tone: 'warning',
      link: pages.models
    }
  },
  'payment.failed': () => ({
    text: 'A payment failed. Check your payment method: the plan ends if the payment keeps failing.',
    tone: 'danger',
    link: pages.billing
  }),
  'payment.unmatched': ({ subscription_id, price_ids }) => ({
    text: `The subscription ${subscription_id} was paid, but no plan has its price ${price_ids.join(', ')}. The plan stays as it was.`,
    tone: 'danger',
    link: pages.billing
  }),
  'payment.duplicate': ({ subscription_id, kept_subscription_id }) => ({
    text: `Two subscriptions were paid. ${kept_subscription_id} is kept, ${subscription_id} ends, and its unused time is credited.`,
    tone: 'warning',
    link: pages.billing
  }),
  // Whoever joined a team was told before that their own keys stop.
  'account.suspended': ({ reason, note }) =>
    reason === 'team'
      ? { text: 'You joined a team. Keys of your own account are refused until you leave it.', tone: 'info' }
      : { text: `${suspendedBy(reason)} Requests with its keys are refused.${because(note)}`, tone: 'danger' },
  'account.resumed': ({ reason }) => ({
    text:
      reason === 'team'
        ? 'You left your team, or its owner removed you. Keys of your own account work again.'
        : reason === 'approval'
          ? 'The account was approved. You can create API keys now.'
          : 'The suspension of the account ended. Its keys work again.',
    tone: 'info'
  }),
  'webhook.disabled': ({ endpoint_id, url }) => ({
    text: `The webhook endpoint ${isolate(url)} is disabled, because every delivery failed for a day.`,
    tone: 'danger',
    link: { to: `/dashboard/webhooks/${endpoint_id}`, text: 'See the endpoint' }
  }),
  'webhook.test': () => ({ text: 'A test event was sent to a webhook endpoint.', tone: 'info' }),
  'request.failed_over': ({ model, from_upstream: from, to_upstream: to, minute, requests }) => ({
    text: `${from} failed, so ${to} answered ${countOf(requests, 'request')} for ${model} in the minute of ${moment(minute)}.`,
    tone: 'info',
    link: pages.system
  }),
  'provider.failing': ({ upstream, since, requests, failed }) => ({
    text: `The provider ${upstream} has kept failing since ${moment(since)}: ${failed} of ${countOf(requests, 'call')} failed.`,
    tone: 'danger',
    link: pages.system
  }),
  'spend.unusual': ({ account_id, hour, spent_usd, usual_usd }) => ({
    text: `An account spent ${formatUsd(spent_usd)} in the hour of ${moment(hour)}. It usually spends at most ${formatUsd(usual_usd)} an hour.`,
    tone: 'warning',
    link: pageOfAccount(account_id)
  }),
  'act.pending': ({ action, ends_at }) => ({
    text: `${action === 'account.adjusted' ? 'An adjustment of usage' : 'A change of plan or limits'} waits for a second operator until ${moment(ends_at)}.`,
    tone: 'warning',
    link: { to: '/dashboard/operator/accounts', text: 'See what waits' }
  }),
  'account.waiting': ({ waiting }) => ({
    text: waiting === 1 ? 'An account waits for approval.' : `${countOf(waiting, 'account')} wait for approval.`,
    tone: 'warning',
    link: { to: '/dashboard/operator/accounts', search: { status: 'waiting' }, text: 'See who waits' }
  })
}

/**
 * Describes an event. A type that this version does not know gets a neutral sentence.
 *
 * @param isForOperators whether it is an operators' event: their webhook endpoints have other pages
 * @param nameOfId without it, plans and people are shown by their ids
 */
export function describeNotice(
  { type, data }: { readonly type: string; readonly data: object },
  isForOperators = false,
  nameOfId: NameOf = (id) => id
): ToldNotice {
  const tell = Object.hasOwn(tellers, type) ? (tellers[type as EventType] as Teller<never>) : null
  if (tell === null) return { text: `An event of the type ${type} happened.`, tone: 'info' }
  const sentence = tell(data as never, nameOfId)
  return sentence.link === undefined || !isForOperators
    ? sentence
    : { ...sentence, link: ofOperators(sentence.link, data) }
}

function ofOperators(link: NoticeLink, data: object): NoticeLink {
  if (link === pages.billing && 'account_id' in data) return pageOfAccount(String(data.account_id))
  return { ...link, to: link.to.replace('/dashboard/webhooks/', '/dashboard/operator/webhooks/') }
}
