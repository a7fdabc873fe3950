import { standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { badge } from './class-names.ts'
import { formatDay, formatPrice, formatShortDay } from './format.ts'
import { type Html, html } from './html.ts'
import type { SiteModel } from './site-facts.ts'

/** The usual price of a kind, or a dash where the model has no such tokens. */
export function usualPrice({ isFree, usual, max_output_tokens: output, kind }: SiteModel, name: PriceName): string {
  if (name === 'output' && (output === 0 || kind === 'embedding' || kind === 'moderation')) return '–'
  return isFree ? 'Free' : formatPrice(usual[name])
}
export type PriceName = 'input' | 'cached_input' | 'output'

/** The marks of a model: that it is free, and when its usual prices change. */
export function modelMarks({ isFree, changes }: SiteModel): Html {
  const next = changes.find(({ prices }) => prices.some(({ tier }) => tier === standardTier))
  return html`${isFree && html`<span class="${badge} bg-accent-soft text-accent">Free</span>`}${
    next !== undefined &&
    html`<span class="${badge} bg-warning-soft text-warning">New prices ${formatShortDay(next.from)}</span>`
  }`
}

/** The coming changes of a model's prices, a sentence for each date and tier. */
export const describeChanges = ({ changes }: SiteModel): string[] =>
  changes.flatMap(({ from, prices }) =>
    [...Map.groupBy(prices, ({ tier }) => tier)].map(([tier, ofTier]) => {
      const ofUnit = [...Map.groupBy(ofTier, ({ unit }) => unit)].map(([unit, all]) => {
        const steps = all.map(({ name, from_usd: old, to_usd: next }) => `${name} $${old} → $${next}`)
        return `${steps.join(', ')} per ${unit}`
      })
      return `From ${formatDay(from)}${tier === standardTier ? '' : `, tier ${tier}`}: ${ofUnit.join('; ')}.`
    })
  )
