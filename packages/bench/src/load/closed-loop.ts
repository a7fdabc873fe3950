import { setTimeout as delay } from 'node:timers/promises'
import { type CpuUse, cpuBetween, readCpu, readMachineTicks, readWrites } from '../measure/machine.ts'
import { Connection, type ConnectionOwner, type KeyRing } from './connection.ts'
import type { CloseCommand, MeasureCommand, OpenCommand, Window } from './protocol.ts'
import { countsBetween, openRedisCounters } from './redis-counters.ts'

const ticksPerSecond = 100

/**
 * A fixed number of connections. Each sends its next request when the last one is answered. With short answers, this
 * saturates the server. With endless streams, it keeps them open.
 */
export class ClosedLoop implements ConnectionOwner {
  #connections: Connection[] = []
  #answers = 0
  #events = 0
  #failure: string | null = null
  #isDraining = false
  readonly #keys: KeyRing

  /** @param keys for plans whose requests carry different keys */
  constructor(keys: KeyRing) {
    this.#keys = keys
  }

  async open({ plan, connections, overMs }: OpenCommand): Promise<null> {
    this.#isDraining = false
    this.#failure = null
    const start = performance.now()
    for (let opened = 0; opened < connections; opened++) {
      const wait = start + (overMs * opened) / connections - performance.now()
      if (wait >= 1) await delay(wait)
      this.#throwFailure()
      const connection = new Connection(plan, this, this.#keys)
      this.#connections.push(connection)
      connection.send()
    }
    return null
  }

  /** @throws if a request has failed since the connections were opened: figures of a run with failures mean nothing */
  async measure({ forMs, watch, redisUrl = null }: MeasureCommand): Promise<Window> {
    const counters = redisUrl === null ? null : await openRedisCounters(redisUrl)
    // The counters of Redis are read first both times, so that they cover about the same time as the others.
    const redisBefore = await counters?.read()
    const before = this.#snapshot(watch)
    await delay(forMs)
    const redisAfter = await counters?.read()
    const after = this.#snapshot(watch)
    await counters?.close()
    this.#throwFailure()
    const cpuNanos: Record<string, number> = {}
    for (const name of Object.keys(watch)) cpuNanos[name] = cpuBetween(before.cpu[name]!, after.cpu[name]!)
    return {
      seconds: (after.at - before.at) / 1000,
      answers: after.answers - before.answers,
      events: after.events - before.events,
      cpuNanos,
      writes: after.writes - before.writes,
      redis: redisBefore === undefined || redisAfter === undefined ? null : countsBetween(redisBefore, redisAfter),
      machineSeconds: {
        busy: (after.machine.busy - before.machine.busy) / ticksPerSecond,
        stolen: (after.machine.stolen - before.machine.stolen) / ticksPerSecond
      }
    }
  }

  async close({ drain }: CloseCommand): Promise<null> {
    this.#isDraining = true
    const deadline = performance.now() + 5000
    while (drain && this.#connections.some((connection) => connection.isWaiting)) {
      this.#throwFailure()
      if (performance.now() > deadline) throw new Error('requests in flight were not answered within 5 s')
      await delay(5)
    }
    for (const connection of this.#connections) connection.close()
    this.#connections = []
    return null
  }

  answered(connection: Connection): void {
    this.#answers++
    if (!this.#isDraining) connection.send()
  }

  received(_connection: Connection, events: number): void {
    this.#events += events
  }

  failed(reason: string): void {
    this.#failure ??= reason
  }

  #snapshot(watch: Record<string, number>) {
    const cpu: Record<string, CpuUse> = {}
    for (const [name, pid] of Object.entries(watch)) cpu[name] = readCpu(pid)
    const writes = watch.measured === undefined ? 0 : readWrites(watch.measured)
    const [at, answers, events] = [performance.now(), this.#answers, this.#events]
    return { at, answers, events, cpu, writes, machine: readMachineTicks() }
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw new Error(`a request failed: ${this.#failure}`)
  }
}
