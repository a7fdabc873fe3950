import { bulk, bulkAscii } from './call-script.ts'
import type { SettledRequest } from './settle.ts'

const microsPerMinute = 60_000_000
const secondsPerHour = 3600

/** What requests of one hour, key and model have come to. Amounts are nanodollars. */
export type SettledSum = {
  /** When one of them was admitted, seconds since the epoch. */
  at: number
  key: string
  model: string
  heldNanos: number
  costNanos: number
  requests: number
  failed: number
  promptTokens: number
  cachedTokens: number
  completionTokens: number
  estimated: number
  estimatedNanos: number
}

/** Adds up what belongs together. */
export function sumsOf(requests: readonly SettledRequest[]): SettledSum[] {
  const sums: SettledSum[] = []
  for (const request of requests) {
    const sum = sumFor(request, sums)
    sum.heldNanos += request.heldNanos
    sum.costNanos += request.costNanos
    sum.requests++
    if (request.failed) sum.failed++
    sum.promptTokens += request.promptTokens
    sum.cachedTokens += request.cachedTokens
    sum.completionTokens += request.completionTokens
    if (!request.estimated) continue
    sum.estimated++
    sum.estimatedNanos += request.costNanos
  }
  return sums
}

function sumFor({ at, key, model }: SettledRequest, sums: SettledSum[]): SettledSum {
  const hour = Math.floor(at / secondsPerHour)
  for (const sum of sums) {
    if (sum.key === key && sum.model === model && Math.floor(sum.at / secondsPerHour) === hour) return sum
  }
  const sum = {
    at,
    key,
    model,
    heldNanos: 0,
    costNanos: 0,
    requests: 0,
    failed: 0,
    promptTokens: 0,
    cachedTokens: 0,
    completionTokens: 0,
    estimated: 0,
    estimatedNanos: 0
  }
  sums.push(sum)
  return sum
}

export const argumentsOfSum = 12

/** A sum as settle-held.lua takes it, in the form of the wire. */
export function encodeSum(sum: SettledSum): string {
  const { at, key, model, ...amounts } = sum
  let encoded = bulkAscii(String(at)) + bulk(key) + bulk(model)
  for (const amount of Object.values(amounts)) encoded += bulkAscii(String(amount))
  return encoded
}

export const argumentsOfHeld = 3

/** A request as settle-held.lua takes it, in the form of the wire: what is to be given back of the rate of tokens. */
export function encodeHeld(request: SettledRequest): string {
  const { id, heldTokens, promptTokens, completionTokens, tokensPerMinute, at, tokensRestMs } = request
  const unused = String(((heldTokens - promptTokens - completionTokens) * microsPerMinute) / tokensPerMinute)
  const until = String(at * 1_000_000 + tokensRestMs * 1000)
  return `$${id.length}\r\n${id}\r\n$${unused.length}\r\n${unused}\r\n$${until.length}\r\n${until}\r\n`
}
