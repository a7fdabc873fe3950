import { namedFeatures } from '@tollgate/contracts/plans/plan-lines.ts'
import { actionButtons } from './call-to-action.ts'
import { card, cell, container, headCell, sectionTitle, textLink } from './class-names.ts'
import { writeQuestions } from './default-texts.ts'
import { countOf, formatCount, formatSize, formatUsd } from './format.ts'
import { type Html, type HtmlValue, html } from './html.ts'
import { planCards, planModelsPath } from './plan-cards.ts'
import { writeAmount } from './plan-prices.ts'
import { questionList } from './questions.ts'
import type { Page, SiteContext, Visitor } from './site-context.ts'
import type { SiteFacts, SitePlan } from './site-facts.ts'
import { planOffers } from './structured-data.ts'

/** `/pricing`: the plans, what they include, and what happens at the cap. */
export function pricingPage(facts: SiteFacts, context: SiteContext, visitor: Visitor): Page {
  const questions = writeQuestions(context.texts, facts, context.terms)
  return {
    path: '/pricing',
    title: 'Pricing',
    description: describePricing(facts),
    body: html`<div class="${container} pt-10"><h1 class="text-3xl font-semibold tracking-tight">Pricing</h1><p class="mt-2 mb-6 max-w-prose text-ink-soft">You pay a fixed price. It includes usage up to a cap, counted at the <a href="/models" class="${textLink}">prices of the models</a>. Nothing is charged beyond it.</p>
<h2 class="sr-only">Plans</h2>${planCards(facts, context, visitor)}
<section class="mt-14"><h2 id="compare" class="${sectionTitle}">Compare the plans</h2>${comparePlans(facts)}</section>
<section class="mt-14" aria-labelledby="cap"><h2 id="cap" class="${sectionTitle}">What happens at the cap</h2><p class="mt-1 max-w-prose text-ink-soft">No request is charged above a budget: of the plan, of a key, or of one that you set yourself.</p>${capSteps}</section>
<section class="mt-14">${questionList(questions)}</section>
<div class="mt-10">${actionButtons(facts, context, visitor, { href: '/models', text: 'See models and prices' })}</div></div>`,
    data: planOffers(facts, context)
  }
}

function describePricing({ plans, models }: SiteFacts): string {
  const parts = plans.flatMap(({ name, isFree, prices }) => {
    if (isFree) return [`${name}: $0`]
    return prices.length === 0 ? [] : [`${name}: ${writeAmount(prices[0]!)} a ${prices[0]!.interval}`]
  })
  return `Plans with a fixed price and a hard monthly budget for ${countOf(models.length, 'model')}. ${parts.join(', ')}.`
}

const anyNumber = 'Any number'
const countOrAny = (count: number | null): string => (count === null ? anyNumber : formatCount(count))

type Row = readonly [name: HtmlValue, read: (plan: SitePlan) => HtmlValue]

const rows: readonly Row[] = [
  ['Usage each month, up to', ({ monthUsd }) => formatUsd(monthUsd)],
  ['Maximum cost of one request', ({ requestUsd }) => formatUsd(requestUsd)],
  [
    'Models',
    (plan) =>
      html`<a href="${planModelsPath(plan)}" class="${textLink}">${plan.hasAllModels && 'All '}${formatCount(plan.modelIds.size)}</a>`
  ],
  ['API keys', ({ keys }) => countOrAny(keys)],
  ['People', ({ seats }) => countOrAny(seats)],
  ['Requests per minute', ({ limits }) => formatCount(limits.requestsPerMinute)],
  [
    html`Tokens per minute <span class="block text-[0.8125rem]">Prompts and maximum output</span>`,
    ({ limits }) => formatSize(limits.tokensPerMinute)
  ],
  ['Concurrent requests', ({ limits }) => formatCount(limits.concurrentRequests)]
]

const freeRows: readonly Row[] = [
  ['Requests to free models per minute', ({ limits }) => countOrNoLimit(limits.freeRequestsPerMinute)],
  ['Requests to free models per day', ({ limits }) => countOrNoLimit(limits.freeRequestsPerDay)]
]
const countOrNoLimit = (count: number | undefined): string =>
  count === undefined ? 'No own limit' : formatCount(count)

/** How many plans are beside each other on a phone. More of them scroll. */
const maxNarrow = 4

function comparePlans({ plans }: SiteFacts): Html {
  const shown = [
    ...rows,
    ...freeRows.filter(([, read]) => plans.some((plan) => read(plan) !== countOrNoLimit(undefined))),
    ...[...new Set(plans.flatMap(namedFeatures))].map(
      (name): Row => [name, (plan) => (namedFeatures(plan).includes(name) ? 'Included' : '–')]
    )
  ]
  const isNarrow = plans.length <= maxNarrow
  return html`<div class="${card} ${isNarrow ? 'sm:wide-table' : 'wide-table'} mt-5" tabindex="0" role="region" aria-labelledby="compare"><table class="${isNarrow && 'plan-table'} w-full text-sm"><thead class="border-b border-line"><tr><th scope="col" class="${headCell} pl-5">Limit</th>${plans.map(
    ({ name }) => html`<th scope="col" class="${headCell} text-ink">${name}</th>`
  )}</tr></thead><tbody class="divide-y divide-line">${shown.map(
    ([name, read]) =>
      html`<tr><th scope="row" class="${cell} min-w-36 pl-5 text-left font-normal text-ink-soft">${name}</th>${plans.map(
        (plan) => html`<td class="${cell} tabular-nums">${read(plan)}</td>`
      )}</tr>`
  )}</tbody></table></div>`
}

const steps = [
  [
    'Close to the cap',
    'The maximum cost of each request is reserved before it starts. As less is left, the maximum length of answers shrinks to what the budget still covers.'
  ],
  [
    'At the cap',
    'A request that could cost more than what is left gets the error 402 before it reaches the model. It costs nothing, and says how much is left and when the budget starts again. Models that cost nothing go on.'
  ],
  [
    'After it',
    'The budget starts again on the first day of the next month (UTC). To go on at once, choose a larger plan: your next request uses the new limits. A key can name a cheaper model that answers instead.'
  ]
] as const

const capSteps = html`<ol class="mt-5 grid gap-4 lg:grid-cols-3">${steps.map(
  ([title, text], index) =>
    html`<li class="${card} p-5"><h3 class="font-semibold"><span class="mr-2 text-accent tabular-nums">${index + 1}</span>${title}</h3><p class="mt-1.5 text-sm text-ink-soft">${text}</p></li>`
)}</ol>`
