import { type Html, html } from './html.ts'
import { plainButton, primaryButton, textLink } from './looks.ts'
import type { SiteContext, Visitor } from './site-context.ts'

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
export function callToAction({ terms, brand }: SiteContext, { hasSession }: Visitor): CallToAction {
  if (hasSession) return { main: { href: '/dashboard', text: 'Open dashboard' }, note: null }
  if (terms.signup === 'open') {
    return { main: { href: '/register', text: 'Get started' }, note: 'Free plan. No card needed.' }
  }
  if (terms.signup === 'approved') {
    return {
      main: { href: '/register', text: 'Request access' },
      note: 'We approve each new account before it can call models.'
    }
  }
  const contact = brand.salesUrl ?? brand.supportUrl
  return {
    main: contact === null ? { href: '/login', text: 'Sign in' } : { href: contact, text: 'Ask for an invitation' },
    note: 'New accounts are by invitation only.'
  }
}

/** The buttons of a page, with the note below them. */
export function actionButtons(context: SiteContext, visitor: Visitor, other: Way): Html {
  const { main, note } = callToAction(context, visitor)
  return html`<div class="flex flex-wrap gap-3"><a href="${main.href}" class="${primaryButton}">${main.text}</a><a href="${other.href}" class="${plainButton}">${other.text}</a></div>${
    note === null ? null : html`<p class="mt-3 text-sm text-ink-soft">${note}</p>`
  }`
}

/** Where people ask for a plan without a price: the operator's address, or null. */
export const contactUrl = ({ brand }: SiteContext): string | null => brand.salesUrl ?? brand.supportUrl

/** A link to the operator, in a sentence. */
export const contactLink = (context: SiteContext, text: string): Html | null => {
  const url = contactUrl(context)
  return url === null ? null : html`<a href="${url}" class="${textLink}">${text}</a>`
}
