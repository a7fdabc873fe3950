import { readTraces } from '@tollgate/service/tracing/tracing.ts'
import { cureFailure, describeFailure, type Outcome, postEmpty } from './network.ts'
import { type Checked, type Part, type Result, resultsOf, skip } from './results.ts'
import type { Settings } from './settings.ts'

export async function checkTraces({ gateway, areValid, env }: Settings, timeoutMs: number): Promise<Checked> {
  const names = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const invalid = names.filter((name) => !areValid(name))
  if (gateway === null || invalid.length > 0) return skip('traces', ...invalid)
  const traces = readTraces(gateway)
  if (traces === null) return { results: [] }
  const url = new URL(traces.url)
  const headers = env.OTEL_EXPORTER_OTLP_TRACES_HEADERS || gateway.OTEL_EXPORTER_OTLP_HEADERS
  return { results: [judgeCollector(tracesCollector, url, await readCollector(url, headers, timeoutMs))] }
}

export async function checkReceipts({ control, areValid, env }: Settings, timeoutMs: number): Promise<Checked> {
  if (control === null || !areValid('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT')) {
    return skip('receipts', 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT')
  }
  if (control.logExport === null) return { results: [] }
  const url = new URL(control.logExport.url)
  const headers = env.OTEL_EXPORTER_OTLP_LOGS_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS || ''
  return { results: [judgeCollector(receiptsCollector, url, await readCollector(url, headers, timeoutMs))] }
}

/** What a collector is for, in words. */
interface CollectorWords {
  readonly part: Part
  /** `The OTLP collector`: its host follows. */
  readonly name: string
  /** What it takes, and what of it the request lacked. */
  readonly takes: string
  readonly unit: string
  /** What is lost without it. */
  readonly why: string
  /** The variable with its address, and how to correct it. */
  readonly variable: string
  readonly addressFix: string
  readonly credentialFix: string
  readonly codes: Readonly<Record<'unreachable' | 'refuses' | 'status', string>>
}

const tracesCollector: CollectorWords = {
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

const receiptsCollector: CollectorWords = {
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

/** Judges the answer of an OTLP collector to a request without content. */
function judgeCollector(words: CollectorWords, { host }: URL, outcome: Outcome): Result {
  const { codes, why } = words
  const { ok, warning } = resultsOf(words.part)
  const collector = `${words.name} (${host})`
  if ('failure' in outcome) {
    return warning(codes.unreachable, {
      what: describeFailure(collector, outcome.failure),
      why,
      fix: cureFailure(words.variable, outcome.failure)
    })
  }
  const { status } = outcome.answer
  if (status >= 200 && status < 300) return ok(`${collector} accepts ${words.takes}.`)
  if (status === 401 || status === 403) {
    return warning(codes.refuses, {
      what: `${collector} refuses the credential (status ${status}).`,
      why,
      fix: words.credentialFix
    })
  }
  return warning(codes.status, {
    what: `${collector} answers ${status} to a request without ${words.unit}.`,
    why,
    fix: words.addressFix
  })
}

/**
 * Sends nothing to a collector. An empty body is a valid request of OTLP over HTTP in protobuf.
 *
 * @param headers as in `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,…`, percent-encoded
 */
function readCollector(url: URL, headers: string, timeoutMs: number): Promise<Outcome> {
  return postEmpty(url, {
    headers: { ...parseHeaders(headers), 'content-type': 'application/x-protobuf', 'content-length': '0' },
    timeoutMs
  })
}

function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([!-~]*)\s*$/.exec(pair) ?? []
    return name === undefined || value === undefined ? [] : [[name, decode(value)] as const]
  })
  return Object.fromEntries(pairs)
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
