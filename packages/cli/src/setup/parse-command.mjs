// @ts-check

/** @typedef {{ kind: 'script', script: string, args: string[] } | { kind: 'bin', name: string, args: string[] }} Command */

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
