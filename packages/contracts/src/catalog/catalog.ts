import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ModelPrices } from '../prices/model-prices.ts'
import { kindNames } from './apis.ts'
import { statedFeatures } from './features.ts'
import { AudioRule, ImageRule, TemplateTokens } from './prompt-rules.ts'

/** Whole nanodollars (1e-9 USD). */
const Nanos = Type.Integer({ minimum: 0 })

export const ModelKind = Type.Enum(kindNames)

/** One upstream of a model's route. */
export const Target = Type.Object({
  upstream: Type.String(),
  /** The upstream's name of the model. */
  model: Type.String(),
  /** The lowest is called first. Higher ones are called only if it fails. */
  priority: Type.Integer({ minimum: 0 }),
  /** The share of first calls among targets of one priority. */
  weight: Type.Integer({ minimum: 1 }),
  /** What this upstream bills, if that differs from the model's `prices`. */
  prices: Type.Optional(ModelPrices)
})
export type Target = Static<typeof Target>

export const Model = Type.Object({
  kind: ModelKind,
  /**
   * Further names that requests may use, such as dated ones. Lists of models, prices and usage name the model itself.
   * Absent: none.
   */
  aliases: Type.Optional(Type.Array(Type.String())),
  ownedBy: Type.String(),
  /** What the model is for, in a sentence. Absent: nothing is said. */
  about: Type.Optional(Type.String()),
  /** What the provider says that it can do, besides what its prices and rules tell: see `featuresOf`. */
  features: Type.Optional(Type.Array(Type.Enum(statedFeatures))),
  /** The month until which it knows the world: `2026-05`. */
  knowledge: Type.Optional(Type.String()),
  /** Unix seconds, as `GET /v1/models` shows it. */
  created: Type.Integer({ minimum: 0 }),
  /** Upstreams that serve the model. */
  route: Type.Array(Target, { minItems: 1 }),
  /** What its upstreams bill. */
  prices: ModelPrices,
  /** What customers pay before the multiplier of their price group. Absent: `prices`. See catalog/list-prices.ts. */
  retail: Type.Optional(ModelPrices),
  contextWindow: Type.Integer({ minimum: 1 }),
  maxOutputTokens: Type.Integer({ minimum: 0 }),
  /** Output tokens granted to a request that sets no limit. */
  defaultOutputTokens: Type.Integer({ minimum: 0 }),
  /** Minimum of output tokens to grant. If the budget allows fewer, a request that wants more is refused. */
  fewestOutputTokens: Type.Integer({ minimum: 0 }),
  /** The request member that limits the model's output. */
  outputParameter: Type.Enum(['max_tokens', 'max_completion_tokens']),
  /** How images in a prompt are counted. Absent: the model accepts no images. */
  images: Type.Optional(ImageRule),
  /** How audio in a prompt is counted. Absent: the model accepts no audio. */
  audio: Type.Optional(AudioRule),
  /**
   * Whether the model produces output that its answer does not show, such as reasoning. Then a part of an answer does
   * not tell how much the model has produced. Absent: no hidden output.
   */
  hidesOutput: Type.Optional(Type.Boolean()),
  /** Tokens that the model's template adds to a prompt. Absent: {@link defaultAddedTokens} for each API. */
  templateTokens: Type.Optional(TemplateTokens),
  /**
   * Maximum tokens that a search of the provider adds to the next pass, as the operator bounds them. Absent: not known,
   * so a pass may fill the context.
   */
  searchTokens: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Bytes of a prompt's text that are reserved as a token, at the operator's risk. Absent: each byte is. */
  bytesPerToken: Type.Optional(Type.Number({ minimum: 1 })),
  /** The tokenizer that counts prompts exactly; null if it is not known. */
  tokenizer: Type.Union([Type.Literal('o200k_base'), Type.Null()])
})
export type Model = Static<typeof Model>

/**
 * The price of a plan by month or year. It is only shown: the payment provider charges its own price with the same id.
 */
export const PlanPrice = Type.Object({
  /** The price's id at the payment provider, unique in the catalog. */
  id: Type.String(),
  interval: Type.Enum(['month', 'year']),
  /** In the currency's smallest unit. */
  amount: Type.Integer({ minimum: 0 }),
  /** In lower case. */
  currency: Type.String(),
  /** False for a legacy price that only existing subscribers keep. */
  isSold: Type.Boolean()
})
export type PlanPrice = Static<typeof PlanPrice>

export const Plan = Type.Object({
  name: Type.String(),
  entitlements: Type.Array(Type.String()),
  /** Active inference keys that an account may have; null for any number. */
  keyQuota: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  /** Creations, rotations and changes of keys; a default follows from the quota. */
  keyChanges: Type.Optional(
    Type.Object({ perHour: Type.Integer({ minimum: 1 }), burst: Type.Integer({ minimum: 1 }) })
  ),
  /** People who may share an account, its owner included; null for any number. */
  seats: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  models: Type.Array(Type.String()),
  /** One of the catalog's. Absent: its accounts pay the list prices. */
  priceGroup: Type.Optional(Type.String()),
  limits: Type.Object({
    requestsPerMinute: Type.Integer({ minimum: 1 }),
    /** How many may come at once: any 60 s admit at most `requestsPerMinute` + `burstRequests`. */
    burstRequests: Type.Integer({ minimum: 1 }),
    tokensPerMinute: Type.Integer({ minimum: 1 }),
    /** The burst of tokens. A single request may use more, up to `tokensPerMinute`. */
    burstTokens: Type.Integer({ minimum: 1 }),
    concurrentRequests: Type.Integer({ minimum: 1 }),
    /** Requests to models whose prices are all 0, in a minute of the clock and in a day (UTC). Absent: no limit of their own. */
    freeRequestsPerMinute: Type.Optional(Type.Integer({ minimum: 1 })),
    freeRequestsPerDay: Type.Optional(Type.Integer({ minimum: 1 })),
    /** MiB of request bodies that each key may have in flight at one gateway; {@link defaultBodyMemoryMb} if absent. */
    bodyMemoryMb: Type.Optional(Type.Integer({ minimum: 1 }))
  }),
  caps: Type.Object({ requestNanos: Nanos, monthlyNanos: Nanos }),
  /** Absent for a plan that nobody can buy. */
  prices: Type.Optional(Type.Array(PlanPrice))
})
export type Plan = Static<typeof Plan>

/** Who serves models, and what becomes of prompts there. Absent members are not known. Nothing but pages and lists use it. */
export const Provider = Type.Object({
  /** Who gets the prompts, and where it has its seat. */
  company: Type.Optional(Type.String()),
  country: Type.Optional(Type.String()),
  /** How long it keeps prompts and answers by its own terms, in a sentence. */
  keeps: Type.Optional(Type.String()),
  /** Whether it trains models with them by its own terms. */
  trains: Type.Optional(Type.Boolean()),
  /** The address of these terms. */
  terms: Type.Optional(Type.String()),
  /** The last day on which they were known to say this: `2026-11-30`. */
  asOf: Type.Optional(Type.String())
})
export type Provider = Static<typeof Provider>

/** Models, prices and plans on sale, as control publishes them to the gateways. */
export const Catalog = Type.Object({
  models: Type.Record(Type.String(), Model),
  plans: Type.Record(Type.String(), Plan),
  /** The factor of all list prices for each price group, by name. Absent: there are no groups. */
  priceGroups: Type.Optional(Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1000 }))),
  /** By the `ownedBy` of models. */
  providers: Type.Optional(Type.Record(Type.String(), Provider))
})
export type Catalog = Static<typeof Catalog>

const catalog = Compile(Catalog)

/** Enough for one request of the maximum size, 20 MiB, even if it is compressed. */
export const defaultBodyMemoryMb = 24

/** Reads a published catalog. @throws Error if this release would not write it */
export const readCatalogJson = (json: string): Catalog => catalog.Parse(JSON.parse(json))

/** The id of the plan of accounts that pay nothing. Every catalog has it. */
export const freePlan = 'free'
