import assert from 'node:assert/strict'
import type { CommandIo } from '../../commands/command.ts'
import { doctor } from '../doctor-command.ts'
import type { Finding, Result } from '../results/result.ts'
import type { Fault } from './faults/fault.ts'
import { mailPassword } from './mail-server.ts'
import { keys } from './servers.ts'
import type { Env, World } from './world.ts'

/** Runs the command. */
export async function runDoctor(env: Env, cwd: string, ...args: string[]) {
  let out = ''
  let err = ''
  const io: CommandIo = {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    env,
    cwd,
    isTerminal: false,
    ask: () => assert.fail('doctor asks nothing')
  }
  return { code: await doctor.run(args, io), out, err }
}

interface Report {
  ok: boolean
  errors: number
  warnings: number
  results: Result[]
}

/** Runs the command, and reads its report. */
export async function readFindings(env: Env, cwd: string) {
  const { code, out, err } = await runDoctor(env, cwd, '--json')
  assert.equal(err, '')
  const { results, errors } = JSON.parse(out) as Report
  const found = results.filter((result): result is Finding => 'code' in result)
  return { found, results, errors, code, out }
}

/** Makes these faults at once. Doctor must find exactly them, explain each, and print no secret. */
export async function assertFound(world: World, faults: readonly Fault[]): Promise<void> {
  const { env, cwd } = world
  const changes: Env = {}
  const undone: Array<() => Promise<void>> = []
  try {
    for (const { make } of faults) {
      const made = await make(world)
      const isUndone = 'undo' in made && typeof made.undo === 'function'
      const { env: change, undo } = isUndone ? (made as { env: Env; undo(): Promise<void> }) : { env: made as Env }
      Object.assign(changes, change)
      if (undo !== undefined) undone.push(undo)
    }
    const { found, code, out, errors } = await readFindings({ ...env, ...changes }, cwd)
    assert.deepEqual(
      found.map((finding) => finding.code),
      faults.flatMap(({ codes }) => codes),
      JSON.stringify(found, null, 2)
    )
    assert.equal(code, errors === 0 ? 0 : 1)
    for (const { what, why, fix } of found) for (const text of [what, why, fix]) assert.match(text, /\S/)
    for (const secret of [...Object.values(keys), 'password-of-redis', 'mistaken-word-of-redis', mailPassword]) {
      assert.ok(!out.includes(secret), `the report contains ${secret.slice(0, 8)}…`)
    }
  } finally {
    for (const undo of undone) await undo()
  }
}
