import { standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { formatDay, formatPrice } from './format.ts'
import { type Html, html } from './html.ts'
import { badge } from './looks.ts'
import type { SiteModel } from './site-facts.ts'

const none = html`<span class="text-ink-soft" aria-label="none">–</span>`

/** The usual price of a kind, or a dash where the model has no such tokens. */
export function usualPrice({ isFree, usual, max_output_tokens: output, kind }: SiteModel, name: PriceName): Html {
  if (name === 'output' && (output === 0 || kind === 'embedding' || kind === 'moderation')) return none
  return isFree ? html`Free` : html`${formatPrice(usual[name])}`
}
export type PriceName = 'input' | 'cached_input' | 'output'

/** The marks of a model: that it is free, and that a price will change. */
export function modelMarks({ isFree, changes }: SiteModel): Html {
  const [next] = changes
  return html`${isFree && html`<span class="${badge} bg-accent-soft text-accent">Free</span>`}${
    next !== undefined &&
    html`<span class="${badge} bg-warning-soft text-warning">New prices ${formatDay(next.from)}</span>`
  }`
}

/** The coming changes of a model's prices as sentences. */
export const describeChanges = ({ changes }: SiteModel): string[] =>
  changes.map(({ from, prices }) => {
    const parts = prices.map(({ tier, name, unit, from_usd: old, to_usd: next }) => {
      const ofTier = tier === standardTier ? '' : ` (tier ${tier})`
      return `${name}${ofTier} from $${old} to $${next} per ${unit}`
    })
    return `From ${formatDay(from)}: ${parts.join('; ')}.`
  })
