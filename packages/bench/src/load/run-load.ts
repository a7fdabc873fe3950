import { setTimeout as delay } from 'node:timers/promises'
import { serveCommands } from '../children.ts'
import { ClosedLoop } from './closed-loop.ts'
import { Connection, type ConnectionOwner, KeyRing } from './connection.ts'
import type { LatencyCommand, LoadCommand } from './protocol.ts'

const keys = new KeyRing()
const loop = new ClosedLoop(keys)

class OpenLoop implements ConnectionOwner {
  readonly idle: Connection[] = []
  readonly latencies: number[] = []
  failure: string | null = null
  readonly #all: Connection[] = []
  readonly #until: LatencyCommand['until']
  readonly #countFrom: number

  constructor(until: LatencyCommand['until'], countFrom: number) {
    this.#until = until
    this.#countFrom = countFrom
  }

  get isWaiting(): boolean {
    return this.#all.some((connection) => connection.isWaiting)
  }

  add(connection: Connection): Connection {
    this.#all.push(connection)
    return connection
  }

  close(): void {
    for (const connection of this.#all) connection.close()
  }

  answered(connection: Connection): void {
    if (this.#until === 'end') this.#note(connection)
    this.idle.push(connection)
  }

  received(connection: Connection, events: number): void {
    if (this.#until === 'first-event' && connection.events === events) this.#note(connection)
  }

  failed(reason: string): void {
    this.failure ??= reason
  }

  #note(connection: Connection): void {
    if (connection.sentAt >= this.#countFrom) this.latencies.push(performance.now() - connection.sentAt)
  }
}

serveCommands<LoadCommand>(async (command) => {
  switch (command.kind) {
    case 'keys':
      keys.fill(command.keys)
      return null
    case 'open':
      return loop.open(command)
    case 'measure':
      return loop.measure(command)
    case 'close':
      return loop.close(command)
    case 'latency':
      return measureLatency(command, keys)
  }
})

/**
 * Sends requests at fixed intervals. A slow answer does not delay the next request. So a stall shows in every affected
 * request, not only in one (no "coordinated omission").
 *
 * The time counts from the write, not from the planned time: Node's timers are up to a millisecond late, which is
 * several times the latency of a proxy.
 *
 * @returns milliseconds of each request sent after the ramp
 * @throws if a request fails
 */
async function measureLatency(command: LatencyCommand, keys: KeyRing): Promise<number[]> {
  const { plan, perSecond, rampMs, forMs, until } = command
  const start = performance.now()
  const loop = new OpenLoop(until, start + rampMs)
  const total = Math.round(((rampMs + forMs) / 1000) * perSecond)
  try {
    for (let sent = 0; sent < total; sent++) {
      const wait = start + (sent * 1000) / perSecond - performance.now()
      if (wait > 0) await delay(wait)
      if (loop.failure !== null) break
      const connection = loop.idle.pop() ?? loop.add(new Connection(plan, loop, keys))
      connection.send()
    }
    const deadline = performance.now() + 5000
    while (loop.failure === null && loop.isWaiting) {
      if (performance.now() > deadline) throw new Error('requests were not answered within 5 s')
      await delay(5)
    }
    if (loop.failure !== null) throw new Error(`a request failed: ${loop.failure}`)
    return loop.latencies
  } finally {
    loop.close()
  }
}
