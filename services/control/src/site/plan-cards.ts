import { planLines } from '@tollgate/contracts/plans/plan-lines.ts'
import { callToAction, contactUrl, wayToPlan } from './call-to-action.ts'
import { plainButton, primaryButton, segment, segments, textLink } from './class-names.ts'
import { countOf, formatCount, formatSize, formatUsd } from './format.ts'
import { type Html, type HtmlValue, html } from './html.ts'
import { cheapestOffer, intervals, priceOf, writeAmount } from './plan-prices.ts'
import type { SiteContext, Visitor } from './site-context.ts'
import type { SiteFacts, SitePlan } from './site-facts.ts'

type Price = SitePlan['prices'][number]

/** The table of the models that a plan includes. */
export const planModelsPath = ({ id }: SitePlan): string => `/models?${new URLSearchParams({ plan: id })}`

const formats = { usd: formatUsd, count: formatCount, size: formatSize }

/** What a plan includes, one line each. */
function planFeatures(plan: SitePlan): HtmlValue[] {
  const { monthUsd, modelIds, hasAllModels, keys, seats, limits, entitlements } = plan
  const { requestsPerMinute, tokensPerMinute } = limits
  const models = { count: modelIds.size, hasAll: hasAllModels }
  const terms = { monthUsd, models, keys, people: seats, requestsPerMinute, tokensPerMinute, entitlements }
  return planLines(terms, formats).map(({ of, text }) =>
    of === 'models' ? html`<a href="${planModelsPath(plan)}" class="${textLink}">${text}</a>` : text
  )
}

/** The plans side by side, with their prices by month and year. Radio buttons choose, without scripts: see site.css. */
export function planCards({ plans }: SiteFacts, context: SiteContext, visitor: Visitor): Html {
  const hasBoth = intervals.every((interval) => plans.some((plan) => priceOf(plan, interval) !== undefined))
  // One button stands out.
  const main = cheapestOffer(plans)?.plan
  return html`<div class="plans">${hasBoth && intervalSwitch(plans)}<ul class="mt-5 grid gap-4 sm:grid-cols-2 ${
    plans.length > 3 ? 'lg:grid-cols-4' : 'lg:grid-cols-3'
  }">${plans.map((plan) => planCard({ plan, isMain: plan === main }, context, visitor))}</ul></div>`
}

const intervalSwitch = (plans: readonly SitePlan[]): Html =>
  html`<fieldset><legend class="sr-only">Billing interval</legend><div class="${segments}"><label class="${segment}"><input type="radio" name="interval" value="month" checked class="absolute opacity-0">Monthly</label><label class="${segment}"><input type="radio" name="interval" value="year" class="absolute opacity-0">Yearly${describeSaving(plans)}</label></div></fieldset>`

/** How many months a year does not cost, if that is the same whole number for every plan: `, 2 months free`. */
function describeSaving(plans: readonly SitePlan[]): string {
  const saved = plans.flatMap((plan) => {
    const [month, year] = intervals.map((interval) => priceOf(plan, interval))
    if (month === undefined || year === undefined || month.currency !== year.currency) return []
    return [12 - year.amount / month.amount]
  })
  const [months = 0] = saved
  const isSame = saved.every((one) => one === months)
  return isSame && Number.isInteger(months) && months > 0 ? `, ${countOf(months, 'month')} free` : ''
}

interface ShownPlan {
  readonly plan: SitePlan
  /** Whether its button stands out. */
  readonly isMain: boolean
}

function planCard(shown: ShownPlan, context: SiteContext, visitor: Visitor): Html {
  const { plan } = shown
  return html`<li class="flex flex-col rounded-2xl border border-line bg-surface p-5 shadow-card"><h3 class="font-semibold">${plan.name}</h3>
<div class="mt-1 min-h-14">${writePrices(shown)}</div>
<ul class="mt-3 mb-5 grid flex-1 grid-cols-2 content-start gap-x-4 gap-y-1.5 text-sm sm:grid-cols-1">${planFeatures(
    plan
  ).map(
    (feature) =>
      html`<li class="flex gap-2"><svg aria-hidden="true" viewBox="0 0 16 16" class="mt-[3px] size-3.5 shrink-0 stroke-accent" fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="M3 8.5 6.5 12 13 4.5"/></svg><span class="min-w-0 break-words">${feature}</span></li>`
  )}</ul>${writeWay(shown, context, visitor)}</li>`
}

const bigPrice = 'text-2xl font-semibold tracking-tight tabular-nums'

/** Writes something for each price of a plan, and shows it while its interval is chosen. */
function forEachPrice({ plan }: ShownPlan, write: (price: Price, shown: readonly Price[]) => Html): Html {
  const shown = intervals.flatMap((interval) => priceOf(plan, interval) ?? [])
  return html`${shown.map((price) =>
    shown.length === 2 ? html`<div data-interval="${price.interval}">${write(price, shown)}</div>` : write(price, shown)
  )}`
}

function writePrices(shown: ShownPlan): Html {
  const { isFree, prices } = shown.plan
  if (isFree) return html`<p class="${bigPrice}">$0</p><p class="text-[0.8125rem] text-ink-soft">No card needed</p>`
  if (prices.length === 0) return html`<p class="${bigPrice}">On request</p>`
  return forEachPrice(
    shown,
    (price, both) =>
      html`<p><span class="${bigPrice}">${writeAmount(price)}</span> <span class="text-sm text-ink-soft">a ${price.interval}</span></p>${
        both.length === 2 && html`<p class="text-[0.8125rem] text-ink-soft">${comparePrices(price, both)}</p>`
      }`
  )
}

/** What the other interval costs, in a line below the price. */
function comparePrices(price: Price, [month, year]: readonly Price[]): string {
  if (price.interval === 'month') return `or ${writeAmount(year!)} a year`
  const saved = month!.amount * 12 - year!.amount
  return month!.currency === year!.currency && saved > 0
    ? `${writeAmount({ ...year!, amount: saved })} less than 12 months`
    : `or ${writeAmount(month!)} a month`
}

function writeWay(shown: ShownPlan, context: SiteContext, visitor: Visitor): Html | null {
  const { isFree, prices } = shown.plan
  if (!isFree && prices.length === 0) {
    const contact = contactUrl(context)
    if (contact === null) return html`<p class="text-sm text-ink-soft">Ask the operator of this service.</p>`
    return html`<a href="${contact}" class="${plainButton} w-full">Contact sales</a>`
  }
  if (!visitor.hasSession && context.terms.signup === 'invited') {
    return html`<p class="text-sm text-ink-soft">By invitation.</p>`
  }
  const { main } = callToAction(context, visitor)
  if (isFree) return html`<a href="${main.href}" class="${plainButton} w-full">${main.text}</a>`
  return forEachPrice(shown, ({ interval }) => {
    const { href, text } = wayToPlan(shown.plan, interval, context, visitor)
    return html`<a href="${href}" class="${shown.isMain ? primaryButton : plainButton} w-full">${text}</a>`
  })
}
