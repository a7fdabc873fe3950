import { parseArgs } from 'node:util'
import { knownVariables } from '@tollgate/service/config/known-variables.ts'
import type { Command, CommandIo } from '../commands/command.ts'
import { checkAddresses } from './addresses.ts'
import { judgeClocks } from './clocks.ts'
import { checkReceipts, checkTraces } from './collectors.ts'
import { checkDatabase } from './database.ts'
import { isControlPod, judgeFiles, pathsOf, readFiles } from './files.ts'
import { checkIdentity } from './identity.ts'
import { checkMail } from './mail.ts'
import { checkPayments } from './payments.ts'
import { checkRedis } from './redis.ts'
import {
  countFindings,
  hideSecrets,
  listSecrets,
  printJson,
  printResults,
  type Result,
  withoutSecrets
} from './results.ts'
import { describeEmbedded, judgeVariables, readSettings, type Variables } from './settings.ts'
import { checkUpstreams } from './upstreams.ts'

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

interface CheckOptions {
  /** For each server. */
  readonly timeoutMs: number
}

/**
 * Checks the settings of both services, and every server that they name. The servers are asked at the same time. The
 * results contain no secrets.
 *
 * @param env the environment
 * @param cwd the directory with `.env`; relative paths begin there
 */
async function runChecks(env: Variables, cwd: string, { timeoutMs }: CheckOptions): Promise<Result[]> {
  const settings = readSettings(env, cwd)
  const paths = pathsOf(settings, cwd)
  const files = paths === null ? null : readFiles(paths, settings.env)
  const named = files !== null && 'content' in files.upstreams ? files.upstreams.content.variables : []
  const names = [...knownVariables, ...named]
  const secrets = listSecrets(
    settings.env,
    named.filter((name) => !/_URL$/.test(name))
  )
  const checked = await Promise.all([
    checkDatabase(settings, timeoutMs),
    checkRedis(settings, timeoutMs),
    checkIdentity(settings, timeoutMs),
    checkPayments(settings, files, timeoutMs),
    checkMail(settings, timeoutMs),
    checkUpstreams(files, timeoutMs),
    checkAddresses(settings, timeoutMs),
    checkTraces(settings, timeoutMs),
    checkReceipts(settings, timeoutMs)
  ])
  const clocks = checked.flatMap(({ clock }) => clock ?? [])
  const results: Result[] = [
    ...describeEmbedded(settings),
    ...judgeVariables({ env: settings.env, known: names, problems: settings.problems }),
    ...(files === null || paths === null ? [] : judgeFiles(files, paths, isControlPod(settings.env, named))),
    ...checked.flatMap(({ results }) => results),
    ...judgeClocks(clocks)
  ]
  return results.map((result) => withoutSecrets(result, secrets))
}

/** Removes the secrets of an environment from the text of an unexpected error. */
const describeError = (error: unknown, env: Variables): string =>
  hideSecrets(error instanceof Error ? error.message : String(error), listSecrets(env, []))
