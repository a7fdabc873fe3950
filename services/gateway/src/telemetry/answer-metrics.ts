import { errorTable } from '@tollgate/contracts/errors/table.ts'
import {
  type CounterSeries,
  FastCounter,
  type LabelledSeries,
  otherLabel
} from '@tollgate/service/metrics/fast-series.ts'
import type { Registry } from 'prom-client'
import type { LabelNames } from './label-names.ts'

/** What is known of an answered request. */
export interface AnsweredRequest {
  /** The path of its route; null for none. */
  readonly endpoint: string | null
  /** The catalog's name of the model; empty if the request was answered before its model was known. */
  readonly model: string
  /** The account's plan; empty if it is not known. */
  readonly plan: string
  readonly status: number
  /** Error code; null for success. */
  readonly code: string | null
}

/** Counts answered requests. */
export class AnswerMetrics {
  readonly #requests: FastCounter
  readonly #refusals: FastCounter
  readonly #models: LabelNames
  readonly #plans: LabelNames

  constructor(registry: Registry, models: LabelNames, plans: LabelNames) {
    this.#models = models
    this.#plans = plans
    this.#requests = new FastCounter({
      name: 'tollgate_requests_total',
      help: 'Answered requests. The code is empty for success, and "other" for a provider’s own code. The status is 499 if the client left before the answer began. The model and plan are empty if they were not known yet',
      labelNames: ['endpoint', 'model', 'plan', 'status', 'code'],
      registry
    })
    this.#refusals = new FastCounter({
      name: 'tollgate_refusals_total',
      help: 'Requests that were refused before a model was called, by error code',
      labelNames: ['reason'],
      registry
    })
  }

  /** The series of answers like this one. */
  series({ endpoint, model, plan, status, code }: AnsweredRequest): CounterSeries {
    return this.#requests.series(
      endpoint ?? otherLabel,
      model === '' ? '' : this.#models.labelOf(model),
      plan === '' ? '' : this.#plans.labelOf(plan),
      String(status),
      codeLabel(code)
    )
  }

  /** Counts a request that was answered without a call of a model. */
  answered(request: AnsweredRequest): void {
    this.series(request).add(1)
    if (request.code !== null) this.refused(request.code)
  }

  /** Counts a refusal. The request itself is counted apart. */
  refused(code: string): void {
    this.#refusals.series(codeLabel(code)).add(1)
  }

  /** The counters of answers with their labels. */
  requests(): Iterable<LabelledSeries<CounterSeries>> {
    return this.#requests.all()
  }

  forgetModels(names: ReadonlySet<string>): void {
    this.#requests.remove('model', names)
  }

  forgetPlans(names: ReadonlySet<string>): void {
    this.#requests.remove('plan', names)
  }
}

/** Codes of our table only: providers invent others. */
export function codeLabel(code: string | null): string {
  if (code === null) return ''
  return Object.hasOwn(errorTable, code) ? code : otherLabel
}
