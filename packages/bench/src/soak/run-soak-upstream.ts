import { setTimeout as delay } from 'node:timers/promises'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { serveCommands } from '../children.ts'

/** Commands to the upstream of a soak, and their results. */
export type SoakUpstreamCommand =
  /** → nothing, once the server listens */
  | { kind: 'listen'; port: number; apiKey: string }
  /** → whether the gateway left the request with this `x-request-id` before its answer was complete, within the time */
  | { kind: 'aborted'; requestId: string; withinMs: number }
  /** → how many of the last 10,000 requests are neither answered nor left */
  | { kind: 'open' }

// As short as in Node and uvicorn, so that idle connections close soon after a run.
const keepAliveMs = 5000
// Enough to find requests that were just left; more would make the search slow.
const remember = { records: 10_000 }

let models: RunningModels | null = null

async function wasAborted(requestId: string, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const calls = models!.requests({ id: requestId })
    if (calls.length > 0 && calls.every(({ abortedAtMs }) => abortedAtMs !== null)) return true
    if (performance.now() > deadline) return false
    await delay(20)
  }
}

// Runs the embedded model server in its own process.
serveCommands<SoakUpstreamCommand>(async (command) => {
  switch (command.kind) {
    case 'listen':
      models = await startModels({ port: command.port, apiKey: command.apiKey, keepAliveMs, remember })
      return
    case 'aborted':
      return wasAborted(command.requestId, command.withinMs)
    case 'open':
      return models!.requests().filter((call) => call.finishedAtMs === null && call.abortedAtMs === null).length
  }
})
