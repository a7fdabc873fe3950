// @ts-check

/** @typedef {{ kind: 'script', script: string, args: string[] } | { kind: 'bin', name: string, args: string[] }} Command */

export class UsageError extends Error {
  constructor() {
    super('Usage: with-setup.mjs <script> [argument…]   or   with-setup.mjs --bin <tool> [argument…]')
    this.name = 'UsageError'
  }
}

/**
 * What the arguments after the program's name ask to run. All that follows the script or the tool is passed on as it is.
 *
 * @param {readonly string[]} argv
 * @returns {Command}
 * @throws {UsageError}
 */
export function parseCommand(argv) {
  const [first, second] = argv
  if (first === '--bin') {
    // A name, not a path: it is looked for in node_modules/.bin alone.
    if (second === undefined || !/^[\w-]+$/.test(second)) throw new UsageError()
    return { kind: 'bin', name: second, args: argv.slice(2) }
  }
  if (first === undefined || first.startsWith('-')) throw new UsageError()
  return { kind: 'script', script: first, args: argv.slice(1) }
}
