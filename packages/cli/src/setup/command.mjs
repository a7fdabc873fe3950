// @ts-check
import { delimiter, join } from 'node:path'
import { runProgram, SetUpError, workspaceNode } from './set-up.mjs'

/**
 * @typedef {{ kind: 'script', script: string, args: string[] } | { kind: 'bin', name: string, args: string[] }} Command
 */

export class UsageError extends Error {
  constructor() {
    super('Usage: with-setup.mjs <script> [argument…]   or   with-setup.mjs --bin <tool> [argument…]')
    this.name = 'UsageError'
  }
}

/**
 * Parses the arguments after the program's name. All arguments after the script or tool are passed on unchanged.
 *
 * @param {readonly string[]} argv
 * @returns {Command}
 * @throws {UsageError}
 */
export function parseCommand(argv) {
  const [first, second] = argv
  if (first === '--bin') {
    // A name, not a path, because only node_modules/.bin is searched.
    if (second === undefined || !/^[\w-]+$/.test(second)) throw new UsageError()
    return { kind: 'bin', name: second, args: argv.slice(2) }
  }
  if (first === undefined || first.startsWith('-')) throw new UsageError()
  return { kind: 'script', script: first, args: argv.slice(1) }
}

/**
 * Runs a command of the workspace with its Node first on PATH.
 *
 * A script gets an IPC channel to this process, so that it notices when this process ends, even by SIGKILL. A tool gets
 * no channel, because it might pass it on to its own children.
 *
 * @param {string} root the workspace's directory
 * @param {Command} command
 * @returns how it ended
 * @throws {SetUpError} if the command cannot be started
 */
export async function runCommand(root, command) {
  const bin = join(root, 'node_modules', '.bin')
  const env = {
    // Node's compile cache makes a start one second faster.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'tollgate'),
    ...process.env,
    PATH: [bin, process.env.PATH].filter(Boolean).join(delimiter)
  }
  const cwd = process.cwd()
  try {
    return command.kind === 'bin'
      ? await runProgram(join(bin, command.name), command.args, { cwd, env })
      : await runProgram(workspaceNode(root), [command.script, ...command.args], { cwd, env, channel: true })
  } catch (error) {
    throw new SetUpError(`${command.kind === 'bin' ? command.name : command.script} cannot be run: ${error}`)
  }
}
