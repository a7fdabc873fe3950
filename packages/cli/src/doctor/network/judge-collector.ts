import { type Part, type Result, resultsOf } from '../results/result.ts'
import { cureFailure, describeFailure } from './failure.ts'
import type { Outcome } from './get.ts'

/** What a collector is for, in words. */
export interface CollectorWords {
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

/** Judges the answer of an OTLP collector to a request without content. */
export function judgeCollector(words: CollectorWords, { host }: URL, outcome: Outcome): Result {
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
