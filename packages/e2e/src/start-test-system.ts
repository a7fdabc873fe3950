import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePorts } from '@tollgate/cli/system/ports.ts'
import { type System, startSystem } from '@tollgate/cli/system/system.ts'
import { copyPgliteDirectory } from '@tollgate/control/testing/pglite-directory.ts'
import { nodeVariables } from '@tollgate/sandbox/node-variables.ts'

export type TestSystem = System & {
  /** Everything that the parts wrote after their start, for messages of failed tests. */
  lines: string[]
}

/** Variables that would replace an embedded part must not leak in from the machine that runs the tests. */
const { PATH, HOME } = process.env

/**
 * The whole product as `npm start` starts it, on free ports and with a data directory of its own, which is removed again at
 * the end of the test. In the database there are the tables and nothing else: creating it takes control half of its start.
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
