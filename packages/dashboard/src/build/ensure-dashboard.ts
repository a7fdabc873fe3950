import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findStaleDigest } from './builds.ts'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))

/**
 * Builds the dashboard unless the current build is one of the present sources. In a process of its own: Vite sets
 * variables of the process that it runs in, and needs memory that the caller would keep.
 *
 * @throws Error with what the build wrote
 */
export async function ensureDashboard(): Promise<void> {
  if (findStaleDigest() === null) return
  try {
    await promisify(execFile)(process.execPath, [program])
  } catch (error) {
    const { stderr } = error as { stderr?: string }
    throw new Error(`The dashboard could not be built: ${stderr || error}`, { cause: error })
  }
}
