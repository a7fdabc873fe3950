import { cureFailure, describeFailure } from '../network/failure.ts'
import type { Outcome } from '../network/get.ts'
import { type Result, resultsOf } from '../results/result.ts'

const { ok, warning } = resultsOf('traces')

const why = 'Traces are lost. Requests are not affected.'

/** Judges the answer of the OTLP collector to a request without spans. */
export function judgeTraces({ host }: URL, outcome: Outcome): Result {
  const collector = `The OTLP collector (${host})`
  if ('failure' in outcome) {
    return warning('collector_unreachable', {
      what: describeFailure(collector, outcome.failure),
      why,
      fix: cureFailure('OTEL_EXPORTER_OTLP_ENDPOINT', outcome.failure)
    })
  }
  const { status } = outcome.answer
  if (status >= 200 && status < 300) return ok(`${collector} accepts traces.`)
  if (status === 401 || status === 403) {
    return warning('collector_refuses', {
      what: `${collector} refuses the credential (status ${status}).`,
      why,
      fix: 'Correct OTEL_EXPORTER_OTLP_HEADERS.'
    })
  }
  return warning('collector_status', {
    what: `${collector} answers ${status} to a request without spans.`,
    why,
    fix: 'Set OTEL_EXPORTER_OTLP_ENDPOINT to the base URL for OTLP over HTTP: usually port 4318, without /v1/traces.'
  })
}
