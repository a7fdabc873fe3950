import { modelKinds } from '@tollgate/contracts/catalog/apis.ts'
import {
  type Catalog,
  defaultBodyMemoryMb,
  freePlan,
  type Model,
  ModelKind,
  type Plan,
  type Provider
} from '@tollgate/contracts/catalog/catalog.ts'
import { checkCosts, maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { statedFeatures } from '@tollgate/contracts/catalog/features.ts'
import { type AddedTokens, defaultAddedTokens, type TemplateTokens } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { type Static, type TProperties, Type } from 'typebox'
import { FileError, parseYaml, readText } from '../config/read-yaml.ts'
import {
  AudioEntry,
  Day,
  Factor,
  ImageEntry,
  OwnPrices,
  priceMembers,
  toAudioRule,
  toImageRule,
  Usd
} from './entries.ts'
import { toPrices, toRetail } from './to-prices.ts'

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })
const Name = Type.String({ minLength: 1, maxLength: 200 })

const addedTokens = {
  request: Type.Optional(Type.Integer({ minimum: 0, maximum: maxReportedTokens })),
  message: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 }))
}
const TemplateEntry = closed({
  ...addedTokens,
  chat: Type.Optional(closed(addedTokens)),
  responses: Type.Optional(closed(addedTokens)),
  messages: Type.Optional(closed(addedTokens))
})

const ModelEntry = closed({
  kind: ModelKind,
  aliases: Type.Optional(Type.Array(Name, { maxItems: 100 })),
  owned_by: Name,
  about: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  features: Type.Optional(Type.Array(Type.Enum(statedFeatures))),
  knowledge: Type.Optional(Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' })),
  created: Type.Optional(Type.Integer({ minimum: 0 })),
  route: Type.Array(
    closed({
      upstream: Name,
      model: Type.Optional(Name),
      priority: Type.Optional(Type.Integer({ minimum: 0 })),
      weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e6 })),
      bills: Type.Optional(OwnPrices)
    }),
    { minItems: 1 }
  ),
  ...priceMembers,
  retail: Type.Optional(OwnPrices),
  context_window: Type.Integer({ minimum: 1, maximum: maxReportedTokens }),
  max_output_tokens: Type.Integer({ minimum: 0, maximum: maxReportedTokens }),
  default_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  fewest_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  output_parameter: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
  images: Type.Optional(ImageEntry),
  audio: Type.Optional(AudioEntry),
  hidden_output: Type.Optional(Type.Boolean()),
  template_tokens: Type.Optional(TemplateEntry),
  search_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: maxReportedTokens })),
  bytes_per_token: Type.Optional(Type.Number({ minimum: 1, maximum: 8 })),
  tokenizer: Type.Optional(Type.Literal('o200k_base'))
})

/**
 * Output tokens for a request without a limit, for a model with hidden output. Reasoning could use up a smaller default
 * before the first word.
 */
const defaultHidingTokens = 16_384
/** The minimum of output tokens to grant. */
const defaultMinTokens = 64

const PlanEntry = closed({
  name: Name,
  entitlements: Type.Array(Name),
  key_quota: Type.Union([Type.Integer({ minimum: 0 }), Type.Literal('unlimited')]),
  key_changes: Type.Optional(
    closed({
      per_hour: Type.Integer({ minimum: 1, maximum: 1e6 }),
      burst: Type.Integer({ minimum: 1, maximum: 1e6 })
    })
  ),
  seats: Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('unlimited')]),
  models: Type.Union([Type.Array(Name), Type.Literal('all')]),
  price_group: Type.Optional(Name),
  limits: closed({
    requests_per_minute: Type.Integer({ minimum: 1, maximum: 1e9 }),
    burst_requests: Type.Optional(Type.Integer({ minimum: 1 })),
    tokens_per_minute: Type.Integer({ minimum: 1, maximum: 1e12 }),
    burst_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
    concurrent_requests: Type.Integer({ minimum: 1, maximum: 1e6 }),
    free_requests_per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e9 })),
    free_requests_per_day: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e12 })),
    body_memory_mb: Type.Optional(Type.Integer({ minimum: defaultBodyMemoryMb, maximum: 1e6 }))
  }),
  caps_usd: closed({ request: Usd, month: Usd }),
  prices: Type.Optional(
    Type.Array(
      closed({
        id: Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,200}$' }),
        interval: Type.Enum(['month', 'year']),
        amount: Type.Integer({ minimum: 0, maximum: 1e9 }),
        currency: Type.String({ pattern: '^[a-z]{3}$' }),
        sold: Type.Optional(Type.Boolean())
      }),
      { minItems: 1 }
    )
  )
})

const ProviderEntry = closed({
  company: Type.Optional(Name),
  country: Type.Optional(Name),
  keeps: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  trains: Type.Optional(Type.Boolean()),
  terms: Type.Optional(Type.String({ pattern: '^https://\\S+$', maxLength: 500 })),
  as_of: Type.Optional(Day)
})

/** The form of `catalog.yaml`: amounts in dollars, and `all` or `unlimited` instead of lists and numbers. */
export const CatalogFile = closed({
  default_markup: Type.Optional(Factor),
  price_groups: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_-]{0,39}$' }), Factor, { additionalProperties: false })
  ),
  providers: Type.Optional(Type.Record(Name, ProviderEntry)),
  models: Type.Record(Type.String({ minLength: 1 }), ModelEntry),
  // Without `additionalProperties: false`, plans with other names would be ignored.
  plans: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_-]{0,39}$' }), PlanEntry, { additionalProperties: false })
})
export type CatalogFile = Static<typeof CatalogFile>

/**
 * Reads and checks a catalog file.
 * @throws FileError naming the file, path and reason of every problem
 */
export function loadCatalogFile(file: string): Catalog {
  return parseCatalog(readText(file), file)
}

/**
 * Checks the text of a catalog file.
 * @param file the name of the text, for errors
 * @throws FileError naming the file, path and reason of every problem
 */
export function parseCatalog(text: string, file: string): Catalog {
  const entries = parseYaml(text, file, CatalogFile)
  const problems: string[] = []
  const catalog = toCatalog(entries, problems)
  if (problems.length > 0) throw new FileError(file, problems)
  return catalog
}

/** Translates the file into a catalog. Adds contradictions to `problems`. */
export function toCatalog(entries: CatalogFile, problems: string[]): Catalog {
  const names = Object.keys(entries.models)
  const modelOf = checkAliases(entries.models, problems)
  if (entries.plans[freePlan] === undefined) problems.push(`plans: a plan named ${freePlan} is missing`)
  for (const [id, plan] of Object.entries(entries.plans)) {
    if (plan.models === 'all') continue
    for (const name of plan.models) {
      if (Object.hasOwn(entries.models, name)) continue
      const meant = modelOf.get(name)
      const problem =
        meant === undefined ? `no model is named ${name}` : `${name} is an alias. Name its model, ${meant}`
      problems.push(`plans.${id}.models: ${problem}`)
    }
  }
  checkPrices(entries.plans, problems)
  const { default_markup: markup = 1, price_groups: priceGroups } = entries
  for (const [id, { price_group: group }] of Object.entries(entries.plans)) {
    if (group !== undefined && !Object.hasOwn(priceGroups ?? {}, group))
      problems.push(`plans.${id}.price_group: price_groups has no group named ${group}`)
  }
  const catalog: Catalog = {
    models: mapValues(entries.models, (entry, name) => toModel(entry, name, markup, problems)),
    plans: mapValues(entries.plans, (entry, id) => toPlan(entry, id, names, problems)),
    ...(priceGroups !== undefined && { priceGroups }),
    ...(entries.providers !== undefined && { providers: mapValues(entries.providers, toProvider) })
  }
  checkCosts(catalog, problems)
  return catalog
}

/** Each name must mean one model. @returns the model of each alias */
function checkAliases(models: CatalogFile['models'], problems: string[]): ReadonlyMap<string, string> {
  const modelOf = new Map<string, string>()
  for (const [name, { aliases = [] }] of Object.entries(models)) {
    for (const alias of aliases) {
      const other = Object.hasOwn(models, alias) ? alias : modelOf.get(alias)
      if (other === undefined) modelOf.set(alias, name)
      else {
        const taken = other === alias ? 'is the name of a model' : `is already an alias of the model ${other}`
        problems.push(`models.${name}.aliases: ${alias} ${taken}. Each name must mean one model`)
      }
    }
  }
  return modelOf
}

/** Each price must belong to one plan, because the price of a subscription decides its plan. */
function checkPrices(plans: CatalogFile['plans'], problems: string[]): void {
  const planOf = new Map<string, string>()
  for (const [id, { prices = [] }] of Object.entries(plans)) {
    if (id === freePlan && prices.length > 0)
      problems.push(`plans.${id}.prices: the plan ${freePlan} must not have prices`)
    for (const price of prices) {
      const other = planOf.get(price.id)
      if (other !== undefined) problems.push(`plans.${id}.prices: ${price.id} is already a price of plan ${other}`)
      planOf.set(price.id, id)
    }
  }
}

function toModel(entry: Static<typeof ModelEntry>, name: string, markup: number, problems: string[]): Model {
  const reportAt = (place: string) => (path: string, problem: string) =>
    problems.push(`models.${name}.${place}${path}: ${problem}`)
  const prices = toPrices(entry, reportAt(''))
  const bills = entry.route.map(({ bills }, at) => bills && toPrices(bills, reportAt(`route.${at}.bills.`)))
  const retail = toRetail(
    entry.retail,
    markup,
    [prices, ...bills.filter((one) => one !== undefined)],
    reportAt('retail.')
  )
  if (modelKinds[entry.kind].hasOutput && entry.max_output_tokens === 0) {
    problems.push(`models.${name}.max_output_tokens: must be at least 1 for a model that generates text`)
  }
  const maxOutputTokens = modelKinds[entry.kind].hasOutput ? entry.max_output_tokens : 0
  // A model with a price for reasoning has hidden output.
  const hidesOutput = entry.hidden_output ?? prices.reasoningPicos !== undefined
  const defaultTokens = hidesOutput ? defaultHidingTokens : modelKinds[entry.kind].defaultOutputTokens
  const defaultOutputTokens = Math.min(entry.default_output_tokens ?? defaultTokens, maxOutputTokens)
  if ((entry.default_output_tokens ?? 0) > maxOutputTokens) {
    problems.push(`models.${name}.default_output_tokens: more than max_output_tokens`)
  }
  if (entry.kind !== 'chat' && entry.template_tokens !== undefined) {
    problems.push(`models.${name}.template_tokens: only chat models have a template`)
  }
  if (entry.search_tokens !== undefined && prices.callNanos?.web_search === undefined) {
    problems.push(
      `models.${name}.search_tokens: has no effect without a price of web_search in usd_per_call. Remove it`
    )
  }
  return {
    kind: entry.kind,
    ...(entry.aliases !== undefined && entry.aliases.length > 0 && { aliases: entry.aliases }),
    ownedBy: entry.owned_by,
    ...(entry.about !== undefined && { about: entry.about }),
    ...(entry.features !== undefined && { features: entry.features }),
    ...(entry.knowledge !== undefined && { knowledge: entry.knowledge }),
    created: entry.created ?? (prices.asOf === undefined ? 0 : (Date.parse(prices.asOf) || 0) / 1000),
    route: entry.route.map(({ upstream, model, priority, weight }, at) => ({
      upstream,
      model: model ?? name,
      priority: priority ?? 0,
      weight: weight ?? 1,
      ...(bills[at] !== undefined && { prices: bills[at] })
    })),
    prices,
    ...(retail !== null && { retail }),
    contextWindow: entry.context_window,
    maxOutputTokens,
    defaultOutputTokens,
    fewestOutputTokens: Math.min(entry.fewest_output_tokens ?? defaultMinTokens, defaultOutputTokens),
    outputParameter: entry.output_parameter ?? (entry.kind === 'chat' ? 'max_completion_tokens' : 'max_tokens'),
    ...(entry.images !== undefined && { images: toImageRule(entry.images) }),
    ...(entry.audio !== undefined && { audio: toAudioRule(entry.audio) }),
    ...(hidesOutput && { hidesOutput: true }),
    ...(entry.search_tokens !== undefined && { searchTokens: entry.search_tokens }),
    ...(entry.bytes_per_token !== undefined && { bytesPerToken: entry.bytes_per_token }),
    ...(entry.template_tokens !== undefined && { templateTokens: toTemplateTokens(entry.template_tokens) }),
    tokenizer: entry.tokenizer ?? null
  }
}

const toProvider = ({ as_of: asOf, ...entry }: Static<typeof ProviderEntry>): Provider => ({
  ...entry,
  ...(asOf !== undefined && { asOf })
})

/** Each API has the numbers of the model, unless it has its own. */
function toTemplateTokens({ chat, responses, messages, ...all }: Static<typeof TemplateEntry>): TemplateTokens {
  const added = (own: Partial<AddedTokens> = {}): AddedTokens => ({ ...defaultAddedTokens, ...all, ...own })
  return { chat: added(chat), responses: added(responses), messages: added(messages) }
}

/** The default burst of a rate: a sixth of a minute's. */
export const defaultBurst = (perMinute: number): number => Math.ceil(perMinute / 6)

function toPlan(entry: Static<typeof PlanEntry>, id: string, allModels: readonly string[], problems: string[]): Plan {
  const { requests_per_minute, tokens_per_minute, concurrent_requests, body_memory_mb } = entry.limits
  const { free_requests_per_minute, free_requests_per_day } = entry.limits
  const { burst_requests = defaultBurst(requests_per_minute), burst_tokens = defaultBurst(tokens_per_minute) } =
    entry.limits
  if (burst_requests > requests_per_minute) {
    problems.push(`plans.${id}.limits.burst_requests: more than requests_per_minute`)
  }
  if (burst_tokens > tokens_per_minute) problems.push(`plans.${id}.limits.burst_tokens: more than tokens_per_minute`)
  return {
    name: entry.name,
    entitlements: entry.entitlements,
    keyQuota: entry.key_quota === 'unlimited' ? null : entry.key_quota,
    ...(entry.key_changes !== undefined && {
      keyChanges: { perHour: entry.key_changes.per_hour, burst: entry.key_changes.burst }
    }),
    seats: entry.seats === 'unlimited' ? null : entry.seats,
    models: entry.models === 'all' ? [...allModels] : entry.models,
    ...(entry.price_group !== undefined && { priceGroup: entry.price_group }),
    limits: {
      requestsPerMinute: requests_per_minute,
      burstRequests: burst_requests,
      tokensPerMinute: tokens_per_minute,
      burstTokens: burst_tokens,
      concurrentRequests: concurrent_requests,
      ...(free_requests_per_minute !== undefined && { freeRequestsPerMinute: free_requests_per_minute }),
      ...(free_requests_per_day !== undefined && { freeRequestsPerDay: free_requests_per_day }),
      ...(body_memory_mb !== undefined && { bodyMemoryMb: body_memory_mb })
    },
    caps: {
      requestNanos: Math.round(entry.caps_usd.request * 1e9),
      monthlyNanos: Math.round(entry.caps_usd.month * 1e9)
    },
    ...(entry.prices !== undefined && {
      prices: entry.prices.map(({ sold, ...price }) => ({ ...price, isSold: sold ?? true }))
    })
  }
}

function mapValues<From, To>(record: Record<string, From>, map: (value: From, key: string) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
}
