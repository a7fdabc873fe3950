import { setTimeout as delay } from 'node:timers/promises'
import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'
import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import type { Registry } from 'prom-client'
import { version } from '../workspace.ts'

/** How many times as long as a read the pause after it is: reads take a tenth of the time at most. */
const pauseFactor = 9
const maxPauseMs = 1000

/**
 * Lets callers at the same time share an expensive read. Each gets a read that began after its call, so nobody gets old
 * values. Between two reads there is a pause, in proportion to the time that the last one took.
 */
function shareReads<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<Value> | null = null
  let pauseEndsAt = 0

  async function readNext(): Promise<Value> {
    await last
    const pauseMs = pauseEndsAt - performance.now()
    if (pauseMs > 0) await delay(pauseMs)
    next = null
    const startedAt = performance.now()
    const value = read()
    const ended = (): void => {
      const endedAt = performance.now()
      pauseEndsAt = endedAt + Math.min(maxPauseMs, (endedAt - startedAt) * pauseFactor)
    }
    last = value.then(ended, ended)
    return value
  }

  return () => {
    next ??= readNext()
    return next
  }
}

/** A connection on which nothing moves for so long is closed, ms: readers that have stopped would pile up. */
const idleMs = 10_000

/** Whether a process can serve now. */
export interface Readiness {
  readonly isReady: boolean
  /** What `/readyz` shows. It contains no secrets. */
  readonly details: Readonly<Record<string, unknown>>
}

export interface AdminServerOptions {
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>
  /** Answers in a bounded time, and never rejects. */
  readiness(): Readiness | Promise<Readiness>
}

/**
 * Builds the server for operators: `/livez`, `/readyz` and `/metrics`. It has a port of its own, which clients cannot
 * reach.
 *
 * `/livez` answers 200 with the version while the process runs. `/readyz` answers 200 if the process is ready, else
 * 503. Many scrapes at once share one reading of the metrics, so they take little time from requests.
 */
export function createAdminServer({ registry, readiness }: AdminServerOptions): FastifyInstance {
  const admin = Fastify({
    routerOptions: { ignoreTrailingSlash: true },
    forceCloseConnections: true,
    connectionTimeout: idleMs
  })
  const readMetrics = shareReads(async () => Buffer.from(await registry.metrics()))
  admin.get('/livez', async () => ({ ok: true, version }))
  admin.get('/readyz', async (_request, reply) => {
    const { isReady, details } = await readiness()
    return reply.code(isReady ? 200 : 503).send(details)
  })
  admin.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await readMetrics()))
  return admin
}

/** How often a code was sent, and when last: milliseconds since the epoch. */
export interface FailureCount {
  count: number
  lastAt: number
}

/** Counts the failed answers of a process by code, since its start. */
export class FailureCounts {
  readonly #counts = new Map<ErrorCode, FailureCount>()

  /** @param code a provider's own code, which the table does not have, counts as `invalid_request` */
  add(code: string): void {
    const ownCode = Object.hasOwn(errorTable, code) ? (code as ErrorCode) : 'invalid_request'
    const entry = this.#counts.get(ownCode)
    if (entry === undefined) this.#counts.set(ownCode, { count: 1, lastAt: Date.now() })
    else {
      entry.count++
      entry.lastAt = Date.now()
    }
  }

  /** The counts so far, by code. */
  all(): Record<string, FailureCount> {
    return Object.fromEntries(this.#counts)
  }
}
