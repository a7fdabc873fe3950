import type { EventData } from '@tollgate/contracts/events/event-types.ts'
import type { RefusalReason } from '@tollgate/contracts/requests/refusal-reasons.ts'
import { dollars, type MailContent, moment, monthName, type NoticeOf, quoted } from './mail-content.ts'
import type { NamedMember } from './name-members.ts'

type Threshold = EventData<'budget.threshold'>
type WindowThreshold = NoticeOf<'budget.window_threshold'>['data'] & NamedMember
type WindowForecast = NoticeOf<'budget.window_forecast'>['data'] & NamedMember
type BudgetNotice = NoticeOf<
  'budget.threshold' | 'budget.window_threshold' | 'budget.forecast' | 'budget.window_forecast'
>

/**
 * A mail about budgets: the account's of the month first, then forecasts, then the others. Each budget is named once, as
 * it is now.
 */
export function budgetMail(notices: readonly BudgetNotice[]): MailContent {
  const thresholds = notices.flatMap((notice) => (notice.type === 'budget.threshold' ? [notice.data] : []))
  const ofAccount = thresholds.findLast(({ scope }) => scope === 'account')
  const ofKeys = [...new Map(thresholds.filter(({ key }) => key !== null).map((one) => [one.key!.id, one])).values()]
  const forecast = notices.findLast((notice) => notice.type === 'budget.forecast')
  const windows = lastOfEach(
    notices.flatMap((notice) => (notice.type === 'budget.window_threshold' ? [notice.data] : []))
  )
  const isTold = new Set(windows.map(placeOf))
  // A threshold says more than the forecast of the same budget.
  const forecasts = lastOfEach(
    notices.flatMap((notice) => (notice.type === 'budget.window_forecast' ? [notice.data] : []))
  ).filter((data) => !isTold.has(placeOf(data)))
  const items = [...ofKeys.map(keyLine), ...windows.map(windowLine), ...forecasts.map(forecastLine)]
  if (ofAccount !== undefined) return { ...accountMail(ofAccount), ...(items.length > 0 && { items }) }
  if (forecast !== undefined) return { ...forecastMail(forecast.data), ...(items.length > 0 && { items }) }
  if (windows.length === 0 && forecasts.length === 0) return keysMail(ofKeys)
  if (items.length === 1) return windows.length === 1 ? windowMail(windows[0]!) : windowForecastMail(forecasts[0]!)
  const title = `${items.length} budgets ${forecasts.length === 0 ? 'have reached a threshold' : 'need your attention'}`
  return { subject: title, title, paragraphs: [], items, button: seeUsage }
}

const lastOfEach = <Data extends OfWindow>(all: readonly Data[]): Data[] => [
  ...new Map(all.map((one) => [placeOf(one), one])).values()
]

/** What tells budgets with a window apart. */
type OfWindow = Pick<WindowThreshold, 'key' | 'member_id' | 'window' | 'models'> & NamedMember

const placeOf = ({ key, member_id, window, models }: OfWindow): string =>
  JSON.stringify([key?.id, member_id, window, models])

const usedUp = 'Until the month ends, we refuse requests that no longer fit the budget, with status 402.'
const seeUsage = { text: 'See your usage', path: '/dashboard/usage' }

function accountMail({ percent, month, budget_usd, spent_usd }: Threshold): MailContent {
  const isUsedUp = percent >= 100
  return {
    subject: isUsedUp ? 'Your monthly budget is used up' : `You have used ${percent} % of your monthly budget`,
    title: isUsedUp ? `Your budget for ${monthName(month)} is used up` : `You have used ${percent} % of your budget`,
    facts: factsOf(month, budget_usd, spent_usd),
    paragraphs: isUsedUp
      ? [usedUp, 'To continue now, raise your budget or choose a larger plan.']
      : [`When the budget is used up, we refuse further requests until ${monthName(month)} ends.`],
    button: isUsedUp ? { text: 'See your plan', path: '/dashboard/billing' } : seeUsage
  }
}

function forecastMail({ month, budget_usd, spent_usd, forecast_usd }: EventData<'budget.forecast'>): MailContent {
  return {
    subject: `Your budget will probably not last until ${monthName(month)} ends`,
    title: `Your budget will probably not last until ${monthName(month)} ends`,
    facts: [...factsOf(month, budget_usd, spent_usd), ['Forecast for the month', dollars(forecast_usd)]],
    paragraphs: [
      'The forecast assumes that you spend as much each day as in the last days.',
      'When the budget is used up, we refuse further requests until the month ends.'
    ],
    button: seeUsage
  }
}

function keysMail(thresholds: readonly Threshold[]): MailContent {
  const [only, ...others] = thresholds
  const button = { text: 'See your keys', path: '/dashboard/keys' }
  if (only === undefined || others.length > 0) {
    const title = `${thresholds.length} API keys have reached a share of their budgets`
    return { subject: title, title, paragraphs: [], items: thresholds.map(keyLine), button }
  }
  const { percent, month, budget_usd, spent_usd } = only
  const label = quoted(only.key!.label)
  const title =
    percent >= 100
      ? `The budget of your API key ${label} is used up`
      : `Your API key ${label} has used ${percent} % of its budget`
  return {
    subject: title,
    title,
    facts: factsOf(month, budget_usd, spent_usd),
    button,
    paragraphs:
      percent >= 100
        ? [usedUp, 'Your other keys still work. To continue with this key, raise its budget.']
        : ['When its budget is used up, we refuse further requests with this key until the month ends.']
  }
}

const often = { day: 'daily', week: 'weekly', month: 'monthly', lifetime: 'lifetime' } as const

/** Such as `daily budget of your API key “shop” for small`. */
function nameOfBudget({ key, member_id, member_name, window, models }: OfWindow): string {
  const person = member_name === undefined ? 'a member of your team' : quoted(member_name)
  const owner = key !== null ? `your API key ${quoted(key.label)}` : member_id !== null ? person : 'your account'
  return `${often[window]} budget of ${owner}${models === null ? '' : ` for ${models.join(', ')}`}`
}

function windowMail(threshold: WindowThreshold): MailContent {
  const { percent, key, window, models, budget_usd, spent_usd, resets_at } = threshold
  const name = nameOfBudget(threshold)
  const title = percent >= 100 ? `The ${name} is used up` : `${percent} % of the ${name} is spent`
  const requests = models === null ? 'requests' : `requests for ${models.join(', ')}`
  const spent = window === 'lifetime' ? 'Spent' : `Spent this ${window}`
  return {
    subject: title,
    title,
    facts: [
      [spent, dollars(spent_usd)],
      ['Budget', dollars(budget_usd)],
      ...(resets_at === null ? [] : [['Resets', moment(resets_at)] as const])
    ],
    paragraphs:
      percent >= 100
        ? [`We refuse ${requests} that no longer fit this budget, with status 402. To continue now, raise it.`]
        : [`When it is used up, we refuse further ${requests}${resets_at === null ? '' : ' until it resets'}.`],
    button: key === null ? seeUsage : { text: 'See your keys', path: '/dashboard/keys' }
  }
}

function windowForecastMail(forecast: WindowForecast): MailContent {
  const { key, window, models, budget_usd, spent_usd, used_up_at, resets_at } = forecast
  const title = `The ${nameOfBudget(forecast)} will probably not last`
  const requests = models === null ? 'requests' : `requests for ${models.join(', ')}`
  return {
    subject: title,
    title,
    facts: [
      [window === 'lifetime' ? 'Spent' : `Spent this ${window}`, dollars(spent_usd)],
      ['Budget', dollars(budget_usd)],
      ['Probably used up', moment(used_up_at)],
      ...(resets_at === null ? [] : [['Resets', moment(resets_at)] as const])
    ],
    paragraphs: [
      'The forecast assumes that as much is spent each day as in the last days.',
      `When it is used up, we refuse further ${requests}${resets_at === null ? '' : ' until it resets'}.`
    ],
    button: key === null ? seeUsage : { text: 'See your keys', path: '/dashboard/keys' }
  }
}

const forecastLine = (forecast: WindowForecast): string =>
  `The ${nameOfBudget(forecast)} will probably be used up at ${moment(forecast.used_up_at)} (${dollars(forecast.spent_usd)} of ${dollars(forecast.budget_usd)} is spent)`

const windowLine = (threshold: WindowThreshold): string => {
  const { percent, budget_usd, spent_usd } = threshold
  return `${percent} % of the ${nameOfBudget(threshold)} (${dollars(spent_usd)} of ${dollars(budget_usd)})`
}

const keyLine = ({ key, percent, budget_usd, spent_usd }: Threshold): string =>
  `${quoted(key!.label)}: ${percent} % of its budget (${dollars(spent_usd)} of ${dollars(budget_usd)})`

const factsOf = (month: string, budget: string, spent: string): Array<readonly [string, string]> => [
  [`Spent in ${monthName(month)}`, dollars(spent)],
  ['Budget', dollars(budget)]
]

type Told = NoticeOf<'requests.refused' | 'requests.refused_ended'>
type Refused = EventData<'requests.refused'>

/** Why, after “because”. */
const whys: Readonly<Record<RefusalReason, string>> = {
  budget: 'a budget has too little left',
  rate: 'a rate limit is reached',
  model: 'the key may not use the model',
  address: 'they come from IP addresses that the key does not allow',
  paused: 'the key is paused',
  suspended: 'the account is suspended',
  other: 'it may not make them'
}

/** What helps. A reason that is not here needs nobody's help. */
const helps: Readonly<Record<RefusalReason, string>> = {
  budget: 'To serve these requests now, raise the budget, choose a larger plan, or send requests that cost less.',
  rate: 'Send fewer requests at a time, raise the limit of the key, or choose a larger plan.',
  model: 'Allow the model for the key, or use another model.',
  address: 'Add the addresses to the key if they are yours. If they are not, somebody else has the key: rotate it.',
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
  return { subject: title, title, button, items: notices.map(lineOf), paragraphs: [] }
}

function oneKey({ type, data }: Told): Omit<MailContent, 'button'> {
  const label = quoted(data.key.label)
  if (type === 'requests.refused_ended') {
    const title = `Your API key ${label} no longer refuses requests`
    return {
      subject: title,
      title,
      facts: [countOf(data)],
      paragraphs: [`It refused them from ${moment(data.since)} to ${moment(data.last_at)}, because ${whyOf(data)}.`]
    }
  }
  const title = `Your API key ${label} refuses requests`
  return {
    subject: title,
    title,
    facts: [countOf(data), ...amountsOf(data)],
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
