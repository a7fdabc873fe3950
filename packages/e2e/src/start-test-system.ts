import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePorts } from '@tollgate/cli/system/ports.ts'
import { type System, startSystem } from '@tollgate/cli/system/system.ts'
import { createDatabase } from '@tollgate/control/testing/create-database.ts'
import { copyPgliteDirectory } from '@tollgate/control/testing/pglite-directory.ts'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import OpenAI from 'openai'
import { brandName } from './dashboard/check-page.ts'
import { share } from './share.ts'

/**
 * The system that the test files of one process share: two gateways and the shipped catalog. Prompts with a marker such
 * as `[sandbox+pace-ms=15]` make the model server misbehave. A test that stops or changes a part of the system starts
 * it again, or changes it back. Its customers are its own.
 */
export const sharedSystem = share((endings) =>
  startTestSystem(endings, {
    gateways: 2,
    env: {
      // Each `Person` has its own IP address, so that rate limits per address count them separately.
      TRUST_PROXY: 'loopback',
      // Webhooks may reach the servers of the tests.
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      BRAND_NAME: brandName
    }
  })
)

export interface TestSystem extends System {
  /** All log lines of the parts, for messages of failed tests. */
  lines: string[]
}

/** Only these variables are inherited. Others could replace an embedded part. */
const { PATH, HOME } = process.env

/** The timeout of a test decides, however busy the machine is. */
const readyTimeoutMs = 600_000

/**
 * A folder with the packages of both services; see packages/packaging. With it, tests run these instead of the sources.
 */
const packages = () => process.env.TOLLGATE_TEST_PACKAGE

/**
 * Starts the whole product as `npm start` does, on free ports, with a temporary data directory. Where PostgreSQL is
 * installed, control uses it: that takes less time than PGlite, which packages lack. Otherwise PGlite gets a copy of a
 * database with empty tables, since migration takes half of control's start time.
 *
 * @throws Error if packages are tested, and PostgreSQL is not installed
 */
export async function startTestSystem(
  t: { teardown(handler: () => Promise<void>): void },
  options: { gateways?: number; env?: Record<string, string> } = {}
): Promise<TestSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-e2e-'))
  const folder = packages()
  const postgres = await startPostgres()
  if (postgres !== null) t.teardown(() => postgres.stop())
  else if (folder !== undefined) throw new Error('PostgreSQL is not installed')
  else await copyPgliteDirectory('migrated', join(dataDir, 'postgres'))
  const lines: string[] = []
  const ports = await choosePorts()
  const system = await startSystem({
    readyTimeoutMs,
    env: {
      PATH,
      HOME,
      ...nodeVariables(),
      ...(postgres !== null && { DATABASE_URL: await createDatabase(postgres.url) }),
      ...options.env
    },
    ports,
    dataDir,
    gateways: options.gateways ?? 1,
    ...(folder !== undefined && { scriptOf: (part) => programOf(folder, part) }),
    onLine: (part, line) => lines.push(`${part}: ${line}`),
    onCrash: (part, how) => lines.push(`${part} ended ${how}`)
  })
  t.teardown(async () => {
    await system.stop()
    rmSync(dataDir, { recursive: true })
  })
  return { ...system, lines }
}

/** The program of a packaged service, such as `gateway-2`; undefined for other parts. */
function programOf(folder: string, part: string): string | undefined {
  const [service] = /^(control|gateway)(?=-\d+$|$)/.exec(part) ?? []
  return service === undefined ? undefined : join(folder, service, 'main.js')
}

/** Requests that the model server recorded, oldest first. @param requestId the gateway's `x-request-id` */
export async function recordedRequests(system: TestSystem, requestId?: string): Promise<RecordedRequest[]> {
  const query = requestId === undefined ? '' : `?id=${encodeURIComponent(requestId)}`
  const response = await fetch(`${system.addresses.models}/sandbox/requests${query}`)
  return ((await response.json()) as { requests: RecordedRequest[] }).requests
}

/** Creates the official SDK without retries, so that a test sees each answer. */
export function openaiClient(gateway: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${gateway}/v1`, apiKey, maxRetries: 0 })
}

/** Sends a minimal chat. @returns `200`, or status and code of the refusal */
export async function chatOutcome(client: OpenAI, model = 'gpt-4o-mini'): Promise<string> {
  try {
    await client.chat.completions.create({ model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
    return '200'
  } catch (error) {
    if (error instanceof OpenAI.APIError && error.status !== undefined) return `${error.status} ${error.code}`
    throw error
  }
}
