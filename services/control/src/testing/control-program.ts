import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeVariables } from '@tollgate/sandbox/node-variables.ts'

const program = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface ControlProgram {
  child: ChildProcess
  /** Its output so far. */
  output(): string
  ended: Promise<{ code: number | null; signal: string | null }>
}

/** Runs control with only these variables and those with which Node starts faster. */
export function runControl(
  t: { after(handler: () => Promise<void>): void },
  variables: Record<string, string>
): ControlProgram {
  const env = { ...nodeVariables(), ...variables }
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
export async function listening({ child, output, ended }: ControlProgram): Promise<string> {
  for (;;) {
    const url = /Server listening at (http:\/\/[^"]+)/.exec(output())?.[1]
    if (url !== undefined) return url
    const ending = await Promise.race([once(child.stdout!, 'data').then(() => null), ended])
    assert.equal(ending, null, `control ended: ${output()}`)
  }
}
