import type { PricesOfPeriod } from '@tollgate/contracts/http/offered-models.ts'
import { counterNames } from '@tollgate/contracts/meters/meters.ts'
import { formatPicos } from '@tollgate/contracts/money/usd.ts'
import { cost } from '@tollgate/contracts/prices/cost.ts'
import { standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { badge } from './class-names.ts'
import { formatContext, formatDay, formatPrice, formatShortDay, formatUsd } from './format.ts'
import { type Html, html } from './html.ts'
import { isAtSomeTimes, presentPrices, type SiteFacts, type SiteModel } from './site-facts.ts'

export type PriceName = 'input' | 'cached_input' | 'output'

/** Whether requests pay for output. */
export const hasOutput = ({ max_output_tokens: output, kind }: SiteModel): boolean =>
  output > 0 && kind !== 'embedding' && kind !== 'moderation'

/** The usual price of a kind, or a dash where the model has no such tokens. */
export const usualPrice = (model: SiteModel, name: PriceName): string =>
  name === 'output' && !hasOutput(model) ? '–' : formatPrice(model.usual[name])

/** Widths of missing digits, by their number. Tailwind reads the classes here. */
const fills = ['', 'pr-[1ch]', 'pr-[2ch]', 'pr-[3ch]', 'pr-[4ch]', 'pr-[5ch]', 'pr-[6ch]', 'pr-[7ch]']

const decimalsOf = (price: string): number => price.split('.')[1]?.length ?? 0

/** Makes what writes the cells of a column of prices, so that their decimal points are below each other. */
export function alignPrices(models: readonly SiteModel[], name: PriceName): (model: SiteModel) => Html {
  const longest = Math.max(...models.map((model) => decimalsOf(usualPrice(model, name))))
  return (model) => {
    const price = usualPrice(model, name)
    const missing = price === '–' ? 0 : longest - decimalsOf(price)
    return missing === 0 ? html`${price}` : html`<span class="${fills[missing]!}">${price}</span>`
  }
}

/** What the usual prices do not say, in few words: a coming change, and when other prices apply. */
export const modelMarks = (model: SiteModel, { year }: SiteFacts): Html =>
  html`${writeMark(comingPrices(model, year), 'bg-warning-soft text-warning')}${furtherRates(model).map((text) =>
    writeMark(text, 'bg-sunken text-ink-soft')
  )}`

const writeMark = (text: string | null, look: string): Html | null =>
  text === null
    ? null
    : html` <span class="${badge} ${look} max-sm:mb-1 max-sm:block max-sm:w-fit max-sm:whitespace-normal">${text}</span>`

/** `2× above 200K tokens`, and `2× at some hours`. */
function furtherRates(model: SiteModel): string[] {
  const { prices, usual } = model
  const ofStandard = ({ rows }: PricesOfPeriod) => rows.filter(({ tier }) => tier === standardTier)
  const [long] = ofStandard(presentPrices(model))
    .filter(({ above_prompt_tokens: above }) => above > 0)
    .toSorted((one, other) => one.above_prompt_tokens - other.above_prompt_tokens)
  const [hourly] = prices
    .filter(isAtSomeTimes)
    .flatMap((period) => ofStandard(period).filter(({ above_prompt_tokens: above }) => above === 0))
    .flatMap((row) => ratioOf(row.usd_per_million_tokens.input, usual.input) ?? [])
  const marks: string[] = []
  if (long !== undefined) {
    const { input, output } = long.usd_per_million_tokens
    const [ofInput, ofOutput] = [ratioOf(input, usual.input), ratioOf(output, usual.output)]
    const ratio = ofInput === null ? 'Other prices' : ofInput === ofOutput ? ofInput : `Input ${ofInput}`
    marks.push(`${ratio} above ${formatContext(long.above_prompt_tokens)} tokens`)
  }
  if (hourly !== undefined) marks.push(`${hourly} at some hours`)
  return marks
}

/** How many times as much a price is: `2×`; null for the same price, or beside none. */
function ratioOf(price: number, usual: number): string | null {
  const ratio = Math.round((price / usual) * 10) / 10
  return Number.isFinite(ratio) && ratio !== 1 ? `${ratio}×` : null
}

/** The coming change of a model's usual prices: `$4 / $20 from 1 Dec`. */
function comingPrices({ changes }: SiteModel, year: number): string | null {
  const next = changes.find(({ prices }) => prices.some(({ tier }) => tier === standardTier))
  if (next === undefined) return null
  const changed = next.prices.filter(({ tier }) => tier === standardTier)
  const [input, output] = ['Input', 'Output'].map((kind) => {
    const price = changed.find(({ name }) => name === kind)
    return price === undefined ? null : formatUsd(Number(price.to_usd))
  })
  const text =
    input && output ? `${input} / ${output}` : input ? `Input ${input}` : output ? `Output ${output}` : 'New prices'
  return `${text} from ${formatShortDay(next.from, year)}`
}

/** The cheapest plan of a model. The free one stands out. */
export const planMark = ({ plan: { name, isFree } }: SiteModel): Html =>
  isFree ? html`<span class="${badge} bg-accent-soft text-accent-strong">${name}</span>` : html`${name}`

/** For how long providers keep what is written into their long cache. */
const longCaches: Readonly<Record<string, string>> = { anthropic: '1 hour', openai: '12 hours' }

/** The name of what a price is for, at the provider of a model. */
export const nameMeter = (name: string, { owned_by: owner }: SiteModel): string =>
  name === counterNames.longCacheWriteTokens ? `Cache write, ${longCaches[owner] ?? 'long'}` : name

/** The coming changes of a model's prices, a sentence for each date and tier. */
export const describeChanges = (model: SiteModel): string[] =>
  model.changes.flatMap(({ from, prices }) =>
    [...Map.groupBy(prices, ({ tier }) => tier)].map(([tier, ofTier]) => {
      const ofUnit = [...Map.groupBy(ofTier, ({ unit }) => unit)].map(([unit, all]) => {
        const steps = all.map(({ name, from_usd: old, to_usd: next }) => `${nameMeter(name, model)} $${old} → $${next}`)
        return `${steps.join(', ')} per ${unit}`
      })
      return `From ${formatDay(from)}${tier === standardTier ? '' : `, tier ${tier}`}: ${ofUnit.join('; ')}.`
    })
  )

/** What a request of so many tokens costs in the standard tier now: `$0.0007`. */
export function exampleCost({ rates }: SiteModel, promptTokens: number, completionTokens: number): string {
  const usage = { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0, rare: null, calls: null }
  return `$${formatPicos(BigInt(cost(usage, rates)) * 1000n)}`
}

/** What an example of a request costs, in a sentence. */
export const describeExampleCost = (model: SiteModel): string =>
  hasOutput(model)
    ? `A 1,000-token prompt with a 500-token answer costs ${exampleCost(model, 1000, 500)}.`
    : `A text of 1,000 tokens costs ${exampleCost(model, 1000, 0)}.`

/** In which unit prices are shown, and in which plan if that matters. */
export const describeUnit = ({ hasPriceGroups }: SiteFacts): string =>
  hasPriceGroups
    ? 'Prices in USD per million tokens, in the cheapest plan that includes the model. Other plans can have other prices.'
    : 'Prices in USD per million tokens.'
