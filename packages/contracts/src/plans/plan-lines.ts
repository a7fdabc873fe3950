/** What a plan includes. */
export interface PlanTerms {
  readonly monthUsd: number
  /** The models that gateways offer; null if that is not known. */
  readonly models: { readonly count: number; readonly hasAll: boolean } | null
  /** null: any number. */
  readonly keys: number | null
  readonly people: number | null
  readonly requestsPerMinute: number
  readonly tokensPerMinute: number
  readonly entitlements: readonly string[]
}

/** How numbers are written for the reader. */
export interface NumberFormats {
  /** Dollars without the cents of a whole amount: `$20`. */
  readonly usd: (usd: number) => string
  readonly count: (count: number) => string
  /** A large number in few characters: `1M`. */
  readonly size: (count: number) => string
}

export interface PlanLine {
  readonly of: 'usage' | 'models' | 'keys' | 'people' | 'requests' | 'tokens' | 'feature'
  readonly text: string
}

/** Says what a plan includes, one line each, in the same words on the public pages and on the billing page. */
export function planLines(terms: PlanTerms, { usd, count, size }: NumberFormats): PlanLine[] {
  const numberOf = (number: number | null, singular: string, plural: string): string =>
    number === null ? `Any number of ${plural}` : `${count(number)} ${number === 1 ? singular : plural}`
  const { models } = terms
  return [
    { of: 'usage', text: `Up to ${usd(terms.monthUsd)} of usage a month` },
    ...(models === null
      ? []
      : [
          { of: 'models', text: `${models.hasAll ? 'All ' : ''}${numberOf(models.count, 'model', 'models')}` } as const
        ]),
    { of: 'keys', text: numberOf(terms.keys, 'API key', 'API keys') },
    { of: 'people', text: numberOf(terms.people, 'person', 'people') },
    { of: 'requests', text: `${count(terms.requestsPerMinute)} requests a minute` },
    { of: 'tokens', text: `${size(terms.tokensPerMinute)} tokens a minute` },
    ...namedFeatures(terms).map((text) => ({ of: 'feature', text }) as const)
  ]
}

/** Entitlements that other lines of a plan say already. */
const obvious = new Set(['chat', 'completions', 'embeddings', 'all-models', 'seats'])
const names: Readonly<Record<string, string>> = { 'partner-api': 'API to create keys for your customers' }

/** The names of a plan's special features. An operator's own are shown as the catalog has them. */
export const namedFeatures = ({ entitlements }: Pick<PlanTerms, 'entitlements'>): string[] =>
  entitlements.filter((name) => !obvious.has(name)).map((name) => names[name] ?? name)
