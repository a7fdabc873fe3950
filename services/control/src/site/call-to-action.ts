import { type ChosenPlan, chosenPlanPath } from '@tollgate/contracts/http/chosen-plan.ts'
import { plainButton, primaryButton } from './class-names.ts'
import { formatUsd } from './format.ts'
import { type Html, html } from './html.ts'
import { cheapestOffer, writeAmount } from './plan-prices.ts'
import type { SiteContext, Visitor } from './site-context.ts'
import type { SiteFacts, SitePlan } from './site-facts.ts'

interface Way {
  readonly href: string
  readonly text: string
}

/** How a visitor gets in: what the main button says, and what is to know about it. */
export interface CallToAction {
  readonly main: Way
  readonly note: string | null
}

/** What a visitor can do first. It tells the truth about who may register. */
export function callToAction(context: SiteContext, { hasSession }: Visitor): CallToAction {
  const { terms } = context
  if (hasSession) return { main: { href: '/dashboard', text: 'Open dashboard' }, note: null }
  if (terms.signup === 'open') {
    return { main: { href: '/register', text: 'Get started' }, note: null }
  }
  if (terms.signup === 'approved') {
    return {
      main: { href: '/register', text: 'Request access' },
      note: 'We approve each new account before it can call models.'
    }
  }
  const contact = contactUrl(context)
  return {
    main: contact === null ? { href: '/login', text: 'Sign in' } : { href: contact, text: 'Ask for an invitation' },
    note: 'New accounts are by invitation only.'
  }
}

/** Leads to the page that pays for a plan: for strangers, by way of their registration. */
export function wayToPlan(
  { id, name }: Pick<SitePlan, 'id' | 'name'>,
  interval: ChosenPlan['interval'],
  { terms }: SiteContext,
  { hasSession }: Visitor
): Way {
  const next = chosenPlanPath({ plan: id, interval })
  if (hasSession) return { href: next, text: `Choose ${name}` }
  const text = terms.signup === 'approved' ? 'Request access' : `Start with ${name}`
  return { href: `/register?${new URLSearchParams({ next })}`, text }
}

const maxProviders = 2

/** Ways in without a password. Whoever comes first registers with them, too. */
function providerWays({ terms }: SiteContext, { hasSession }: Visitor): Way[] {
  if (hasSession || terms.signup === 'invited') return []
  const shown = terms.providers.slice(0, maxProviders)
  return shown.map(({ id, name }) => ({ href: `/api/auth/providers/${id}`, text: `Continue with ${name}` }))
}

/** The buttons of a page, with what to know before below them: who gets an account, and what it costs. */
export function actionButtons(facts: SiteFacts, context: SiteContext, visitor: Visitor, other: Way): Html {
  const { main, note: terms } = callToAction(context, visitor)
  const note = [terms, visitor.hasSession ? null : describeStart(facts)].filter((text) => text !== null).join(' ')
  const others = [...providerWays(context, visitor), other]
  return html`<div class="flex flex-wrap gap-3"><a href="${main.href}" class="${primaryButton}">${main.text}</a>${others.map(
    ({ href, text }) => html`<a href="${href}" class="${plainButton}">${text}</a>`
  )}</div>${note !== '' && html`<p class="mt-3 text-sm text-ink-soft">${note}</p>`}`
}

/** What the free plan and the cheapest paid one cost and include. */
function describeStart({ plans }: SiteFacts): string {
  const free = plans.find(({ isFree }) => isFree)
  const paid = cheapestOffer(plans)
  const sentences = [
    ...(free === undefined ? [] : [`${free.name}: up to ${formatUsd(free.monthUsd)} of usage a month, no card.`]),
    ...(paid === null
      ? []
      : [`${paid.plan.name}: ${writeAmount(paid.price)} a month with up to ${formatUsd(paid.plan.monthUsd)} of usage.`])
  ]
  return sentences.join(' ')
}

/** Where people ask for a plan without a price: the operator's address, or null. */
export const contactUrl = ({ brand }: SiteContext): string | null => brand.salesUrl ?? brand.supportUrl
