import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { request } from 'undici'
import { type Child, isRunning } from './children.ts'
import type { RequestPlan } from './load/protocol.ts'
import { type BenchApi, benchRequest } from './load/requests.ts'
import { Inspector } from './measure/profile.ts'
import type { RunningTarget, Target, TargetContext } from './targets/proxies.ts'
import { content, eventsOfApi, type StreamShape } from './upstream/answers.ts'

const startTimeoutMs = 60_000

/** One of the two compared proxies, running and checked. */
export interface Side {
  name: string
  child: Child
  /** Helper processes: name → process id. */
  helpers: Record<string, number>
  /** The URL of its Redis, if that counts its commands; else null. */
  redisUrl: string | null
  /** The API keys of the requests. If there are several, the load generator needs a `keys` command. */
  apiKeys: readonly string[]
  /** Present if it was started with `inspect`. */
  inspector: Inspector | null
  /** Without an API, chat. */
  plainPlan(api?: BenchApi): RequestPlan
  /** Chat, with an `Idempotency-Key` of its own for each request. */
  repeatablePlan(): RequestPlan
  /** @param shape the upstream's current shape */
  streamPlan(shape: StreamShape, api?: BenchApi): RequestPlan
  stop(): Promise<void>
}

/**
 * Starts a target. Resolves when it passes on a chat request and its answer.
 *
 * @throws Error with the last output of the process if it ends, or does not answer correctly in time
 */
export async function startSide(target: Target, context: TargetContext, options: { inspect: boolean }): Promise<Side> {
  const inspectPort = options.inspect ? await freePort() : null
  const nodeFlags =
    inspectPort === null ? context.nodeFlags : [...context.nodeFlags, `--inspect=127.0.0.1:${inspectPort}`]
  const running = await target.start({ ...context, nodeFlags })
  try {
    await untilItAnswers(target.name, running)
    const inspector = inspectPort === null ? null : await Inspector.connect(inspectPort)
    return {
      name: target.name,
      child: running.child,
      helpers: running.helpers,
      redisUrl: running.redisUrl,
      apiKeys: running.apiKeys,
      inspector,
      plainPlan: (api = 'chat') => planFor(running, api, false, 0),
      repeatablePlan: () => planFor(running, 'chat', false, 0, '0'.repeat(16)),
      streamPlan: (shape, api = 'chat') => planFor(running, api, true, eventsOfApi(api, shape)),
      async stop() {
        inspector?.close()
        await running.stop()
      }
    }
  } catch (error) {
    await running.stop()
    throw error
  }
}

/** @param number stands for a number in the header `Idempotency-Key`; without it there is no such header */
function planFor(
  { port, model, apiKeys }: RunningTarget,
  api: BenchApi,
  stream: boolean,
  events: number,
  number?: string
): RequestPlan {
  const apiKey = apiKeys[0]!
  const idempotencyKey = number === undefined ? {} : { idempotencyKey: number }
  const text = benchRequest({ api, port, model, apiKey, stream, ...idempotencyKey })
  // The text before these is ASCII, so the index counts bytes.
  return {
    port,
    text,
    events,
    ...(apiKeys.length > 1 && { keyAt: text.indexOf(apiKey) }),
    ...(number !== undefined && { numberAt: text.indexOf(number) })
  }
}

async function untilItAnswers(name: string, { port, child, model, apiKeys }: RunningTarget): Promise<void> {
  const deadline = performance.now() + startTimeoutMs
  let last = 'no answer'
  while (performance.now() < deadline) {
    if (!isRunning(child)) break
    try {
      const answer = await request(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKeys[0]}` },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
      })
      const text = await answer.body.text()
      if (answer.statusCode === 200 && JSON.parse(text).choices?.[0]?.message?.content === content) return
      last = `status ${answer.statusCode}: ${text.slice(0, 500)}`
    } catch (error) {
      last = error instanceof Error ? error.message : String(error)
    }
    await delay(100)
  }
  throw new Error(`${name} does not pass on a request (${last})\n${child.output()}`)
}
