import type { CollectorWords } from '../network/judge-collector.ts'

export const tracesCollector: CollectorWords = {
  part: 'traces',
  name: 'The OTLP collector',
  takes: 'traces',
  unit: 'spans',
  why: 'Traces are lost. Requests are not affected.',
  variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  addressFix:
    'Set OTEL_EXPORTER_OTLP_ENDPOINT to the base URL for OTLP over HTTP: usually port 4318, without /v1/traces.',
  credentialFix: 'Correct OTEL_EXPORTER_OTLP_HEADERS.',
  codes: { unreachable: 'collector_unreachable', refuses: 'collector_refuses', status: 'collector_status' }
}
