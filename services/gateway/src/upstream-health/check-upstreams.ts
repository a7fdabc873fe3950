import type { Logger } from 'pino'
import { Agent } from 'undici'
import { operatorFault } from '../relay/operator-faults.ts'
import { readRefusal } from '../relay/read-refusal.ts'
import { maxRefusalBytes } from '../relay/refusal.ts'
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
    const agent = new Agent({ allowH2: true, connect: models.ca === undefined ? {} : { ca: models.ca } })
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)])
    try {
      const { origin, pathname, search } = new URL(models.url)
      const call = { origin, path: pathname + search, method: 'GET', headers: models.headers, signal } as const
      const { statusCode, body } = await agent.request(call)
      const target = { upstream: name, model: null, credentialName: models.credentialName }
      if (statusCode < 400) await body.dump()
      const fault = statusCode < 400 ? null : operatorFault(statusCode, readRefusal(await readStart(body)))
      if (statusCode < 300) health.accepted(name)
      else if (fault === 'credit') health.failed('credit', target)
      else if (fault === 'credential' || statusCode === 401 || statusCode === 403) health.failed('credential', target)
    } catch (error) {
      // The error of a call may have the address, whose query may contain a key: only its code is logged.
      const { code, name: kind } = error as NodeJS.ErrnoException
      if (!stopping.signal.aborted) {
        log.warn({ upstream: name, code: code ?? kind }, `upstream ${name} cannot be reached; requests to it will fail`)
      }
    } finally {
      await agent.destroy()
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

/** Reads the first bytes of a body, and ends it. */
async function readStart(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxRefusalBytes) break
  }
  return Buffer.concat(chunks)
}
