import type { OperatorFault } from '../relay/operator-faults.ts'
import type { UpstreamHealth } from '../upstream-health/upstream-health.ts'
import type { LiveUpstreams } from '../upstreams/live-upstreams.ts'
import type { Upstream } from '../upstreams/upstreams.ts'

/** Where the answers of calls that cost nothing are reported. */
export interface AnswerReport {
  readonly upstreams: Pick<LiveUpstreams, 'current'>
  readonly upstreamHealth: Pick<UpstreamHealth, 'failed' | 'accepted'>
}

/**
 * Reports what the answer of a call that costs nothing says of the upstream's credential and credit. It says nothing of the model: an
 * upstream may have it, and lack the endpoint.
 *
 * @param fault null if the call succeeded
 */
export function reportAnswer(
  { upstreams, upstreamHealth }: AnswerReport,
  upstream: Upstream,
  fault: OperatorFault | null
): void {
  const { name, models } = upstream
  // Calls with replaced settings say nothing of the present ones.
  if (upstreams.current.byName.get(name) !== upstream) return
  if (fault === null) upstreamHealth.accepted(name)
  else if (fault !== 'model')
    upstreamHealth.failed(fault, { upstream: name, model: null, credentialName: models.credentialName })
}
