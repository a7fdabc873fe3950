import type { Logger } from 'pino'
import { LiveUpstreams } from './live-upstreams.ts'
import { createUpstreamReloader, type UpstreamReloader } from './reload-upstreams.ts'
import type { Learned } from './upstreams.ts'
import { UpstreamsSource } from './upstreams-source.ts'

/** How often the gateway checks whether the upstreams file has changed, ms. */
const defaultCheckMs = 10_000

/** Where the upstreams are read. */
export interface FollowedUpstreams {
  readonly upstreamsFile: string
  /** Has the variables that the file names. */
  readonly env: Record<string, string | undefined>
  readonly upstreamCheckMs?: number
  /** Called with what calls of this process showed of an upstream. */
  readonly onLearned?: (learned: Learned) => void
  readonly log: Logger
}

/**
 * Opens the upstreams of a file, with a reloader that does not run yet.
 *
 * @param onReloaded called after the upstreams changed
 * @throws FileError or ConfigError if the file is not valid
 */
export function followUpstreams(
  { upstreamsFile, env, upstreamCheckMs: intervalMs = defaultCheckMs, onLearned = () => {}, log }: FollowedUpstreams,
  onReloaded: () => void
): { upstreams: LiveUpstreams; reloader: UpstreamReloader } {
  const source = new UpstreamsSource(upstreamsFile, env)
  const upstreams = new LiveUpstreams(
    () => source.read(),
    {
      onBreaker(upstream, state) {
        log.warn({ upstream, breaker: state }, 'circuit breaker changed')
        if (state !== 'half-open') onLearned({ kind: 'breaker', upstream, state })
      },
      onPause: (upstream, model, ms) => onLearned({ kind: 'pause', upstream, model, ms })
    },
    (err) => log.warn({ err }, 'cannot close the connections of an upstream')
  )
  return { upstreams, reloader: createUpstreamReloader({ source, upstreams, log, intervalMs, onReloaded }) }
}
