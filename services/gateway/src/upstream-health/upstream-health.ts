import type { Logger } from 'pino'
import { type OperatorFault, operatorFault } from '../relay/operator-faults.ts'
import { readRefusal } from '../relay/read-refusal.ts'
import { maxRefusalBytes } from '../relay/refusal.ts'
import { callBeside, codeOfCall } from '../upstreams/call-beside.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'

/** What the operator must correct for an upstream. Never has a credential. */
export interface UpstreamProblem {
  /**
   * Where the credential comes from, the upstream if the upstreams file names no credential, or the upstream's model.
   */
  readonly what: string
  readonly upstream: string
  readonly problem: string
}

/** What a call failed with. */
export interface FailedTarget {
  readonly upstream: string
  /** The upstream's name of the model; null for a call without one. */
  readonly model: string | null
  /** null for an upstream without a credential. */
  readonly credentialName: string | null
}

/** What only the operator can repair at upstreams, as their last answers say. */
export interface UpstreamHealth {
  /** Logs a new problem as an error. */
  failed(fault: OperatorFault, target: FailedTarget): void
  /** The upstream has accepted the credentials. */
  accepted(upstream: string): void
  /** The upstream has answered a request of a model, so it has no problem with it. */
  answered(upstream: string, model: string): void
  problems(): UpstreamProblem[]
}

/** A problem, and where it was found. */
interface ProblemEntry extends UpstreamProblem {
  readonly model: string | null
}

/**
 * @param isInUse whether an upstream is in force and, unless the model is null, whether a route has the upstream's
 *   model. Problems of others are not shown
 */
export function createUpstreamHealth(
  log: Pick<Logger, 'error' | 'info'>,
  isInUse: (upstream: string, model: string | null) => boolean
): UpstreamHealth {
  const problems = new Map<string, ProblemEntry>()
  const end = (key: string): void => {
    const entry = problems.get(key)
    if (entry === undefined) return
    problems.delete(key)
    const { upstream, what } = entry
    log.info({ upstream }, `upstream ${upstream}: ${what}: works again`)
  }
  return {
    failed(fault, { upstream, model, credentialName }) {
      const faultyModel = fault === 'model' ? model : null
      const key = keyOf(fault, upstream, faultyModel)
      if (problems.has(key)) return
      const what = faultyModel ?? credentialName ?? upstream
      const problem = problemOf(fault, credentialName)
      problems.set(key, { what, upstream, problem, model: faultyModel })
      log.error({ upstream, credential: credentialName, fault }, `upstream ${upstream}: ${what}: ${problem}`)
    },
    accepted(upstream) {
      end(keyOf('credential', upstream, null))
    },
    answered(upstream, model) {
      // Nearly always, and for nearly every request.
      if (problems.size === 0) return
      end(keyOf('credential', upstream, null))
      end(keyOf('credit', upstream, null))
      end(keyOf('model', upstream, model))
    },
    problems: () =>
      [...problems.values()]
        .filter(({ upstream, model }) => isInUse(upstream, model))
        .map(({ what, upstream, problem }) => ({ what, upstream, problem }))
  }
}

const keyOf = (fault: OperatorFault, upstream: string, model: string | null): string =>
  JSON.stringify([fault, upstream, model])

function problemOf(fault: OperatorFault, credentialName: string | null): string {
  if (fault === 'credit') {
    return 'the account at the provider has no credit left, or has reached its spending limit. Add credit or raise the limit there'
  }
  if (fault === 'model') {
    return 'the upstream does not have this model, or does not offer it to the account. Correct the route or base_url, or get access there'
  }
  return credentialName === null
    ? 'the upstream asks for credentials. Name them in the upstreams file (credential_variable or credential_file)'
    : 'the upstream refuses these credentials. Correct them. A changed variable needs a restart of the gateway'
}

const timeoutMs = 10_000

interface UpstreamChecks {
  /** Asks every upstream for its models, in the background. */
  start(): void
  /** Ends the calls that are still under way. */
  stop(): Promise<void>
}

/**
 * Checks the credentials of upstreams with one `GET …/models` each. 401, 403 and errors about the credential or the
 * credit are reported. Every other answer is fine, because not every provider has this endpoint. No request waits for a
 * check.
 *
 * @param upstreams returns the upstreams in force
 */
export function createUpstreamChecks(
  upstreams: () => Upstreams,
  health: UpstreamHealth,
  log: Pick<Logger, 'warn'>
): UpstreamChecks {
  const stopping = new AbortController()
  let running: Promise<unknown> = Promise.resolve()

  async function check({ name, models }: Upstream): Promise<void> {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)])
    const { url, headers, credentialName } = models
    try {
      const call = { method: 'GET', url, headers, maxBytes: maxRefusalBytes } as const
      const { status, bytes } = await callBeside(models, call, signal)
      const target = { upstream: name, model: null, credentialName }
      const fault = status < 400 ? null : operatorFault(status, readRefusal(bytes))
      if (status < 300) health.accepted(name)
      else if (fault === 'credit') health.failed('credit', target)
      else if (fault === 'credential' || status === 401 || status === 403) health.failed('credential', target)
    } catch (error) {
      if (!stopping.signal.aborted) {
        const code = codeOfCall(error)
        log.warn({ upstream: name, code }, `upstream ${name} cannot be reached; requests to it will fail`)
      }
    }
  }

  return {
    start() {
      running = Promise.all([running, ...[...upstreams().values()].map(check)])
    },
    async stop() {
      stopping.abort()
      await running
    }
  }
}
