import { cureFailure, describeFailure } from '../network/failure.ts'
import type { Outcome } from '../network/get.ts'
import { type Result, resultsOf } from '../results/result.ts'

const { ok, warning } = resultsOf('receipts')

const why = 'Receipts of requests wait in PostgreSQL for 7 days. Then they are not exported any more.'
const variable = 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'

/** Judges the answer of the OTLP collector to a request without log records. */
export function judgeReceipts({ host }: URL, outcome: Outcome): Result {
  const collector = `The OTLP collector of logs (${host})`
  if ('failure' in outcome) {
    return warning('log_collector_unreachable', {
      what: describeFailure(collector, outcome.failure),
      why,
      fix: cureFailure(variable, outcome.failure)
    })
  }
  const { status } = outcome.answer
  if (status >= 200 && status < 300) return ok(`${collector} accepts receipts.`)
  if (status === 401 || status === 403) {
    return warning('log_collector_refuses', {
      what: `${collector} refuses the credential (status ${status}).`,
      why,
      fix: 'Correct OTEL_EXPORTER_OTLP_HEADERS, or OTEL_EXPORTER_OTLP_LOGS_HEADERS.'
    })
  }
  return warning('log_collector_status', {
    what: `${collector} answers ${status} to a request without records.`,
    why,
    fix: `Set ${variable} to the whole URL for logs of OTLP over HTTP, such as http://collector:4318/v1/logs. The collector needs a pipeline for logs.`
  })
}
