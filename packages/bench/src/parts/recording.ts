import { completeRates } from '@tollgate/contracts/prices/charge-rates.ts'
import { CallMetrics } from '@tollgate/gateway/settlement/call-metrics.ts'
import { callReceipt } from '@tollgate/gateway/settlement/call-receipt.ts'
import type { Call, Outcome } from '@tollgate/gateway/settlement/outcome.ts'
import { createMetrics } from '@tollgate/gateway/telemetry/metrics.ts'
import { nothingUsed } from '@tollgate/gateway/usage/usage.ts'
import { bulk, utf8 } from '@tollgate/state/wire/packed.ts'
import { median } from '../measure/statistics.ts'
import { formatNumber } from '../report/table.ts'
import type { Part } from './part.ts'

const models = Array.from({ length: 20 }, (_, number) => `model-${number}`)
const plans = ['free', 'pro', 'max'] as const
const upstreams = ['a', 'b', 'c'] as const
/** Different calls, so that the processor cannot learn one. */
const variants = 4096
const rounds = 7

/** What the metrics and the receipt of a request cost, without the request. */
export const recording: Part = {
  name: 'recording',
  summary: "CPU time of a request's metrics and of its receipt, without the request",
  onlyIfNamed: true,
  async run(bench) {
    const perRound = bench.timing.recordedRequests
    const kinds = Object.entries(createRecorders())
    // The first round is for V8.
    const figures = Object.fromEntries(kinds.map(([name, record]) => [name, measure(record, perRound).slice(1)]))
    return {
      sections: [
        {
          title: `metrics and receipt of one request, CPU time, ns; median of ${rounds} rounds of ${formatNumber(perRound, 0)}`,
          table: {
            head: ['request', 'ns'],
            rows: Object.entries(figures).map(([name, nanos]) => [name, formatNumber(median(nanos), 0)])
          },
          notes: ['A served request reads the clock four times for its metrics, if it shares no round trip of Redis.']
        }
      ],
      figures: { nanosPerRequest: figures }
    }
  }
}

/** Record what a gateway records for one request. */
function createRecorders(): Record<string, (number: number) => void> {
  const metrics = createMetrics()
  metrics.useCatalog({ models: () => models.map((name) => [name, null] as const), planNames: () => plans })
  metrics.useUpstreams(upstreams)
  const callMetrics = new CallMetrics(metrics)
  const rates = completeRates({ inputPicos: 150_000, cachedInputPicos: 75_000, outputPicos: 600_000 }, {})
  const calls = Array.from({ length: variants }, (_, number) => callOf(number))
  const served = (number: number, isStream: boolean): void => {
    const { call, outcome, usage } = calls[number % variants]!
    metrics.keyLookups.hits.add(1)
    metrics.redis.answered(performance.now())
    metrics.redis.answered(performance.now())
    metrics.upstreams.ended(outcome.upstream!, 'success', 300)
    callMetrics.ended(isStream ? { ...call, isStream } : call, outcome, usage, 123_456, call.startedAt + 1500)
  }
  return {
    'a served request': (number) => served(number, false),
    'a served stream': (number) => served(number, true),
    'the receipt of a served request': (number) => {
      const { call, outcome, usage } = calls[number % variants]!
      const charge = { usage, costNanos: 123_456, rates, tier: 'default' }
      // As the queue does, so that V8 builds the text.
      Buffer.byteLength(bulk(utf8(callReceipt(call, outcome, charge, call.startedAt + 1500, false))))
    },
    'a refused request': (number) => {
      const { model, endpoint, admitted } = calls[number % variants]!.call
      metrics.answers.answered({ endpoint, model, plan: admitted.plan, status: 429, code: 'requests_per_minute' })
    }
  }
}

function callOf(number: number) {
  const startedAt = 1000 + number
  const call = {
    startedAt,
    kind: 'chat',
    // As from a parser: each request has its own string.
    model: JSON.parse(JSON.stringify(models[number % models.length])) as string,
    endpoint: '/v1/chat/completions',
    isStream: false,
    id: `req_${crypto.randomUUID()}`,
    known: { pointer: { account: crypto.randomUUID(), key: `key_${crypto.randomUUID()}` } },
    sender: { address: '127.0.0.1', requestId: undefined },
    admitted: {
      plan: plans[number % plans.length]!,
      heldTokens: 2000,
      hold: { at: 1_795_464_000 + number, nanos: 900_000 + number, grantedTokens: 1000, budgetLeftNanos: 1e9 }
    }
  } as Call
  const upstream = upstreams[number % upstreams.length]!
  const outcome: Outcome = {
    ...{ upstream, upstreamStatus: 200, attempts: 1, failedCalls: [], lastCall: 'success' },
    ...{ calledAt: startedAt + 1, status: 200 },
    ...{
      code: null,
      used: null,
      answeredModel: `${call.model}-2026-10-01`,
      firstByteAt: startedAt + 400.5,
      clientGone: false
    }
  }
  const tokens = { promptTokens: 100 + ((number * 7919) % 5000), completionTokens: 10 + ((number * 104_729) % 2000) }
  return { call, outcome, usage: { ...nothingUsed, ...tokens, cachedTokens: number % 50 } }
}

/** @returns nanoseconds per call of each round */
function measure(record: (number: number) => void, perRound: number): number[] {
  return Array.from({ length: rounds + 1 }, () => {
    const before = process.cpuUsage()
    for (let number = 0; number < perRound; number++) record(number)
    const { user, system } = process.cpuUsage(before)
    return ((user + system) * 1000) / perRound
  })
}
