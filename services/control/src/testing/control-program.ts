import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'

const program = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface ControlProgram {
  child: ChildProcess
  /** Its output so far. */
  output(): string
  ended: Promise<{ code: number | null; signal: string | null }>
}

/** Runs control with only these variables, those with which Node starts faster, and a free admin port. */
export function runControl(
  t: { after(handler: () => Promise<void>): void },
  variables: Record<string, string>
): ControlProgram {
  const env = { ...nodeVariables(), CONTROL_ADMIN_PORT: '0', ...variables }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, output: () => output, ended }
}

/** Waits until control listens. @returns its address */
export const listening = (program: ControlProgram): Promise<string> =>
  untilAddress(program, /"Server listening at (http:\/\/[^"]+)/)

/** Waits until control's admin server listens. @returns its address */
export const adminListening = (program: ControlProgram): Promise<string> =>
  untilAddress(program, /Admin server listening at (http:\/\/[^"\s]+)/)

async function untilAddress({ child, output, ended }: ControlProgram, line: RegExp): Promise<string> {
  for (;;) {
    const url = line.exec(output())?.[1]
    if (url !== undefined) return url
    const ending = await Promise.race([once(child.stdout!, 'data').then(() => null), ended])
    assert.equal(ending, null, `control ended: ${output()}`)
  }
}
