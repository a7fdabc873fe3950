import { packNumbers, packText } from '../wire/packed.ts'
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

/** A sum as settle-held.lua takes it. */
export function packSum(sum: SettledSum): string {
  const { key, model } = sum
  const numbers = packNumbers(
    sum.at,
    sum.heldNanos,
    sum.requests,
    sum.failed,
    sum.promptTokens,
    sum.cachedTokens,
    sum.completionTokens,
    sum.costNanos,
    sum.estimated,
    sum.estimatedNanos
  )
  return `${numbers}${packText(`k:${key}`)}${packText(`${key}|${model}`)}`
}

/** A request as settle-held.lua takes it: what is to be given back of the rate of tokens. */
export function packHeld(request: SettledRequest): string {
  const { id, heldTokens, promptTokens, completionTokens, tokensPerMinute, at, tokensRestMs } = request
  const unused = ((heldTokens - promptTokens - completionTokens) * microsPerMinute) / tokensPerMinute
  return packNumbers(unused, at * 1_000_000 + tokensRestMs * 1000) + packText(`h:${id}`)
}
