import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const program = fileURLToPath(import.meta.resolve('@tollgate/cli/tollgate/run-tollgate.ts'))

/** Runs `tollgate` with only these variables. @returns what it printed and its exit status */
export async function runTollgate(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  cwd: string
): Promise<{ status: number; text: string }> {
  const { PATH, HOME } = process.env
  const options = { cwd, env: { PATH, HOME, ...variables } }
  try {
    const { stdout, stderr } = await run(process.execPath, [program, ...args], options)
    return { status: 0, text: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status: code, text: stdout + stderr }
  }
}
