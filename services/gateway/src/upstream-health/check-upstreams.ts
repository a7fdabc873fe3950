import type { Logger } from 'pino'
import { operatorFault } from '../relay/operator-faults.ts'
import { readRefusal } from '../relay/read-refusal.ts'
import { maxRefusalBytes } from '../relay/refusal.ts'
import { callBeside, codeOfCall } from '../upstreams/call-beside.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import type { UpstreamHealth } from './upstream-health.ts'

const timeoutMs = 10_000

export interface UpstreamChecks {
  /** Asks every upstream for its models, in the background. */
  start(): void
  /** Ends the calls that are still under way. */
  stop(): Promise<void>
}

/**
 * Checks the credentials of upstreams with one `GET …/models` each. 401, 403 and errors about the credential or the credit are reported.
 * Every other answer is fine, because not every provider has this endpoint. No request waits for a check.
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
