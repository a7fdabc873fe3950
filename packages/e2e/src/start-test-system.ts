import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePorts } from '@tollgate/cli/system/ports.ts'
import { type System, startSystem } from '@tollgate/cli/system/system.ts'
import { copyPgliteDirectory } from '@tollgate/control/testing/pglite-directory.ts'
import { nodeVariables } from '@tollgate/sandbox/node-variables.ts'

export interface TestSystem extends System {
  /** All log lines of the parts, for messages of failed tests. */
  lines: string[]
}

/** Only these variables are inherited. Others could replace an embedded part. */
const { PATH, HOME } = process.env

/**
 * Starts the whole product as `npm start` does, on free ports, with a temporary data directory. The database is a copy with
 * empty tables, since migration takes half of control's start time.
 */
export async function startTestSystem(
  t: { teardown(handler: () => Promise<void>): void },
  options: { gateways?: number; env?: Record<string, string> } = {}
): Promise<TestSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-e2e-'))
  await copyPgliteDirectory('migrated', join(dataDir, 'postgres'))
  const lines: string[] = []
  const ports = await choosePorts()
  const system = await startSystem({
    env: { PATH, HOME, ...nodeVariables(), ...options.env },
    ports,
    dataDir,
    gateways: options.gateways ?? 1,
    onLine: (part, line) => lines.push(`${part}: ${line}`),
    onCrash: (part, how) => lines.push(`${part} ended ${how}`)
  })
  t.teardown(async () => {
    await system.stop()
    rmSync(dataDir, { recursive: true })
  })
  return { ...system, lines }
}
