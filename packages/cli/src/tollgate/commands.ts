import { version } from '@tollgate/service/workspace.ts'
import {
  type Command,
  CommandError,
  type CommandIo,
  exitCodes,
  exitCodeTexts,
  UsageError
} from '../commands/command.ts'
import { migrate, restored } from '../database/database-commands.ts'
import { doctor } from '../doctor/doctor-command.ts'
import { mails } from '../mails/mails-command.ts'
import { account } from '../operator/account.ts'
import { catalog } from '../operator/catalog.ts'
import { key } from '../operator/key.ts'
import { ledger } from '../operator/ledger.ts'
import { login, logout } from '../operator/login.ts'
import { projection } from '../operator/projection.ts'
import { usage } from '../operator/usage.ts'

/** Every command, in the order of the help. */
export const commandTable: readonly Command[] = [
  login,
  logout,
  account,
  key,
  catalog,
  usage,
  ledger,
  projection,
  migrate,
  restored,
  mails,
  doctor
]

/**
 * Runs a command line of `tollgate`.
 *
 * @param args after the program's name
 * @returns the exit code
 * @throws only errors of the program itself
 */
export async function runTollgate(
  args: readonly string[],
  io: CommandIo,
  commands: readonly Command[]
): Promise<number> {
  try {
    return await run(args, io, commands)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    // Scripts that ask for JSON get it for failures, too.
    const { message, code } = error
    if (args.includes('--json')) io.out(`${JSON.stringify({ error: { message, code } })}\n`)
    io.err(`tollgate: ${message}\n`)
    return error.exitCode
  }
}

async function run(args: readonly string[], io: CommandIo, commands: readonly Command[]): Promise<number> {
  const [first, ...rest] = args
  if (first === '--version' || first === '-v') {
    io.out(rest.includes('--json') ? `${JSON.stringify({ version })}\n` : `${version}\n`)
    return exitCodes.done
  }
  if (first === undefined || first === '--help' || first === '-h') {
    const text = listCommands(commands)
    if (first !== undefined) io.out(text)
    else io.err(text)
    return first === undefined ? exitCodes.usage : exitCodes.done
  }
  if (first === 'help') return help(rest, io, commands)
  return find(first, commands).run(rest, io)
}

function help(args: readonly string[], io: CommandIo, commands: readonly Command[]): number {
  const [name] = args.filter((arg) => arg !== '--json')
  const command = name === undefined ? null : find(name, commands)
  if (args.includes('--json')) {
    const listed = (command === null ? commands : [command]).map(({ name, summary, usage }) => ({
      name,
      summary,
      usage
    }))
    io.out(`${JSON.stringify({ commands: listed })}\n`)
  } else io.out(command === null ? listCommands(commands) : `${command.usage.trimEnd()}\n`)
  return exitCodes.done
}

function find(name: string, commands: readonly Command[]): Command {
  const command = commands.find((one) => one.name === name)
  if (command === undefined) throw new UsageError(`"${name}" is not a command. Run: tollgate help`)
  return command
}

function listCommands(commands: readonly Command[]): string {
  const all = [...commands, { name: 'help', summary: 'list the commands; help COMMAND: all forms and options of one' }]
  const width = Math.max(...all.map(({ name }) => name.length))
  const lines = all.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return ['Usage: tollgate COMMAND …', '', ...lines, '', 'Exit codes: docs/operate/tollgate-command.md', ''].join('\n')
}

/** The part of docs/operate/tollgate-command.md that comes from the table of commands. */
export function describeCommands(commands: readonly Command[]): string {
  const rows = [['code', 'meaning'], ...Object.entries(exitCodeTexts)]
  const width = Math.max(...rows.map(([, text]) => text!.length))
  const [titles, ...codes] = rows.map(([code, text]) => `| ${code!.padEnd(4)} | ${text!.padEnd(width)} |`)
  return [
    '## Exit codes',
    '',
    titles!,
    `| ---- | ${'-'.repeat(width)} |`,
    ...codes,
    '',
    '## Commands',
    ...commands.flatMap(({ name, summary, usage }) => [
      '',
      `### ${name}`,
      '',
      `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
      '',
      '```text',
      usage.trimEnd(),
      '```'
    ]),
    ''
  ].join('\n')
}
