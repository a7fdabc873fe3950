import { setTimeout as delay } from 'node:timers/promises'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { serveCommands } from '../processes/commands.ts'

/** Commands to the upstream of a soak, and their results. */
export type SoakUpstreamCommand =
  /** → nothing, when it listens */
  | { kind: 'listen'; port: number; apiKey: string }
  /** → whether the gateway has left the request of this `x-request-id` before its answer was complete, within the time */
  | { kind: 'aborted'; requestId: string; withinMs: number }
  /** → how many of the last 10,000 requests have neither been answered nor left */
  | { kind: 'open' }

// As short as servers have it (Node, uvicorn): idle connections are gone soon after a run.
const keepAliveMs = 5000
// More would take longer to search than it is worth: enough for those that have just been left.
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

// The model server of the sandbox, in a process of its own.
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
