import type { EventData } from '@tollgate/contracts/events/event-types.ts'
import type { MailContent, NoticeOf } from './mail-content.ts'
import { dollars, monthName, quoted } from './write-words.ts'

type Threshold = EventData<'budget.threshold'>

/** A mail about budgets: the account's first, then forecasts, then those of keys. Each budget is named once, as it is now. */
export function budgetMail(notices: ReadonlyArray<NoticeOf<'budget.threshold' | 'budget.forecast'>>): MailContent {
  const thresholds = notices.flatMap((notice) => (notice.type === 'budget.threshold' ? [notice.data] : []))
  const ofAccount = thresholds.findLast(({ scope }) => scope === 'account')
  const ofKeys = [...new Map(thresholds.filter(({ key }) => key !== null).map((one) => [one.key!.id, one])).values()]
  const forecast = notices.findLast((notice) => notice.type === 'budget.forecast')
  const items = ofKeys.map(keyLine)
  if (ofAccount !== undefined) return { ...accountMail(ofAccount), ...(items.length > 0 && { items }) }
  if (forecast !== undefined) return { ...forecastMail(forecast.data), ...(items.length > 0 && { items }) }
  return keysMail(ofKeys)
}

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
    ...{ subject: title, title, facts: factsOf(month, budget_usd, spent_usd), button },
    paragraphs:
      percent >= 100
        ? [usedUp, 'Your other keys still work. To continue with this key, raise its budget.']
        : ['When its budget is used up, we refuse further requests with this key until the month ends.']
  }
}

const keyLine = ({ key, percent, budget_usd, spent_usd }: Threshold): string =>
  `${quoted(key!.label)}: ${percent} % of its budget (${dollars(spent_usd)} of ${dollars(budget_usd)})`

const factsOf = (month: string, budget: string, spent: string): Array<readonly [string, string]> => [
  [`Spent in ${monthName(month)}`, dollars(spent)],
  ['Budget', dollars(budget)]
]
