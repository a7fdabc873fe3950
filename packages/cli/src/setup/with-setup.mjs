// @ts-check
import { fileURLToPath } from 'node:url'
import { parseCommand, runCommand, UsageError } from './command.mjs'
import { SetUpError, setUp } from './set-up.mjs'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

try {
  const command = parseCommand(process.argv.slice(2))
  await setUp(root)
  const { code, signal } = await runCommand(root, command)
  // This process ends with the command's exit code or signal.
  if (signal !== null) process.kill(process.pid, signal)
  process.exitCode = code ?? 1
} catch (error) {
  if (!(error instanceof SetUpError || error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
