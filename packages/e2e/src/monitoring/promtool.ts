import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { stringify } from 'yaml'

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

/** Checks the syntax of PromQL expressions. @throws Error naming the wrong ones */
export async function checkExpressions(expressions: readonly string[]): Promise<void> {
  const rules = expressions.map((expr, index) => ({ record: `checked:expression_${index}`, expr }))
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-promql-'))
  try {
    const file = join(directory, 'rules.yaml')
    writeFileSync(file, stringify({ groups: [{ name: 'checked', rules }] }))
    await runPromtool('check', 'rules', file)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
