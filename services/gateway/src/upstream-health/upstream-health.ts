import type { Logger } from 'pino'

/** What the operator must correct for an upstream. Never has a credential. */
export interface UpstreamProblem {
  /** The variable of the credential, or the upstream if the upstreams file names none. */
  readonly what: string
  readonly upstream: string
  readonly problem: string
}

/** Which upstreams refuse the gateway's credentials, as their last answers say. */
export interface UpstreamHealth {
  /** Logs the first refusal of an upstream as an error. */
  rejected(upstream: string, variable: string | null): void
  /** The upstream has accepted the credentials. */
  accepted(upstream: string): void
  problems(): UpstreamProblem[]
}

export function createUpstreamHealth(log: Pick<Logger, 'error' | 'info'>): UpstreamHealth {
  const rejected = new Map<string, UpstreamProblem>()
  return {
    rejected(upstream, variable) {
      if (rejected.has(upstream)) return
      const what = variable ?? upstream
      const problem =
        variable === null
          ? 'the upstream asks for credentials. Name their variable in the upstreams file (credential_variable)'
          : 'the upstream refuses these credentials. Correct the variable and restart the gateway'
      rejected.set(upstream, { what, upstream, problem })
      log.error({ upstream, variable }, `upstream ${upstream}: ${what}: ${problem}`)
    },
    accepted(upstream) {
      if (rejected.delete(upstream)) log.info({ upstream }, `upstream ${upstream} accepts the credentials again`)
    },
    problems: () => [...rejected.values()]
  }
}
