import { featureTexts } from '@tollgate/contracts/catalog/features.ts'
import type { SiteFacts, SiteModel } from './site-facts.ts'

/** The columns by which the table can be sorted. */
export const sortColumns = [
  'model',
  'provider',
  'kind',
  'plan',
  'context',
  'longest',
  'input',
  'cached',
  'output'
] as const
export type SortColumn = (typeof sortColumns)[number]

/** What a visitor may want a model to do, with the names for people. */
export const abilities = { ...featureTexts, image: 'Images', audio: 'Audio' } as const
export type Ability = keyof typeof abilities

/** What a model can do besides answering text with text. */
export const abilitiesOf = ({ features, accepts }: Pick<SiteModel, 'features' | 'accepts'>): Ability[] => [
  ...features,
  ...accepts.filter((one) => one !== 'text')
]

/** What a visitor asks of the table of models. */
export interface ModelsQuery {
  readonly text: string
  /** `owned_by`; empty: all. */
  readonly provider: string
  /** Empty: all. */
  readonly kind: string
  /** What the models must be able to do; empty: anything. */
  readonly can: Ability | ''
  /** The id of a plan; empty: all. */
  readonly plan: string
  /** Only models whose prices are all 0. */
  readonly isFree: boolean
  /** null: by provider, then in the order of the catalog. */
  readonly sort: SortColumn | null
  readonly isDescending: boolean
}

const maxLength = 100

/** Reads the query of an address. What the table does not know is left out. */
export function readModelsQuery(
  query: Readonly<Record<string, unknown>>,
  { providers, kinds, plans }: SiteFacts
): ModelsQuery {
  const textOf = (name: string): string => {
    const value = query[name]
    return typeof value === 'string' ? value.slice(0, maxLength) : ''
  }
  const [provider, kind, plan, sort] = [textOf('provider'), textOf('kind'), textOf('plan'), textOf('sort')]
  const can = textOf('can')
  return {
    text: textOf('q').trim(),
    provider: providers.some(({ id }) => id === provider) ? provider : '',
    kind: kinds.some((one) => one === kind) ? kind : '',
    can: Object.hasOwn(abilities, can) ? (can as Ability) : '',
    plan: plans.some(({ id }) => id === plan) ? plan : '',
    isFree: textOf('free') !== '',
    sort: sortColumns.find((column) => column === sort.replace(/^-/, '')) ?? null,
    isDescending: sort.startsWith('-')
  }
}

/** Writes a query as the end of an address; empty for the whole table in its own order. */
export function writeModelsQuery({ text, provider, kind, can, plan, isFree, sort, isDescending }: ModelsQuery): string {
  const all = new URLSearchParams({
    ...(text !== '' && { q: text }),
    ...(provider !== '' && { provider }),
    ...(kind !== '' && { kind }),
    ...(can !== '' && { can }),
    ...(plan !== '' && { plan }),
    ...(isFree && { free: '1' }),
    ...(sort !== null && { sort: (isDescending ? '-' : '') + sort })
  }).toString()
  return all === '' ? '' : `?${all}`
}

/** What is searched for typed words, in lower case. */
export const searchedText = (model: SiteModel): string => {
  const { id, aliases, provider, kind, about, endpoints } = model
  const names = abilitiesOf(model).map((name) => abilities[name])
  return [id, ...aliases, provider, kind, ...names, about ?? '', ...(endpoints ?? [])].join(' ').toLowerCase()
}

/** The ids of the shown plans that include a model. */
export const plansOf = ({ id }: SiteModel, { plans }: SiteFacts): string[] =>
  plans.filter(({ modelIds }) => modelIds.has(id)).map((plan) => plan.id)

/** Whether a model is in the table. */
export function isShown(model: SiteModel, query: ModelsQuery, facts: SiteFacts): boolean {
  const { text, provider, kind, can, plan, isFree } = query
  if (provider !== '' && model.owned_by !== provider) return false
  if (kind !== '' && model.kind !== kind) return false
  if (can !== '' && !abilitiesOf(model).includes(can)) return false
  if (plan !== '' && !plansOf(model, facts).includes(plan)) return false
  if (isFree && !model.isFree) return false
  const searched = searchedText(model)
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}

/** The value of a column that decides the order. Models without output come last by its price. */
export function sortValue(model: SiteModel, column: SortColumn, { plans }: SiteFacts): number | string {
  switch (column) {
    case 'model':
      return model.id.toLowerCase()
    case 'provider':
      return model.provider.toLowerCase()
    case 'kind':
      return model.kind
    case 'plan':
      return plans.findIndex(({ id }) => id === model.plan.id)
    case 'longest':
      return model.max_output_tokens
    case 'context':
      return model.context_tokens
    case 'input':
      return model.usual.input
    case 'cached':
      return model.usual.cached_input
    case 'output':
      return model.max_output_tokens === 0 ? Number.MAX_SAFE_INTEGER : model.usual.output
  }
}

/** Sorts models; equal ones stay in the table's own order: by provider, then as in the catalog. */
export function sortModels(facts: SiteFacts, { sort, isDescending }: ModelsQuery): readonly SiteModel[] {
  const own = facts.providers.flatMap(({ id }) => facts.models.filter(({ owned_by: owner }) => owner === id))
  if (sort === null) return own
  const sign = isDescending ? -1 : 1
  return own.toSorted((one, other) => {
    const [a, b] = [sortValue(one, sort, facts), sortValue(other, sort, facts)]
    return a === b ? 0 : a < b ? -sign : sign
  })
}
