import { describeFailure } from '../network/failure.ts'
import type { Outcome } from '../network/get.ts'
import { type Result, resultsOf } from '../results/result.ts'
import type { AddressFacts } from './read-addresses.ts'

const { ok, error, warning } = resultsOf('addresses')

interface Service {
  readonly name: 'control' | 'gateway'
  readonly variable: 'PUBLIC_URL' | 'GATEWAY_PUBLIC_URL'
  readonly url: string
  isOurs(json: unknown): boolean
}

/** Judges whether the services answer at their public addresses. */
export function judgeReachability(
  facts: AddressFacts,
  { publicUrl, gatewayPublicUrl }: { readonly publicUrl: string; readonly gatewayPublicUrl: string }
): Result[] {
  return [
    judgeService(facts.control, {
      name: 'control',
      variable: 'PUBLIC_URL',
      url: publicUrl,
      isOurs: (json) => (json as { ok?: unknown } | null | undefined)?.ok === true
    }),
    judgeService(facts.gateway, {
      name: 'gateway',
      variable: 'GATEWAY_PUBLIC_URL',
      url: gatewayPublicUrl,
      isOurs: (json) => (json as { error?: { code?: unknown } } | null | undefined)?.error?.code === 'missing_api_key'
    })
  ]
}

function judgeService(outcome: Outcome, { name, variable, url, isOurs }: Service): Result {
  const title = name === 'control' ? 'Control' : 'The gateway'
  if ('failure' in outcome) {
    return warning(`${name}_unreachable`, {
      what: describeFailure(`${title} at ${url}`, outcome.failure),
      why: 'If it runs, browsers and clients may not reach it either.',
      fix: `Start ${title.toLowerCase()}. If it runs, correct ${variable}, DNS or the proxy in front of it.`
    })
  }
  const { status, json } = outcome.answer
  if (isOurs(json)) return ok(`${title} answers at ${url}.`)
  return error(`${name}_foreign`, {
    what: `Another server answers at ${variable} (${url}), with status ${status}.`,
    why:
      name === 'control'
        ? 'Links in mails, and webhooks, lead there.'
        : 'The dashboard shows this address to customers.',
    fix: `Correct ${variable}, or the proxy in front of ${title.toLowerCase()}: deploy/nginx/tollgate.conf is an example.`
  })
}
