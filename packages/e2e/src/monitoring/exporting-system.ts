import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { share } from '../share.ts'
import { startTestSystem } from '../start-test-system.ts'
import { writeCatalogWith } from '../write-catalog.ts'

const program = join(dirname(createRequire(import.meta.url).resolve('autotel-devtools')), 'cli.js')
const logsPerPage = 100
const startTimeoutMs = 60_000

const sample = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{.*\})? (?<value>\S+)$/

const misbehaving = {
  thinking: 'thinking+reasoning-tokens=20+cached-tokens=5+pace-ms=20',
  /** Its streams last until the client ends them. */
  slow: 'slow+pace-ms=60000',
  failing: 'failing+status=500'
}

/**
 * A system that exports the receipts of its requests, for the files that test this and the metrics; and its collector.
 */
export const exportingSystem = share(async (endings) => {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-collector-'))
  endings.teardown(async () => rmSync(directory, { recursive: true }))
  const port = await freePort()
  const start = (name: string) => startCollector(port, join(directory, `${name}.sqlite`))
  let collector = await start('first')
  endings.teardown(() => collector.kill())
  const system = await startTestSystem(endings, {
    env: {
      CATALOG_FILE: writeCatalogWith(directory, misbehaving),
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${collector.url}/v1/logs`
    }
  })
  return {
    system,
    collector: () => collector,
    /** Starts another collector at the same address. The one before must have ended. */
    async startAnotherCollector() {
      collector = await start(crypto.randomUUID())
      return collector
    }
  }
})

/** A scrape of an admin port: the name of each sample → the sum of its values over all labels. */
export type Scrape = ReadonlyMap<string, number>

/** Reads the text form of metrics. Values that are not numbers count as 0. */
function readScrape(text: string): Map<string, number> {
  const sums = new Map<string, number>()
  for (const line of text.split('\n')) {
    const { name, value } = sample.exec(line)?.groups ?? {}
    if (name === undefined) continue
    sums.set(name, (sums.get(name) ?? 0) + (Number(value) || 0))
  }
  return sums
}

/** Asks admin ports for their metrics, and adds them up. */
export async function scrape(adminUrls: readonly string[]): Promise<Scrape> {
  const texts = await Promise.all(
    adminUrls.map(async (url) => {
      const response = await fetch(`${url}/metrics`)
      if (!response.ok) throw new Error(`${url}/metrics answered ${response.status}`)
      return response.text()
    })
  )
  return readScrape(texts.join('\n'))
}

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

/**
 * Starts a collector that others wrote: autotel-devtools, which takes OTLP over HTTP and stores it in a file.
 *
 * @param file its database, which it creates
 * @throws Error if it does not start
 */
async function startCollector(port: number, file: string): Promise<Collector> {
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
