import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'

/** Debian's package `prometheus` has both programs. null if not installed. */
export const promtool = findProgram(['promtool'])
export const prometheus = findProgram(['prometheus'])

/** Runs promtool. @throws Error with what it found */
export async function runPromtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(promtool!, args).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`promtool ${args.join(' ')}: ${error.stdout}\n${error.stderr}`)
  })
  return stdout
}
