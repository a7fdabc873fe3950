import { parseArgs } from 'node:util'
import type { Command, CommandIo } from '../commands/command.ts'
import { countFindings, printJson, printResults } from './results/print-results.ts'
import { describeError, runChecks } from './run-checks.ts'

const timeoutMs = 5000

const usage = `Usage: tollgate doctor [--json]

Checks the settings of control and gateway, and every server that they name. It reads environment variables and the file .env
in this directory, as npm start does. It changes no settings and sends no mail.

  --json   prints the results as JSON

Exit codes: 0 no errors (there may be warnings), 1 errors, 2 wrong usage.
`

/** `tollgate doctor`: finds wrong settings before customers do. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check every setting, and every server that the settings name',
  usage,
  async run(args, io) {
    const options = readOptions(args)
    if (options === null) {
      io.err(usage)
      return 2
    }
    if (options.help) {
      io.out(usage)
      return 0
    }
    return check(options.json, io)
  }
}

async function check(isJson: boolean, io: CommandIo): Promise<number> {
  try {
    const results = await runChecks(io.env, io.cwd, { timeoutMs })
    io.out(isJson ? printJson(results) : printResults(results, io.isTerminal))
    return countFindings(results).errors === 0 ? 0 : 1
  } catch (error) {
    // Not a finding: an unreadable .env, or a fault of the check itself.
    io.err(`doctor: ${describeError(error, io.env)}\n`)
    return 1
  }
}

/** @returns null for wrong usage */
function readOptions(args: readonly string[]): { json: boolean; help: boolean } | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } }
    })
    return values
  } catch {
    return null
  }
}
