import type { EventData } from '@tollgate/contracts/events/event-types.ts'
import type { RefusalReason } from '@tollgate/contracts/requests/refusal-reasons.ts'
import type { MailContent, NoticeOf } from './mail-content.ts'
import { dollars, moment, quoted } from './write-words.ts'

type Told = NoticeOf<'requests.refused' | 'requests.refused_ended'>
type Refused = EventData<'requests.refused'>

/** Why, after “because”. */
const whys: Readonly<Record<RefusalReason, string>> = {
  budget: 'a budget has too little left',
  rate: 'a rate limit is reached',
  model: 'the key may not use the model',
  paused: 'the key is paused',
  suspended: 'the account is suspended',
  other: 'it may not make them'
}

/** What helps. A reason that is not here needs nobody's help. */
const helps: Readonly<Record<RefusalReason, string>> = {
  budget: 'To serve these requests now, raise the budget, choose a larger plan, or send requests that cost less.',
  rate: 'Send fewer requests at a time, raise the limit of the key, or choose a larger plan.',
  model: 'Allow the model for the key, or use another model.',
  paused: 'Resume the key, or stop the app that still uses it.',
  suspended: 'Contact us.',
  other: 'The request log shows each error.'
}

/**
 * The mail that says which keys refuse requests now, and which serve them again.
 *
 * @param notices the first of all notices
 * @param count how many notices there are
 */
export function refusalsMail(notices: readonly Told[], count: number): MailContent {
  const button = { text: 'See your keys', path: '/dashboard/keys' }
  const [only, ...others] = notices
  if (only !== undefined && others.length === 0 && count === 1) return { ...oneKey(only), button }
  const title = `${count} changes: which API keys refuse requests`
  return { ...{ subject: title, title, button, items: notices.map(lineOf) }, paragraphs: [] }
}

function oneKey({ type, data }: Told): Omit<MailContent, 'button'> {
  const label = quoted(data.key.label)
  if (type === 'requests.refused_ended') {
    const title = `Your API key ${label} no longer refuses requests`
    return {
      ...{ subject: title, title, facts: [countOf(data)] },
      paragraphs: [`It refused them from ${moment(data.since)} to ${moment(data.last_at)}, because ${whyOf(data)}.`]
    }
  }
  const title = `Your API key ${label} refuses requests`
  return {
    ...{ subject: title, title, facts: [countOf(data), ...amountsOf(data)] },
    paragraphs: [
      `We refuse requests with this key since ${moment(data.since)}, because ${whyOf(data)} (${data.code}).`,
      helps[data.reason]
    ]
  }
}

const whyOf = ({ reason }: Refused): string => whys[reason]
const countOf = ({ requests }: Refused): readonly [string, string] => ['Refused so far', String(requests)]

function amountsOf(refused: Refused): Array<readonly [string, string]> {
  const { needed_usd: usd, left_usd: leftUsd, needed_tokens: tokens, limit_tokens: limit } = refused
  if (usd !== null && leftUsd !== null)
    return [
      ['Smallest refused request', dollars(usd)],
      ['Left of the budget', dollars(leftUsd)]
    ]
  if (tokens === null || limit === null) return []
  return [
    ['Smallest refused request', `${tokens} tokens`],
    ['Limit', `${limit} tokens a minute`]
  ]
}

const lineOf = ({ type, data }: Told): string =>
  type === 'requests.refused'
    ? `${quoted(data.key.label)} refuses requests, because ${whyOf(data)}`
    : `${quoted(data.key.label)} no longer refuses requests`
