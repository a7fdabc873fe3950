import type { CollectorWords } from '../network/judge-collector.ts'

export const receiptsCollector: CollectorWords = {
  part: 'receipts',
  name: 'The OTLP collector of logs',
  takes: 'receipts',
  unit: 'records',
  why: 'Receipts of requests wait in PostgreSQL for 7 days. Then they are not exported any more.',
  variable: 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
  addressFix:
    'Set OTEL_EXPORTER_OTLP_LOGS_ENDPOINT to the whole URL for logs of OTLP over HTTP, such as http://collector:4318/v1/logs. The collector needs a pipeline for logs.',
  credentialFix: 'Correct OTEL_EXPORTER_OTLP_HEADERS, or OTEL_EXPORTER_OTLP_LOGS_HEADERS.',
  codes: { unreachable: 'log_collector_unreachable', refuses: 'log_collector_refuses', status: 'log_collector_status' }
}
