import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findStaleDigest } from './builds.ts'
import { areSourcesGenerated } from './generated-sources.ts'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))

/**
 * Builds the dashboard if its sources have changed since the last build. The build runs in a separate process, because
 * Vite sets environment variables and keeps much memory.
 *
 * @throws Error with the output of the build
 */
export async function ensureDashboard(): Promise<void> {
  if (areSourcesGenerated() && findStaleDigest() === null) return
  try {
    await promisify(execFile)(process.execPath, [program])
  } catch (error) {
    const { stderr } = error as { stderr?: string }
    throw new Error(`The dashboard could not be built: ${stderr || error}`, { cause: error })
  }
}
