import { addBuildInfo } from '@tollgate/service/metrics/process-metrics.ts'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { JudgedClocks } from '../clocks/clock-watch.ts'
import { type MailOutcome, mailOutcomes } from '../mail/mail-sender.ts'
import type { Provider, ProviderOutcome } from '../provider-health/provider-health.ts'
import { type ExportOutcome, exportOutcomes } from '../requests/export/export-loop.ts'
import type { CopiedReceipts } from '../requests/receipt-copier.ts'
import { skipReasons } from '../requests/store-receipts.ts'
import { type CallOutcome, callOutcomes } from '../webhooks/send-message.ts'
import { addStateMetrics, type ObservedParts } from './state-metrics.ts'

/** What control measures. */
export interface ControlMetrics {
  readonly registry: Registry
  readonly events: ControlEvents
  /** Shows the state of these parts from now on. */
  observe(parts: ObservedParts): void
}

/** Creates all metrics of control but those of its process. It reads nothing and starts nothing. */
export function createControlMetrics(): ControlMetrics {
  const registry = new Registry()
  const events = addEventMetrics(registry)
  const observe = addStateMetrics(registry)
  addBuildInfo(registry, 'control')
  return { registry, events, observe }
}

/** What parts of control report to the metrics. */
export interface ControlEvents {
  request(method: string, route: string | undefined, status: number, ms: number): void
  revoked(ms: number): void
  providerCall(provider: Provider, outcome: ProviderOutcome, ms: number): void
  mail(outcome: MailOutcome): void
  receiptsExported(outcome: ExportOutcome, receipts: number): void
  receipts(copied: CopiedReceipts): void
  webhookAttempt(outcome: CallOutcome): void
  clocksCompared(skewMs: JudgedClocks['skewMs']): void
}

/** The buckets of OpenTelemetry's conventions for HTTP servers. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** Around the promise of five seconds. */
const revocationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const callBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Methods outside this list are `_OTHER`, as in OpenTelemetry's conventions. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Adds the metrics that count events. */
function addEventMetrics(registry: Registry): ControlEvents {
  const registers = [registry]
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Answered requests of the public port. The route is a template; it is empty for unknown paths',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: requestBuckets,
    registers
  })
  const revocations = new Histogram({
    name: 'tollgate_revocation_seconds',
    help: 'From the commit of a revoked key in PostgreSQL until Redis has acknowledged it, so that no gateway accepts the key',
    buckets: revocationBuckets,
    registers
  })
  const calls = new Histogram({
    name: 'tollgate_provider_call_duration_seconds',
    help: 'Calls to Stripe and Supabase until the head of the answer, and attempts to send a mail by SMTP',
    labelNames: ['provider', 'outcome'],
    buckets: callBuckets,
    registers
  })
  const mails = new Counter({
    name: 'tollgate_mails_total',
    help: 'Mails of control, by what became of them',
    labelNames: ['outcome'],
    registers
  })
  for (const outcome of mailOutcomes) mails.inc({ outcome }, 0)
  const receiptEvents = addReceiptMetrics(registers)
  const webhookAttempts = new Counter({
    name: 'tollgate_webhook_attempts_total',
    help: 'Tries to send a message to a webhook endpoint of an account or of the operators, by what became of them',
    labelNames: ['outcome'],
    registers
  })
  for (const outcome of callOutcomes) webhookAttempts.inc({ outcome }, 0)
  const clockSkew = new Gauge({
    name: 'tollgate_clock_skew_seconds',
    help: 'Seconds that a clock is ahead of the time that control uses, the median of three clocks; below 0 if it is behind',
    labelNames: ['clock'],
    registers
  })
  return {
    request(method, route = '', status, ms) {
      const label = knownMethods.has(method) ? method : '_OTHER'
      requests.observe({ http_request_method: label, http_route: route, http_response_status_code: status }, ms / 1000)
    },
    revoked: (ms) => revocations.observe(ms / 1000),
    providerCall: (provider, outcome, ms) => calls.observe({ provider, outcome }, ms / 1000),
    webhookAttempt: (outcome) => webhookAttempts.inc({ outcome }),
    mail: (outcome) => mails.inc({ outcome }),
    ...receiptEvents,
    clocksCompared({ own, database, redis }) {
      for (const [clock, skewMs] of Object.entries({ control: own, database, redis })) {
        if (skewMs === null) clockSkew.remove({ clock })
        else clockSkew.set({ clock }, skewMs / 1000)
      }
    }
  }
}

/** Adds the metrics that count receipts. */
function addReceiptMetrics(registers: Registry[]): Pick<ControlEvents, 'receiptsExported' | 'receipts'> {
  const exports = new Counter({
    name: 'tollgate_request_exports_total',
    help: 'Receipts of requests that left for the OTLP collector. rejected: it never takes them. expired: it took none for a week',
    labelNames: ['outcome'],
    registers
  })
  for (const outcome of exportOutcomes) exports.inc({ outcome }, 0)
  const copiedReceipts = new Counter({
    name: 'tollgate_receipts_copied_total',
    help: 'Receipts of requests that this replica copied from Redis to PostgreSQL',
    registers
  })
  const skippedReceipts = new Counter({
    name: 'tollgate_receipts_skipped_total',
    help: 'Receipts of requests that could not be stored: malformed, of a day that is not kept any more (old), or of a day far ahead (ahead)',
    labelNames: ['reason'],
    registers
  })
  for (const reason of skipReasons) skippedReceipts.inc({ reason }, 0)
  return {
    receiptsExported: (outcome, receipts) => exports.inc({ outcome }, receipts),
    receipts({ copied, skipped }) {
      copiedReceipts.inc(copied)
      for (const reason of skipReasons) skippedReceipts.inc({ reason }, skipped[reason])
    }
  }
}
