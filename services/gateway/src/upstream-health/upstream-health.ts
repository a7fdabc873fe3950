import type { Logger } from 'pino'
import type { Upstreams } from '../upstreams/upstreams.ts'

/** What the operator must correct for an upstream. Never has a credential. */
export interface UpstreamProblem {
  /** Where the credential comes from, or the upstream if the upstreams file names none. */
  readonly what: string
  readonly upstream: string
  readonly problem: string
}

/** Which upstreams refuse the gateway's credentials, as their last answers say. */
export interface UpstreamHealth {
  /** Logs the first refusal of an upstream as an error. */
  rejected(upstream: string, credentialName: string | null): void
  /** The upstream has accepted the credentials. */
  accepted(upstream: string): void
  problems(): UpstreamProblem[]
}

/** @param upstreams returns the upstreams in force; there are no problems of others */
export function createUpstreamHealth(log: Pick<Logger, 'error' | 'info'>, upstreams: () => Upstreams): UpstreamHealth {
  const rejected = new Map<string, UpstreamProblem>()
  return {
    rejected(upstream, credentialName) {
      if (rejected.has(upstream)) return
      const what = credentialName ?? upstream
      const problem =
        credentialName === null
          ? 'the upstream asks for credentials. Name them in the upstreams file (credential_variable or credential_file)'
          : 'the upstream refuses these credentials. Correct them. A changed variable needs a restart of the gateway'
      rejected.set(upstream, { what, upstream, problem })
      log.error({ upstream, credential: credentialName }, `upstream ${upstream}: ${what}: ${problem}`)
    },
    accepted(upstream) {
      if (rejected.delete(upstream)) log.info({ upstream }, `upstream ${upstream} accepts the credentials again`)
    },
    problems: () => [...rejected.values()].filter(({ upstream }) => upstreams().has(upstream))
  }
}
