import {
  type CounterSeries,
  FastCounter,
  FastHistogram,
  type HistogramSeries
} from '@tollgate/service/metrics/fast-series.ts'
import { Registry } from 'prom-client'
import { AnswerMetrics } from './answer-metrics.ts'
import { createGenAiMetrics, type GenAiMetrics } from './gen-ai-metrics.ts'
import { IdempotencyMetrics } from './idempotency-metrics.ts'
import { LabelNames } from './label-names.ts'
import { addClockSkew } from './process-gauges.ts'
import { UpstreamMetrics } from './upstream-metrics.ts'

/**
 * Measures what requests ask Redis. The requests of one turn of the event loop share a question, so it costs little.
 */
export class RedisMetrics {
  readonly #roundTrip: HistogramSeries
  readonly #errors: CounterSeries

  constructor(registry: Registry) {
    this.#roundTrip = new FastHistogram({
      name: 'tollgate_redis_round_trip_seconds',
      help: 'Seconds until Redis answered a batch of admissions, settlements or cancellations, the gateway’s own delay included. The requests of one turn of the event loop share a batch',
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registry
    }).series()
    this.#errors = new FastCounter({
      name: 'tollgate_redis_errors_total',
      help: 'Questions of requests to Redis that failed or could not be sent: keys, admissions, settlements, cancellations and idempotency keys, repeated ones included',
      registry
    }).series()
  }

  /** @param sentAt `performance.now()` before the question was sent */
  answered(sentAt: number): void {
    this.#roundTrip.observe((performance.now() - sentAt) / 1000)
  }

  failed(): void {
    this.#errors.add(1)
  }
}

/** Names by the label that has them. */
export type NamesByLabel = Readonly<Record<string, readonly string[]>>

/** What a gateway counts. No label has a key, an account, an address, or a name that a client invented. */
export interface Metrics {
  readonly registry: Registry
  readonly answers: AnswerMetrics
  readonly upstreams: UpstreamMetrics
  readonly genAi: GenAiMetrics
  readonly redis: RedisMetrics
  readonly idempotency: IdempotencyMetrics
  /** The charged cost in nanodollars, by model and plan. */
  readonly cost: FastCounter<'model' | 'plan'>
  /** What providers bill for it in nanodollars, by model and upstream. */
  readonly providerCost: FastCounter<'model' | 'upstream'>
  /** The names of models and plans that may be labels. */
  readonly models: LabelNames
  readonly plans: LabelNames
  /** Counts look-ups of keys. */
  readonly keyLookups: { readonly hits: CounterSeries; readonly misses: CounterSeries; onRedisError(): void }
  /**
   * Requests that cost more than the gateway had reserved, and how many nanodollars more. Alert on it: such requests
   * can exceed a cap.
   */
  readonly aboveBound: { readonly requests: CounterSeries; readonly nanos: CounterSeries }
  /** Counts a request with a kind of usage that its model has no price for. Alert on it: its cost is a guess. */
  countUnpriced(model: string, kind: string): void
  /** Counts a request that no upstream of this gateway can serve. Alert on it. */
  countUnavailable(model: string): void
  /** Counts holds that ended after their deadline. */
  countReaped(reaped: { charged: number; released: number }): void
  /** @param skewMs how far Redis' clock is ahead of this gateway's, ms; null removes the last value */
  setClockSkew(skewMs: number | null): void
  /** The names that may be labels now, by label: every label that names a model, a plan or an upstream. */
  namesInForce(): NamesByLabel
  /** Changes when series may have been removed. Then look up again those that you keep. */
  readonly generation: number
  /** Sets the models and plans in force, and removes series of former ones. */
  useCatalog(catalog: {
    models(): Iterable<readonly [name: string, model: unknown]>
    planNames(): Iterable<string>
  }): void
  /** Sets the upstreams in force, and removes series of former ones. */
  useUpstreams(names: readonly string[]): void
}

/**
 * Creates the metrics that are counted. `addProcessGauges` adds the state of the process.
 *
 * @param now monotonic clock, ms
 */
export function createMetrics(now: () => number = () => performance.now()): Metrics {
  const registry = new Registry()
  const [models, plans] = [new LabelNames(now), new LabelNames(now)]
  const answers = new AnswerMetrics(registry, models, plans)
  const genAi = createGenAiMetrics(registry)
  const cost = new FastCounter({
    name: 'tollgate_cost_dollars_total',
    help: 'Dollars that this process charged for requests; the same sum as in the ledger, without overdue holds that were charged',
    labelNames: ['model', 'plan'],
    unitsPerShown: 1e9,
    registry
  })
  const providerCost = new FastCounter({
    name: 'tollgate_provider_cost_dollars_total',
    help: 'Dollars that providers bill for these requests by the catalog’s prices',
    labelNames: ['model', 'upstream'],
    unitsPerShown: 1e9,
    registry
  })
  const unavailable = new FastCounter({
    name: 'tollgate_model_unavailable_total',
    help: 'Refused requests for models that are routed only to upstreams that this gateway does not have',
    labelNames: ['model'],
    registry
  })
  const unpriced = new FastCounter({
    name: 'tollgate_usage_unpriced_total',
    help: 'Requests with a reported kind of usage, or a service tier, that the catalog has no price for: they were charged at the dearest price of its side',
    labelNames: ['model', 'kind'],
    registry
  })
  const upstreams = new UpstreamMetrics(registry, new LabelNames(now))
  const redis = new RedisMetrics(registry)
  let generation = 0
  return {
    registry,
    answers,
    upstreams,
    genAi,
    cost,
    providerCost,
    models,
    plans,
    get generation() {
      return generation
    },
    redis,
    idempotency: new IdempotencyMetrics(registry),
    namesInForce() {
      const [ofModels, ofUpstreams] = [models.all(), upstreams.names.all()]
      return {
        model: ofModels,
        gen_ai_request_model: ofModels,
        plan: plans.all(),
        upstream: ofUpstreams,
        gen_ai_provider_name: ofUpstreams
      }
    },
    ...addSafetyCounters(registry, redis),
    setClockSkew: addClockSkew(registry),
    countUnpriced: (model, kind) => unpriced.series(models.labelOf(model), kind).add(1),
    countUnavailable: (model) => unavailable.series(models.labelOf(model)).add(1),
    useCatalog(catalog) {
      const endedModels = models.replace(Array.from(catalog.models(), ([name]) => name))
      const endedPlans = plans.replace(catalog.planNames())
      generation++
      answers.forgetModels(endedModels)
      answers.forgetPlans(endedPlans)
      cost.remove('model', endedModels)
      providerCost.remove('model', endedModels)
      cost.remove('plan', endedPlans)
      unavailable.remove('model', endedModels)
      unpriced.remove('model', endedModels)
      for (const metric of Object.values(genAi)) metric.remove('gen_ai_request_model', endedModels)
    },
    useUpstreams(names) {
      const ended = upstreams.replace(names)
      generation++
      providerCost.remove('upstream', ended)
      for (const metric of Object.values(genAi)) metric.remove('gen_ai_provider_name', ended)
    }
  }
}

function addSafetyCounters(
  registry: Registry,
  redis: RedisMetrics
): Pick<Metrics, 'keyLookups' | 'aboveBound' | 'countReaped'> {
  const lookups = new FastCounter({
    name: 'tollgate_key_cache_lookups_total',
    help: 'Look-ups of API keys. hit: the process remembered the key. miss: it asked Redis',
    labelNames: ['result'],
    registry
  })
  const reaped = new FastCounter({
    name: 'tollgate_holds_reaped_total',
    help: 'Holds that were ended after their deadline: charged in full, or released',
    labelNames: ['done'],
    registry
  })
  const [charged, released] = [reaped.series('charged'), reaped.series('released')]
  return {
    keyLookups: { hits: lookups.series('hit'), misses: lookups.series('miss'), onRedisError: () => redis.failed() },
    aboveBound: {
      requests: new FastCounter({
        name: 'tollgate_usage_above_bound_total',
        help: 'Requests that cost more than the gateway had reserved',
        registry
      }).series(),
      nanos: new FastCounter({
        name: 'tollgate_usage_above_bound_dollars_total',
        help: 'Dollars that requests cost beyond what the gateway had reserved: by so much caps may be exceeded',
        unitsPerShown: 1e9,
        registry
      }).series()
    },
    countReaped(counts) {
      charged.add(counts.charged)
      released.add(counts.released)
    }
  }
}
