import type { ProcessReport } from '@tollgate/contracts/records/process-report.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export type WebhookCount = NonNullable<ProcessReport['webhooks']>[number]
type Source = WebhookCount['source']
type Outcome = WebhookCount['outcome']

/** Counts answered webhooks of this process by source and outcome, since its start. */
export class WebhookCounts {
  readonly #counts = new Map<string, WebhookCount>()

  add(source: Source, outcome: Outcome): void {
    const of = `${source} ${outcome}`
    this.#counts.set(of, { source, outcome, count: (this.#counts.get(of)?.count ?? 0) + 1, lastAt: Date.now() })
  }

  all(): WebhookCount[] {
    return [...this.#counts.values()]
  }
}

/**
 * Counts the answers of a webhook's route. An answer without a noted outcome counts as handled, or as failed if it is
 * an error.
 *
 * @param app has no other route with POST
 * @returns notes the outcome of a request
 */
export function countWebhooks(
  app: FastifyInstance,
  source: Source,
  counts: WebhookCounts
): (request: FastifyRequest, outcome: Outcome) => void {
  const outcomes = new WeakMap<FastifyRequest, Outcome>()
  app.addHook('onResponse', (request, reply, done) => {
    const usual = reply.statusCode < 400 ? 'handled' : 'failed'
    if (request.method === 'POST') counts.add(source, outcomes.get(request) ?? usual)
    done()
  })
  return (request, outcome) => void outcomes.set(request, outcome)
}
