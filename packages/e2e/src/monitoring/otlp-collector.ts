import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** A record of a log, as the collector gives it back. */
export interface CollectedLog {
  readonly severityText: string
  readonly body: string
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly resource: Readonly<Record<string, unknown>>
}

export interface Collector {
  readonly url: string
  /** Every record that it has stored. */
  logs(): Promise<CollectedLog[]>
  /** As a crash would. */
  kill(): Promise<void>
}

const program = join(dirname(createRequire(import.meta.url).resolve('autotel-devtools')), 'cli.js')
const logsPerPage = 100
const startTimeoutMs = 60_000

/**
 * Starts a collector that others wrote: autotel-devtools, which takes OTLP over HTTP and stores it in a file.
 *
 * @param file its database, which it creates
 * @throws Error if it does not start
 */
export async function startCollector(port: number, file: string): Promise<Collector> {
  const url = `http://127.0.0.1:${port}`
  const child = spawn(
    process.execPath,
    [program, ...['--port', String(port)], ...['--host', '127.0.0.1'], ...['--grpc-port', '0'], ...['--db', file]],
    { stdio: ['ignore', 'ignore', 'inherit'] }
  )
  await untilHealthy(child, url)
  return {
    url,
    async logs() {
      const logs: CollectedLog[] = []
      let cursor: string | null = null
      do {
        const page: Page = await readPage(url, cursor)
        logs.push(...page.logs)
        cursor = page.nextCursor
      } while (cursor !== null)
      return logs
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
}

async function untilHealthy(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + startTimeoutMs
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the collector ended with ${child.exitCode}`)
    const answer = await fetch(`${url}/healthz`).catch(() => null)
    if (answer?.ok) return
    await delay(50)
  }
  child.kill('SIGKILL')
  throw new Error('the collector did not start')
}

interface Page {
  logs: CollectedLog[]
  /** Null on the last page. */
  nextCursor: string | null
}

async function readPage(url: string, cursor: string | null): Promise<Page> {
  const response = await fetch(`${url}/api/query/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '', limit: logsPerPage, ...(cursor !== null && { cursor }) })
  })
  if (!response.ok) throw new Error(`the collector answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Page
}
