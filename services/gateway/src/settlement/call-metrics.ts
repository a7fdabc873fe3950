import { kindNames, type ModelKind, modelKinds } from '@tollgate/contracts/catalog/apis.ts'
import type { CounterSeries, HistogramSeries } from '@tollgate/service/metrics/fast-series.ts'
import { codeLabel } from '../telemetry/answer-metrics.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Usage } from '../usage/usage.ts'
import type { Call, Outcome } from './outcome.ts'

type CallFamilies = Pick<
  Metrics,
  'answers' | 'cost' | 'genAi' | 'generation' | 'models' | 'plans' | 'providerCost' | 'upstreams'
>

/**
 * Counts ended calls of models where they are settled, so that the counters of tokens and cost equal the ledger. It
 * looks up the series of a model, plan and upstream once, and keeps them: that is all that makes it fast enough for
 * every request.
 */
export class CallMetrics {
  readonly #families: CallFamilies
  #byKind = noSeries()
  #generation = 0

  constructor(families: CallFamilies) {
    this.#families = families
  }

  /**
   * @param usage null if nothing was served
   * @param costNanos the charged cost
   * @param marginNanos that minus what the provider bills
   * @param endedAt `performance.now()` when the answer ended
   */
  ended(
    call: Call,
    outcome: Outcome,
    usage: Usage | null,
    costNanos: number,
    marginNanos: number,
    endedAt: number
  ): void {
    if (this.#generation !== this.#families.generation) this.#forget()
    const { upstream, status, code, firstByteAt } = outcome
    const model = this.#byKind[call.kind].get(call.model) ?? this.#addModel(call)
    const plan = model.plans.get(call.admitted.plan) ?? this.#addPlan(model, call)
    const seconds = (endedAt - call.startedAt) / 1000
    const isSuccess = status === 200 && code === null
    if (isSuccess) plan.succeeded.add(1)
    else this.#countOther(call, outcome, seconds)
    if (usage === null) return
    const provider = model.providers.get(upstream) ?? this.#addProvider(model, call.kind, upstream)
    plan.costNanos.add(costNanos)
    provider.costNanos.add(costNanos - marginNanos)
    provider.countTokens(usage)
    if (!isSuccess) return
    provider.duration.observe(seconds)
    if (firstByteAt !== null && call.isStream) provider.countStream(usage, call, firstByteAt, endedAt)
  }

  #forget(): void {
    this.#generation = this.#families.generation
    this.#byKind = noSeries()
  }

  /** Counts a call that failed, or that the client left. These are rare, so each series is looked up. */
  #countOther(call: Call, { status, code, upstream, attempts }: Outcome, seconds: number): void {
    const { answers, genAi, models } = this.#families
    const { endpoint, model, admitted, kind } = call
    answers.series({ endpoint, model, plan: admitted.plan, status, code }).add(1)
    if (attempts === 0 && code !== null) answers.refused(code)
    genAi.requestDuration
      .series(modelKinds[kind].operation, this.#providerLabel(upstream), models.labelOf(model), codeLabel(code))
      .observe(seconds)
  }

  #providerLabel(upstream: string | null): string {
    return upstream === null ? '' : this.#families.upstreams.names.labelOf(upstream)
  }

  #addModel({ kind, model }: Call): ModelSeries {
    const label = this.#families.models.labelOf(model)
    const series = this.#byKind[kind].get(label) ?? new ModelSeries(label)
    this.#byKind[kind].set(label, series)
    return series
  }

  #addPlan(model: ModelSeries, { endpoint, admitted }: Call): PlanSeries {
    const { answers, cost, plans } = this.#families
    const plan = plans.labelOf(admitted.plan)
    const series = {
      succeeded: answers.series({ endpoint, model: model.label, plan, status: 200, code: null }),
      costNanos: cost.series(model.label, plan)
    }
    model.plans.set(plan, series)
    return series
  }

  #addProvider(model: ModelSeries, kind: ModelKind, upstream: string | null): ProviderSeries {
    const provider = this.#providerLabel(upstream)
    const { genAi, providerCost } = this.#families
    const series = new ProviderSeries(genAi, providerCost.series(model.label, provider), kind, provider, model.label)
    model.providers.set(upstream === null ? null : provider, series)
    return series
  }
}

/** The series of a model, by the labels of plans and upstreams. */
class ModelSeries {
  readonly label: string
  readonly plans = new Map<string, PlanSeries>()
  readonly providers = new Map<string | null, ProviderSeries>()

  constructor(label: string) {
    this.label = label
  }
}

interface PlanSeries {
  /** Answers with status 200. */
  readonly succeeded: CounterSeries
  readonly costNanos: CounterSeries
}

/** The series of a model at one upstream. */
class ProviderSeries {
  readonly duration: HistogramSeries
  readonly costNanos: CounterSeries
  readonly #input: CounterSeries
  readonly #output: CounterSeries
  readonly #cached: CounterSeries
  readonly #reasoning: CounterSeries
  readonly #inputs: HistogramSeries
  /** null for models without output. */
  readonly #outputs: HistogramSeries | null

  readonly #findStream: () => StreamSeries
  #stream: StreamSeries | null = null

  constructor(genAi: Metrics['genAi'], costNanos: CounterSeries, kind: ModelKind, provider: string, model: string) {
    this.costNanos = costNanos
    const labels = [modelKinds[kind].operation, provider, model] as const
    this.duration = genAi.requestDuration.series(...labels, '')
    this.#findStream = () => ({
      firstToken: genAi.timeToFirstToken.series(...labels),
      perToken: genAi.timePerOutputToken.series(...labels)
    })
    this.#input = genAi.inputTokens.series(...labels)
    this.#output = genAi.outputTokens.series(...labels)
    this.#cached = genAi.cachedTokens.series(...labels)
    this.#reasoning = genAi.reasoningTokens.series(...labels)
    this.#inputs = genAi.tokenUsage.series(...labels, 'input')
    this.#outputs = modelKinds[kind].hasOutput ? genAi.tokenUsage.series(...labels, 'output') : null
  }

  countTokens({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: Usage): void {
    this.#input.add(promptTokens)
    this.#output.add(completionTokens)
    this.#cached.add(cachedTokens)
    this.#reasoning.add(reasoningTokens)
    this.#inputs.observe(promptTokens)
    this.#outputs?.observe(completionTokens)
  }

  countStream(
    { completionTokens, reasoningTokens, estimated }: Usage,
    { startedAt, hidesOutput }: Call,
    firstByteAt: number,
    endedAt: number
  ): void {
    this.#stream ??= this.#findStream()
    this.#stream.firstToken.observe((firstByteAt - startedAt) / 1000)
    const further = completionTokens - 1
    // Nobody knows when a model wrote tokens that its answer does not show.
    const hasHidden = hidesOutput && reasoningTokens > 0
    if (further > 0 && !estimated && !hasHidden) this.#stream.perToken.observe((endedAt - firstByteAt) / 1000 / further)
  }
}

interface StreamSeries {
  readonly firstToken: HistogramSeries
  readonly perToken: HistogramSeries
}

const noSeries = () =>
  Object.fromEntries(kindNames.map((kind) => [kind, new Map()])) as Record<ModelKind, Map<string, ModelSeries>>
